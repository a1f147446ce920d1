package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

var (
	losslessSites = flag.Int("sites", 20, "number of objects of TestVersionsLoseNothing on a server, for each stored version")
	losslessSeed  = flag.Uint64("sites-seed", 1, "seed of TestVersionsLoseNothing")
)

// siteField is a field of Site, with its path in the versions that have it.
type siteField struct {
	name  string
	paths map[string]string
	value func(*rand.Rand) any
}

func word(rng *rand.Rand) any { return fmt.Sprintf("w%d", rng.IntN(1000)) }

// siteFields are fields whose values are the same in each version that has them.
var siteFields = []siteField{
	{"image", map[string]string{"v1": "spec.template.image", "v1beta1": "spec.container.image", "v1alpha1": "spec.image"}, word},
	{
		"replicas", map[string]string{"v1": "spec.scale.replicas", "v1beta1": "spec.replicas", "v1alpha1": "spec.replicas"},
		func(rng *rand.Rand) any { return int64(rng.IntN(10)) },
	},
	{
		"paused", map[string]string{"v1": "spec.paused", "v1beta1": "spec.paused"},
		func(rng *rand.Rand) any { return rng.IntN(2) == 0 },
	},
	{"comment", map[string]string{"v1": "spec.comment"}, word},
	{"legacy", map[string]string{"v1alpha1": "spec.legacy"}, word},
}

// TestVersionsLoseNothing writes objects in random versions, by creates, updates, merge patches and applies of random
// fields, by updates with exactly what was read, and by merge patches and applies of a label. Each version lacks
// fields and has defaults of its own. The model knows exactly what each version shows after each step: nothing that a
// client has not changed is lost. The objects are on the API server with the generated conversions as a webhook, for
// one stored version the webhook of controller-runtime, and in fakeapi, with these and with the generated methods for
// controller-runtime.
func TestVersionsLoseNothing(t *testing.T) {
	t.Parallel()
	for i, stored := range siteVersions {
		t.Run(stored, func(t *testing.T) {
			t.Parallel()
			handler := siteHandler()
			if stored == "v1" {
				handler = webhook.NewWebhookHandler(sites, webhook.NewRegistry())
			}
			server, fakes := newSites(t, stored, handler)
			loseNothing(t, "server", server, i, *losslessSites)
			for name, fake := range fakes {
				loseNothing(t, name, fake, i, min(*losslessSites, 60))
			}
		})
	}
}

// loseNothing writes a number of objects on a server of that name, which stores them in a version.
func loseNothing(t *testing.T, server string, client dynamic.Interface, stored, objects int) {
	t.Helper()
	for number := range objects {
		m := &siteModel{
			T: t, client: client, name: fmt.Sprintf("site%d", number), stored: siteVersions[stored], values: map[string]any{}, parts: map[string]any{},
			rng: rand.New(rand.NewPCG(*losslessSeed, uint64(stored*1_000_000+number))),
		}
		m.create()
		for range 6 {
			m.write()
		}
		if t.Failed() {
			t.Fatalf("%s, -sites-seed %d: %s", server, *losslessSeed, strings.Join(m.steps, "\n"))
		}
	}
}

// siteModel is an object and what its fields must be.
type siteModel struct {
	*testing.T
	client dynamic.Interface
	rng    *rand.Rand
	name   string
	stored string
	values map[string]any // by field
	parts  map[string]any // see siteParts
	last   int64          // number of an element
	steps  []string
}

func (m *siteModel) in(version string) dynamic.ResourceInterface {
	return m.client.Resource(siteVersion(version).WithResource("sites")).Namespace("lossless")
}

// set sets random fields of a version in an object, and in the model. If removes is true, the object replaces the
// former one.
func (m *siteModel) set(o *unstructured.Unstructured, version string, chance int, removes bool) {
	for _, f := range siteFields {
		path, ok := f.paths[version]
		if !ok || m.rng.IntN(100) >= chance {
			continue
		}
		m.values[f.name] = f.value(m.rng)
		must(m.T, unstructured.SetNestedField(o.Object, m.values[f.name], strings.Split(path, ".")...))
	}
	client := &partClient{Rand: m.rng, version: version, last: &m.last, removes: removes}
	for _, f := range siteParts.fields {
		if client.chance(chance) {
			m.parts[f.name] = client.change(m.parts[f.name], f.part)
			must(m.T, unstructured.SetNestedField(o.Object, runtime.DeepCopyJSONValue(f.shown(m.parts[f.name], version)), "spec", f.name))
		}
	}
}

