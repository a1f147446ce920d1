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

// Checksum begins the line of a copied file that holds the checksum of the text below it.
const Checksum = "// Checksum: sha256:"

// write writes the files of all packages.
func (c *copier) write() {
	for _, src := range slices.SortedFunc(maps.Keys(c.places), func(a, b *source) int { return strings.Compare(a.Path, b.Path) }) {
		p := c.places[src]
		if p.Dir == "" {
			continue
		}
		for _, f := range src.files {
			name := fileName(filepath.Base(f.Name))
			for p.Files[name] != nil { // types.go and zz_generated.types.go
				name = strings.TrimSuffix(name, ".go") + "_types.go"
			}
			known := newProvenance()
			if text, imports := c.text(f, p, known); text != nil {
				pos := token.Position{Filename: f.Name, Line: 1}
				known.gate, p.known[name] = c.gateFor(f, p, imports), known
				p.Files[name] = c.marked(src, pos, path.Join(src.within(), filepath.Base(f.Name)), f.licence(), text, known.gate)
			}
		}
		known := newProvenance()
		text := c.doc(src, p, known)
		p.known["doc.go"] = known
		p.Files["doc.go"] = c.marked(src, c.l.PackagePos(src.Package), src.within(), "", text, known.gate)
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

// marked returns the complete text of a file: its mark, its origin, its checksum, and the licence before the text. The
// text must pass the gate; what does not is an error at pos.
func (c *copier) marked(src *source, pos token.Position, within, licence string, text []byte, g *gate) []byte {
	if licence == "" {
		licence = strings.TrimSpace(string(c.Header))
	}
	if g.addMarkers(licence); licence != "" {
		licence += "\n\n"
	}
	body := append([]byte(licence), text...)
	from, _ := src.module()
	formatted, err := format.Source(body)
	if err != nil {
		c.diags.Errorf(pos, "cannot copy this file: %v", err).Suggest("%s", c.keepHint(src.Path))
		return nil
	}
	sealed := Sealed(strings.TrimSpace(from+" "+within), formatted)
	if what := g.check(sealed); what != "" {
		c.diags.Errorf(pos, "cannot copy this file: its copy would have %s", what).Suggest("%s", c.keepHint(src.Path))
	}
	return sealed
}

// Sealed returns a file with its mark, origin and checksum.
func Sealed(from string, body []byte) []byte {
	sum := sha256.Sum256(body)
	return fmt.Appendf(nil, "%s\n// From %s\n%s%s\n\n%s", importer.Mark, from, Checksum, hex.EncodeToString(sum[:]), body)
}

// Unseal returns the origin in a file that Sealed returned. intact reports whether the text has the recorded checksum.
// ok is false for other files.
func Unseal(text []byte) (from string, intact, ok bool) {
	head, body, _ := bytes.Cut(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if len(lines) != 3 || lines[0] != importer.Mark {
		return "", false, false
	}
	from, ok1 := strings.CutPrefix(lines[1], "// From ")
	recorded, ok2 := strings.CutPrefix(lines[2], Checksum)
	sum := sha256.Sum256(body)
	return from, recorded == hex.EncodeToString(sum[:]), ok1 && ok2
}

// licence returns the comments with the licence of a file.
func (f *file) licence() string {
	var texts []string
	for _, group := range f.syntax.Comments {
		if group.Pos() > f.syntax.Package {
			break
		}
		if text := string(f.slice(group.Pos(), group.End())); isLicence(text) {
			texts = append(texts, strings.TrimSpace(text))
		}
	}
	return strings.Join(texts, "\n\n")
}

func isLicence(text string) bool {
	return strings.Contains(text, "Copyright") || strings.Contains(text, "SPDX-") || strings.Contains(text, "License")
}

// text returns the text of a copied file below its licence, or nil if nothing in it is needed, and its imports.
func (c *copier) text(f *file, p *Package, known *provenance) (text []byte, block []gofile.Import) {
	var body bytes.Buffer
	imports := map[string]bool{}
	before := f.syntax.Name.End()
	put := func(from, to token.Pos, text []byte) {
		fmt.Fprintf(&body, "\n%s", text)
		known.addMarkers(c, f, f.comments(from, to))
	}
	for _, node := range f.syntax.Decls {
		from := before
		before = f.endOf(node)
		all, first := f.specs[node], (*decl)(nil)
		for _, d := range all {
			if !c.needed[d] {
				continue
			}
			first = cmp.Or(first, d)
			maps.Copy(imports, d.uses)
			known.add(d.String(), c.position(d.node().Pos()), c.added(d))
		}
		if first == nil {
			continue
		}
		switch node := node.(type) {
		case *ast.FuncDecl:
			start := node.Pos()
			if node.Doc != nil {
				start = node.Doc.Pos()
			}
			put(start, before, f.slice(start, before))
			body.WriteString("\n")
		case *ast.GenDecl:
			if !node.Lparen.IsValid() {
				start := f.startOf(from, node.Pos(), node.Doc)
				put(start, before, c.typeText(first, start, before))
				body.WriteString("\n")
				continue
			}
			if node.Doc != nil {
				put(node.Doc.Pos(), node.Doc.End(), f.slice(node.Doc.Pos(), node.Doc.End()))
			}
			fmt.Fprintf(&body, "\n%s (", node.Tok)
			from = node.Lparen + 1
			for _, d := range all {
				end := f.endOf(d.spec)
				if c.needed[d] {
					start := f.startOf(from, d.spec.Pos(), docOf(d.spec))
					if from != node.Lparen+1 && bytes.Contains(f.slice(from, start), []byte("\n\n")) {
						body.WriteString("\n")
					}
					put(start, end, c.typeText(d, start, end))
				}
				from = end
			}
			body.WriteString("\n)\n")
		}
	}
	if body.Len() == 0 {
		return nil, nil
	}
	block = c.imports(f, imports)
	return fmt.Appendf(nil, "package %s\n%s%s", p.Name, gofile.AppendImports(nil, block), body.Bytes()), block
}

// editMarkers edits the comments from one position to another, of a declaration: import paths in markers become those
// of copies. A marker that asks for an interface of another package, which is not copied, is left out, and one for
// objects if its type has no kind, and markers that do not fit a type that lost fields. So are markers of kinds that
// were not asked for, whose types others need.
func (c *copier) editMarkers(d *decl, from, to token.Pos) {
	for _, group := range d.file.comments(from, to) {
		for _, comment := range group.List {
			text, isLine := strings.CutPrefix(comment.Text, "//")
			text = strings.TrimSpace(text)
			interfaces, isCopied := strings.CutPrefix(text, "+k8s:deepcopy-gen:interfaces=")
			switch {
			case !isLine || !strings.HasPrefix(text, "+"):
			case isCopied && slices.ContainsFunc(strings.Split(interfaces, ","), func(name string) bool {
				importPath := name[:max(strings.LastIndex(name, "."), 0)]
				isObject := name == "k8s.io/apimachinery/pkg/runtime.Object"
				return !c.isKept(importPath) || slices.Contains(acting, importPath) || isObject && !c.canBeObject(d)
			}), gotypes.IsObjectMarker(text) && !c.canBeObject(d), isBadRoot(text), permission.MatchString(comment.Text),
				c.isSliced(d) && c.losesMarker(d, comment.Text), !c.kinds[d] && markers.OfKinds(text):
				d.file.drop(comment)
			default:
				edited := comment.Text
				for _, found := range typesInMarker(text) {
					if src := c.sources[found.Path]; src != nil && c.places[src] != nil && c.places[src].Dir != "" {
						edited = strings.ReplaceAll(edited, "="+found.Path+"."+found.Name, "="+c.places[src].Path+"."+found.Name)
					}
				}
				if edited != comment.Text {
					d.file.replace(comment.Pos(), comment.End(), edited)
				}
			}
		}
	}
}

// canBeObject reports whether a copied type may implement runtime.Object: it embeds a type, or its method GetObjectKind
// is copied.
func (c *copier) canBeObject(d *decl) bool {
	if d.typ() == nil {
		return false
	}
	structure, ok := d.typ().Type.(*ast.StructType)
	return !ok || slices.ContainsFunc(structure.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 && !c.isDropped(d, f) }) ||
		slices.ContainsFunc(d.in.methods[d.name], func(m *decl) bool { return m.name == "GetObjectKind" && c.needed[m] })
}

// isBadRoot reports whether a marker for objects has another value than true or false.
func isBadRoot(marker string) bool {
	value, ok := strings.CutPrefix(marker, "+"+model.ObjectMarker+":root")
	return ok && !slices.Contains([]string{"", "=true", "=false"}, value)
}

func docOf(spec ast.Spec) *ast.CommentGroup {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Doc
	case *ast.ValueSpec:
		return spec.Doc
	}
	return nil
}

// endOf returns the end of a declaration, with a comment on its last line.
func (f *file) endOf(node ast.Node) token.Pos {
	end := node.End()
	if groups := f.comments(end, f.syntax.FileEnd); len(groups) > 0 {
		if len(bytes.Trim(f.text[end-f.syntax.FileStart:groups[0].Pos()-f.syntax.FileStart], " \t;,")) == 0 {
			return groups[0].End()
		}
	}
	return end
}

// comments returns the comments that begin from one position to another.
func (f *file) comments(from, to token.Pos) []*ast.CommentGroup {
	all := f.syntax.Comments
	at := func(pos token.Pos) int {
		i, _ := slices.BinarySearchFunc(all, pos, func(group *ast.CommentGroup, pos token.Pos) int { return cmp.Compare(group.Pos(), pos) })
		return i
	}
	return all[at(from):max(at(from), at(to))]
}

// startOf returns the start of the comments of a declaration: its doc comment, and comments with markers above it.
func (f *file) startOf(after, start token.Pos, doc *ast.CommentGroup) token.Pos {
	if doc != nil {
		start = doc.Pos()
	}
	for _, group := range f.comments(after, start) {
		if slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return isMarker(c.Text) }) {
			return group.Pos()
		}
	}
	return start
}

