package diag

import (
	"encoding/json"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHostileNames checks that names and texts with any characters neither control a terminal nor give commands to
// GitHub Actions, and that each diagnostic is one line in each format.
func TestHostileNames(t *testing.T) {
	for _, text := range []string{
		"\x1b[2J\x1b[1;31mx", "x\ny", "x\r\ny", "x\n::error::y", "::error file=a.go::x", " ::add-mask::x", "::stop-commands::x", "##[add-path]x", "x\u202ey", "x\u009b31m", "x\x7f\x08\x00", "\xff\x9b31m",
		"x\u2028y", "%0A::error::x", "x,y:z", "\u2066x",
	} {
		for _, name := range []string{text + ".go", "/src/" + text + "/types.go"} {
			for _, format := range Formats {
				var list List
				list.Errorf(token.Position{Filename: name, Line: 1, Column: 2}, "wrong %s", text).WithRelated(token.Position{Filename: name, Line: 3}).Suggest("delete %s", text)
				list.Errorf(token.Position{}, "%s", text)
				var b strings.Builder
				if err := list.Write(&b, Style{Format: format, Dir: "/src"}); err != nil {
					t.Fatal(err)
				}
				out := b.String()
				if strings.Count(out, "\n") != 2 || !utf8.ValidString(out) && format != "json" || strings.ContainsFunc(out, IsControl) {
					t.Errorf("%s, %q: %q", format, text, out)
				}
				for line := range strings.Lines(out) {
					command := strings.HasPrefix(strings.TrimSpace(line), "::")
					switch {
					case format == "json" && !json.Valid([]byte(line)):
						t.Errorf("%q is not JSON: %s", text, line)
					case format == "text" && (command || strings.Contains(line, "##[")):
						t.Errorf("%q is a workflow command: %s", text, line)
					case format == "github" && strings.Count(strings.SplitN(line, "::", 3)[1], "title=kubegen") != 1:
						t.Errorf("%q has other properties: %s", text, line)
					}
				}
			}
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc": "a\tb\nc", "é日😀\u200d": "é日😀\u200d", "\x1b[1m": `\u001b[1m`, "\u202e": `\u202e`, "\xff": `\xff`, "\ufffd": "\ufffd", "\r": `\u000d`, "": "",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
