package plan

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/environment"
)

func TestReadHeader(t *testing.T) {
	name := filepath.Join(t.TempDir(), "header.txt")
	for _, test := range []struct{ text, want, err string }{
		{"", "", ""},
		{"// Copyright YEAR Example\n", "// Copyright Example\n", ""},
		{"/*\nCopyright YEAR\n*/\n", "/*\nCopyright \n*/\n", ""},
		{"// Copyright\r\n// Example\r\n", "// Copyright\n// Example\n", ""},
		{"//go:build linux\n\n/* a */ // b\n", "//go:build linux\n\n/* a */ // b\n", ""},
		{"\ufeff// Copyright\n", "// Copyright\n", ""},
		{"\ufeff/* Copyright */\r\n", "/* Copyright */\n", ""},
		{"// Copyright\n// \ufeffExample\n", "", "must contain only comments"},
		{strings.Repeat("//\n", maxHeader/3) + "//", "", "is larger than the limit of 1 MiB"},
		{"Copyright Example\n", "", "must contain only comments"},
		{"// Copyright\npackage x\n", "", "must contain only comments"},
		{"/* Copyright\n", "", "must contain only comments"},
	} {
		writeFile(t, name, test.text)
		got, err := readHeader(environment.Environment{}, "boilerplate", name)
		switch {
		case test.err == "" && (err != nil || got != test.want):
			t.Errorf("%q: got %q, %v; want %q", test.text, got, err, test.want)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%q: %v", test.text, err)
		}
	}
	if got, err := readHeader(environment.Environment{}, "boilerplate", ""); got != "" || err != nil {
		t.Errorf("without a file: %q, %v", got, err)
	}
	if _, err := readHeader(environment.Environment{}, "boilerplate", name+".missing"); err == nil {
		t.Error("a file that is not there is no error")
	}
}
