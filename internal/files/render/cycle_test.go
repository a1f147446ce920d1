package render

import (
	"strings"
	"testing"
)

// TestFindCycle finds a cycle among packages, each of which is written as PACKAGE:IMPORT,IMPORT. A slash separates the
// files of a package.
func TestFindCycle(t *testing.T) {
	for _, test := range []struct{ name, packages, want string }{
		{"none", "a:b b:c c:", ""},
		{"diamond", "a:b,c b:d c:d d:", ""},
		{"itself", "a:a", "a"},
		{"two", "a:b b:a", "a b"},
		{"three", "a:b b:c c:a", "a b c"},
		{"behind others", "a:b b:d c:b d:c", "b d c"},
		{"in the second file", "a:c/b b:c/a c:", "a b"},
		{"through another package", "a:x b:a", ""},
		{"the first of two", "c:d d:c a:b b:a", "a b"},
		{"after a way without one", "a:b,c b: c:a", "a c"},
	} {
		packages := map[string][]*file{}
		for text := range strings.FieldsSeq(test.packages) {
			name, files, _ := strings.Cut(text, ":")
			for imports := range strings.SplitSeq(files, "/") {
				packages[name] = append(packages[name], &file{imports: strings.Split(imports, ",")})
			}
		}
		if got := strings.Join(findCycle(packages), " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
