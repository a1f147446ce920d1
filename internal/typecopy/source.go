package typecopy

import (
	"bytes"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/load"
)

// source is a package that declarations are copied from.
type source struct {
	*load.Package
	files    []*file
	decls    map[string]*decl          // other than methods, by name
	methods  map[string][]*decl        // by the name of their receiver's type, in the order of files
	enums    map[string][]*decl        // typed constants, by the name of their type
	excluded map[string]token.Position // names that files outside of the build constraints declare
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

	scanned  bool
	refs     []ref
	uses     map[string]bool // local names of imports
	calls    map[string]bool // names of methods or fields that it selects
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
		src = c.read(found)
	}
	c.sources[importPath] = src
	return src
}

// read parses all files of a package.
func (c *copier) read(found *load.Package) *source {
	c.l.ReadOnce(found)
	src := &source{Package: found, decls: map[string]*decl{}, methods: map[string][]*decl{}, enums: map[string][]*decl{}}
	for _, f := range found.Files {
		syntax, _ := goparser.ParseFile(c.fset, f.Name, f.Text, goparser.ParseComments) // the Loader reports syntax errors
		if syntax == nil || syntax.Name == nil {
			continue
		}
		parsed := &file{File: f, in: src, syntax: syntax, paths: map[string]string{}, text: withoutDirectives(f.Text, syntax)}
		src.files = append(src.files, parsed)
		for _, d := range syntax.Decls {
			src.index(parsed, d)
		}
	}
	return src
}

// directive matches a line of a comment that the go command, the compiler or cgo interprets: the author of a copied
// file must not choose what runs in this module.
var directive = regexp.MustCompile(`(?m)^(//go:|//line |/\*line |//export |//extern |//\s*\+build\b).*$`)

// withoutDirectives returns the text of a file with spaces in place of the directives in its comments.
func withoutDirectives(text []byte, syntax *ast.File) []byte {
	text = slices.Clone(text)
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			part := text[comment.Pos()-syntax.FileStart : comment.End()-syntax.FileStart]
			for _, at := range directive.FindAllIndex(part, -1) {
				for i := at[0] + len("//"); i < at[1]; i++ {
					if rest := part[i:]; !bytes.HasPrefix(rest, []byte("*/")) {
						part[i] = ' '
					} else {
						break
					}
				}
			}
		}
	}
	return text
}

// index adds the specifications of a declaration.
func (s *source) index(f *file, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		found := &decl{name: d.Name.Name, in: s, file: f, fn: d}
		f.all = append(f.all, found)
		if d.Recv == nil {
			s.decls[found.name] = found
		} else if len(d.Recv.List) == 1 {
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

// otherwise returns the position where a file that build constraints exclude declares a name, too.
func (c *copier) otherwise(src *source, name string) (token.Position, bool) {
	if src.excluded == nil {
		src.excluded = map[string]token.Position{}
		for _, ignored := range src.Ignored {
			text, err := c.l.ReadFile(ignored)
			if err != nil || filepath.Ext(ignored) != ".go" || strings.HasSuffix(ignored, "_test.go") {
				continue
			}
			syntax, _ := goparser.ParseFile(c.fset, ignored, text, goparser.SkipObjectResolution)
			if syntax == nil || syntax.Name == nil || syntax.Name.Name != src.Name {
				continue
			}
			other := &source{decls: map[string]*decl{}, methods: map[string][]*decl{}, enums: map[string][]*decl{}}
			for _, d := range syntax.Decls {
				other.index(&file{}, d)
			}
			for name, d := range other.decls {
				src.excluded[name] = c.fset.Position(d.node().Pos())
			}
		}
	}
	pos, ok := src.excluded[name]
	return pos, ok
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
