package typecopy

import (
	"errors"
	"go/ast"
	goparser "go/parser"
	goscanner "go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// source is a package that declarations are copied from.
type source struct {
	*load.Package
	files    []*file
	decls    map[string]*decl          // other than methods, by name
	methods  map[string][]*decl        // by the name of their receiver's type, in the order of files
	enums    map[string][]*decl        // typed constants, by the name of their type
	excluded map[string]token.Position // declarations, as String names them, in files that build constraints exclude; see otherwise
	outside  map[string][]*decl        // methods that only such files declare, by the name of their receiver's type
	refused  bool                      // its files are not read, which is reported
}

// file is a file of a source. It is parsed with the objects of identifiers, which load.File lacks: they tell local
// names from names of the package.
type file struct {
	*load.File
	in     *source
	syntax *ast.File
	text   []byte            // without directives
	paths  map[string]string // import paths by local name, as far as they were asked for
	all    []*decl           // in the order of the file
	specs  map[ast.Decl][]*decl
	edits  []edit // in the order of the file, which do not overlap; see replace
	lost   []edit // that removed fields, in the order of the file

	differs   *bool                 // see differsBySystem; nil before it is known
	sequences map[*ast.GenDecl]bool // see inSequence
}

// decl is a function, or a specification in a declaration of types, constants or variables.
type decl struct {
	name string
	in   *source
	file *file
	fn   *ast.FuncDecl // or nil
	recv string        // name of the type of a method's receiver, or ""
	gen  *ast.GenDecl  // or nil
	spec ast.Spec

	excluded bool // by build constraints

	scanned  bool
	refs     []ref
	uses     map[string]bool // local names of imports
	calls    map[string]bool // names of methods or fields that it selects, or of methods in its interfaces
	problems []problem
	opaque   bool // a type that protoc-gen-go generated; what it needs does not matter
}

// String returns the name for messages: Type.Method for methods.
func (d *decl) String() string {
	if d.recv != "" {
		return d.recv + "." + d.name
	}
	return d.name
}

// names returns the names that a declaration gives to values of its package.
func (d *decl) names() (names []string) {
	if value, ok := d.spec.(*ast.ValueSpec); ok {
		for _, name := range value.Names {
			names = append(names, name.Name)
		}
	} else if d.fn != nil && d.fn.Recv == nil {
		names = append(names, d.name)
	}
	return names
}

func (d *decl) node() ast.Node {
	if d.fn != nil {
		return d.fn
	}
	return d.spec
}

// typ returns the declaration of a type, or nil for other declarations.
func (d *decl) typ() *ast.TypeSpec {
	spec, _ := d.spec.(*ast.TypeSpec)
	return spec
}

func (d *decl) isConstant() bool { return d.gen != nil && d.gen.Tok == token.CONST }

// isGenerated reports whether another tool wrote the declaration's file.
func (d *decl) isGenerated() bool { return ast.IsGenerated(d.file.syntax) }

// source returns a package by import path, or nil if it cannot be read.
func (c *copier) source(in *file, importPath string) *source {
	if src, ok := c.sources[importPath]; ok {
		return src
	}
	var found *load.Package
	if in != nil {
		found = c.l.Imported(in.File, importPath)
	} else {
		c.l.Preload(importPath)
		found = c.l.Known[importPath]
	}
	var src *source
	if found != nil {
		src = c.read(found, c.keepHint(importPath))
	}
	c.sources[importPath] = src
	return src
}

func newSource(of *load.Package) *source {
	return &source{Package: of, decls: map[string]*decl{}, methods: map[string][]*decl{}, enums: map[string][]*decl{}}
}

// read parses all files of a package. A package with files outside of its module is empty, and an error with a hint.
func (c *copier) read(found *load.Package, hint diag.Text) *source {
	if !c.inModule(found, hint) {
		src := newSource(&load.Package{Path: found.Path, Name: found.Name, Owner: found.Owner})
		src.refused = true
		return src
	}
	c.l.ReadOnce(found)
	src := newSource(found)
	for _, f := range found.Files {
		syntax, err := goparser.ParseFile(c.fset, f.Name, f.Text, goparser.ParseComments)
		var errs goscanner.ErrorList
		if errors.As(err, &errs) && f.Err == nil && !c.isKept(found.Path) { // the Loader reports all other errors
			c.diags.Errorf(
				token.Position{Filename: f.Name, Line: errs[0].Pos.Line, Column: errs[0].Pos.Column}, "cannot copy this file: %s", errs[0].Msg,
			).Suggest("%s", hint)
		}
		if syntax == nil || syntax.Name == nil {
			continue
		}
		parsed := newFile(f, src, syntax)
		parsed.text = withoutDirectives(f.Text, syntax)
		src.files = append(src.files, parsed)
	}
	return src
}

// newFile returns a file without its text, whose declarations it adds to a source.
func newFile(f *load.File, in *source, syntax *ast.File) *file {
	added := &file{
		File: f, in: in, syntax: syntax, paths: map[string]string{}, specs: map[ast.Decl][]*decl{}, sequences: map[*ast.GenDecl]bool{},
	}
	for _, d := range syntax.Decls {
		in.index(added, d)
	}
	return added
}

// index adds the specifications of a declaration.
func (s *source) index(f *file, d ast.Decl) {
	first := len(f.all)
	defer func() { f.specs[d] = f.all[first:len(f.all):len(f.all)] }()
	switch d := d.(type) {
	case *ast.FuncDecl:
		found := &decl{name: d.Name.Name, in: s, file: f, fn: d}
		f.all = append(f.all, found)
		if d.Recv == nil && d.Name.Name != "init" && d.Name.Name != "_" { // nothing can refer to these
			s.decls[found.name] = found
		} else if d.Recv != nil && len(d.Recv.List) == 1 {
			found.recv = load.BaseName(d.Recv.List[0].Type)
			s.methods[found.recv] = append(s.methods[found.recv], found)
		}
	case *ast.GenDecl:
		typed := ""
		for _, spec := range d.Specs {
			found := &decl{in: s, file: f, gen: d, spec: spec}
			f.all = append(f.all, found)
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				found.name = spec.Name.Name
				s.decls[found.name] = found
			case *ast.ValueSpec:
				found.name = spec.Names[0].Name
				for _, name := range spec.Names {
					if name.Name != "_" {
						s.decls[name.Name] = found
					}
				}
				if spec.Type != nil || len(spec.Values) > 0 {
					typed = typeOfConstant(spec)
				}
				if d.Tok == token.CONST && typed != "" {
					s.enums[typed] = append(s.enums[typed], found)
				}
			}
		}
	}
}

