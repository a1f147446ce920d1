package chart

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"text/template"
)

// TestReadSource compares the YAML that templates are read as, the lines of their actions, and the blocks around lines.
func TestReadSource(t *testing.T) {
	for _, test := range []struct{ text, shown, actions, depth string }{
		{"a: b\n", "a: b\n", "[]", "[0 0 0]"},
		{"{{- if .A }}\na: b\n{{- else }}\nc: d\n{{ end }}\n", "\na: b\n\nc: d\n\n", "[0 2 4]", "[0 1 1 1 1 0 0]"},
		{"a: {{ .B }}-c", "a: x-c", "[0 prints]", "[0 0]"},
		{"a: '{{ include \"b\" . }}{{ .C }}'", "a: 'x'", "[0 prints 0 prints]", "[0 0]"},
		{"a: {{ \"{{\" }} b {{`}}`}}", "a: {{ b }}", "[]", "[0 0]"},
		{"a: {{- \"b\" }}", "a: x", "[0 prints]", "[0 0]"},
		{"{{/* if\n}} */}}\na: b", "\n\na: b", "[]", "[0 0 0 0]"},
		{"{{ include \"a\"\n  . | nindent 2 }}\na: {{ .B\n  | quote }}", "\n\na: x\n", "[0 prints 2 prints]", "[0 0 0 0 0]"},
		{"kind: {{ if .A }}Role{{ else }}ClusterRole{{ end }}\r\n{{ end }}\r\n", "kind: xRolexClusterRolex\r\n\n", "[0 0 0 1]", "[0 0 0 0]"},
		{"a: {{ \"}}\" | quote }}\nb: {{ 'x' }}", "a: x\nb: x", "[0 prints 1 prints]", "[0 0 0]"},
		{"a: b\nc: {{ .D", "error in line 1: {{ without }}", "", ""},
		{"a: b\nc: {{/* }}", "error in line 1: {{ without }}", "", ""},
		{"a: {{ \"b }}", "error in line 0: {{ without }}", "", ""},
		{"a: \x01", "error in line 0: a control character", "", ""},
	} {
		s, err := readSource("a.yaml", test.text, true)
		if err != nil {
			if got := fmt.Sprintf("error in line %d: %v", len(s.lines)-1, err); got != test.shown {
				t.Errorf("%q: got %s, want %s", test.text, got, test.shown)
			}
			continue
		}
		var actions []string
		for _, a := range s.actions {
			text := fmt.Sprint(a.line)
			if a.prints {
				text += " prints"
			}
			actions = append(actions, text)
		}
		if got := strings.Join(s.shown, "\n"); got != test.shown {
			t.Errorf("%q: got %q, want %q", test.text, got, test.shown)
		}
		if got := fmt.Sprint(actions); got != test.actions {
			t.Errorf("%q: got the actions %s, want %s", test.text, got, test.actions)
		}
		if got := fmt.Sprint(s.depth); got != test.depth {
			t.Errorf("%q: got the depths %s, want %s", test.text, got, test.depth)
		}
	}
}

// FuzzReadSource reads any text without a panic, and as many lines as it has. Escaped, a template prints it.
func FuzzReadSource(f *testing.F) {
	f.Add("a: {{ \"{{\" }}\n{{/* b */}}")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readSource("a.yaml", text, true)
		if err == nil && (len(s.shown) != len(s.lines) || len(s.depth) != len(s.lines)+1) {
			t.Errorf("%q has %d lines: got %d and %d", text, len(s.lines), len(s.shown), len(s.depth))
		}
		if errors.Is(err, errControl) {
			return
		}
		again, err := readSource("a.yaml", escape(text), true)
		if err != nil || strings.Join(again.shown, "\n") != text || len(again.actions) > 0 {
			t.Errorf("%q is escaped as %q", text, escape(text))
		}
		var printed strings.Builder
		if made, err := template.New("").Parse(escape(text)); err != nil {
			t.Error(err)
		} else if err := made.Execute(&printed, nil); err != nil || printed.String() != text {
			t.Errorf("%q is printed as %q: %v", text, printed.String(), err)
		}
	})
}

// TestEndsIn matches names in charts with names of manifests.
func TestEndsIn(t *testing.T) {
	for text, want := range map[string]bool{
		`a-manager-role`: true, `amanager-role`: false, `{{ .A }}-manager-role`: true, `{{ .A }}-role`: false,
		`{{ include "x" (dict "suffix" "manager-role") }}`: true, "{{ printf `%s-manager-role` .A }}": true, `{{ .A }}-manager-role-{{ .B }}`: false,
		`{{ include "x" . }}`: false,
	} {
		if got := endsIn(text, "manager-role"); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
}
