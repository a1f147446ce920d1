package crd

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

const example = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Goose, plural: geese}
  scope: Cluster
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}}}
`

func TestRead(t *testing.T) {
	text := example + "---\n&list\nkind: List\nitems: [*list, {kind: Pod}]\n---\n# nothing\n"
	found, diags := Read("crds.yaml", []byte(text))
	if len(diags) > 0 || len(found) != 1 {
		t.Fatalf("%d definitions, %v", len(found), diags)
	}
	d := found[0]
	if d.Plural.Text != "geese" || d.Plural.Pos.String() != "crds.yaml:6:32" || !d.Versions[0].Status.Pos.IsValid() || d.Versions[0].Scale != nil {
		t.Errorf("read %+v", d)
	}
}

// FuzzRead reads arbitrary files and compares the definitions with a kind. Every diagnostic must have a position.
func FuzzRead(f *testing.F) {
	f.Add(example)
	f.Add(strings.ReplaceAll(example, "{", "["))
	f.Add("a: &a {b: *a}\nkind: List\nitems: *a")
	group := &model.Group{Name: "example.com"}
	version := &model.Version{Group: group, Name: "v1"}
	version.Resources = []*model.Resource{{Version: version, Package: &model.Package{}, Kind: "Goose", Name: "geese"}}
	group.Versions = []*model.Version{version}
	f.Fuzz(func(t *testing.T, text string) {
		found, diags := Read("crds.yaml", []byte(text))
		for _, d := range diags {
			if !d.Pos.IsValid() || strings.Contains(d.Message, "\n") {
				t.Errorf("%+v", d)
			}
		}
		Compare(&model.API{Groups: []*model.Group{group}}, found)
	})
}
