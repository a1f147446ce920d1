package typecopy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// checksumMark begins the line of a copied file that holds the checksum of the text below it.
const checksumMark = "// Checksum: sha256:"

// write writes the files of all packages.
func (c *copier) write() {
	for _, p := range c.out {
		src := p.src
		for _, f := range src.files {
			if !slices.ContainsFunc(f.all, func(d *decl) bool { return c.needed[d] }) {
				continue
			}
			base := strings.NewReplacer("\n", " ", "\t", " ").Replace(withoutControl(filepath.Base(f.Name)))
			name := fileName(base)
			for p.Files[name] != nil { // types.go and zz_generated.types.go
				name = strings.TrimSuffix(name, ".go") + "_types.go"
			}
			w, imports := &writer{copier: c}, c.imports(f)
			w.licence(f)
			fmt.Fprintf(w, "package %s\n%s", p.Name, gofile.AppendImports(nil, imports))
			planned := w.declarations(f)
			for _, imp := range imports {
				planned = append(planned, "import "+strings.TrimSpace(imp.Alias+" "+strconv.Quote(imp.Path)))
			}
			p.Files[name] = w.sealed(src, planned, token.Position{Filename: f.Name, Line: 1}, path.Join(src.within(), base))
		}
		w := &writer{copier: c}
		w.doc(src, p)
		p.Files["doc.go"] = w.sealed(src, nil, c.l.PackagePos(src.Package), src.within())
		c.licences(src, p)
	}
}

// fileName returns the name of the copy of a file. Names that the go command would interpret, that other generated
// files have, or that file systems refuse are changed.
func fileName(name string) string {
	name = strings.TrimPrefix(name, "zz_generated.")
	stem := strings.TrimSuffix(name, ".go")
	if words := strings.Split(stem, "_"); len(words) > 1 && isPlatform(words[len(words)-1]) ||
		slices.Contains([]string{"deepcopy", "register", "model_name"}, stem) {
		stem += "_types"
	}
	return gofile.ShortName("zz_generated." + stem + ".go")
}

// sealed returns the complete text of a file: its mark, its origin, its checksum, and what was written. A mistake in
// it, or what is not planned, is an error at pos.
func (w *writer) sealed(src *source, planned []string, pos token.Position, within string) []byte {
	formatted, err := format.Source(w.Bytes())
	if err == nil {
		err = checkOutline(formatted, planned)
	}
	if err != nil {
		w.diags.Errorf(pos, "cannot copy this file: %v", err).Suggest("%s", w.keepHint(src.Path))
		return nil
	}
	from, _ := src.module()
	return Sealed(strings.TrimSpace(from+" "+within), formatted)
}

// fromMark begins the line with the origin of a copied file.
const fromMark = "// From "

// Sealed returns a file with its mark, origin and checksum.
func Sealed(from string, body []byte) []byte {
	sum := sha256.Sum256(body)
	return fmt.Appendf(nil, "%s\n%s%s\n%s%s\n\n%s", importer.Mark, fromMark, from, checksumMark, hex.EncodeToString(sum[:]), body)
}

