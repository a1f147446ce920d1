package crdinstall

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// api is a definition that a random history of an API changes.
type api struct {
	versions []apiVersion // with the lowest one first
	storage  int
}

type apiVersion struct {
	name   string
	served bool
	fields []string
}

// ladder is the order in which versions come.
var ladder = []string{"v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1", "v2alpha1", "v2beta1", "v2", "v10"}

// next returns the API of the next release, and whether the change can be seen.
func (a api) next(r *rand.Rand, field string) (api, bool) {
	b := api{storage: a.storage}
	for _, v := range a.versions {
		b.versions = append(b.versions, apiVersion{v.name, v.served, slices.Clone(v.fields)})
	}
	last := len(b.versions) - 1
	switch r.IntN(6) {
	case 0: // a field
		v := r.IntN(len(b.versions))
		b.versions[v].fields = append(b.versions[v].fields, field)
	case 1: // a higher version, which may not be served yet
		at := slices.IndexFunc(ladder, func(name string) bool { return name == inOrder(b.versions)[last] })
		if at == len(ladder)-1 {
			return b, false
		}
		b.versions = append(b.versions, apiVersion{ladder[at+1], r.IntN(3) > 0, slices.Clone(b.versions[last].fields)})
	case 2: // it is served
		if b.versions[last].served {
			return b, false
		}
		b.versions[last].served = true
	case 3: // it is stored
		if b.storage == last || !b.versions[last].served {
			return b, false
		}
		b.storage = last
	case 4: // the lowest one is no longer served
		if b.storage == 0 || last == 0 || !b.versions[0].served || !b.versions[last].served {
			return b, false
		}
		b.versions[0].served = false
	case 5: // and then gone
		if b.versions[0].served || b.storage == 0 || last == 0 {
			return b, false
		}
		b.versions, b.storage = b.versions[1:], b.storage-1
	}
	return b, true
}

func inOrder(versions []apiVersion) (names []string) {
	for _, v := range versions {
		names = append(names, v.name)
	}
	return names
}

// definition returns the definition of the API, with the versions in any order.
func (a api) definition(r *rand.Rand) definition {
	var versions []any
	for i, v := range a.versions {
		properties := map[string]any{}
		for _, field := range v.fields {
			properties[field] = map[string]any{"type": "string"}
		}
		versions = append(versions, map[string]any{
			"name": v.name, "served": v.served, "storage": i == a.storage, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "properties": properties},
			},
		})
	}
	r.Shuffle(len(versions), func(i, j int) { versions[i], versions[j] = versions[j], versions[i] })
	return definition{&unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"versions": versions}}}}
}

// TestHistories compares all pairs of definitions in random histories of APIs. The later one must be found newer.
func TestHistories(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := 0
	for history := range 30 {
		releases := []api{{versions: []apiVersion{{ladder[r.IntN(3)], true, []string{"first"}}}}}
		for i := 0; len(releases) < 12 && i < 100; i++ {
			if next, ok := releases[len(releases)-1].next(r, fmt.Sprintf("f%d", i)); ok {
				releases = append(releases, next)
			}
		}
		for i, old := range releases {
			for j, now := range releases[i+1:] {
				pairs++
				newer, older := age(now.definition(r), old.definition(r))
				if len(newer) == 0 || len(older) > 0 {
					t.Fatalf("history %d: release %d after %d is newer because of %q, older because of %q:\n%+v\n%+v", history, i+j+1, i, newer, older, old, now)
				}
				newer, older = age(old.definition(r), now.definition(r))
				if len(older) == 0 || len(newer) > 0 {
					t.Fatalf("history %d: release %d before %d is newer because of %q, older because of %q", history, i, i+j+1, newer, older)
				}
			}
		}
	}
	if pairs < 1500 {
		t.Errorf("only %d pairs were compared", pairs)
	}
}

