package parser

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/loadtest"
)

// inMemory returns a parser that sees only these files, as loadtest.InMemory says.
func inMemory(t *testing.T, cfg Config, files map[string]string) *parser {
	p := newParser(t.Context(), cfg)
	p.Loader = load.NewLoader(t.Context(), loadtest.InMemory(cfg.Loading(), files))
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
