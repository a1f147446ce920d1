package gotypes

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// TestTextOf compares textOf with the method Text of comments.
func TestTextOf(t *testing.T) {
	for _, text := range []string{
		"", "// a", "//", "// ", "// a|// b", "// a |//|// |// \t|//  b\t\r", "//|//|// a|//", "//a|// b", "//go:build x|// b", "// go:build x",
		"/* a\n\n\n b */", "// a|/* b */|// c", "//\ta", "// +m|// a|//|// +n|//|// b",
	} {
		group := &ast.CommentGroup{}
		for line := range strings.SplitSeq(text, "|") {
			if text != "" {
				group.List = append(group.List, &ast.Comment{Text: line})
			}
		}
		got := strings.TrimRight(strings.Join(slices.Collect(textOf(group)), "\n"), "\n")
		if want := strings.TrimRight(group.Text(), "\n"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