// serve changes the model as a server does, around a change of a client: an object that is converted has empty
// structs; the object of the request gets the defaults of its version, and the stored one gets those of the stored
// version when it is read.
func (m *siteModel) serve(version string, change func()) {
	if version != m.stored && len(m.steps) > 0 {
		siteParts.setStructs(m.parts)
	}
	change()
	siteParts.setDefaults(m.parts, version)
	if version != m.stored {
		siteParts.setStructs(m.parts)
	}
	siteParts.setDefaults(m.parts, m.stored)
}

func (m *siteModel) object(version string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(siteVersion(version).WithKind("Site"))
	o.SetName(m.name)
	return o
}

func (m *siteModel) create() {
	version := siteVersions[m.rng.IntN(len(siteVersions))]
	o := m.object(version)
	m.serve(version, func() { m.set(o, version, 70, true) })
	m.steps = append(m.steps, "create in "+version+": "+compact(o.Object))
	if o.Object["spec"] == nil {
		o.Object["spec"] = map[string]any{} // or else there are no defaults
	}
	_, err := m.in(version).Create(m.Context(), o, metav1.CreateOptions{})
	must(m.T, err)
	m.check()
}

// write writes in a random version, in a random way.
func (m *siteModel) write() {
	version := siteVersions[m.rng.IntN(len(siteVersions))]
	in, o := m.in(version), m.object(version)
	verb := []string{"update", "merge", "apply"}[m.rng.IntN(3)]
	if verb == "update" {
		var err error
		o, err = in.Get(m.Context(), m.name, metav1.GetOptions{})
		must(m.T, err)
	}
	change := m.rng.IntN(2) == 0
	if !change && verb == "merge" || verb == "apply" { // an apply without any change sets no defaults
		o.SetLabels(map[string]string{"step": fmt.Sprint(len(m.steps))})
	}
	m.serve(version, func() {
		if change { // or else an update is with exactly what was read
			m.set(o, version, 40, verb == "update")
		}
	})
	m.steps = append(m.steps, verb+" in "+version+": "+compact(o.Object))
	var err error
	switch verb {
	case "update":
		_, err = in.Update(m.Context(), o, metav1.UpdateOptions{})
	case "merge":
		_, err = in.Patch(m.Context(), m.name, types.MergePatchType, []byte(compact(o.Object)), metav1.PatchOptions{})
	default:
		manager := fmt.Sprint("manager", len(m.steps)) // another one would remove what it has left out
		_, err = in.Apply(m.Context(), m.name, o, metav1.ApplyOptions{FieldManager: manager, Force: true})
	}
	must(m.T, err)
	m.check()
}

// check compares the object in all versions with the model.
func (m *siteModel) check() {
	for _, version := range siteVersions {
		o, err := m.in(version).Get(m.Context(), m.name, metav1.GetOptions{})
		must(m.T, err)
		for _, f := range siteFields {
			path, ok := f.paths[version]
			if !ok {
				continue
			}
			got, _, _ := unstructured.NestedFieldNoCopy(o.Object, strings.Split(path, ".")...)
			want := m.values[f.name]
			switch {
			case f.name == "replicas" && want == nil:
				want = int64(1)
			case want == false:
				want = nil
			}
			if got == false {
				got = nil
			}
			if !reflect.DeepEqual(got, want) {
				m.Errorf("%s in %s is %v, not %v: %s", f.name, version, got, want, compact(o.Object))
			}
		}
		spec, _, _ := unstructured.NestedMap(o.Object, "spec")
		for _, f := range siteParts.fields {
			got, want := f.comparable(spec[f.name], version), f.comparable(f.shown(m.parts[f.name], version), version)
			if !reflect.DeepEqual(got, want) {
				m.Errorf("%s in %s is\n\t%s, not\n\t%s: %s", f.name, version, compact(got), compact(want), compact(o.Object))
			}
		}
	}
}
