package parser

import (
	"bytes"
	"errors"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/origin"
	"github.com/kubegen/kubegen/internal/parallel"
)

// source is a Go package as text and syntax. Generated files are parsed only to find a declaration that no other file
// has.
type source struct {
	path, name string
	module     string // directory of its module if that is a main module, else ""
	foreign    bool   // belongs to a module that users cannot change
	files      []*file
	ignored    []string        // files that build constraints exclude
	decls      map[string]decl // nil before it was read
}

// file is one Go file of a package.
type file struct {
	name string
	text []byte
	ast  *ast.File // nil before it was parsed
	err  error

	shared *parsedFile // nil before it was read
}

// decl is a package-level declaration.
type decl struct {
	file  *file
	typ   *ast.TypeSpec
	value ast.Expr // initial value of a variable or constant, if any
	node  ast.Node
}

// read reads all files of the packages in parallel, and parses those that are hand-written or have kinds.
func (p *parser) read(found []*source) {
	var all []*file
	for _, src := range found {
		all = append(all, src.files...)
	}
	parallel.Each(all, func(f *file) {
		f.shared = p.shared.file(f.name, p.readFile)
		if f.text, f.err = f.shared.text, f.shared.readErr; f.shared.toParse() {
			p.parseFile(f)
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

var genclient = []byte("+genclient")

func (p *parser) parseFile(f *file) { f.ast, f.err = p.shared.syntax(f.name, f.shared) }

// reportFile reports that a file cannot be read or parsed. It reports only the first syntax error of a file.
func (p *parser) reportFile(f *file) {
	var syntax scanner.ErrorList
	switch {
	case errors.As(f.err, &syntax):
		p.Errorf(syntax[0].Pos, "syntax error: %s", strings.ReplaceAll(syntax[0].Msg, "\n", `\n`)) // it may quote a multi-line string
	case f.err != nil:
		why := f.err
		if inner := errors.Unwrap(why); inner != nil {
			why = inner // without the file's absolute path
		}
		p.Errorf(token.Position{Filename: f.name, Line: 1}, "cannot read this file: %v", why)
	}
}

// reportName reports a file whose package name differs from that of the first file that parses.
func (p *parser) reportName(src *source, f *file) {
	parses := func(f *file) bool { return f.ast != nil && f.err == nil }
	first := src.files[slices.IndexFunc(src.files, func(other *file) bool { return other == f || parses(other) })]
	if parses(f) && f.ast.Name.Name != first.ast.Name.Name {
		p.Errorf(p.fset.Position(f.ast.Name.Pos()), "package %s, but %s in the same directory is package %s",
			f.ast.Name.Name, filepath.Base(first.name), first.ast.Name.Name).Suggest("a directory holds one package; move or rename one")
	}
}

// dir returns the directory of the package's files, "" where it has none.
func (s *source) dir() string {
	for _, f := range s.files {
		return filepath.Dir(f.name)
	}
	for _, name := range s.ignored {
		return filepath.Dir(name)
	}
	return ""
}

// hide removes the generated files with one of the marks from the package.
func (s *source) hide(marks Marks) {
	s.files = slices.DeleteFunc(s.files, func(f *file) bool { return origin.Has(f.text, marks...) })
}

// mentionsGenclient reports whether any file of the package contains +genclient.
func (s *source) mentionsGenclient() bool {
	return slices.ContainsFunc(s.files, func(f *file) bool { return bytes.Contains(f.text, genclient) })
}

// broken reports whether a file of the package did not parse; missing declarations may be in it.
func (s *source) broken() bool {
	return slices.ContainsFunc(s.files, func(f *file) bool { return f.err != nil })
}

// index adds the declarations of a parsed file for lookup.
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

// lookup returns the package-level declaration of name. If necessary, it parses generated files that mention the name.
func (p *parser) lookup(s *source, name string) (decl, bool) {
	if s.decls == nil {
		p.read([]*source{s})
	}
	if d, ok := s.decls[name]; ok {
		return d, true
	}
	p.parseMentioning(s, name)
	d, ok := s.decls[name]
	return d, ok
}

// predeclared reports whether a name denotes a predeclared type in a package.
func (p *parser) predeclared(s *source, name string) bool {
	if s.decls == nil {
		p.read([]*source{s})
	}
	if _, ok := s.decls[name]; ok {
		return false
	}
	_, ok := types.Universe.Lookup(name).(*types.TypeName)
	return ok
}

// parseMentioning parses the generated files that mention a name.
func (p *parser) parseMentioning(s *source, name string) {
	for _, f := range s.files {
		if f.ast == nil && f.err == nil && bytes.Contains(f.text, []byte(name)) {
			p.parseFile(f)
			p.reportFile(f)
			s.index(f)
		}
	}
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

// imports returns the import paths in a file, nil if it was not parsed.
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

// importsNamed returns the import paths that a file imports under a name, "" for those without a name. It omits the
// standard library.
func (f *file) importsNamed(name string) []string {
	var found []string
	for _, spec := range f.ast.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err == nil && !model.IsStandard(importPath) && (spec.Name == nil && name == "" || spec.Name != nil && spec.Name.Name == name) {
			found = append(found, importPath)
		}
	}
	return found
}

// imports reports whether any hand-written file of the package imports a package.
func (s *source) imports(importPath string) bool {
	return slices.ContainsFunc(s.files, func(f *file) bool { return slices.Contains(f.imports(), importPath) })
}
