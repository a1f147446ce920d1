package cli

import (
	"bytes"

	"testing"
)

// TestStreamShowsEverything checks that output has no sequences that control a terminal, except for those of kubegen
// itself.
func TestStreamShowsEverything(t *testing.T) {
	for text, want := range map[string]string{
		"plain é 日\n":                         "plain é 日\n",
		"\x1b[1;31merror:\x1b[0m x\n":         "\x1b[1;31merror:\x1b[0m x\n",
		"\x1b[1m\x1b[2mx\x1b[36m\n":           "\x1b[1m\x1b[2mx\x1b[36m\n",
		"\r\x1b[Ky\n":                         "\\u000d\\u001b[Ky\n",
		"\x1b[2J\x1b]0;title\x07\x1b[8mx\n":   "\\u001b[2J\\u001b]0;title\\u0007\\u001b[8mx\n",
		"a\x08b\x00c\u202ed\u009be\xff\n":     "a\\u0008b\\u0000c\\u202ed\\u009be\\xff\n",
		"\x1b[1;31m\x1b[31;8mx\x1b[0m\x1b[2K": "\x1b[1;31m\\u001b[31;8mx\x1b[0m\\u001b[2K",
	} {
		var out bytes.Buffer
		s := &stream{w: &out}
		if n, err := s.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d bytes, %v", text, n, err)
		}
		if out.String() != want {
			t.Errorf("%q: got %q, want %q", text, out.String(), want)
		}
	}
	var out bytes.Buffer
	s := &stream{w: &out, exact: true}
	if _, err := s.Write([]byte("\x1b[2J\n")); err != nil || out.String() != "\x1b[2J\n" {
		t.Errorf("exact: %q, %v", out.String(), err)
	}
}

// TestDiffGivesNoCommands checks that GitHub Actions reads no workflow commands from the lines of a diff.
func TestDiffGivesNoCommands(t *testing.T) {
	for text, commands := range map[string]bool{
		" x\n ::error::x\n": true, "+\t::error::x\n": false, "-::x\n": false, " x ##[error]y\n": true, "::add-mask::x\n": true, " \t ::x\n": true, "\n": false,
	} {
		if workflowCommand.MatchString(text) != commands {
			t.Errorf("%q: want %v", text, commands)
		}
	}
}
