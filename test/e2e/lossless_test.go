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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

var (
	losslessSites = flag.Int("sites", 60, "number of objects of TestVersionsLoseNothing, for each stored version and server")
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
	{
		"mounts", map[string]string{"v1": "spec.mounts", "v1beta1": "spec.mounts", "v1alpha1": "spec.mounts"},
		func(rng *rand.Rand) any {
			var mounts []any
			for range rng.IntN(4) {
				mounts = append(mounts, map[string]any{"path": fmt.Sprintf("/%d", rng.IntN(3))})
			}
			return mounts
		},
	},
}

// TestVersionsLoseNothing writes random fields of objects in random versions, by creates, updates, merge patches and
// applies. A write must change nothing else in any version, although each version lacks some fields. The objects are on
// the API server with the generated conversions as a webhook, for one stored version the webhook of controller-runtime,
// and in fakeapi, with these and with the generated methods for controller-runtime.
func TestVersionsLoseNothing(t *testing.T) {
	t.Parallel()
	for i, stored := range siteVersions {
		t.Run(stored, func(t *testing.T) {
			t.Parallel()
			handler := siteHandler()
			if stored == "v1" {
				handler = webhook.NewWebhookHandler(sites, webhook.NewRegistry())
			}
			server, clients := newSites(t, stored, handler)
			clients["server"] = server
			for name, client := range clients {
				for number := range *losslessSites {
					m := &siteModel{
						T: t, client: client, name: fmt.Sprintf("site%d", number), stored: stored, values: map[string]any{},
						rng: rand.New(rand.NewPCG(*losslessSeed, uint64(i*1_000_000+number))),
					}
					m.create()
					for range 4 {
						m.write()
					}
					if t.Failed() {
						t.Fatalf("%s, -sites-seed %d: %s", name, *losslessSeed, strings.Join(m.steps, "\n"))
					}
				}
			}
		})
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
	// kept are the mounts when the annotation was last written. As long as a version that lacks readOnly is stored, and
	// written, nothing converts the object, and the annotation does not change.
	kept  any
	steps []string
}

func (m *siteModel) in(version string) dynamic.ResourceInterface {
	return m.client.Resource(siteVersion(version).WithResource("sites")).Namespace("lossless")
}

// set sets random fields of a version in an object, and in the model.
func (m *siteModel) set(o *unstructured.Unstructured, version string, chance int) {
	for _, f := range siteFields {
		path, ok := f.paths[version]
		if !ok || m.rng.IntN(100) >= chance {
			continue
		}
		value := f.value(m.rng)
		if f.name == "mounts" {
			value = m.mounts(value, version)
		}
		m.values[f.name] = value
		if f.name == "mounts" && version != "v1" {
			value = m.without(value)
		}
		must(m.T, unstructured.SetNestedField(o.Object, value, strings.Split(path, ".")...))
	}
}

// mounts returns a list of mounts as v1 has it. Elements of other versions keep readOnly if the same element was there.
func (m *siteModel) mounts(value any, version string) any {
	list, _ := value.([]any)
	former, _ := m.kept.([]any)
	used := map[int]bool{}
	for _, mount := range list {
		mount := mount.(map[string]any)
		if version == "v1" {
			if m.rng.IntN(2) == 0 {
				mount["readOnly"] = true
			}
			continue
		}
		for i, old := range former {
			if old := old.(map[string]any); !used[i] && old["path"] == mount["path"] {
				used[i] = true
				if old["readOnly"] == true {
					mount["readOnly"] = true
				}
				break
			}
		}
	}
	if len(list) == 0 {
		return []any{}
	}
	return list
}

// without returns mounts as the versions without readOnly have them.
func (m *siteModel) without(value any) any {
	list := []any{}
	for _, mount := range value.([]any) {
		list = append(list, map[string]any{"path": mount.(map[string]any)["path"]})
	}
	return list
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
	m.set(o, version, 70)
	m.steps = append(m.steps, "create in "+version+": "+compact(o.Object))
	if o.Object["spec"] == nil {
		o.Object["spec"] = map[string]any{} // or else there are no defaults
	}
	_, err := m.in(version).Create(m.Context(), o, metav1.CreateOptions{})
	must(m.T, err)
	m.check(version)
}

// write changes fields in a random version, in a random way.
func (m *siteModel) write() {
	version := siteVersions[m.rng.IntN(len(siteVersions))]
	in, o := m.in(version), m.object(version)
	if version != m.stored {
		m.kept = m.values["mounts"] // the object is converted
	}
	var err error
	switch verb := []string{"update", "merge", "apply"}[m.rng.IntN(3)]; verb {
	case "update":
		o, err = in.Get(m.Context(), m.name, metav1.GetOptions{})
		must(m.T, err)
		m.set(o, version, 40)
		m.steps = append(m.steps, "update in "+version+": "+compact(o.Object))
		_, err = in.Update(m.Context(), o, metav1.UpdateOptions{})
	case "merge":
		m.set(o, version, 40)
		m.steps = append(m.steps, "merge in "+version+": "+compact(o.Object))
		_, err = in.Patch(m.Context(), m.name, types.MergePatchType, []byte(compact(o.Object)), metav1.PatchOptions{})
	default:
		m.set(o, version, 40)
		m.steps = append(m.steps, "apply in "+version+": "+compact(o.Object))
		manager := fmt.Sprint("manager", len(m.steps)) // another one would remove what it has left out
		_, err = in.Apply(m.Context(), m.name, o, metav1.ApplyOptions{FieldManager: manager, Force: true})
	}
	must(m.T, err)
	m.check(version)
}

// check compares the object in all versions with the model, after a write in one of them.
func (m *siteModel) check(written string) {
	if written != m.stored {
		m.kept = m.values["mounts"]
	}
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
			switch list, isList := want.([]any); {
			case f.name == "replicas" && want == nil:
				want = int64(1)
			case isList && len(list) == 0, want == false:
				want = nil
			case isList && version != "v1":
				want = m.without(want)
			}
			if list, ok := got.([]any); got == false || ok && len(list) == 0 {
				got = nil
			}
			if !reflect.DeepEqual(got, want) {
				m.Errorf("%s in %s is %v, not %v: %s", f.name, version, got, want, compact(o.Object))
			}
		}
	}
}
