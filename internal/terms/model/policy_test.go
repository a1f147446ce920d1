package model

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/reference/classic.md")

// Classic makes every decision, and docs/reference/classic.md has a row for each, with the words of its comment.
func TestRows(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "policy.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| decision | with `--classic` |\n|---|---|\n")
	classic := reflect.ValueOf(ClassicPolicy())
	ast.Inspect(f, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok || len(field.Names) != 1 || !classic.FieldByName(field.Names[0].Name).IsValid() {
			return true
		}
		name := field.Names[0].Name
		if !classic.FieldByName(name).Bool() {
			t.Errorf("Classic does not decide %s", name)
		}
		fmt.Fprintf(&table, "| `%s` | %s |\n", name, strings.TrimSpace(field.Comment.Text()))
		return true
	})
	decisions := slices.DeleteFunc(reflect.VisibleFields(classic.Type()), func(f reflect.StructField) bool { return f.Anonymous })
	if rows := strings.Count(table.String(), "\n") - 2; rows != len(decisions) {
		t.Errorf("%d of %d decisions have a comment", rows, len(decisions))
	}
	const page, begin, end = "../../../docs/reference/classic.md", "| decision | with `--classic` |\n", "\n\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, _ := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no table of the decisions", page)
	}
	want := strings.TrimSuffix(table.String(), "\n")
	switch {
	case begin+old == want:
	case *update:
		if err := os.WriteFile(page, []byte(before+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s differs from the comments; go test ./internal/terms/model -update writes it", page)
	}
}
