package markers

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// OfFile returns the lines of a file with markers of an effect that are for files and packages: the lines that
// controller-gen v0.23 reads, in its order, and the lines that it ignores because of their places. A type above which
// it finds a marker owns the marker only if it is in the documentation of the type, or is for types, too.
func OfFile(fset *token.FileSet, file *ast.File, effect Effect) (read, ignored []Line) {
	c := &collector{all: file.Comments}
	ast.Walk(collecting{collector: c}, file)
	c.take(c.all[min(c.next, len(c.all)):])
	taken := map[*ast.Comment]bool{}
	each := func(comments []*ast.Comment, use func(*ast.Comment, *Definition, Line)) {
		for _, comment := range comments {
			for _, line := range Lines(fset, &ast.CommentGroup{List: []*ast.Comment{comment}}) {
				if def, _ := forFile(line, effect); def != nil && !taken[comment] {
					use(comment, def, line)
				}
			}
		}
	}
	each(c.ofFile, func(comment *ast.Comment, _ *Definition, line Line) { taken[comment], read = true, append(read, line) })
	each(c.ofTypes, func(comment *ast.Comment, def *Definition, line Line) {
		if taken[comment] = true; !def.Has(Type) {
			read = append(read, line)
		}
	})
	each(c.docs, func(comment *ast.Comment, def *Definition, _ Line) { taken[comment] = def.Has(Type) })
	for _, group := range file.Comments {
		each(group.List, func(_ *ast.Comment, _ *Definition, line Line) { ignored = append(ignored, line) })
	}
	return read, ignored
}

// Texts returns the beginnings of the markers of an effect that OfFile finds, in the order of their definitions.
func Texts(effect Effect) (texts []string) {
	for _, def := range All {
		if def.Effect&effect&ofFiles != 0 {
			texts = append(texts, "+"+def.Name)
		}
	}
	return texts
}

// InFiles are the markers of an effect that OfFile finds, in packages.
type InFiles struct {
	Found    [][]model.Marker // by package
	Ignored  []Line           // see OfFile
	Mistakes diag.List        // see ReadFile
}

// collector finds the comments of a file that controller-gen reads for its package. Each comment belongs to the first
// node of the syntax tree that comes after it or around its end.
type collector struct {
	all     []*ast.CommentGroup
	next    int               // index of the first group that belongs to no node yet
	behind  *ast.CommentGroup // the comment on the line of the current node
	above   []*ast.Comment    // above a declaration of one type, for the type
	ofFile  []*ast.Comment
	ofTypes []*ast.Comment // above types, but not in their documentation
	docs    []*ast.Comment // in the documentation of types
}

// take adds the comments of groups to the file.
func (c *collector) take(groups []*ast.CommentGroup) {
	c.ofFile = append(c.ofFile, candidates(groups)...)
}

// document adds the documentation of a type, if any.
func (c *collector) document(doc *ast.CommentGroup) {
	if doc != nil {
		c.docs = append(c.docs, candidates([]*ast.CommentGroup{doc})...)
	}
}

// candidates returns the comments of groups that can contain markers.
func candidates(groups []*ast.CommentGroup) (list []*ast.Comment) {
	for _, group := range groups {
		for _, comment := range group.List {
			if text, ok := strings.CutPrefix(comment.Text, "//"); ok && strings.HasPrefix(strings.TrimSpace(text), "+") {
				list = append(list, comment)
			}
		}
	}
	return list
}

// collecting is a collector inside a node.
type collecting struct {
	*collector
	node ast.Node // nil at the start
}

// Visit implements ast.Visitor.
func (c collecting) Visit(node ast.Node) ast.Visitor {
	_, inFile := c.node.(*ast.File)
	if node == nil {
		for !inFile && c.next < len(c.all) && c.all[c.next].Pos() < c.node.End() {
			c.next++
		}
		return nil
	}
	if c.behind != nil && c.next < len(c.all) && c.behind == c.all[c.next] {
		c.next++
	}
	var nearest []*ast.CommentGroup // the last comment before the node that does not document it, if any
	end := c.next
	if c.next < len(c.all) {
		for end < len(c.all) && c.all[end].Pos() < node.Pos() {
			end++
		}
		doc, behind := Attached(node)
		c.behind = behind
		free := end // end of the groups before the node that do not document it
		if doc != nil && free > 0 && c.all[free-1] == doc {
			free--
		}
		if free > c.next {
			nearest = c.all[free-1 : free]
			if inFile || c.node == nil {
				c.take(c.all[c.next : free-1])
			}
		}
		if _, ok := node.(*ast.File); ok {
			c.take(nearest)
			c.take(c.all[free:end])
			nearest = nil
		}
	}
	switch node := node.(type) {
	case *ast.GenDecl:
		if node.Tok != token.TYPE || node.Lparen.IsValid() {
			c.take(nearest)
		} else {
			c.above = append(c.above, candidates(nearest)...)
			c.document(node.Doc)
		}
	case *ast.TypeSpec:
		c.document(node.Doc)
		c.ofTypes = append(c.ofTypes, append(c.above, candidates(nearest)...)...)
		c.above = nil
	case *ast.Field, *ast.File:
	default:
		if inFile {
			c.take(nearest)
		}
	}
	c.next = end
	return collecting{c.collector, node}
}

// Attached returns the comments that document a node and that end its line.
func Attached(node ast.Node) (doc, behind *ast.CommentGroup) {
	switch node := node.(type) {
	case *ast.Field:
		return node.Doc, node.Comment
	case *ast.File:
		return node.Doc, nil
	case *ast.FuncDecl:
		return node.Doc, nil
	case *ast.GenDecl:
		return node.Doc, nil
	case *ast.ImportSpec:
		return node.Doc, node.Comment
	case *ast.TypeSpec:
		return node.Doc, node.Comment
	case *ast.ValueSpec:
		return node.Doc, node.Comment
	}
	return nil, nil
}

// forFile returns the definition of the marker in a line if it has the effect, and the text of its value or arguments.
func forFile(line Line, effect Effect) (def *Definition, rest string) {
	def, _, rest = find(line.Text[1:], func(name string) *Definition { return byName[name] })
	if def == nil || def.Effect&effect == 0 {
		return nil, ""
	}
	return def, rest
}

// Groups returns the groups that a marker for files names. controller-gen also writes the core group, "", as core.
func Groups(m model.Marker) []string {
	groups := m.Strings("groups")
	for i, group := range groups {
		if group == "core" {
			groups[i] = ""
		}
	}
	return groups
}

// ReadFile returns the markers in lines from OfFile. A mistake in a value is an error.
func ReadFile(lines []Line, effect Effect) (found []model.Marker, diags diag.List) {
	for _, line := range lines {
		def, rest := forFile(line, effect)
		if m := (model.Marker{Name: def.Name, Pos: line.Pos}); def.read(&m, rest, false, false, &diags) {
			found = append(found, m)
		}
	}
	return found, diags
}

// First returns the first marker with a name, which is the one that controller-gen reads for a package, or a marker
// without a name.
func First(found []model.Marker, name string) (m model.Marker) {
	if i := slices.IndexFunc(found, func(m model.Marker) bool { return m.Name == name }); i >= 0 {
		m = found[i]
	}
	return m
}
