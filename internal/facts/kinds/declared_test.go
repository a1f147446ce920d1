package kinds

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/loadtest"
)

func TestDeclared(t *testing.T) {
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
			l := loadtest.Read(t, map[string]string{
				"x/v1/register.go":       text,
				"x/group-of-it/group.go": "package it\nconst Name = \"it.example.com\"\n",
			}, "x/v1")
			got := ReadDeclared(l, l.Input[0])
			value := func(s *string) string {
				if s == nil {
					return none
				}
				return *s
			}
			if got.Variable != test.variable || value(got.Group) != test.group || value(got.Version) != test.version {
				t.Errorf("got %q %s %s, want %q %s %s", got.Variable, value(got.Group), value(got.Version), test.variable, test.group, test.version)
			}
			line := ""
			if got.Pos.IsValid() {
				line = strings.Split(text, "\n")[got.Pos.Line-1]
			}
			if !strings.HasPrefix(line, test.line) || test.line == "" && line != "" {
				t.Errorf("at %q, want %q", line, test.line)
			}
		})
	}
}
