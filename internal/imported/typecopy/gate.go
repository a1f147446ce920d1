package typecopy

import (
	"cmp"
	"fmt"
	"go/ast"
	goparser "go/parser"
	goscanner "go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// A gate checks a finished file of a copy without trusting what has written it. It parses the file again: the file must
// have only the code of the planned declarations, token by token, and the planned imports and markers.
type gate struct {
	name    string          // in the package clause
	imports []gofile.Import // planned
	code    [][]string      // the lexemes of each planned declaration, after its keyword
	keyword []token.Token   // of each planned declaration
	markers map[string]bool // that the original or the program has written
}

// check returns the fault of a file, or "".
func (g *gate) check(text []byte) string {
	fset := token.NewFileSet()
	syntax, err := goparser.ParseFile(fset, "", text, goparser.ParseComments|goparser.SkipObjectResolution)
	if err != nil {
		return "syntax errors: " + err.Error()
	}
	if syntax.Name.Name != g.name {
		return "the package name " + syntax.Name.Name
	}
	if what := g.checkComments(syntax, text); what != "" {
		return what
	}
	all, n := lexemes(text), 0
	next := func(keyword token.Token, node ast.Node, names ...*ast.Ident) string {
		from, to := int(node.Pos()-syntax.FileStart), int(node.End()-syntax.FileStart)
		isNamed := func(name *ast.Ident) bool { return name.Name != "_" }
		runs := keyword == token.FUNC && names[0].Name == "init" || keyword == token.VAR && !slices.ContainsFunc(names, isNamed)
		isPlanned := func(l lexeme, planned string) bool { return l.text == planned }
		if n == len(g.code) || keyword != g.keyword[n] || runs || !slices.EqualFunc(between(all, from, to), g.code[n], isPlanned) {
			return fmt.Sprintf("another declaration of %s, or another value", names[0].Name)
		}
		n++
		return ""
	}
	for _, d := range syntax.Decls {
		what := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			if what = next(token.FUNC, d, d.Name); d.Body == nil && what == "" {
				what = "the function " + d.Name.Name + " without a body"
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ImportSpec:
					if !g.plansImport(spec) {
						what = cmp.Or(what, "an import of "+spec.Path.Value)
					}
				case *ast.TypeSpec:
					what = cmp.Or(what, next(d.Tok, spec, spec.Name))
				case *ast.ValueSpec:
					what = cmp.Or(what, next(d.Tok, spec, spec.Names...))
				}
			}
		}
		if what != "" {
			return what
		}
	}
	if n < len(g.code) {
		return "no declaration of " + g.code[n][0]
	}
	return ""
}

// plansImport reports whether an import is planned, and only makes a package known by a name.
func (g *gate) plansImport(spec *ast.ImportSpec) bool {
	importPath, err := strconv.Unquote(spec.Path.Value)
	alias := ""
	if spec.Name != nil {
		alias = spec.Name.Name
	}
	return err == nil && importPath != "C" && alias != "_" && alias != "." && !slices.Contains(acting, importPath) &&
		slices.Contains(g.imports, gofile.Import{Alias: alias, Path: importPath})
}

// generates matches a line that go generate reads, in a comment or not.
var generates = regexp.MustCompile(`(?m)^//go:generate[ \t]`)

// checkComments returns a comment with a meaning for the go command, the compiler or cgo, or a marker that is not
// planned.
func (g *gate) checkComments(syntax *ast.File, text []byte) string {
	if generates.Match(text) {
		return "a line that go generate runs"
	}
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			if found := directive.FindString(comment.Text); found != "" {
				return strconv.Quote(found)
			}
			for line := range strings.Lines(comment.Text) {
				if marker := markerIn(line); marker != "" && !g.markers[marker] {
					return "the marker " + strconv.Quote(marker)
				}
			}
		}
	}
	return ""
}

// markerIn returns the marker in a line of a comment, or "".
func markerIn(line string) string {
	line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '*' || r == '/' })
	if !strings.HasPrefix(line, "+") {
		return ""
	}
	return line
}

// addMarkers adds the markers in comments to the planned ones.
func (g *gate) addMarkers(text string) {
	for line := range strings.Lines(text) {
		if marker := markerIn(line); marker != "" {
			g.markers[marker] = true
		}
	}
}

// lexeme is a token of Go source.
type lexeme struct {
	offset int
	text   string
}

// lexemes returns the tokens of a text, without comments, and without the tokens that gofmt removes or adds.
func lexemes(text []byte) (found []lexeme) {
	var s goscanner.Scanner
	file := token.NewFileSet().AddFile("", 1, len(text))
	s.Init(file, text, func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return found
		case token.SEMICOLON, token.LPAREN, token.RPAREN, token.COMMA:
			continue
		case token.INT, token.FLOAT, token.IMAG:
			lit = strings.ToLower(lit)
		case token.IDENT, token.CHAR, token.STRING, token.ILLEGAL:
		default:
			lit = tok.String()
		}
		found = append(found, lexeme{file.Offset(pos), lit})
	}
}

// between returns the lexemes from one offset to another.
func between(all []lexeme, from, to int) []lexeme {
	at := func(offset int) int {
		i, _ := slices.BinarySearchFunc(all, offset, func(l lexeme, offset int) int { return cmp.Compare(l.offset, offset) })
		return i
	}
	return all[at(from):at(to)]
}

// gateFor returns the gate of the copy of a file: it plans the declarations in the file that are needed.
func (c *copier) gateFor(f *file, p *Package, imports []gofile.Import) *gate {
	g := &gate{name: p.Name, imports: imports, markers: map[string]bool{}}
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			g.addMarkers(comment.Text)
		}
	}
	for _, e := range f.edits {
		g.addMarkers(e.text)
	}
	for _, d := range f.all {
		if !c.needed[d] {
			continue
		}
		keyword := token.FUNC
		if d.gen != nil {
			keyword = d.gen.Tok
			g.addMarkers(c.added(d))
			if d.typ() != nil && c.isSliced(d) {
				g.addMarkers("+" + model.NoApplyMarker)
			}
		}
		g.keyword, g.code = append(g.keyword, keyword), append(g.code, c.codeOf(d))
	}
	return g
}

// codeOf returns the lexemes of a declaration with the edits of its file, without the fields that it lost.
func (c *copier) codeOf(d *decl) (code []string) {
	f := d.file
	from, to := d.node().Pos(), d.node().End()
	left := slices.Clone(editsIn(f.edits, from, to))
	if d.typ() != nil && c.isSliced(d) {
		ast.Inspect(d.typ().Type, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			switch {
			case !ok:
			case c.isDropped(d, field):
				left = append(left, edit{field.Pos(), field.End(), ""})
				return false
			default:
				for _, m := range members(field) {
					if c.isLost(d, m) {
						left = append(left, edit{m.node.Pos(), m.node.End(), ""})
					}
				}
			}
			return true
		})
	}
	slices.SortStableFunc(left, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	start := from
	all := lexemes(f.Text[from-f.syntax.FileStart : to-f.syntax.FileStart])
	add := func(from, to token.Pos) {
		for _, l := range between(all, int(from-start), int(to-start)) {
			code = append(code, l.text)
		}
	}
	for _, e := range left {
		if e.from < from || e.to > to {
			continue
		}
		add(from, e.from)
		for _, l := range lexemes([]byte(e.text)) {
			code = append(code, l.text)
		}
		from = e.to
	}
	add(from, to)
	return code
}