// added returns the markers that a kind or list needs for clients and does not have, or the schema of a type whose
// schema is known by its import path.
func (c *copier) added(d *decl) string {
	if known := crdschema.Known[model.TypeRef{Path: d.in.Path, Name: d.name}]; known != nil {
		return "// +kubegen:schema=" + string(known.JSON()) + "\n"
	}
	if !c.kinds[d] && !c.lists[d] {
		return ""
	}
	lines := markers.Lines(c.l.Fset, c.above(d)...)
	has := func(prefix string) bool {
		return slices.ContainsFunc(lines, func(line markers.Line) bool { return strings.HasPrefix(line.Text, prefix) })
	}
	added := ""
	if !slices.ContainsFunc(lines, func(line markers.Line) bool { return gotypes.IsObjectMarker(line.Text) && !isBadRoot(line.Text) }) {
		added = "// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n"
	}
	if c.kinds[d] && c.isSliced(d) {
		added += "// +genclient:skipVerbs=create,update,updateStatus\n"
		if !c.keepsManaged[d] {
			added += "// +" + model.WithoutManagedFieldsMarker + "\n"
		}
	}
	above, _ := markers.Read(c.l.Fset, markers.Type, markers.ModeOf(c.Policy), c.above(d)...) // users cannot correct mistakes
	if !c.kinds[d] || model.HasMarker(above, "genclient") {
		return added
	}
	added += "// +genclient\n"
	isCluster := func(line markers.Line) bool {
		return strings.HasPrefix(line.Text, "+kubebuilder:resource:") && strings.Contains(line.Text, "scope=Cluster")
	}
	if slices.ContainsFunc(lines, isCluster) && !has("+genclient:nonNamespaced") {
		added += "// +genclient:nonNamespaced\n"
	}
	if !has("+kubebuilder:subresource:status") && !has("+genclient:noStatus") {
		added += "// +genclient:noStatus\n"
	}
	return added
}

