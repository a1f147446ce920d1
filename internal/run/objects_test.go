package run

import (
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// accounts is a generator of an account for each role that markers name, and of a file for each kind.
type accounts struct{}

func (accounts) Info() *plan.Info {
	return &plan.Info{Name: "account", Manifests: &plan.Manifests{Objects: "accounts"}, Needs: plan.Needs{Markers: markers.Roles}}
}

func (accounts) Determines(m model.Marker, object yamltext.ManifestObject) bool {
	return m.String("roleName") == object.Name
}

func (accounts) Generate(in *render.Input) (trees []output.Tree, diags diag.List) {
	var objects []map[string]any
	for _, m := range slices.Concat(in.Markers.Found...) {
		objects = append(objects, map[string]any{"kind": "Account", "metadata": map[string]any{"name": m.String("roleName")}})
	}
	trees = in.File("accounts.yaml", yamltext.WriteManifest(in.Header, objects...), "Account")
	kinds := output.Tree{Dir: filepath.Join(in.Dir, "kinds")}
	kinds.Owned, kinds.Stale = func([]byte) bool { return true }, func(string, []byte) bool { return true }
	for _, pkg := range in.Kinds.Named {
		for _, d := range pkg.Objects {
			kinds.Files = append(kinds.Files, output.File{Path: d.Name + ".yaml", Content: []byte("kind: Kind\n")})
		}
	}
	diags.Notef(token.Position{}, "%d packages", len(in.Kinds.All))
	return append(trees, kinds), diags
}

// TestDerive runs a generator of manifests that is not one of kubegen's.
func TestDerive(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "kinds", "Old.yaml")
	if err := os.MkdirAll(filepath.Dir(old), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, []byte("kind: Kind\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	kind := "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\ntype A struct { metav1.TypeMeta; metav1.ObjectMeta }\n"
	files := map[string]string{
		"k8s.io/apimachinery/pkg/apis/meta/v1/types.go": "package v1\ntype TypeMeta struct{}\ntype ObjectMeta struct{}\n",
		"example.com/v1/types.go":                       "package v1\n" + kind,
		"example.com/v2/types.go":                       "package v2\n" + kind,
		"example.com/main.go":                           "package main\n\n// +kubebuilder:rbac:roleName=a,verbs=get\n\nfunc main() {}\n",
	}
	needs := plan.Needs{Kinds: true, Schemas: true, Markers: markers.Roles}
	cfg := facts.Config{Output: products.Output{Plan: &plan.Plan{Flags: &plan.Flags{}, Needs: needs}}}
	paths := []string{"example.com", "example.com/v1", "example.com/v2"}
	l := load.NewLoader(t.Context(), loadtest.InMemory(cfg.Loading(nil), files))
	found, diags := l.Find(paths)
	f, diags := facts.Read(l, found, paths, cfg, diags)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	target := targetOf(accounts{}, dir)
	target.Header = "# Header\n"
	o, said := (&Request{
		Plan: &plan.Plan{}, Manifests: []Target{target},
		Within: func(importPath string) bool { return importPath != "example.com/v2" },
	}).deriveObjects(f)
	if len(said) != 1 || said[0].Message != "3 packages" {
		t.Errorf("the diagnostics are %v", said)
	}
	if !o.WrittenBy("account") || !o.WrittenBy("") || o.WrittenBy("rbac") {
		t.Error("account is not the only generator with files")
	}
	trees, err := o.Trees(&output.Disk{}, false)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := output.Plan(trees...)
	var got []string
	for _, change := range changes {
		rel, _ := filepath.Rel(dir, change.Path)
		got = append(got, change.Action.String()+" "+filepath.ToSlash(rel)+" "+string(change.New))
	}
	want := []string{
		"create accounts.yaml # Header\n---\nkind: Account\nmetadata:\n  name: a\n",
		"create kinds/A.yaml kind: Kind\n", "delete kinds/Old.yaml ",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the changes are %q (%v)", got, err)
	}
	listed := o.FromMarkers(load.Environment{})
	if len(listed) == 0 || len(listed[0].Objects) != 1 {
		t.Fatalf("the objects are %v", listed)
	}
	if from := listed[0].Objects[0].From; len(from) != 1 || !strings.Contains(from[0].Position, ":3") {
		t.Errorf("the object is from %v", from)
	}
	if kept, err := o.Trees(&output.Disk{}, true); err != nil || kept[1].Stale != nil {
		t.Errorf("with keepStale, files are stale (%v)", err)
	}
}
