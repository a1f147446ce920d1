package parser

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
)

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

// inMemory returns a parser that sees only these files, contents by name. The import path of a package is its
// directory.
func inMemory(t *testing.T, cfg Config, files map[string]string) *parser {
	p := newParser(t.Context(), cfg)
	loading := cfg.Loading()
	loading.ReadFile = func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	loading.List = func(_ context.Context, importPaths []string) ([]*packages.Package, error) {
		var found []*packages.Package
		for _, importPath := range importPaths {
			pkg := &packages.Package{ID: importPath, PkgPath: importPath, Name: path.Base(importPath)}
			for name := range files {
				if path.Dir(name) == importPath {
					pkg.GoFiles = append(pkg.GoFiles, name)
				}
			}
			slices.Sort(pkg.GoFiles)
			for _, name := range pkg.GoFiles {
				if clause := packageClause.FindStringSubmatch(files[name]); clause != nil {
					pkg.Name = clause[1]
				}
			}
			if len(pkg.GoFiles) == 0 {
				pkg.Errors = []packages.Error{{Pos: "-", Msg: "there is no package " + importPath, Kind: packages.ListError}}
			}
			found = append(found, pkg)
		}
		return found, nil
	}
	p.Loader = load.NewLoader(t.Context(), loading)
	return p
}

// loaded returns package x/v1 and the parser that has read it.
func loaded(t *testing.T, files map[string]string) (*parser, *load.Package) {
	t.Helper()
	p := inMemory(t, Config{}, files)
	found := p.load([]string{"x/v1"})
	if len(found) != 1 || len(p.List) > 0 {
		t.Fatalf("%d packages, %v", len(found), p.List)
	}
	return p, found[0]
}

func TestDeclaredGroupVersion(t *testing.T) {
	const none = "(unknown)"
	for _, test := range []struct {
		name, code           string
		variable             string
		group, version, line string // line is the text of the line that the position is on
	}{
		{name: "nothing", group: none, version: none},
		{"by field", `var SchemeGroupVersion = schema.GroupVersion{Group: "a.example.com", Version: "v1"}`,
			"SchemeGroupVersion", "a.example.com", "v1", "var SchemeGroupVersion"},
		{"by position", `var GroupVersion = schema.GroupVersion{"a.example.com", "v1"}`,
			"GroupVersion", "a.example.com", "v1", "var GroupVersion"},
		{"the core group", `var SchemeGroupVersion = schema.GroupVersion{Version: "v1"}`,
			"SchemeGroupVersion", "", "v1", "var SchemeGroupVersion"},
		{"constants", "const (\n\tGroupName = prefix + `.example.com`\n\tprefix = (\"a\")\n)\nvar SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: version}\nconst version = \"v1\"",
			"SchemeGroupVersion", "a.example.com", "v1", "var SchemeGroupVersion"},
		{"another package's constant", "import \"x/group-of-it\"\nimport r \"k8s.io/apimachinery/pkg/runtime\"\nvar SchemeGroupVersion = schema.GroupVersion{Group: it.Name, Version: r.APIVersionInternal}",
			"SchemeGroupVersion", "it.example.com", "__internal", "var SchemeGroupVersion"},
		{"a package that is not there", "import \"x/missing\"\nvar SchemeGroupVersion = schema.GroupVersion{Group: missing.Name, Version: \"v1\"}",
			"SchemeGroupVersion", none, "v1", "var SchemeGroupVersion"},
		{"an alias of the other", "var GroupVersion = schema.GroupVersion{Group: \"a.example.com\", Version: \"v1\"}\nvar SchemeGroupVersion = GroupVersion",
			"GroupVersion", "a.example.com", "v1", "var GroupVersion"},
		{"GroupName alone", "const GroupName = \"a.example.com\"", "", "a.example.com", none, "const GroupName"},
		{"computed", "var SchemeGroupVersion = f()\nconst GroupName = \"a.example.com\"",
			"SchemeGroupVersion", "a.example.com", none, "var SchemeGroupVersion"},
		{"a function and a type", "func SchemeGroupVersion() {}\ntype GroupVersion struct{}", "", none, none, ""},
		{"constants in a circle", "const GroupName = b\nconst b = GroupName", "", none, none, "const GroupName"},
		{"parallel values", "var SchemeGroupVersion, other = schema.GroupVersion{Group: \"a.example.com\", Version: \"v1\"}, 1",
			"SchemeGroupVersion", "a.example.com", "v1", "var SchemeGroupVersion"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "package v1\n" + test.code + "\n"
			p, src := loaded(t, map[string]string{
				"x/v1/register.go":       text,
				"x/group-of-it/group.go": "package it\nconst Name = \"it.example.com\"\n",
			})
			got := p.declaredGroupVersion(src)
			value := func(s *string) string {
				if s == nil {
					return none
				}
				return *s
			}
			if got.name != test.variable || value(got.group) != test.group || value(got.version) != test.version {
				t.Errorf("got %q %s %s, want %q %s %s", got.name, value(got.group), value(got.version), test.variable, test.group, test.version)
			}
			line := ""
			if got.pos.IsValid() {
				line = strings.Split(text, "\n")[got.pos.Line-1]
			}
			if !strings.HasPrefix(line, test.line) || test.line == "" && line != "" {
				t.Errorf("at %q, want %q", line, test.line)
			}
		})
	}
}

