package run

import (
	"go/token"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// TestCheckDirectories reports groups and versions whose packages would be in directories with another meaning.
func TestCheckDirectories(t *testing.T) {
	targets := []Target{targetOf(clientset.Generator{}, ""), targetOf(lister.Generator{}, "")}
	for _, test := range []struct {
		group, version, dir string
		imported            bool
		want                string // part of the message, or "" for none
	}{
		{group: "stable.example.com", version: "v1", dir: "stable"},
		{group: "internal.example.com", version: "v1", dir: "internal", want: "in a directory internal"},
		{group: "vendor.example.com", version: "v1", dir: "vendor", want: "the name comes from the directory"},
		{group: "vendor.example.com", version: "v1", dir: "vendor", imported: true, want: "group-dirs"},
		{group: "stable.example.com", version: "internal", dir: "stable", want: "in a directory internal"},
	} {
		v := &model.Version{Name: test.version, Group: &model.Group{Name: test.group, Dir: test.dir}}
		pkg := &model.Package{Path: "example.com/api", Pos: token.Position{Filename: "types.go", Line: 1}}
		v.Packages, v.Group.Versions = []*model.Package{pkg}, []*model.Version{v}
		v.Resources = []*model.Resource{{Kind: "Foo", Package: pkg, Version: v, Verbs: model.NewVerbs(model.AllVerbs()...)}}
		var diags diag.List
		CheckDirectories(targets, &model.API{Groups: []*model.Group{v.Group}}, test.imported, &diags)
		var said []string
		for _, d := range diags {
			said = append(said, d.Message+" ("+d.Hint+")")
		}
		if got := strings.Join(said, "; "); (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s/%s in %s: %q, want %q", test.group, test.version, test.dir, got, test.want)
		}
	}
}