// Unseal returns the origin in a file that Sealed returned. intact reports whether the text has the recorded checksum.
// ok is false for other files.
func Unseal(text []byte) (from string, intact, ok bool) {
	head, body, _ := bytes.Cut(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if len(lines) != 3 || lines[0] != importer.Mark {
		return "", false, false
	}
	from, ok1 := strings.CutPrefix(lines[1], fromMark)
	recorded, ok2 := strings.CutPrefix(lines[2], checksumMark)
	sum := sha256.Sum256(body)
	return from, recorded == hex.EncodeToString(sum[:]), ok1 && ok2
}

// licence writes the comments with the licence of a file, or the header of the run.
func (w *writer) licence(f *file) {
	found := false
	for _, group := range f.syntax.Comments {
		if group.Pos() < f.syntax.Package && isLicence(group) && w.comments(nil, group) {
			w.WriteString("\n")
			found = true
		}
	}
	if header := strings.TrimSpace(string(w.Header)); !found && header != "" {
		w.WriteString(header + "\n\n")
	}
}

func isLicence(group *ast.CommentGroup) bool {
	return slices.ContainsFunc(group.List, func(c *ast.Comment) bool {
		return strings.Contains(c.Text, "Copyright") || strings.Contains(c.Text, "SPDX-") || strings.Contains(c.Text, "License")
	})
}

// added returns the markers that a kind or list needs for clients and does not have, or the schema of a type whose
// schema is known by its import path.
func (c *copier) added(d *decl) (added string) {
	isObject := false
	if known := crdschema.Known[model.TypeRef{Path: d.in.Path, Name: d.name}]; known != nil {
		return "// +kubegen:schema=" + string(known.JSON()) + "\n"
	}
	if !c.kinds[d] && !c.isList[d] {
		return ""
	}
	var lines strings.Builder
	for _, line := range c.markersOf(d) {
		lines.WriteString("\n" + line.Text)
		if gotypes.IsObjectMarker(line.Text) && !isBadRoot(line.Text) {
			isObject = true
		}
	}
	has := func(prefix string) bool { return strings.Contains(lines.String(), "\n"+prefix) }
	if !isObject {
		added = "// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n"
	}
	if c.kinds[d] && c.isSliced(d) {
		added += "// +genclient:skipVerbs=create,update,updateStatus\n"
		if !c.keepsManaged[d] {
			added += "// +" + model.WithoutManagedFieldsMarker + "\n"
		}
	}
	far, doc := d.comments()
	above, _ := markers.Read(c.l.Fset, markers.Type, markers.ModeOf(c.Policy), far, doc) // users cannot correct mistakes
	if !c.kinds[d] || model.HasMarker(above, "genclient") {
		return added
	}
	added += "// +genclient\n"
	if clusterScope.MatchString(lines.String()) && !has("+genclient:nonNamespaced") {
		added += "// +genclient:nonNamespaced\n"
	}
	if !has("+kubebuilder:subresource:status") && !has("+genclient:noStatus") {
		added += "// +genclient:noStatus\n"
	}
	return added
}

var clusterScope = regexp.MustCompile(`\n\+kubebuilder:resource:.*scope=Cluster`)

// imports returns the imports of a copied file for the local names that its declarations use.
func (c *copier) imports(f *file) (block []gofile.Import) {
	used := map[string]bool{}
	for _, d := range f.all {
		if c.needed[d] {
			maps.Copy(used, d.needs.uses)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		importPath := c.path(f, name)
		imported := gofile.Import{Alias: name, Path: cmp.Or(c.copyOf(importPath), importPath)}
		if path.Base(imported.Path) == name {
			imported.Alias = ""
		}
		block = append(block, imported)
	}
	return block
}

// copyOf returns the import path of the copy of a package, or "" if it is not copied.
func (c *copier) copyOf(importPath string) string {
	if src := c.sources[importPath]; src != nil && src.place != nil && !c.isKept(importPath) {
		return src.place.Path
	}
	return ""
}

// notCopied are the beginnings of markers of packages that concern the files of generators, or one file.
var notCopied = []string{
	"+k8s:", "+kubebuilder:object:", "+kubebuilder:ac:", "+kubebuilder:rbac", "+kubebuilder:webhook", "+groupName", "+versionName",
	"+genclient", "+protobuf", "+build",
}

// doc writes the package clause with the package comment and markers.
func (w *writer) doc(src *source, p *Package) {
	var lines []string
	add := func(line string) {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	hasDoc := false
	for _, f := range src.files {
		for _, group := range f.syntax.Comments {
			if ast.IsGenerated(f.syntax) || group.Pos() > f.syntax.Package || isLicence(group) {
				continue
			}
			for _, comment := range group.List {
				marker := strings.TrimSpace(withoutControl(comment.Text[2:]))
				switch isPlain := comment.Text[1] == '*' || !strings.HasPrefix(marker, "+"); {
				case isPlain && group == f.syntax.Doc:
					hasDoc = w.comments(nil, &ast.CommentGroup{List: []*ast.Comment{comment}}) || hasDoc
				case !isPlain && !slices.ContainsFunc(notCopied, func(prefix string) bool { return strings.HasPrefix(marker, prefix) }):
					add("// " + marker)
				}
			}
		}
	}
	if !hasDoc {
		fmt.Fprintf(w, "// Package %s is a copy of declarations of %s.\n", p.Name, src.Path)
	}
	if p.Version != "" {
		add("// +groupName=" + p.Group)
		if p.Version != p.Name {
			add("// +versionName=" + p.Version)
		}
		dir, hasName := path.Dir(p.Dir), slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "// +groupGoName=") })
		if !hasName && dir != strings.Split(p.Group, ".")[0] {
			add("// +groupGoName=" + importer.GoName(dir))
		}
	}
	add("// +k8s:deepcopy-gen=package")
	fmt.Fprintf(w, "//\n%s\npackage %s\n", strings.Join(lines, "\n"), p.Name)
}

// maxLicence is the maximum size of a licence file in bytes.
const maxLicence = 16 << 20

const linkOutside = "this file is a symbolic link to a file outside of its module, which is not copied"

// licences copies the licence files of the module of a package: regular files in the module.
func (c *copier) licences(src *source, p *Package) {
	from, module := src.module()
	dir, found := root(src.Package), false
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING", "NOTICE", "NOTICE.txt"} {
		file := filepath.Join(dir, name)
		if dir == "" || load.CheckRegular(file) != nil {
			continue // there is none, or it is a directory
		}
		to, _, _ := strings.Cut(name, ".")
		if leaves(dir, file) {
			c.diags.Warnf(token.Position{Filename: file, Line: 1}, linkOutside).Suggest("replace the link with the file")
			found = found || to != "NOTICE"
			continue
		}
		text, err := load.ReadNamed(file, maxLicence)
		switch {
		case err != nil:
			c.diags.AddError(err)
		case to == "NOTICE":
			p.Licences[to] = Sealed(from+" "+name, text)
		case p.Licences["LICENSE"] == nil:
			found = true
			p.Licences["LICENSE"] = Sealed(from+" "+name, text)
		}
	}
	if !found {
		c.diags.Warnf(token.Position{}, "module %s has no LICENSE: you may not be allowed to copy its types", module).Suggest("ask its authors")
	}
}
