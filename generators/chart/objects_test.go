package chart

import (
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestResembles compares the rules of a role with others.
func TestResembles(t *testing.T) {
	rules := func(text string) *yaml.Node {
		var n yaml.Node
		if err := yaml.Unmarshal(fmt.Appendf(nil, "rules: [%s]", text), &n); err != nil {
			t.Fatal(err)
		}
		return n.Content[0]
	}
	var role object
	_ = rules(`{apiGroups: [""], resources: [pods, nodes]}, {apiGroups: [apps], resources: [deployments]}`).Decode(&role.value)
	for _, test := range []struct {
		rules string
		want  bool
	}{
		{`{apiGroups: [""], resources: [pods, nodes]}`, true},
		{`{apiGroups: [""], resources: ["*"]}`, true},
		{`{apiGroups: ["", apps], resources: [pods, deployments]}`, true},
		{`{apiGroups: [""], resources: [pods]}`, false},
		{`{apiGroups: [batch], resources: [pods, nodes]}`, false},
		{`{apiGroups: ["*"], resources: ["*"]}`, false},
		{"", false},
	} {
		if got := (&document{root: rules(test.rules)}).resembles(role); got != test.want {
			t.Errorf("%s: got %v", test.rules, got)
		}
	}
}

// TestValueIn compares values of keys in lines of templates.
func TestValueIn(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"  name: a", "a"},
		{"  name: 'a' # b", "a"},
		{`  name: {{ include "x" . }}-a`, `{{ include "x" . }}-a`},
		{`  name: '{{ include "x" . }}-a'`, `{{ include "x" . }}-a`},
		{`  name: "{{ include "x" . }}-a"`, `{{ include "x" . }}-a`},
		{`  service: {namespace: '{{ .Release.Namespace }}', name: {{ .Values.name }}-a, path: /a}`, "{{ .Values.name }}-a"},
		{"  - {hostname: b, name: a}", "a"},
		{"  name:", ""},
		{"  rename: a", ""},
	} {
		if got := valueIn(test.line, "name"); got != test.want {
			t.Errorf("%s: got %q, want %q", test.line, got, test.want)
		}
	}
}
