package typecopy

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// writer writes the copies of the declarations in a file. All code comes from syntax, so the copy has no other
// declarations than those that are needed. Types are written field by field, with their comments; everything else is
// printed without the comments inside.
type writer struct {
	*copier
	bytes.Buffer
	indent gofile.Code // of comments: gofmt would change markers in comments without it, as in doc comments
}

// declarations writes the needed declarations of a file, and returns their outline.
func (w *writer) declarations(f *file) (planned []string) {
	var group *ast.GenDecl // that the declaration before is in, in parentheses
	end := func() {
		if group != nil {
			w.WriteString(")\n")
		}
		group, w.indent = nil, ""
	}
	for _, d := range f.all {
		if !w.needed[d] {
			continue
		}
		planned = append(planned, d.outline())
		if group == nil || d.gen != group {
			end()
			w.WriteString("\n")
			if d.gen != nil && d.gen.Lparen.IsValid() { // constants in it may repeat a value, or use iota
				w.comments(d, d.gen.Doc)
				w.WriteString(d.gen.Tok.String() + " (\n")
				group, w.indent = d.gen, "\t"
			}
		}
		w.declaration(d)
	}
	end()
	return planned
}

// declaration writes a declaration with its comments.
func (w *writer) declaration(d *decl) {
	far, doc := d.comments()
	added := w.added(d)
	for line := range strings.Lines(added) {
		w.WriteString(string(w.indent) + line)
	}
	if w.comments(d, far) || added != "" && doc != nil && (w.kinds[d] || w.isList[d]) {
		w.WriteString("\n")
	}
	w.comments(d, doc)
	if w.kinds[d] && w.isSliced(d) {
		if doc != nil {
			w.WriteString(string(w.indent) + "//\n")
		}
		w.WriteString(string(gofile.Comment(w.indent, importer.SliceDoc(d.name, w.paths[d]))))
	}
	if d.gen != nil && !d.gen.Lparen.IsValid() {
		w.WriteString(d.gen.Tok.String() + " ")
	}
	switch spec := d.spec.(type) {
	case *ast.TypeSpec:
		head := w.code(&ast.TypeSpec{Name: spec.Name, TypeParams: spec.TypeParams, Assign: spec.Assign, Type: ast.NewIdent("_")})
		w.WriteString(strings.TrimSuffix(head, "_"))
		w.typ(d, spec.Type)
		w.trailing(d, spec.Comment)
	case *ast.ValueSpec:
		w.WriteString(w.code(&ast.ValueSpec{Names: spec.Names, Type: spec.Type, Values: spec.Values}))
		w.trailing(d, spec.Comment)
	default:
		w.WriteString(w.code(&ast.FuncDecl{Recv: d.fn.Recv, Name: d.fn.Name, Type: d.fn.Type, Body: d.fn.Body}))
	}
	w.WriteString("\n")
}

// code returns the text of a node without the comments inside.
func (w *writer) code(node ast.Node) string {
	for n := range ast.Preorder(node) {
		switch n := n.(type) {
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.BasicLit:
			n.Value = visible(n)
		}
	}
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&b, w.l.Fset, node); err != nil {
		return err.Error() // which is no Go: formatting fails
	}
	return b.String()
}

// visible returns a literal in double quotes if it has characters that control the display of text, or lines that go
// generate would read.
func visible(literal *ast.BasicLit) string {
	if !strings.ContainsFunc(literal.Value, diag.IsControl) && !strings.Contains(literal.Value, "\n//go:generate") {
		return literal.Value
	}
	text, err := strconv.Unquote(literal.Value)
	switch {
	case err != nil:
		return literal.Value
	case literal.Kind == token.CHAR:
		return strconv.QuoteRune([]rune(text)[0])
	}
	return strconv.Quote(text)
}

// typ writes a type in the declaration of d, without the fields that it lost.
func (w *writer) typ(d *decl, expr ast.Expr) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		w.WriteString("*")
		w.typ(d, expr.X)
	case *ast.ArrayType:
		w.WriteString("[")
		if expr.Len != nil {
			w.WriteString(w.code(expr.Len))
		}
		w.WriteString("]")
		w.typ(d, expr.Elt)
	case *ast.MapType:
		w.WriteString("map[" + w.code(expr.Key) + "]")
		w.typ(d, expr.Value)
	case *ast.StructType:
		w.fields(d, expr.Fields)
	default:
		w.WriteString(w.code(expr))
	}
}

