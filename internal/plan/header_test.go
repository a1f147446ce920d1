package plan

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/source/load"
)

func TestReadHeader(t *testing.T) {
	name := filepath.Join(t.TempDir(), "header.txt")
	for _, test := range []struct{ text, want, err string }{
		{"", "", ""},
		{"// Copyright YEAR Example\n", "// Copyright Example\n\n", ""},
		{"/*\nCopyright YEAR\n*/\n", "/*\nCopyright\n*/\n\n", ""},
		{"/*\nCopyright YEAR.\n*/\n", "/*\nCopyright.\n*/\n\n", ""},
		{"// Copyright\r\n// Example\r\n", "// Copyright\n// Example\n\n", ""},
		{"//go:build linux\n\n/* a */ // b\n", "//go:build linux\n\n/* a */ // b\n\n", ""},
		{"\ufeff// Copyright\n", "// Copyright\n\n", ""},
		{"\ufeff/* Copyright */\r\n", "/* Copyright */\n\n", ""},
		{"// Copyright\n// \ufeffExample\n", "", "must contain only comments"},
		{strings.Repeat("//\n", maxHeader/3) + "//", "", "is larger than the limit of 1 MiB"},
		{"Copyright Example\n", "", "must contain only comments"},
		{"// Copyright\npackage x\n", "", "must contain only comments"},
		{"/* Copyright\n", "", "must contain only comments"},
		{"// Copyright\n//go:generate rm -rf .\n", "", "must have no directive other than build constraints, but has //go:generate in line 2"},
		{"/*\n//go:generate rm -rf .\n*/\n", "", "but has //go:generate in line 2"},
		{"//go:embed x\n", "", "//go:embed"},
		{"//line a.go:1\n", "", "//line in line 1"},
		{"// a\n/*line a.go:1*/\n", "", "/*line in line 2"},
		{"/*\n#cgo LDFLAGS: -lx\n*/\n", "", "#cgo"},
		{"//go:build linux &&\n", "", "has a wrong build constraint"},
		{"// Copyright \u202e\n", "", "cannot be printed in line 1"},
		{"// Copyright\rpackage x\n", "", "cannot be printed"},
		{"// Copyright \u2028 x\n", "", "cannot be printed"},
	} {
		writeFile(t, name, test.text)
		got, err := readHeader(load.Environment{}, "boilerplate", name, "", false)
		switch {
		case test.err == "" && (err != nil || string(got) != test.want):
			t.Errorf("%q: got %q, %v; want %q", test.text, got, err, test.want)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%q: %v", test.text, err)
		}
	}
	if got, err := readHeader(load.Environment{}, "boilerplate", "", "", false); got != "" || err != nil {
		t.Errorf("without a file: %q, %v", got, err)
	}
	if _, err := readHeader(load.Environment{}, "boilerplate", name+".missing", "", false); err == nil {
		t.Error("a file that is not there is no error")
	}
}

func TestHeaderYear(t *testing.T) {
	name := filepath.Join(t.TempDir(), "header.txt")
	writeFile(t, name, "/*\nCopyright YEAR.\n*/\n")
	for year, want := range map[string]string{"2026": "Copyright 2026.", "2024-2026": "Copyright 2024-2026.", "2024, 2026": "Copyright 2024, 2026."} {
		if got, err := readHeader(load.Environment{}, "boilerplate", name, year, false); err != nil || !strings.Contains(string(got), "\n"+want+"\n") {
			t.Errorf("%s: got %q, %v", year, got, err)
		}
	}
	for _, year := range []string{"26", "YEAR", "2026*/", "2026\n2027", " 2026", "2026-"} {
		if got, err := readHeader(load.Environment{}, "boilerplate", name, year, false); err == nil || got != "" {
			t.Errorf("%q is accepted as a year: %q", year, got)
		}
	}
}