// typeOfConstant returns the type in the declaration of a constant, or of the conversion that is its value, or "".
func typeOfConstant(spec *ast.ValueSpec) string {
	if ident, ok := spec.Type.(*ast.Ident); ok {
		return ident.Name
	}
	if spec.Type == nil && len(spec.Values) > 0 {
		if call, ok := spec.Values[0].(*ast.CallExpr); ok && len(call.Args) == 1 {
			if ident, ok := call.Fun.(*ast.Ident); ok {
				return ident.Name
			}
		}
	}
	return ""
}

// path returns the import path for a local name in a file, or "" if it is not the name of an import.
func (c *copier) path(f *file, name string) string {
	if found, ok := f.paths[name]; ok {
		return found
	}
	if f.File.Syntax == nil {
		c.l.Parse(f.File)
	}
	found := ""
	if f.File.Syntax != nil {
		found = c.l.ImportPath(f.File, name)
	}
	f.paths[name] = found
	return found
}

// imports reports whether a file imports a package.
func (f *file) imports(importPath string) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(importPath) })
}

// dotImports returns the paths of imports whose names need no qualifier.
func (f *file) dotImports() (paths []string) {
	for _, spec := range f.syntax.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			if importPath, err := strconv.Unquote(spec.Path.Value); err == nil {
				paths = append(paths, importPath)
			}
		}
	}
	return paths
}

// module returns the path and version of the module of a package, in the form path@version, and its path alone.
func (s *source) module() (versioned, alone string) {
	m := s.Owner
	if m == nil {
		return s.Path, s.Path
	}
	versioned = m.Path
	switch {
	case m.Replace != nil && m.Replace.Version != "":
		versioned = m.Replace.Path + "@" + m.Replace.Version
	case m.Replace == nil && m.Version != "":
		versioned += "@" + m.Version
	}
	return versioned, m.Path
}

// within returns the directory of a package relative to the root of its module.
func (s *source) within() string {
	if s.Owner == nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(s.Path, s.Owner.Path), "/")
}

// covers returns a function that reports whether an import path is one of some paths, or below one.
func covers(paths []string) func(importPath string) bool {
	return func(importPath string) bool {
		return slices.ContainsFunc(paths, func(kept string) bool {
			kept = strings.TrimSuffix(kept, "/...")
			return importPath == kept || strings.HasPrefix(importPath, kept+"/")
		})
	}
}
