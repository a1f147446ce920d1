package parser

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	goparser "go/parser"
	"go/scanner"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/parallel"
)

// source is a Go package as text and syntax. Generated files are parsed only when a declaration is looked for that no
// other file has.
type source struct {
	path, name string
	module     string // folder of its module if that is a main one, else ""
	foreign    bool   // of a module that is not at hand to be changed
	files      []*file
	ignored    []string        // files that build constraints exclude
	decls      map[string]decl // nil while not read
}

// file is one Go file of a package.
type file struct {
	name string
	text []byte
	ast  *ast.File // nil until parsed
	err  error
}

// decl is a package-level declaration.
type decl struct {
	file  *file
	typ   *ast.TypeSpec
	value ast.Expr // of a variable or constant that has one
	node  ast.Node
}

// load finds the packages that match the patterns and reads them. It returns them ordered by import path.
//
// Asking the go command takes longer than all the rest does for a small API, so it is asked at the same time for the
// package that +genclient:method most often refers to.
func (p *parser) load(ctx context.Context, patterns []string) []*source {
	p.goMods = p.findGoMods()
	existing := p.existing(patterns)
	if len(existing) == 0 {
		return nil
	}
	likely := p.likely(existing)
	loaded, err := p.list(ctx, slices.Concat(likely, existing))
	if likely != nil && (err != nil || slices.ContainsFunc(loaded, func(pkg *packages.Package) bool { return len(pkg.Errors) > 0 })) {
		likely = nil // it may be what is wrong
		loaded, err = p.list(ctx, existing)
	}
	if err != nil {
		p.Errorf(token.Position{}, "cannot list packages: %s", p.shortened(goMessage(err)))
		return nil
	}
	var found []*source
	for _, pkg := range loaded {
		p.noteModule(pkg.Module)
		if slices.Contains(likely, pkg.PkgPath) {
			p.sources[pkg.PkgPath] = newSource(pkg)
			continue
		}
		p.reportListing(pkg, p.matters(pkg, existing))
		if p.sources[pkg.PkgPath] != nil || len(pkg.Errors) > 0 && len(pkg.GoFiles) == 0 && len(pkg.IgnoredFiles) == 0 {
			continue
		}
		src := newSource(pkg)
		p.sources[src.path] = src
		found = append(found, src)
	}
	slices.SortFunc(found, func(a, b *source) int { return strings.Compare(a.path, b.path) })
	if p.cfg.Found != nil {
		p.cfg.Found(len(found))
	}
	p.read(found)
	p.input = found
	return found
}

// goList asks the go command, or the driver that GOPACKAGESDRIVER names, for packages and their files. Where GOFLAGS
// would let the go command download modules and write go.mod for that, it must not: who only asks changes nothing.
func (p *parser) goList(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Context: ctx, Dir: p.cfg.Dir, Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule,
		Env: append(slices.Clip(p.cfg.environ()), "GOFLAGS="+strings.ReplaceAll(p.cfg.getenv("GOFLAGS"), "-mod=mod", "-mod=readonly")),
	}, patterns...)
}

// matters reports whether a package that the go command rejects is one that was named, or has kinds: any other one, which
// only a pattern matches, may be as wrong as it likes.
func (p *parser) matters(pkg *packages.Package, patterns []string) bool {
	if len(pkg.GoFiles)+len(pkg.OtherFiles) == 0 {
		return true // there is no such package
	}
	for _, pattern := range patterns {
		switch {
		case strings.Contains(pattern, "..."):
		case pattern == pkg.PkgPath:
			return true
		case p.isLocal(pattern):
			if dir, err := filepath.Abs(p.at(pattern)); err == nil && dir == filepath.Clean(pkg.Dir) {
				return true
			}
		}
	}
	return slices.ContainsFunc(pkg.GoFiles, func(name string) bool {
		text, err := p.readFile(name)
		return err == nil && bytes.Contains(text, genclient)
	})
}

// placeOf returns the place of what the go command says of a package: the file that it names, else the first one.
func placeOf(pkg *packages.Package, e packages.Error) token.Position {
	if pos := position(e.Pos); pos.IsValid() {
		return pos
	}
	for _, name := range slices.Concat(pkg.OtherFiles, pkg.GoFiles) {
		if strings.Contains(e.Msg, filepath.Base(name)) {
			return token.Position{Filename: name, Line: 1}
		}
	}
	for _, name := range pkg.GoFiles {
		return token.Position{Filename: name, Line: 1}
	}
	return token.Position{}
}

