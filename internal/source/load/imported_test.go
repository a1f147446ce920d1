package load_test

import (
	"context"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/source/load"
)

// TestImportedTogether lists the imports of all packages with types in one call, and of no other package.
func TestImportedTogether(t *testing.T) {
	cfg := loadtest.InMemory(load.Config{Marker: "+marked", Typed: []string{"TypeMeta"}}, map[string]string{
		"x.example.com/v1/types.go": "package v1\n\nimport _ \"y.example.com/a\"\n\n// +marked\ntype T struct{}\n",
		"x.example.com/v2/types.go": "package v2\n\nimport _ \"y.example.com/b\"\n\ntype TypeMeta struct{}\n",
		"x.example.com/other/o.go":  "package other\n\nimport _ \"y.example.com/c\"\n",
	})
	var asked [][]string
	list := cfg.List
	cfg.List = func(ctx context.Context, patterns []string) ([]*packages.Package, error) {
		asked = append(asked, patterns)
		return list(ctx, patterns)
	}
	l := load.NewLoader(t.Context(), cfg)
	found, _ := l.Find([]string{"x.example.com/v1", "x.example.com/v2", "x.example.com/other"})
	l.Read(found, nil)
	asked = nil
	for _, src := range l.Input[1:] {
		for _, importPath := range src.Files[0].Imports() {
			l.Imported(src.Files[0], importPath)
		}
	}
	if want := []string{"y.example.com/a", "y.example.com/b"}; len(asked) != 1 || !slices.Equal(asked[0], want) {
		t.Errorf("asked for %q, want %q once", asked, want)
	}
}
