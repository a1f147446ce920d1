package apilint

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// declarations are the declarations of a repository at a revision. Packages are read when they are asked for.
type declarations struct {
	ctx      context.Context
	revision string
	root     string                     // of the repository
	old      map[string]map[string]bool // what packages declare, by directory below root
	current  map[string][]declaration   // of files
}

// declaration is a type, a field or a comment, with what a finding about it is about.
type declaration struct {
	first, last int    // lines
	text        string // with its path, such as Foo.Bar, and without layout
}

// repositoryOf returns the root of the git repository of a directory.
func repositoryOf(dir string) (string, error) {
	root, err := git(context.Background(), dir, "rev-parse", "--show-toplevel")
	return filepath.FromSlash(strings.TrimSpace(string(root))), err
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("git: %s", strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}

// declarationsAt returns the declarations at a revision.
func declarationsAt(ctx context.Context, revision string) (*declarations, error) {
	root, err := repositoryOf(workingDir())
	if err != nil {
		return nil, fmt.Errorf("--since: %w", err)
	}
	commit, err := git(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("--since: %s is no revision of %s", revision, root)
	}
	return &declarations{
		ctx: ctx, revision: strings.TrimSpace(string(commit)), root: root,
		old: map[string]map[string]bool{}, current: map[string][]declaration{},
	}, nil
}

// lack reports whether the declaration at a position was added or changed since the revision.
func (d *declarations) lack(pos token.Position) (bool, error) {
	dir, err := d.below(filepath.Dir(pos.Filename))
	if err != nil {
		return false, err
	}
	if d.old[dir] == nil {
		if d.old[dir], err = d.read(dir); err != nil {
			return false, err
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

// below returns a directory as git names it.
func (d *declarations) below(dir string) (string, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(d.root, dir)
	if err != nil || strings.HasPrefix(rel, "..") {
		return "", fmt.Errorf("--since: %s is not in the repository %s", dir, d.root)
	}
	return filepath.ToSlash(rel), nil
}

// read reads the Go files of a directory at the revision. There are none if the directory is new.
func (d *declarations) read(dir string) (map[string]bool, error) {
	found := map[string]bool{}
	list := []string{"ls-tree", "--name-only", "-z", d.revision}
	if dir != "." { // git refuses the path of the root
		list = append(list, "--", dir+"/")
	}
	listed, err := git(d.ctx, d.root, list...)
	if err != nil {
		return nil, err
	}
	var files []string
	for name := range strings.SplitSeq(string(listed), "\x00") {
		if path.Ext(name) == ".go" {
			files = append(files, ":(literal)"+name)
		}
	}
	if len(files) == 0 {
		return found, nil
	}
	archive, err := git(d.ctx, d.root, append([]string{"archive", "--format=tar", d.revision, "--"}, files...)...)
	if err != nil {
		return nil, err
	}
	for reader := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := reader.Next()
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			return nil, err
		}
		for _, one := range declarationsOf(header.Name, text) {
			found[one.text] = true
		}
	}
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