// TestAge compares pairs of definitions.
func TestAge(t *testing.T) {
	const base = `{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"properties":{"a":{"enum":["x"]}}}}}]}`
	version := func(text string) string {
		return `{"spec":{"versions":[{"name":"v1","served":true,"storage":true` + text + `}]}`
	}
	release := func(release string) string {
		return base + `,"metadata":{"annotations":{"` + ReleaseAnnotation + `":"` + release + `"}}`
	}
	for _, test := range []struct{ name, ours, theirs, want string }{
		{"equal", base, base, "[] []"},
		{"values", version(`,"schema":{"openAPIV3Schema":{"properties":{"a":{"enum":["x","y"]}}}}`), base, "[only this definition has v1 a value y] []"},
		{"items", base, version(`,"schema":{"openAPIV3Schema":{"properties":{"a":{"enum":["x"],"items":{"properties":{"b":{}}}}}}}`),
			"[] [only the installed one has v1 field a[].b]"},
		{"values of maps", base, version(`,"schema":{"openAPIV3Schema":{"properties":{"a":{"enum":["x"],"additionalProperties":{"properties":{"b":{}}}}}}}`),
			"[] [only the installed one has v1 field a[*].b]"},
		{"subresources", version(`,"subresources":{"status":{}}`), version(``), "[only this definition has v1 subresource status] []"},
		{"selectable fields", version(`,"selectableFields":[{"jsonPath":".spec.a"}]`), version(``), "[only this definition has v1 selectable field .spec.a] []"},
		{"columns", version(``), version(`,"additionalPrinterColumns":[{"name":"A"}]`), "[] [only the installed one has v1 column A]"},
		{"both", version(`,"subresources":{"status":{}}`), base, "[only this definition has v1 subresource status] [only the installed one has v1 a value x]"},
		{"later release", release("v1.10.0"), release("1.9.0"), "[release 1.9.0 has installed it, and this is v1.10.0] []"},
		{"earlier release", release("v1.0.0-rc.1"), release("v1.0.0"), "[] [release v1.0.0 has installed it, and this is v1.0.0-rc.1]"},
		{"the same release", release("v1.0.0"), release("v1.0.0+dirty"), "[] []"},
		{"a version that an upgrade keeps", base, `{"spec":{"versions":[{"name":"v2","served":true},{"name":"v1","served":true,"storage":true}]},` +
			`"metadata":{"annotations":{"` + keptAnnotation + `":"v2, v3"}}`, "[only this definition has v1 a value x] []"},
		{"commits after a release", release("v1.2.3-4-gabcdef0"), release("v1.2.3"), "[release v1.2.3 has installed it, and this is v1.2.3-4-gabcdef0] []"},
		{"commits after it", release("v1.2.3-9-g2414721"), release("v1.2.3-10-gabcdef0"),
			"[] [release v1.2.3-10-gabcdef0 has installed it, and this is v1.2.3-9-g2414721]"},
		{"commits after a candidate", release("v1.2.3-rc.1-4-gabcdef0"), release("v1.2.3"), "[] [release v1.2.3 has installed it, and this is v1.2.3-rc.1-4-gabcdef0]"},
		{"commits before a release", release("v1.2.4"), release("v1.2.3-4-gabcdef0-dirty"),
			"[release v1.2.3-4-gabcdef0-dirty has installed it, and this is v1.2.4] []"},
		{"a release that was changed", release("v1.2.3-dirty"), release("v1.2.3"), "[] []"},
		{"one release", release("v1.0.0"), base, "[] []"},
		{"a release that someone wrote", release("v1.0.0"), release("latest"), "[] []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			newer, older := age(decode(t, test.ours+"}"), decode(t, test.theirs+"}"))
			if got := fmt.Sprint(newer, older); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func decode(t *testing.T, text string) definition {
	t.Helper()
	d := definition{&unstructured.Unstructured{}}
	if err := json.Unmarshal([]byte(text), &d.Object); err != nil {
		t.Fatal(err, strings.TrimSpace(text))
	}
	return d
}
