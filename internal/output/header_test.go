package output

import "testing"

func TestHeader(t *testing.T) {
	for _, test := range []struct {
		name, content string
		marked        bool
		sources       []string
	}{
		{"first line", header + "\npackage p\n", true, nil},
		{"no end of line", header, true, nil},
		{"CRLF", "// Licence\r\n\r\n" + header + "\r\n// Source: a, b/c\r\n\r\npackage p\r\n", true, []string{"a", "b/c"}},
		{"byte order mark", "\ufeff" + header + "\npackage p\n", true, nil},
		{"after licence", "/*\npackage of words\n*/\n\n" + header + "\n\npackage p\n", true, nil},
		{"after build constraint", "//go:build x\n\n" + header + "\npackage p\n", true, nil},
		{"after a comment on one line", "/* a */ /* b */\n" + header + "\npackage p\n", true, nil},
		{"as doc comment of the package", header + "\n// Source: a\n// Package p\npackage p\n", true, []string{"a"}},
		{"no Go at all", "# x\n" + header + "\nkey: value\n", true, nil},
		{"a name that begins with package", "packages\n" + header + "\n", true, nil},
		{"empty", "", false, nil},
		{"hand-written", hand, false, nil},
		{"after the package clause", "package p\n" + header + "\n", false, nil},
		{"after package without name", "package\n" + header + "\n", false, nil},
		{"after package and comment", "package/**/p\n" + header + "\n", false, nil},
		{"after a comment and package", "/* a\n*/ package p\n" + header + "\n", false, nil},
		{"quoted in a comment", "/*\n" + header + "\n*/\npackage p\n", false, nil},
		{"quoted in a comment after another", "/* a */ /*\n" + header + "\n*/\npackage p\n", false, nil},
		{"quoted in a comment that does not end", "/*\n" + header + "\n", false, nil},
		{"part of a line", "// " + header + "\n" + header + " Really.\npackage p\n", false, nil},
		{"indented", " " + header + "\npackage p\n", false, nil},
		{"another generator", foreign(""), false, nil},
		{"source not directly after", header + "\n\n// Source: a\npackage p\n", true, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			equal(t, "marked", HasHeader([]byte(test.content), "// Another.", header), test.marked)
			equal(t, "sources", sources([]byte(test.content), header), test.sources)
		})
	}
	if HasHeader([]byte("\n\npackage p\n"), "") {
		t.Error("an empty line marks a file as generated")
	}
}
