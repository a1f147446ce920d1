package apilint

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/commands/impact"
)

// declarations are the declarations of a repository at a revision. Packages are read when they are asked for.
type declarations struct {
	at      *impact.Revision
	old     map[string]map[string]bool // what packages declare, by directory without symbolic links
	current map[string][]declaration   // of files
}

// declaration is a type, a field or a comment, with what a finding about it is about.
type declaration struct {
	first, last int    // lines
	text        string // with its path, such as Foo.Bar, and without layout
}

// declarationsAt returns the declarations at a revision.
func declarationsAt(ctx context.Context, revision string) (*declarations, error) {
	dir, err := filepath.EvalSymlinks(workingDir())
	if err != nil {
		return nil, err
	}
	at, err := impact.OpenRevision(ctx, dir, revision)
	if err == nil {
		at, err = impact.OpenRevision(ctx, at.At("."), revision) // at the top, of which all packages are below
	}
	if err != nil {
		return nil, fmt.Errorf("--since: %w", err)
	}
	return &declarations{at: at, old: map[string]map[string]bool{}, current: map[string][]declaration{}}, nil
}

// lack reports whether the declaration at a position was added or changed since the revision.
func (d *declarations) lack(pos token.Position) (bool, error) {
	dir := filepath.Dir(pos.Filename)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if d.old[dir] == nil {
		if err := d.read(dir); err != nil {
			return false, fmt.Errorf("--since: %w", err)
		}
	}
	if d.current[pos.Filename] == nil {
		text, err := os.ReadFile(pos.Filename)
		if err != nil {
			return false, err
		}
		d.current[pos.Filename] = declarationsOf(pos.Filename, text)
	}
	var innermost *declaration
	for i, one := range d.current[pos.Filename] {
		if one.first <= pos.Line && pos.Line <= one.last && (innermost == nil || one.last-one.first <= innermost.last-innermost.first) {
			innermost = &d.current[pos.Filename][i]
		}
	}
	return innermost == nil || !d.old[dir][innermost.text], nil
}

// read reads the Go files of a directory and below at the revision. There are none if the directory is new.
func (d *declarations) read(dir string) error {
	d.old[dir] = map[string]bool{}
	return d.at.Files(dir, []string{".go"}, func(rel string, text []byte) {
		in := filepath.Join(dir, filepath.FromSlash(path.Dir(rel)))
		if d.old[in] == nil {
			d.old[in] = map[string]bool{}
		}
		for _, one := range declarationsOf(rel, text) {
			d.old[in][one.text] = true
		}
	})
}

// declarationsOf returns the types, fields and comments of a file.
func declarationsOf(name string, text []byte) (found []declaration) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || err != nil {
		return nil
	}
	add := func(what string, from, to token.Pos, doc *ast.CommentGroup, parts ...ast.Node) {
		one := declaration{first: fset.Position(from).Line, last: fset.Position(to).Line}
		if doc != nil {
			one.first = min(one.first, fset.Position(doc.Pos()).Line)
			parts = append([]ast.Node{doc}, parts...)
		}
		var b strings.Builder
		b.WriteString(what)
		for _, part := range parts {
			b.WriteByte('\n')
			b.WriteString(strings.Join(strings.Fields(string(text[fset.Position(part.Pos()).Offset:fset.Position(part.End()).Offset])), " "))
		}
		one.text = b.String()
		found = append(found, one)
	}
	for _, group := range file.Comments {
		add("", group.Pos(), group.End(), group)
	}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			t := spec.(*ast.TypeSpec)
			doc, from := t.Doc, t.Pos()
			if doc == nil && !gen.Lparen.IsValid() {
				doc, from = gen.Doc, gen.Pos()
			}
			s, ok := t.Type.(*ast.StructType)
			if !ok {
				add("type "+t.Name.Name, from, t.End(), doc, t)
				continue
			}
			add("type "+t.Name.Name, from, s.Fields.Opening, doc)
			addFields(t.Name.Name, s, add)
		}
	}
	return found
}

// addFields adds the fields of a struct and of the structs in it.
func addFields(in string, s *ast.StructType, add func(string, token.Pos, token.Pos, *ast.CommentGroup, ...ast.Node)) {
	for _, field := range s.Fields.List {
		var parts []ast.Node
		name := in
		for _, n := range field.Names {
			name += "." + n.Name
		}
		parts = append(parts, field.Type)
		if field.Tag != nil {
			parts = append(parts, field.Tag)
		}
		add(name, field.Pos(), field.End(), field.Doc, parts...)
		ast.Inspect(field.Type, func(n ast.Node) bool {
			inner, ok := n.(*ast.StructType)
			if ok {
				addFields(name, inner, add)
			}
			return !ok
		})
	}
}
