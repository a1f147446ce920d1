package gotypes

import (
	"cmp"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Declaration is a type declaration in its source form. Types that it names are not read; Declared returns them.
type Declaration struct {
	model.TypeRef
	Package *load.Package
	Pos     token.Pos
	Alias   bool
	Params  []string // type parameters
	Doc     Doc
	Markers []markers.Line
	Type    *Expr
	Fields  []*DeclaredField // if Type is a struct

	file *load.File
}

// DeclaredField is a field in its source form. A field that declares several names becomes several DeclaredFields.
type DeclaredField struct {
	Name    string // "" if it is embedded
	Pos     token.Pos
	Tag     reflect.StructTag
	Doc     Doc
	Markers []markers.Line
	Type    *Expr
}

// GoName returns the name of the field in Go, which an embedded one has from its type.
func (f *DeclaredField) GoName() string { return cmp.Or(f.Name, f.Type.Target().Name.Name) }

// Doc is the text of a comment without its markers and directives.
type Doc struct {
	Text  string
	Block bool // it contains a comment of the form /* */
}

// Declared returns the declaration of a type in a package, or nil if there is none.
func (r *Reader) Declared(src *load.Package, name string) *Declaration {
	found, ok := r.source.declarations[src][name]
	if ok {
		return found
	}
	if r.source.declarations[src] == nil {
		r.source.declarations[src] = map[string]*Declaration{}
	}
	if d, ok := r.Lookup(src, name); ok && d.Type != nil {
		found = r.written(src, d)
	}
	r.source.declarations[src][name] = found
	return found
}

// Follow returns the declaration of the type that an expression in a declaration names, or nil if it is not found.
func (r *Reader) Follow(in *Declaration, e *Expr) *Declaration {
	src := r.homeOf(scope{src: in.Package, file: in.file}, e)
	if src == nil {
		return nil
	}
	return r.Declared(src, e.Name.Name)
}

// written reads a declaration.
func (n names) written(src *load.Package, d load.Decl) *Declaration {
	spec := d.Type
	found := &Declaration{
		TypeRef: model.TypeRef{Path: src.Path, Name: spec.Name.Name}, Package: src, Pos: spec.Name.Pos(), Alias: spec.Assign.IsValid(),
		file: d.File,
	}
	found.Params, _ = paramsOf(spec)
	outer, before := enclosing(d.File.Syntax, spec)
	doc, start := spec.Doc, spec.Pos()
	if !outer.Lparen.IsValid() {
		doc, start = cmp.Or(doc, outer.Doc), outer.Pos()
	}
	found.Markers = append(n.markerLines(FreeAbove(d.File.Syntax, before, start, doc)), n.markerLines(doc)...)
	found.Doc = DocOf(doc)
	at := scopeOf(src, d)
	if found.Type = n.expr(at, spec.Type); found.Type.Form == StructForm {
		found.Fields = n.writtenFields(at, found.Type.members)
	}
	return found
}

// enclosing returns the declaration that contains a type specification, and the end of the preceding declaration.
func enclosing(f *ast.File, spec *ast.TypeSpec) (outer *ast.GenDecl, before token.Pos) {
	i := startingBefore(f.Decls, spec.Pos()) - 1
	before = f.Name.End()
	if i > 0 {
		before = endOf(f.Decls[i-1])
	}
	outer = f.Decls[i].(*ast.GenDecl)
	if outer.Lparen.IsValid() {
		before = outer.Lparen
		if i := startingBefore(outer.Specs, spec.Pos()); i > 0 {
			before = max(outer.Specs[i-1].End(), endOfLine(outer.Specs[i-1]))
		}
	}
	return outer, before
}

// startingBefore returns the number of nodes in a list that start before a position.
func startingBefore[N ast.Node](nodes []N, pos token.Pos) int {
	i, _ := slices.BinarySearchFunc(nodes, pos, func(n N, pos token.Pos) int { return int(n.Pos() - pos) })
	return i
}

// endOfLine returns the end of the comment after a specification on its line.
func endOfLine(spec ast.Spec) token.Pos {
	if _, behind := markers.Attached(spec); behind != nil {
		return behind.End()
	}
	return token.NoPos
}

// FreeAbove returns the last comment between two positions other than the doc comment.
func FreeAbove(f *ast.File, after, until token.Pos, doc *ast.CommentGroup) *ast.CommentGroup {
	end, _ := slices.BinarySearchFunc(f.Comments, until, func(group *ast.CommentGroup, pos token.Pos) int { return int(group.Pos() - pos) })
	for end--; end >= 0 && f.Comments[end].Pos() >= after; end-- {
		if f.Comments[end] != doc {
			return f.Comments[end]
		}
	}
	return nil
}

// isMarker reports whether a comment is a marker: a line comment that begins with a plus sign.
func isMarker(c *ast.Comment) bool {
	return strings.HasPrefix(c.Text, "//") && strings.HasPrefix(strings.TrimSpace(c.Text[2:]), "+")
}

// markerLines returns the markers in a comment.
func (n names) markerLines(group *ast.CommentGroup) []markers.Line {
	if group == nil {
		return nil
	}
	var lines []markers.Line
	for _, c := range group.List {
		if isMarker(c) {
			at := strings.IndexByte(c.Text, '+')
			lines = append(lines, markers.Line{Text: strings.TrimSpace(c.Text[2:]), Pos: n.Fset.Position(c.Pos() + token.Pos(at))})
		}
	}
	return lines
}

// DocOf returns the text of a comment without its markers and directives.
func DocOf(group *ast.CommentGroup) Doc {
	if group == nil {
		return Doc{}
	}
	var doc Doc
	rest := make([]*ast.Comment, 0, len(group.List))
	for _, c := range group.List {
		if !isMarker(c) {
			rest = append(rest, c)
			doc.Block = doc.Block || strings.HasPrefix(c.Text, "/*")
		}
	}
	doc.Text = (&ast.CommentGroup{List: rest}).Text()
	return doc
}

// writtenFields reads the fields of a struct.
func (n names) writtenFields(at scope, list *ast.FieldList) []*DeclaredField {
	var fields []*DeclaredField
	before := list.Opening
	for _, f := range list.List {
		found := DeclaredField{
			Pos: f.Pos(), Tag: StructTag(f), Doc: DocOf(f.Doc),
			Markers: append(n.markerLines(FreeAbove(at.file.Syntax, before, f.Pos(), f.Doc)), n.markerLines(f.Doc)...),
		}
		if found.Tag.Get("json") != "-" {
			found.Type = n.expr(at, f.Type)
		} else {
			found.Type = &Expr{Pos: f.Type.Pos()}
		}
		if len(f.Names) == 0 {
			fields = append(fields, &found)
		}
		for _, name := range f.Names {
			named := found
			named.Name, named.Pos = name.Name, name.Pos()
			fields = append(fields, &named)
		}
		if before = f.End(); f.Comment != nil {
			before = f.Comment.End()
		}
	}
	return fields
}

// PackageLines returns the markers of a package by the rules of controller-gen: in all comments of its files that are
// neither inside nor directly above a declaration.
func (n names) PackageLines(src *load.Package) []markers.Line {
	var lines []markers.Line
	for f := range src.Parsed() {
		decls := f.Syntax.Decls
		for _, group := range f.Syntax.Comments {
			for len(decls) > 0 && endOf(decls[0]) <= group.Pos() {
				decls = decls[1:]
			}
			if len(decls) > 0 {
				if doc, _ := markers.Attached(decls[0]); group == doc || group.Pos() >= decls[0].Pos() {
					continue
				}
			}
			lines = append(lines, n.markerLines(group)...)
		}
	}
	return lines
}

// endOf returns the end of a declaration, or of the comment behind it.
func endOf(d ast.Decl) token.Pos {
	end := d.End()
	if gen, ok := d.(*ast.GenDecl); ok && len(gen.Specs) > 0 {
		end = max(end, endOfLine(gen.Specs[len(gen.Specs)-1]))
	}
	return end
}

// Marshals reports whether a type or a pointer to it has a method MarshalJSON, and a method MarshalText, either its own
// or promoted from an embedded type.
func (r *Reader) Marshals(d *Declaration) (json, text bool) {
	level, seen := []*Declaration{d}, map[*Declaration]bool{}
	for len(level) > 0 && !json && !text {
		var next []*Declaration
		for _, d := range level {
			if seen[d] {
				continue
			}
			seen[d] = true
			for _, fn := range r.methods(d.Package, d.Name) {
				json = json || fn.Name.Name == "MarshalJSON" && marshals(fn.Type)
				text = text || fn.Name.Name == "MarshalText" && marshals(fn.Type)
			}
			if d.Alias {
				if target := r.named(d, d.Type.Target()); target != nil {
					next = append(next, target)
				}
				continue
			}
			under, in := r.Underlying(d)
			if under == nil {
				continue
			}
			for _, f := range in.Fields {
				if f.Name == "" {
					if embedded := r.named(in, f.Type.Target()); embedded != nil {
						next = append(next, embedded)
					}
				}
			}
		}
		level = next
	}
	return json, text
}

// Target returns the type that a pointer points to, or the type itself.
func (e *Expr) Target() *Expr {
	if e.Form == PointerForm {
		return e.Elem
	}
	return e
}

// named returns the declaration of the type, or generic type, that an expression in another declaration names, or nil
// if there is none.
func (r *Reader) named(in *Declaration, e *Expr) *Declaration {
	if e.Form != NamedForm && e.Form != InstanceForm || e.Name.Path == "" {
		return nil
	}
	return r.Follow(in, e)
}

// marshals reports whether a function has the parameters and results of MarshalJSON and MarshalText.
func marshals(fn *ast.FuncType) bool {
	if fn.Params.NumFields() > 0 || fn.Results.NumFields() != 2 {
		return false
	}
	first, ok := fn.Results.List[0].Type.(*ast.ArrayType)
	if !ok || first.Len != nil {
		return false
	}
	elem, isName := first.Elt.(*ast.Ident)
	last, isError := fn.Results.List[len(fn.Results.List)-1].Type.(*ast.Ident)
	return isName && (elem.Name == "byte" || elem.Name == "uint8") && isError && last.Name == "error"
}

// Underlying returns the underlying type of a declared type, and the declaration that contains it, or nil if it is not
// found.
func (r *Reader) Underlying(d *Declaration) (*Expr, *Declaration) {
	for range 64 {
		if d == nil || d.Type.Form != NamedForm && d.Type.Form != InstanceForm {
			break
		}
		d = r.named(d, d.Type)
	}
	if d == nil {
		return nil, nil
	}
	return d.Type, d
}