// above returns the comments above a declaration.
func (c *copier) above(d *decl) []*ast.CommentGroup {
	start := d.gen.Pos()
	if d.gen.Lparen.IsValid() {
		start = d.spec.Pos()
	}
	before := d.file.syntax.Name.End()
	if i, _ := slices.BinarySearchFunc(d.file.all, start, func(other *decl, start token.Pos) int {
		return cmp.Compare(other.node().End(), start)
	}); i > 0 {
		before = d.file.all[i-1].node().End()
	}
	return d.file.comments(before+1, start)
}

// imports returns the imports of a copied file for the local names that it uses. They are not sorted.
func (c *copier) imports(f *file, used map[string]bool) (block []gofile.Import) {
	named := map[string]bool{}
	for _, spec := range f.syntax.Imports {
		if spec.Name != nil {
			named[spec.Name.Name] = true
		}
	}
	locals := map[string]string{} // names of packages whose imports have no name, by path
	for name := range used {
		if !named[name] {
			locals[c.path(f, name)] = name
		}
	}
	for _, spec := range f.syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		local := locals[importPath]
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == "" || local == "_" || local == "." || !used[local] {
			continue
		}
		imported := gofile.Import{Alias: local, Path: importPath}
		if src := c.sources[importPath]; src != nil && c.places[src] != nil && c.places[src].Dir != "" && !c.isKept(importPath) {
			imported.Path = c.places[src].Path
		}
		if spec.Name == nil && (imported.Path == importPath || path.Base(imported.Path) == local) {
			imported.Alias = ""
		}
		if !slices.Contains(block, imported) {
			block = append(block, imported)
		}
	}
	return block
}

