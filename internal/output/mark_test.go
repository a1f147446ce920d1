package output

import "testing"

func TestHeader(t *testing.T) {
	for _, test := range []struct {
		name, content string
		marked        bool
		sources       []string
	}{
		{"first line", mark + "\npackage p\n", true, nil},
		{"no end of line", mark, true, nil},
		{"CRLF", "// Licence\r\n\r\n" + mark + "\r\n// Source: a, b/c\r\n\r\npackage p\r\n", true, []string{"a", "b/c"}},
		{"byte order mark", "\ufeff" + mark + "\npackage p\n", true, nil},
		{"after licence", "/*\npackage of words\n*/\n\n" + mark + "\n\npackage p\n", true, nil},
		{"after build constraint", "//go:build x\n\n" + mark + "\npackage p\n", true, nil},
		{"after a comment on one line", "/* a */ /* b */\n" + mark + "\npackage p\n", true, nil},
		{"as doc comment of the package", mark + "\n// Source: a\n// Package p\npackage p\n", true, []string{"a"}},
		{"no Go at all", "# x\n" + mark + "\nkey: value\n", true, nil},
		{"a name that begins with package", "packages\n" + mark + "\n", true, nil},
		{"empty", "", false, nil},
		{"hand-written", hand, false, nil},
		{"after the package clause", "package p\n" + mark + "\n", false, nil},
		{"after package without name", "package\n" + mark + "\n", false, nil},
		{"after package and comment", "package/**/p\n" + mark + "\n", false, nil},
		{"after a comment and package", "/* a\n*/ package p\n" + mark + "\n", false, nil},
		{"quoted in a comment", "/*\n" + mark + "\n*/\npackage p\n", false, nil},
		{"quoted in a comment after another", "/* a */ /*\n" + mark + "\n*/\npackage p\n", false, nil},
		{"quoted in a comment that does not end", "/*\n" + mark + "\n", false, nil},
		{"part of a line", "// " + mark + "\n" + mark + " Really.\npackage p\n", false, nil},
		{"indented", " " + mark + "\npackage p\n", false, nil},
		{"another generator", foreign(""), false, nil},
		{"source not directly after", mark + "\n\n// Source: a\npackage p\n", true, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			equal(t, "marked", HasMark([]byte(test.content), "// Another.", mark), test.marked)
			equal(t, "sources", sources([]byte(test.content), mark), test.sources)
		})
	}
	for tool, marked := range map[string]bool{
		"client-gen": true, "client-gen-v0.36": true, "client-gen_0.36.1": true, "client-gen@v0.36.1-rc.1": true, "client-gen.exe": true,
		"client-gen-v0.36.exe": true, "client-gen-fork": false, "client-gen-": false, "cluster-client-gen": false, "client-gen v0.36": false,
	} {
		equal(t, tool, HasMark([]byte(GeneratedBy(tool)+"\n\npackage p\n"), GeneratedBy("client-gen")), marked)
	}
	if HasMark([]byte("\n\npackage p\n"), "") {
		t.Error("an empty line marks a file as generated")
	}
}
