package facts

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
)

const metav1 = "package v1\ntype TypeMeta struct{ Kind string `json:\"kind,omitempty\"` }\ntype ObjectMeta struct{}\ntype ListMeta struct{}\n"

// TestKinds reads the types of a package, and compares the names of the ones that are kinds for clients, for manifests,
// and for schemes. In the types, META and LIST stand for the metadata of kinds and of lists. "A!" is a marked kind that
// is refused.
func TestKinds(t *testing.T) {
	short := strings.NewReplacer("META", "metav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata,omitempty\"`",
		"LIST", "metav1.TypeMeta `json:\",inline\"`\nmetav1.ListMeta `json:\"metadata,omitempty\"`")
	imported := func(cfg *Config) { cfg.Import = &Import{Path: "example.com/other"} }
	const copied = "\nfunc (*A) DeepCopyObject() {}\nfunc (*AList) DeepCopyObject() {}"
	for _, test := range []struct {
		name, types                    string
		set                            func(*Config)
		marked, served, objects, noted string // noted are types with markers of kinds that are not kinds of clients
	}{
		{name: "marked", types: "// +genclient\ntype A struct { META }\ntype AList struct { LIST; Items []A }", marked: "A", served: "A", objects: "A AList"},
		{name: "no marker", types: "type A struct { META }", served: "A", objects: "A"},
		{name: "only the kind", types: "type Options struct { metav1.TypeMeta }", objects: "Options"},
		{name: "no metadata", types: "// +genclient\ntype A struct{}", marked: "A!"},
		{name: "in a base", types: "type Base struct { META }\n// +genclient\ntype A struct { Base `json:\",inline\"` }", marked: "A", served: "A", objects: "A"},
		{name: "in a base, without a marker", types: "type Base struct { META }\ntype A struct { Base `json:\",inline\"` }", served: "Base", objects: "Base"},
		{name: "a pointer", types: "// +genclient\ntype A struct { metav1.TypeMeta; *metav1.ObjectMeta `json:\"metadata\"` }", marked: "A!", objects: "A"},
		{name: "unexported", types: "// +genclient\ntype a struct { META }", marked: "a!", served: "a"},
		{name: "an alias", types: "type B struct { META }\n// +genclient\ntype A = B", marked: "A!", served: "B", objects: "B"},
		{name: "generic", types: "// +genclient\ntype A[T any] struct { META }", marked: "A!"},
		{name: "misspelled", types: "// +genclinet\ntype A struct { META }", served: "A", objects: "A", noted: "A"},
		{name: "another marker", types: "// +genclient:nonNamespaced\ntype A struct { META }", served: "A", objects: "A", noted: "A"},
		{name: "marker for a method", types: "// +kubebuilder:object:root=true\ntype A struct { Base }\ntype Base struct { META }", served: "A", objects: "A"},
		{name: "marker for an interface", types: "// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\ntype A struct { Base }\ntype Base struct { META }", served: "A", objects: "A"},
		{name: "apply markers", set: func(cfg *Config) { cfg.Flags.ByMarkers = true },
			types:  "// +kubebuilder:resource\ntype A struct { META }\n// +kubebuilder:resource\n// +kubebuilder:ac:generate=false\ntype B struct { META }\n// +kubebuilder:ac:generate=true\ntype C struct { META }",
			marked: "A C", served: "A B C", objects: "A B C", noted: "B"},
		{name: "imported", set: imported, types: "type A struct { META }\ntype AList struct { LIST; Items []A }" + copied, marked: "A", served: "A", objects: "A AList"},
		{name: "imported without methods", set: imported, types: "type A struct { META }\ntype AList struct { LIST; Items []A }", served: "A", objects: "A AList"},
		{name: "imported without a list", set: imported, types: "type A struct { META }" + copied, served: "A", objects: "A"},
		{name: "skipped", types: "// +genclient\ntype A struct { META }\n\n// +kubebuilder:skip\n\ntype B int", marked: "A", objects: "A"},
	} {
		t.Run(test.name, func(t *testing.T) {
			const path = "example.com/apis/v1"
			files := map[string]string{
				path + "/types.go": "package v1\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" + short.Replace(test.types) + "\n",
				"k8s.io/apimachinery/pkg/apis/meta/v1/types.go": metav1,
			}
			cfg := needing(plan.Needs{Kinds: true})
			if test.set != nil {
				test.set(&cfg)
			}
			l := load.NewLoader(t.Context(), loadtest.InMemory(cfg.Loading(nil), files))
			found, diags := l.Find([]string{path})
			p, diags := Read(l, found, []string{path}, cfg, diags)
			types := gotypes.NewReader(l, cfg.Policy)
			for _, compared := range []struct{ rule, got, want string }{
				{"clients", names(p.checked[0].Included), test.marked},
				{"markers", names(p.checked[0].Unmarked), test.noted},
				{"manifests", objects(ReadObjects(types, found)[0]), test.served},
				{"schemes", strings.Join(slices.Sorted(maps.Keys(types.Outline().Objects(found[0]))), " "), test.objects},
			} {
				if compared.got != compared.want {
					t.Errorf("kinds for %s are %q, not %q\n%v", compared.rule, compared.got, compared.want, diags)
				}
			}
		})
	}
}

func objects(pkg *kinds.Package) string {
	var names []string
	for _, d := range pkg.Objects {
		names = append(names, d.Name)
	}
	return strings.Join(names, " ")
}

// names returns the names of kinds, with "!" after the ones that are refused.
func names(all []*kinds.Kind) string {
	var names []string
	for _, k := range all {
		name := k.Name()
		if k.Refused {
			name += "!"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}