// notCopied are the beginnings of markers of packages that concern the files of generators.
var notCopied = []string{
	"+k8s:", "+kubebuilder:object:", "+kubebuilder:ac:", "+kubebuilder:rbac", "+kubebuilder:webhook", "+groupName", "+versionName",
	"+genclient", "+protobuf",
}

// doc returns the package clause with the package comment and markers.
func (c *copier) doc(src *source, p *Package, known *provenance) []byte {
	var text, lines []string
	for _, f := range src.files {
		if ast.IsGenerated(f.syntax) {
			continue
		}
		licence := f.licence()
		for _, group := range f.syntax.Comments {
			if group.Pos() > f.syntax.Package || licence != "" &&
				strings.Contains(licence, strings.TrimSpace(string(f.slice(group.Pos(), group.End())))) {
				continue
			}
			for _, comment := range group.List {
				line := string(f.slice(comment.Pos(), comment.End()))
				marker, ok := strings.CutPrefix(line, "//")
				marker = strings.TrimSpace(marker)
				isMarker := ok && strings.HasPrefix(marker, "+")
				switch {
				case isMarker && !slices.ContainsFunc(notCopied, func(prefix string) bool { return strings.HasPrefix(marker, prefix) }) &&
					!slices.Contains(lines, "// "+marker):
					lines = append(lines, "// "+marker)
					known.addMarkers(c, f, []*ast.CommentGroup{{List: []*ast.Comment{comment}}})
				case !isMarker && group == f.syntax.Doc:
					text = append(text, line)
					known.addMarkers(c, f, []*ast.CommentGroup{{List: []*ast.Comment{comment}}})
				}
			}
		}
	}
	copied := len(lines)
	if p.Version != "" &&
		slices.ContainsFunc(src.files, func(f *file) bool { return slices.ContainsFunc(f.all, func(d *decl) bool { return c.kinds[d] }) }) {
		lines = append(lines, "// +groupName="+p.Group)
		if p.Version != p.Name {
			lines = append(lines, "// +versionName="+p.Version)
		}
		if dir := path.Dir(p.Dir); !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "// +groupGoName=") }) &&
			dir != strings.Split(p.Group, ".")[0] {
			lines = append(lines, "// +groupGoName="+importer.GoName(dir))
		}
	} else {
		p.Group, p.Version = "", ""
	}
	lines = append(lines, "// +k8s:deepcopy-gen=package")
	for _, line := range lines[copied:] {
		known.added[markerIn(line)] = true
	}
	comment := ""
	if joined := strings.TrimSpace(strings.Join(text, "\n")); joined != "" {
		comment = joined + "\n"
		if !strings.HasSuffix(joined, "*/") {
			comment += "//\n"
		}
	} else {
		comment = fmt.Sprintf("// Package %s is a copy of declarations of %s.\n//\n", p.Name, src.Path)
	}
	known.gate = &gate{name: p.Name, markers: map[string]bool{}}
	known.gate.addMarkers(strings.Join(slices.Concat(text, lines), "\n"))
	return []byte(comment + strings.Join(lines, "\n") + "\npackage " + p.Name + "\n")
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
