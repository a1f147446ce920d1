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

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// source is a package that declarations are copied from.
type source struct {
	*load.Package
	files   []*file            // that build constraints do not exclude
	decls   map[string]*decl   // other than methods, by name
	methods map[string][]*decl // by the name of their receiver's type, in the order of files
	refused bool               // its files are not read, which is reported
	place   *Package           // see placeOf
}

// file is a file of a source. It is parsed with the objects of identifiers, which load.File lacks: they tell local
// names from names of the package.
type file struct {
	*load.File
	in     *source
	syntax *ast.File
	all    []*decl // in the order of the file

	excluded bool // by build constraints
	differs  bool // some systems exclude it
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

	before token.Pos // the end of what precedes it in the file
	also   *decl     // in an excluded file; or nil

	inSequence bool   // see isSequence
	needs      *needs // nil before they are found
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

// comments returns the doc comment of a declaration, and the last comment before it if that has markers.
func (d *decl) comments() (far, doc *ast.CommentGroup) {
	start := d.node()
	if d.gen != nil && !d.gen.Lparen.IsValid() {
		start = d.gen
	}
	doc, _ = markers.Attached(start)
	return d.file.markersAbove(d.before, start.Pos(), doc), doc
}

// markersAbove returns the last comment between two positions other than the doc comment if it has markers, or nil.
func (f *file) markersAbove(after, until token.Pos, doc *ast.CommentGroup) *ast.CommentGroup {
	far := gotypes.FreeAbove(f.syntax, after, until, doc)
	if far != nil && slices.ContainsFunc(far.List, func(c *ast.Comment) bool { return isMarker(c.Text) }) {
		return far
	}
	return nil
}

// markersOf returns the markers above a declaration.
func (c *copier) markersOf(d *decl) []markers.Line {
	far, doc := d.comments()
	return markers.Lines(c.l.Fset, far, doc)
}

func (d *decl) isConstant() bool { return d.gen != nil && d.gen.Tok == token.CONST }

// isGenerated reports whether another tool wrote the declaration's file.
func (d *decl) isGenerated() bool { return ast.IsGenerated(d.file.syntax) }

// source returns a package that a file imports, or nil if it cannot be read.
func (c *copier) source(in *file, importPath string) *source {
	if src, ok := c.sources[importPath]; ok {
		return src
	}
	var src *source
	if found := c.l.Imported(in.File, importPath); found != nil {
		src = c.read(found, c.keepHint(importPath))
	}
	c.sources[importPath] = src
	return src
}

func newSource(of *load.Package) *source {
	return &source{Package: of, decls: map[string]*decl{}, methods: map[string][]*decl{}}
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
		syntax, err := goparser.ParseFile(c.l.Fset, f.Name, f.Text, goparser.ParseComments)
		var errs goscanner.ErrorList
		if errors.As(err, &errs) && f.Err == nil && !c.isKept(found.Path) { // the Loader reports all other errors
			c.diags.Errorf(
				token.Position{Filename: f.Name, Line: errs[0].Pos.Line, Column: errs[0].Pos.Column}, "cannot copy this file: %s", errs[0].Msg,
			).Suggest("%s", hint)
		}
		if syntax == nil || syntax.Name == nil {
			continue
		}
		parsed := newFile(&file{File: f, in: src, syntax: syntax})
		parsed.differs = parsed.isConditional()
		src.files = append(src.files, parsed)
	}
	if !c.isKept(found.Path) {
		c.readExcluded(src)
	}
	for _, methods := range src.methods {
		for _, m := range methods {
			c.methods[m.name] = append(c.methods[m.name], m)
		}
	}
	return src
}

// newFile completes a file, whose declarations it adds to its source.
func newFile(f *file) *file {
	before := f.syntax.Name.End()
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f.index(&decl{name: d.Name.Name, fn: d, before: before})
		case *ast.GenDecl:
			if d.Lparen.IsValid() {
				before = d.Lparen
			}
			inSequence := isSequence(d)
			for _, spec := range d.Specs {
				f.index(&decl{gen: d, spec: spec, before: before, inSequence: inSequence})
				before = spec.End()
				if _, behind := markers.Attached(spec); behind != nil {
					before = behind.End()
				}
			}
		}
		before = max(before, d.End())
	}
	return f
}

// index adds a declaration of the file to its source. One in an excluded file counts if no other file has it.
func (f *file) index(d *decl) {
	s := f.in
	d.in, d.file = s, f
	f.all = append(f.all, d)
	declare := func(name string) {
		if known := s.decls[name]; known == nil || !f.excluded {
			s.decls[name] = d
		} else {
			known.also = d
		}
	}
	switch spec := d.spec.(type) {
	case *ast.TypeSpec:
		d.name = spec.Name.Name
		declare(d.name)
		for structure := range load.Nodes[*ast.StructType](spec.Type) {
			structure.Fields.List = oneName(structure.Fields.List)
		}
	case *ast.ValueSpec:
		d.name = spec.Names[0].Name
		for _, name := range spec.Names {
			if name.Name != "_" {
				declare(name.Name)
			}
		}
	case nil:
		if d.fn.Recv == nil && d.name != "init" && d.name != "_" { // nothing can refer to these
			declare(d.name)
		} else if d.fn.Recv != nil && len(d.fn.Recv.List) == 1 {
			d.recv = load.BaseName(d.fn.Recv.List[0].Type)
			methods := s.methods[d.recv]
			at := slices.IndexFunc(methods, func(known *decl) bool { return f.excluded && known.name == d.name })
			switch {
			case f.excluded && d.isDeepCopy() && d.isGenerated(): // the copy has it anyway
			case at < 0:
				s.methods[d.recv] = append(methods, d)
			default:
				methods[at].also = d
			}
		}
	}
}

// oneName returns fields of which each has one name at most.
func oneName(fields []*ast.Field) (all []*ast.Field) {
	for _, f := range fields {
		if len(f.Names) == 0 {
			all = append(all, f)
		}
		for _, name := range f.Names {
			one := *f
			one.Names = []*ast.Ident{name}
			all = append(all, &one)
		}
	}
	return all
}

// named returns the declaration of a type that an expression in a file names, or nil if it cannot be read.
func (c *copier) named(in *file, expr ast.Expr) *decl {
	if d := c.lookup(in, expr); d != nil && d.typ() != nil {
		return d
	}
	return nil
}

// lookup returns the declaration that a name denotes, or nil if it cannot be read.
func (c *copier) lookup(in *file, expr ast.Expr) *decl {
	switch expr := expr.(type) {
	case *ast.Ident:
		return in.in.decls[expr.Name]
	case *ast.SelectorExpr:
		if importPath, _ := c.packageOf(in, expr); importPath != "" {
			if src := c.source(in, importPath); src != nil {
				return src.decls[expr.Sel.Name]
			}
		}
	}
	return nil
}

// packageOf returns the import path in a qualified name, or "" if its file does not import the package. It reports
// whether a selector is one, and not a field or method of a value.
func (c *copier) packageOf(in *file, expr *ast.SelectorExpr) (importPath string, ok bool) {
	x, ok := expr.X.(*ast.Ident)
	if !ok || in.isLocal(x) || in.in.decls[x.Name] != nil {
		return "", false
	}
	return c.path(in, x.Name), true
}

// path returns the import path for a local name in a file, or "" if it is not the name of an import.
func (c *copier) path(f *file, name string) string {
	if f.File.Syntax == nil {
		c.l.Parse(f.File)
	}
	if f.File.Syntax == nil {
		return ""
	}
	return c.l.ImportPath(f.File, name)
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