// reportListing reports what the go command says is wrong with a package, unless its files tell better.
func (p *parser) reportListing(pkg *packages.Package, matters bool) {
	for _, e := range pkg.Errors {
		pos := position(e.Pos)
		inFile := slices.ContainsFunc(pkg.GoFiles, func(name string) bool { return filepath.Base(name) == filepath.Base(pos.Filename) })
		switch {
		case inFile, strings.HasPrefix(e.Msg, "found packages "), strings.Contains(e.Msg, "build constraints exclude all Go files"):
		case strings.HasPrefix(e.Msg, "no Go files in "):
			p.Errorf(pos, "no Go files in %s", pkg.ID).Suggest("write %s/... for the folders below it", strings.TrimSuffix(pkg.ID, "/"))
		case strings.Contains(e.Msg, "does not contain main module"):
			p.Errorf(pos, "%s is in no module that the go command works with here", pkg.ID).
				Suggest("run the command in the folder's module, or add that to go.work")
		case !matters:
			p.Warnf(placeOf(pkg, e), "the go command rejects this package: %s", p.shortened(e.Msg)).
				Suggest("nothing is generated from it; name the packages of the API alone to leave it out")
		default:
			p.suggestFolder(p.Errorf(placeOf(pkg, e), "%s", p.shortened(e.Msg)), pkg.ID)
		}
	}
}

// shortened removes absolute paths from what the go command says: "package apis is not in std (/usr/local/go/src/apis)".
func (p *parser) shortened(message string) string {
	if before, inside, ok := strings.Cut(message, " ("); ok && filepath.IsAbs(inside) {
		message = before
	}
	if dir, err := filepath.Abs(p.cfg.Dir); err == nil {
		message = strings.ReplaceAll(message, dir+string(filepath.Separator), "")
	}
	return message
}

// goMessage returns what the go command printed, if that is why it could not be asked.
func goMessage(err error) string {
	before, stderr, _ := strings.Cut(err.Error(), ": stderr: ")
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		return stderr
	}
	return strings.TrimPrefix(before, "err: ")
}

func newSource(pkg *packages.Package) *source {
	src := &source{path: pkg.PkgPath, name: pkg.Name, ignored: pkg.IgnoredFiles}
	if m := pkg.Module; m != nil && m.Main {
		src.module = m.Dir
	} else if m != nil {
		src.foreign = m.Replace == nil || m.Replace.Version != ""
	}
	for _, name := range pkg.GoFiles {
		src.files = append(src.files, &file{name: name})
	}
	return src
}

// likely returns the packages that are not input but will probably be asked for: the one with the Scale type, and those of
// many fields, which apply configurations are about, if the module requires them and no pattern can match them.
func (p *parser) likely(patterns []string) []string {
	var found []string
	add := func(module string, below ...string) {
		if _, required := p.required(module); !required {
			return
		}
		for _, dir := range below {
			importPath := module + "/" + dir
			if !slices.ContainsFunc(patterns, func(pattern string) bool { return mayMatch(pattern, importPath) }) {
				found = append(found, importPath)
			}
		}
	}
	add("k8s.io/api", "autoscaling/v1")
	if p.cfg.Types {
		add("k8s.io/api", "core/v1")
		add("k8s.io/apimachinery", "pkg/api/resource", "pkg/apis/meta/v1", "pkg/runtime", "pkg/types", "pkg/util/intstr")
		add(clientGo, "applyconfigurations/core/v1")
	}
	add(clientGo, "applyconfigurations/meta/v1") // its version is wanted in any case
	return found
}

// read reads all files of the packages, and parses those that people wrote or that hold kinds, at once.
func (p *parser) read(found []*source) {
	var all []*file
	for _, src := range found {
		all = append(all, src.files...)
	}
	parallel.Each(all, func(f *file) {
		if f.text, f.err = p.readText(f.name); f.err == nil && (!isGenerated(f.text) || bytes.Contains(f.text, genclient)) {
			f.parse(p.fset)
		}
	})
	for _, src := range found {
		src.decls = map[string]decl{}
		for _, f := range src.files {
			p.reportFile(f)
			p.reportName(src, f)
			src.index(f)
		}
	}
}

// readText reads a file. Its lines end in \n alone: go/ast reports wrong ends of comments where they end in \r\n.
func (p *parser) readText(name string) ([]byte, error) {
	text, err := p.readFile(name)
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), err
}

var genclient = []byte("+genclient")

func (f *file) parse(fset *token.FileSet) {
	f.ast, f.err = goparser.ParseFile(fset, f.name, f.text, goparser.ParseComments|goparser.SkipObjectResolution)
}

// reportFile reports that a file cannot be read or parsed. Of many syntax errors in one file the first tells most.
func (p *parser) reportFile(f *file) {
	var syntax scanner.ErrorList
	switch {
	case errors.As(f.err, &syntax):
		p.Errorf(syntax[0].Pos, "syntax error: %s", strings.ReplaceAll(syntax[0].Msg, "\n", `\n`)) // it may quote a string of several lines
	case f.err != nil:
		why := f.err
		if inner := errors.Unwrap(why); inner != nil {
			why = inner // without the file's absolute path
		}
		p.Errorf(token.Position{Filename: f.name, Line: 1}, "cannot read this file: %v", why)
	}
}