func TestFields(t *testing.T) {
	for _, test := range []struct{ name, code, want string }{
		{"plain", "type T struct { A, B int; C string }", "A B C"},
		{"embedded", "type T struct { metav1.TypeMeta; *metav1.ObjectMeta; E }\ntype E struct { F int }", "TypeMeta! ObjectMeta! E! F"},
		{"of another package", "type T struct { other.E }", "E! opaque"},
		{"declared as another type", "type T U\ntype U struct { A int }", "A"},
		{"alias", "type T = U\ntype U = V\ntype V struct { A int }", "A"},
		{"pointer", "type T = *U\ntype U struct { A int }", "A"},
		{"in brackets", "type T (struct { A int })", "A"},
		{"generic", "type T = G[int, U]\ntype G[A, B any] struct { Items []B; X A }\ntype U struct{}", "Items X"},
		{"declared as another package's", "type T other.U", "opaque"},
		{"embedding an unknown type", "type T struct { Unknown }", "Unknown! opaque"},
		{"embedding itself", "type T struct { A int; *T }", "A T!"},
		{"no struct", "type T map[string]int", "none"},
		{"an interface", "type T interface { M() }", "none"},
		{"circular", "type T U\ntype U T", "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, src := loaded(t, map[string]string{"x/v1/types.go": "package v1\n" + test.code + "\n"})
			d, _ := p.Lookup(src, "T")
			found := p.fieldsOf(src, d)
			var got []string
			for _, f := range found.List {
				name := f.Name
				if f.Embedded {
					name += "!"
				}
				got = append(got, name)
			}
			if found.Opaque {
				got = append(got, "opaque")
			}
			if !found.IsStruct {
				got = append(got, "none")
			}
			if list := strings.Join(got, " "); list != test.want {
				t.Errorf("got %s, want %s", list, test.want)
			}
		})
	}
}

func TestElementOf(t *testing.T) {
	for _, test := range []struct {
		items             string
		element           string
		pointers, unknown bool
	}{
		{items: "[]Foo", element: "Foo"},
		{items: "[]*Foo", element: "Foo", pointers: true},
		{items: "[]Alias", element: "Foo"},
		{items: "Foos", element: "Foo"},
		{items: "Generic[Foo]", element: "Foo"},
		{items: "Pair[int, *Foo]", element: "Foo", pointers: true},
		{items: "[]any", element: "any"},
		{items: "[3]Foo"},
		{items: "map[string]Foo"},
		{items: "Foo"},
		{items: "Missing", element: "Missing"},
		{items: "[]other.Foo", unknown: true},
		{items: "other.Foos", unknown: true},
		{items: "Circle", unknown: true},
	} {
		t.Run(test.items, func(t *testing.T) {
			p, src := loaded(t, map[string]string{"x/v1/types.go": `package v1
type Foo struct{}
type Alias = Foo
type Foos []Foo
type Generic[T any] []T
type Pair[K, V any] []V
type Circle Circle
type List struct { Items ` + test.items + " }\n"})
			d, _ := p.Lookup(src, "List")
			items, _ := p.fieldsOf(src, d).ByName("Items")
			element, pointers, known := gotypes.ElementOf(src, items.Type)
			if element != test.element || pointers != test.pointers || known == test.unknown {
				t.Errorf("got %q, pointers %v, known %v", element, pointers, known)
			}
		})
	}
}
