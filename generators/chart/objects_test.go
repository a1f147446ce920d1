package chart

import "testing"

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
