package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

const (
	dependency = `package dep
type Of[T any] struct{}
type Plain struct{}
`
	original = `package p
import "dep"
const Max = 3
var Default dep.Of[int]
type Client struct {
	dep.Plain
	Host string "tag"
	conn int
}
func (c *Client) Get(name string) (int, error) { return 0, nil }
type Getter interface { Get(name string) (int, error) }
func New(host string) *Client { return nil }
func Each[T any](of T) {}
`
)

// TestCompare checks that Compare finds every kind of difference.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name     string
		from, to string // the edit from the old package to the new one
		want     []string
	}{
		{"parameter names", "func New(host string)", "func New(_ string)", nil},
		{"unexported field", "conn int", "connection int", nil},
		{"function removed", "func New(", "func build(", []string{
			"missing p.New",
			"incompatible p: New: removed",
		}},
		{"method removed", ") Get(name string) (int, error) {", ") get(name string) (int, error) {", []string{
			"missing p.Client.Get",
			"incompatible p: (*Client).Get: removed",
		}},
		{"field removed", "Host string", "host string", []string{
			"missing p.Client.Host",
			"incompatible p: Client.Host: removed",
		}},
		{"field tag", `"tag"`, `"other"`, []string{
			`changed p.Client.Host: was field string "tag", is field string "other"`,
		}},
		{"no longer embedded", "\tdep.Plain", "\tPlain dep.Plain", []string{
			`changed p.Client.Plain: was embedded field dep.Plain "", is field dep.Plain ""`,
		}},
		{"no longer comparable", "conn int", "conn []int", []string{
			"incompatible p: Client: old is comparable, new is not",
		}},
		{"constant value", "Max = 3", "Max = 4", []string{
			"changed p.Max: was const untyped int = 3, is const untyped int = 4",
			"incompatible p: Max: value changed from 3 to 4",
		}},
		{"receiver", "(c *Client)", "(c Client)", []string{
			"changed p.Client.Get: was (pointer receiver) func(string) (int, error), is func(string) (int, error)",
		}},
		{"result", "func New(host string) *Client", "func New(host string) any", []string{
			"changed p.New: was func(string) *p.Client, is func(string) any",
			"incompatible p: New: changed from func(string) *Client to func(string) any",
		}},
		{"type argument", "dep.Of[int]", "dep.Of[string]", []string{
			"changed p.Default: was var dep.Of[int], is var dep.Of[string]",
		}},
		{"type constraint", "Each[T any]", "Each[T comparable]", []string{
			"changed p.Each: was [any] func(T), is [comparable] func(T)",
		}},
		{"interface grew", "interface { ", "interface { Put(); ", []string{
			"incompatible p: Getter.Put: added",
			"added p.Getter.Put",
		}},
		{"function added", "func Each", "func Another() {}\nfunc Each", []string{
			"added p.Another",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			edited := strings.Replace(original, test.from, test.to, 1)
			if edited == original {
				t.Fatalf("%q is not in the old package", test.from)
			}
			expect(t, Compare(checked(t, "p", original), checked(t, "p", edited)), 1, 10, test.want...)
		})
	}
}

func TestComparePackages(t *testing.T) {
	expect(t, Compare(checked(t, "p", original), checked(t, "q", "package q")), 1, 10,
		"missing package p", "added package q")
}

// checked type-checks the source of a package.
func checked(t *testing.T, path, source string) map[string]*types.Package {
	t.Helper()
	known := map[string]*types.Package{}
	for _, in := range [][2]string{{"dep", dependency}, {path, source}} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, in[0]+".go", in[1], 0)
		if err != nil {
			t.Fatal(err)
		}
		config := types.Config{Importer: importer(known)}
		if known[in[0]], err = config.Check(in[0], fset, []*ast.File{file}, nil); err != nil {
			t.Fatal(err)
		}
	}
	delete(known, "dep")
	return known
}

type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) { return i[path], nil }

func expect(t *testing.T, report Report, packages, symbols int, want ...string) {
	t.Helper()
	if report.Packages != packages || report.Symbols != symbols {
		t.Errorf("compared %d packages with %d symbols, want %d with %d", report.Packages, report.Symbols, packages, symbols)
	}
	if got := append(report.Differences(), prefixed("added ", report.Added)...); !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
