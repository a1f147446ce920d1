package parser

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

// inMemory returns a parser that sees only these files, contents by name. The import path of a package is its
// directory.
func inMemory(cfg Config, files map[string]string) *parser {
	p := newParser(cfg)
	p.readFile = func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	p.list = func(_ context.Context, importPaths []string) ([]*packages.Package, error) {
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
	return p
}

// loaded returns package x/v1 and the parser that has read it.
func loaded(t *testing.T, files map[string]string) (*parser, *source) {
	t.Helper()
	p := inMemory(Config{}, files)
	found := p.load(t.Context(), []string{"x/v1"})
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
			d, _ := p.lookup(src, "T")
			found := p.fieldsOf(src, d)
			var got []string
			for _, f := range found.list {
				name := f.Name
				if f.Embedded {
					name += "!"
				}
				got = append(got, name)
			}
			if found.opaque {
				got = append(got, "opaque")
			}
			if !found.isStruct {
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
			d, _ := p.lookup(src, "List")
			items, _ := p.fieldsOf(src, d).byName("Items")
			element, pointers, known := elementOf(src, items.Type)
			if element != test.element || pointers != test.pointers || known == test.unknown {
				t.Errorf("got %q, pointers %v, known %v", element, pointers, known)
			}
		})
	}
}

func TestExisting(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"apis/stable/v1", "apis/batch/v1"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ dir, pattern, want string }{ // the hint; "" for none
		{dir, "./...", ""},
		{dir, ".", ""},
		{dir, "./apis/stable/v1/", ""},
		{dir, "./ap...", ""}, // it may match apis
		{dir, "example.com/api/...", ""},
		{dir, filepath.Join(dir, "apis") + "/...", ""},
		{dir, "./apis/sable/vl/...", "did you mean ./apis/stable/v1/...?"},
		{dir, "./apsi/stable", "did you mean ./apis/stable?"},
		{dir, "./apis/stable/more/v1", "name directories such as ./apis/... or import paths"},
		{dir, "../nope-nope-nope", "name directories such as ./apis/... or import paths"},
		{filepath.Join(dir, "nope"), "./apis", "name directories such as ./apis/... or import paths"},
	} {
		p := newParser(Config{Dir: test.dir})
		rest := p.existing([]string{test.pattern})
		got := ""
		for _, d := range p.List {
			got += d.Hint
		}
		if got != test.want || (len(rest) == 0) != (test.want != "") {
			t.Errorf("%s: left %q, said %q, want %q", test.pattern, rest, got, test.want)
		}
	}
}