// reportName complains of a file that belongs to another package than the first one of its folder that parses.
func (p *parser) reportName(src *source, f *file) {
	parses := func(f *file) bool { return f.ast != nil && f.err == nil }
	first := src.files[slices.IndexFunc(src.files, func(other *file) bool { return other == f || parses(other) })]
	if parses(f) && f.ast.Name.Name != first.ast.Name.Name {
		p.Errorf(p.fset.Position(f.ast.Name.Pos()), "package %s, but %s in the same folder is package %s",
			f.ast.Name.Name, filepath.Base(first.name), first.ast.Name.Name).Suggest("a folder holds one package; move or rename one")
	}
}

// outsideVersions reports whether VersionDirs leaves a package out.
func (p *parser) outsideVersions(src *source) bool {
	if !src.mentionsGenclient() {
		return true
	}
	if kubeVersion.MatchString(path.Base(src.path)) {
		return false
	}
	p.Warnf(p.packagePos(src), "package %s is left out: its directory is not called as a version", src.path).
		Suggest("do without --classic, or move it to a directory such as v1")
	return true
}

// mentionsGenclient reports whether the package may have kinds that are marked.
func (s *source) mentionsGenclient() bool {
	return slices.ContainsFunc(s.files, func(f *file) bool { return bytes.Contains(f.text, genclient) })
}

// broken reports whether a file of the package did not parse: what seems to be missing may be declared there.
func (s *source) broken() bool {
	return slices.ContainsFunc(s.files, func(f *file) bool { return f.err != nil })
}

// index makes the declarations of a parsed file known to lookup.
func (s *source) index(f *file) {
	if f.ast == nil {
		return
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				s.decls[d.Name.Name] = decl{file: f, node: d}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					s.decls[spec.Name.Name] = decl{file: f, node: spec, typ: spec}
				case *ast.ValueSpec:
					for i, name := range spec.Names {
						found := decl{file: f, node: name}
						if i < len(spec.Values) {
							found.value = spec.Values[i]
						}
						s.decls[name.Name] = found
					}
				}
			}
		}
	}
}

// lookup returns the package-level declaration of name. Generated files that mention it are parsed if need be.
func (p *parser) lookup(s *source, name string) (decl, bool) {
	if s.decls == nil {
		p.read([]*source{s})
	}
	if d, ok := s.decls[name]; ok {
		return d, true
	}
	for _, f := range s.files {
		if f.ast == nil && f.err == nil && bytes.Contains(f.text, []byte(name)) {
			f.parse(p.fset)
			p.reportFile(f)
			s.index(f)
		}
	}
	d, ok := s.decls[name]
	return d, ok
}

// importPath returns the import path that a file refers to by a name.
func (f *file) importPath(name string) string {
	byBase := ""
	for _, spec := range f.ast.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil {
			if spec.Name.Name == name {
				return importPath
			}
			continue
		}
		if base := filepath.Base(importPath); base == name || byBase == "" && strings.HasSuffix(base, "-"+name) {
			byBase = importPath
		}
	}
	return byBase
}

// imports returns the import paths in a file, none if it is nil or not parsed.
func (f *file) imports() (found []string) {
	if f == nil || f.ast == nil {
		return nil
	}
	for _, spec := range f.ast.Imports {
		if importPath, err := strconv.Unquote(spec.Path.Value); err == nil {
			found = append(found, importPath)
		}
	}
	return found
}

// importsNamed returns the import paths that a file gives a name, "" for those without one. The standard library's are not
// among them.
func (f *file) importsNamed(name string) []string {
	var found []string
	for _, spec := range f.ast.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err == nil && !isStandard(importPath) && (spec.Name == nil && name == "" || spec.Name != nil && spec.Name.Name == name) {
			found = append(found, importPath)
		}
	}
	return found
}

// imports reports whether any file of the package that people wrote imports a package.
func (s *source) imports(importPath string) bool {
	return slices.ContainsFunc(s.files, func(f *file) bool { return slices.Contains(f.imports(), importPath) })
}

// isGenerated reports whether a file says before its package clause that it is generated (https://go.dev/s/generatedcode).
func isGenerated(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if bytes.HasPrefix(line, []byte("// Code generated ")) && bytes.HasSuffix(line, []byte(" DO NOT EDIT.")) {
			return true
		}
		if bytes.HasPrefix(line, []byte("package ")) {
			return false
		}
	}
	return false
}

// position reads the "file:line:col" of a go/packages error.
func position(s string) token.Position {
	var pos token.Position
	rest, column, ok := cutLast(s, ":")
	name, line, ok2 := cutLast(rest, ":")
	if !ok || !ok2 {
		name, line, _ = cutLast(s, ":")
		column = ""
	}
	pos.Filename = name
	pos.Line, _ = strconv.Atoi(line)
	pos.Column, _ = strconv.Atoi(column)
	return pos
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
