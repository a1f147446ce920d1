package typecopy

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"slices"
	"strings"
)

// checkOutline returns an error if a finished file has other declarations than the planned ones, or a directive. It
// does not trust what has written the file: a comment of the original must not become code.
func checkOutline(finished []byte, planned []string) error {
	got, err := outline(finished)
	if err != nil {
		return err
	}
	more := map[string]int{}
	for _, line := range got {
		more[line]++
	}
	for _, line := range planned {
		more[line]--
	}
	for _, line := range slices.Concat(got, planned) {
		if more[line] != 0 {
			return fmt.Errorf("the copy would differ in the declaration %q", line)
		}
	}
	return nil
}

// outline returns a line for each import and declaration of a file, or an error if it has a directive.
func outline(text []byte) (lines []string, err error) {
	syntax, err := goparser.ParseFile(token.NewFileSet(), "", text, goparser.ParseComments|goparser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			if found := directive.FindString(comment.Text); found != "" {
				return nil, fmt.Errorf("the copy would have %q", found)
			}
		}
	}
	for _, d := range newFile(&file{in: newSource(nil), syntax: syntax}).all {
		lines = append(lines, d.outline())
	}
	return lines, nil
}

// outline returns a line with what makes a declaration run when a program starts: its name, and how many values it has.
func (d *decl) outline() string {
	switch spec := d.spec.(type) {
	case *ast.ImportSpec:
		if spec.Name != nil {
			return "import " + spec.Name.Name + " " + spec.Path.Value
		}
		return "import " + spec.Path.Value
	case *ast.ValueSpec:
		line := d.gen.Tok.String()
		for _, name := range spec.Names {
			line += " " + name.Name
		}
		return line + strings.Repeat(" =", len(spec.Values))
	case *ast.TypeSpec:
		return "type " + d.name
	}
	return fmt.Sprintf("func %s of %q, body %t", d.name, d.recv, d.fn.Body != nil)
}