// fields writes the fields of a struct type that d keeps.
func (w *writer) fields(d *decl, list *ast.FieldList) {
	if w.WriteString("struct {"); len(list.List) > 0 {
		w.WriteString("\n")
	}
	outer := w.indent
	w.indent += "\t"
	before, last := list.Opening, token.NoPos // the end of the field before, and of the last one that is kept
	for _, f := range list.List {
		far := d.file.markersAbove(before, f.Pos(), f.Doc)
		start, end := f.Pos(), f.End()
		if f.Comment != nil {
			end = f.Comment.End()
		}
		if before = end; w.isLost(d, f) {
			continue
		}
		for _, group := range []*ast.CommentGroup{f.Doc, far} {
			if group != nil {
				start = group.Pos()
			}
		}
		if last.IsValid() && w.position(start).Line > w.position(last).Line+1 {
			w.WriteString("\n")
		}
		if last = end; w.comments(d, far) {
			w.WriteString("\n")
		}
		w.comments(d, f.Doc)
		if w.isSliced(d) && w.replacesSliced(d, f) {
			w.WriteString(string(w.indent) + "// +" + model.NoApplyMarker + "\n")
		}
		for _, name := range f.Names {
			w.WriteString(name.Name + " ")
		}
		w.typ(d, f.Type)
		if f.Tag != nil {
			w.WriteString(" " + visible(f.Tag))
		}
		w.trailing(d, f.Comment)
		w.WriteString("\n")
	}
	w.indent = outer
	w.WriteString("}")
}

// comments writes a comment above a declaration or field of d. It reports whether there is one.
func (w *writer) comments(d *decl, group *ast.CommentGroup) bool {
	before := w.Len()
	if group != nil {
		for _, comment := range group.List {
			if text := w.comment(d, comment); text != "" {
				w.WriteString(string(w.indent) + text + "\n")
			}
		}
	}
	return w.Len() > before
}

// trailing writes a comment at the end of a line, which ends with the first comment that extends to the end of its
// line.
func (w *writer) trailing(d *decl, group *ast.CommentGroup) {
	if group == nil {
		return
	}
	for _, comment := range group.List {
		if text := w.comment(d, comment); text != "" {
			w.WriteString(" " + text)
		}
		if strings.HasPrefix(comment.Text, "//") {
			return
		}
	}
}

// directive matches a line of a comment that the go command, the compiler or cgo interprets, or that grants permissions
// to the program or serves webhooks: the author of a copied file must not choose what runs in this module. The go
// command and controller-gen skip any white space, such as U+00A0.
var directive = regexp.MustCompile(
	`(?m)^(//go:|//line |/\*line |//export |//extern |//[\t\p{Z}]*\+build\b|[\t\p{Z}/*]*\+kubebuilder:(rbac|webhook|webhookconfiguration)\b).*$`,
)

// comment returns the text of a comment in or above the declaration d, or "" if it is left out. Import paths in markers
// become those of copies.
func (w *writer) comment(d *decl, comment *ast.Comment) string {
	text, end := withoutControl(comment.Text), ""
	if strings.HasPrefix(text, "/*") {
		text, end = strings.TrimSuffix(text, "*/"), "*/"
	}
	opening := text[:2]
	if text = directive.ReplaceAllString(text, ""); text == "" {
		return ""
	}
	if !strings.HasPrefix(text, opening) { // its first line was a directive
		text = opening + text
	}
	if d != nil && isMarker(text) {
		marker := strings.TrimSpace(text[2:])
		if w.leavesOut(d, marker) {
			return ""
		}
		for _, found := range typesInMarker(marker) {
			if place := w.copyOf(found.Path); place != "" {
				text = strings.ReplaceAll(text, "="+found.Path+"."+found.Name, "="+place+"."+found.Name)
			}
		}
	}
	return text + end
}

// withoutControl returns a text with spaces in place of the characters that control the display of text.
func withoutControl(text string) string {
	return strings.Map(func(r rune) rune {
		if diag.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// leavesOut reports whether a marker does not fit the copy of a declaration: one that asks for an interface of another
// package, which is not copied, one for objects if its type has no kind, one that does not fit a type that lost fields,
// and one of kinds above a type that was not asked for, which others need.
func (c *copier) leavesOut(d *decl, marker string) bool {
	if interfaces, ok := strings.CutPrefix(marker, "+k8s:deepcopy-gen:interfaces="); ok {
		for name := range strings.SplitSeq(interfaces, ",") {
			importPath := name[:max(strings.LastIndex(name, "."), 0)]
			isObject := name == "k8s.io/apimachinery/pkg/runtime.Object"
			if !c.isKept(importPath) || slices.Contains(acting, importPath) || isObject && !c.canBeObject(d) {
				return true
			}
		}
	}
	return gotypes.IsObjectMarker(marker) && !c.canBeObject(d) || isBadRoot(marker) || c.isSliced(d) && c.losesMarker(d, marker) ||
		!c.kinds[d] && markers.OfKinds(marker)
}

// canBeObject reports whether a copied type may implement runtime.Object: it embeds a type, or its method GetObjectKind
// is copied.
func (c *copier) canBeObject(d *decl) bool {
	if d.typ() == nil {
		return false
	}
	structure, ok := d.typ().Type.(*ast.StructType)
	return !ok || slices.ContainsFunc(structure.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 && !c.isLost(d, f) }) ||
		slices.ContainsFunc(d.in.methods[d.name], func(m *decl) bool { return m.name == "GetObjectKind" && c.needed[m] })
}

// isBadRoot reports whether a marker for objects has another value than true or false.
func isBadRoot(marker string) bool {
	value, ok := strings.CutPrefix(marker, "+"+model.ObjectMarker+":root")
	return ok && !slices.Contains([]string{"", "=true", "=false"}, value)
}

// isMarker reports whether a comment begins with a marker.
func isMarker(comment string) bool {
	return strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(comment, "//")), "+")
}
