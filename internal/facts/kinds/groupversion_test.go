package kinds_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestGroupVersion reads packages in x.example.com/apps/v1, and compares their groups and versions by both rules, as
// "group version directory"; "-" stands for a package without manifests.
func TestGroupVersion(t *testing.T) {
	const declared = "\nvar SchemeGroupVersion = schema.GroupVersion{Group: \"a.example.com\", Version: \"v2\"}"
	classic := model.Policy{InputPolicy: model.InputPolicy{AcceptMistakes: true}, NamePolicy: model.NamePolicy{GroupsByDirectory: true}}
	for _, test := range []struct {
		name, code, clients, manifests string
		internal                       bool // the kinds have no JSON tags
		policy                         model.Policy
		said                           string
	}{
		{name: "path", code: "package v1", clients: "apps v1 apps", manifests: " v1"},
		{name: "markers", code: "// +groupName=b.example.com\n// +versionName=v3\npackage v1", clients: "b.example.com v3 ", manifests: "b.example.com v3"},
		{name: "core group", code: "// +groupName=\npackage v1", clients: " v1 apps", manifests: " v1"},
		{name: "variable", code: "package v1" + declared, clients: "a.example.com v2 ", manifests: "a.example.com v2"},
		{name: "constant", code: "package v1\nconst GroupName = \"a.example.com\"", clients: "a.example.com v1 apps", manifests: "a.example.com v1"},
		{name: "group marker and variable", code: "// +groupName=b.example.com\npackage v1" + declared, clients: "b.example.com v2 ", manifests: "b.example.com v1",
			said: `+groupName=b.example.com, but SchemeGroupVersion says "a.example.com"`},
		{name: "version marker and variable", code: "// +versionName=v3\npackage v1" + declared, clients: "a.example.com v3 ", manifests: "a.example.com v2",
			said: `+versionName=v3, but SchemeGroupVersion says "v2"`},
		{name: "two markers", code: "// +groupName=b.example.com\n// +groupName=c.example.com\npackage v1", clients: "b.example.com v1 apps", manifests: "b.example.com v1",
			said: "+groupName=c.example.com contradicts +groupName=b.example.com"},
		{name: "skipped", code: "// +kubebuilder:skip\n// +groupName=b.example.com\npackage v1", clients: "b.example.com v1 apps", manifests: "-"},
		{name: "unversioned", code: "package v1", internal: true, clients: "v1  v1", manifests: " v1"},
		{name: "hub", code: "package apps\nimport \"k8s.io/apimachinery/pkg/runtime\"\nvar SchemeGroupVersion = schema.GroupVersion{Group: \"a.example.com\", Version: runtime.APIVersionInternal}",
			internal: true, clients: "a.example.com  v1", manifests: "-"},
		{name: "another package name", code: "package api", clients: "apps v1 apps", manifests: " api"},
		{name: "label", code: "// +versionName=v3\npackage v1", policy: classic, clients: "apps v3 apps (v1)", manifests: " v3"},
		{name: "wrong names", code: "// +groupName=B_\n// +versionName=V\npackage v1", clients: "B_ V ", manifests: "B_ V",
			said: `"B_" is not a valid group name; "V" is not a valid version name`},
	} {
		t.Run(test.name, func(t *testing.T) {
			const path = "x.example.com/apps/v1"
			l := loadtest.Read(t, map[string]string{path + "/doc.go": test.code}, path)
			src := l.Input[0]
			found, _ := gotypes.PackageMarkers(l.Fset, src, test.policy)
			pkg := &kinds.Package{Source: src, Types: &model.Package{Path: path}, Markers: found, Declared: kinds.ReadDeclared(l, src), Internal: test.internal}
			gv, diags := pkg.ForClients(test.policy)
			got := fmt.Sprint(gv.Group, " ", gv.Version, " ", gv.Dir)
			if gv.Label != "" {
				got += " (" + gv.Label + ")"
			}
			if got != test.clients {
				t.Errorf("clients have %q, not %q", got, test.clients)
			}
			var mistakes []string
			for _, d := range diags {
				mistakes = append(mistakes, d.Message)
			}
			if said := strings.Join(mistakes, "; "); said != test.said {
				t.Errorf("said %s, not %s", said, test.said)
			}
			types := gotypes.NewReader(l, test.policy)
			got = "-"
			marked := goschema.NewMarkers(types, nil).OfPackage(src).Markers
			if gv, ok := pkg.ForManifests(marked); ok {
				got = gv.Group + " " + gv.Version
			}
			if got != test.manifests {
				t.Errorf("manifests have %q, not %q", got, test.manifests)
			}
		})
	}
}
