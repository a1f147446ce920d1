package crds_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/internal/files/crd"
)

// TestLosses compares two random versions of a kind as kubegen does, and creates objects of the one that is not stored
// on a real API server. For each object from which a reader of the stored version misses a value, a loss must be found;
// what is called dropped must be missing; and what does not fit the stored version must be found, too. fakeapi must
// answer the same requests as the server.
func TestLosses(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds an API server")
	}
	found := losses{t: t, config: startServer(t)}
	var kinds []kindWithLosses
	for seed := uint64(0); len(kinds) < 25; seed++ {
		g := &schemaGenerator{Rand: rand.New(rand.NewPCG(seed, 3))}
		served := g.root()
		stored := deepCopy(served)
		for range 1 + g.IntN(3) {
			g.change(stored)
		}
		if fields, ok := stored["properties"].(map[string]any)["spec"].(map[string]any)["properties"].(map[string]any); ok && g.chance(50) {
			delete(fields, pickOne(g, fieldNames))
		}
		withoutElementDefaults(served)
		withoutElementDefaults(stored)
		if was, is := newServer(t, served), newServer(t, stored); was == nil || is == nil || inJSON(served) == inJSON(stored) {
			continue
		} else if k := (kindWithLosses{seed, served, stored, was, is}); found.create(k) {
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		found.compare(k)
	}
	t.Logf("%d kinds, %d objects: %d lost something, %d did not fit; %d answers of fakeapi", len(kinds), found.objects, found.lost, found.excluded, found.answers)
	if found.lost == 0 || found.excluded == 0 {
		t.Error("the random versions are worthless")
	}
}

// kindWithLosses is a kind with a version that is served and one that is stored, and what a server does that has only
// one.
type kindWithLosses struct {
	seed           uint64
	served, stored map[string]any
	was, is        *server
}

func (k kindWithLosses) plural() string { return fmt.Sprintf("losses%d", k.seed) }

func (k kindWithLosses) kind() string { return fmt.Sprintf("Loss%d", k.seed) }

// manifest returns the definition of the kind.
func (k kindWithLosses) manifest() string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: %[1]s, singular: loss%[2]d, kind: %[3]s, listKind: %[3]sList}
  versions:
  - {name: v1alpha1, served: true, storage: false, schema: {openAPIV3Schema: %[4]s}}
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: %[5]s}}
`, k.plural(), k.seed, k.kind(), inJSON(k.served), inJSON(k.stored))
}

type losses struct {
	t                       *testing.T
	config                  *rest.Config
	objects, lost, excluded int
	answers                 int // that fakeapi and the server must give alike
}

// client returns a function that returns the client for a version.
func (k kindWithLosses) client(t *testing.T, config *rest.Config) func(version string) dynamic.ResourceInterface {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return func(version string) dynamic.ResourceInterface {
		return client.Resource(schema.GroupVersionResource{Group: "example.com", Version: version, Resource: k.plural()})
	}
}

// fake returns an API that serves the kind.
func (k kindWithLosses) fake(t *testing.T) *fakeapi.API {
	scheme := runtime.NewScheme()
	for _, version := range []string{"v1alpha1", "v1"} {
		gv := schema.GroupVersion{Group: "example.com", Version: version}
		scheme.AddKnownTypeWithName(gv.WithKind(k.kind()), &loss{})
		scheme.AddKnownTypeWithName(gv.WithKind(k.kind()+"List"), &lossList{})
	}
	file := filepath.Join(t.TempDir(), "crd.yaml")
	write(t, file, []byte(k.manifest()))
	options, err := crdvalidation.Options(scheme, file)
	if err != nil {
		t.Fatal(err)
	}
	return fakeapi.New(options...)
}

// loss is the Go type of all kinds with losses.
type loss struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   any `json:"spec,omitempty"`
	Status any `json:"status,omitempty"`
}

func (l *loss) DeepCopyObject() runtime.Object {
	return &loss{l.TypeMeta, *l.ObjectMeta.DeepCopy(), runtime.DeepCopyJSONValue(l.Spec), runtime.DeepCopyJSONValue(l.Status)}
}

type lossList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []loss `json:"items"`
}

func (l *lossList) DeepCopyObject() runtime.Object {
	all := &lossList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		all.Items = append(all.Items, *l.Items[i].DeepCopyObject().(*loss))
	}
	return all
}

// answers returns the answers to requests that create one object in the served version and another in the stored one,
// and read and write both in the other version.
func (k kindWithLosses) answers(
	t *testing.T, in func(version string) dynamic.ResourceInterface, name string, served, stored map[string]any,
) (all []string) {
	answer := func(o *unstructured.Unstructured, err error) *unstructured.Unstructured {
		if err != nil {
			all = append(all, string(apierrors.ReasonForError(err)))
			return nil
		}
		all = append(all, inJSON(contentOf(o.Object)))
		return o
	}
	for i, content := range []map[string]any{served, stored} {
		version := []string{"v1alpha1", "v1"}[i]
		o := &unstructured.Unstructured{Object: deepCopy(content)}
		o.SetAPIVersion("example.com/" + version)
		o.SetKind(k.kind())
		o.SetName(name + "-" + version)
		if answer(in(version).Create(t.Context(), o, metav1.CreateOptions{})) == nil {
			continue
		}
		answer(in("v1").Get(t.Context(), o.GetName(), metav1.GetOptions{}))
		read := answer(in("v1alpha1").Get(t.Context(), o.GetName(), metav1.GetOptions{}))
		answer(in("v1alpha1").Update(t.Context(), read, metav1.UpdateOptions{}))
		read = answer(in("v1").Get(t.Context(), o.GetName(), metav1.GetOptions{}))
		read.SetAnnotations(map[string]string{"a": "b"})
		answer(in("v1").Update(t.Context(), read, metav1.UpdateOptions{}))
		answer(in("v1alpha1").Get(t.Context(), o.GetName(), metav1.GetOptions{}))
	}
	return all
}

// create creates the definition of a kind. It returns false if the server refuses it, for a reason that newServer does
// not know.
func (l *losses) create(k kindWithLosses) bool {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(k.manifest()), definition); err != nil {
		l.t.Fatal(err)
	}
	_, err := definitionsOf(l.t, l.config).Create(l.t.Context(), definition, metav1.CreateOptions{})
	if err != nil && !apierrors.IsInvalid(err) {
		l.t.Fatalf("seed %d: %v", k.seed, err)
	}
	return err == nil
}

// compare creates objects of a kind.
func (l *losses) compare(k kindWithLosses) {
	if err := established(l.t, definitionsOf(l.t, l.config), k.plural()+".example.com"); err != nil {
		l.t.Fatalf("seed %d: %v", k.seed, err)
	}
	in, inFake := k.client(l.t, l.config), k.client(l.t, k.fake(l.t).RESTConfig())
	changes := crd.SchemaChanges(parseSchema(l.t, k.served), parseSchema(l.t, k.stored))
	g := &schemaGenerator{Rand: rand.New(rand.NewPCG(k.seed, 4))}
	for i := range 20 {
		object := g.object(k.served)
		object["apiVersion"], object["kind"] = "example.com/v1alpha1", k.kind()
		object["metadata"] = map[string]any{"name": fmt.Sprintf("o%d", i)}
		l.object(k, in, object, changes)
		if i%4 > 0 {
			continue
		}
		other := g.object(k.stored)
		got, want := k.answers(l.t, inFake, fmt.Sprintf("p%d", i), object, other), k.answers(l.t, in, fmt.Sprintf("p%d", i), object, other)
		for step, answer := range want {
			if got[step] != answer {
				l.t.Errorf("seed %d, step %d with %s, %s: fakeapi answers %s, a server %s", k.seed, step, inJSON(object), inJSON(other), got[step], answer)
			}
			l.answers++
		}
	}
}

// object creates an object in the served version, and reads it in both.
func (l *losses) object(
	k kindWithLosses, in func(version string) dynamic.ResourceInterface, sent map[string]any, changes []crd.SchemaChange,
) {
	created, err := in("v1alpha1").Create(l.t.Context(), &unstructured.Unstructured{Object: deepCopy(sent)}, metav1.CreateOptions{
		FieldValidation: metav1.FieldValidationStrict,
	})
	for deadline := time.Now().Add(time.Minute); apierrors.IsNotFound(err) && time.Now().Before(deadline); { // the version is not served yet
		created, err = in("v1alpha1").Create(l.t.Context(), &unstructured.Unstructured{Object: deepCopy(sent)}, metav1.CreateOptions{})
	}
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return
	} else if err != nil {
		l.t.Fatalf("seed %d: %v", k.seed, err)
	}
	l.objects++
	read, err := in("v1").Get(l.t.Context(), created.GetName(), metav1.GetOptions{})
	if err != nil {
		l.t.Fatalf("seed %d: %v", k.seed, err)
	}
	has := func(effects ...crd.Effect) bool {
		return slices.ContainsFunc(changes, func(c crd.SchemaChange) bool { return slices.Contains(effects, c.Effect) })
	}
	var texts []string
	for _, c := range changes {
		texts = append(texts, c.Path+": "+c.What)
		if c.Effect != crd.Drops || strings.ContainsAny(c.Path, "[*") {
			continue
		}
		path := strings.Split(strings.TrimPrefix(c.Path, "."), ".")
		if value, ok, _ := unstructured.NestedFieldNoCopy(read.Object, path...); ok {
			l.t.Errorf("seed %d: %s is called dropped, and reads %v", k.seed, c.Path, value)
		}
	}
	kept := contentOf(deepCopy(sent))
	k.was.take(kept)
	if path := lost(kept, contentOf(read.Object), ""); path != "" {
		l.lost++
		if !has(crd.Drops, crd.Prunes, crd.Excludes) {
			l.t.Errorf("seed %d: %s of %s is lost, and %s reads; found only %q", k.seed, path, inJSON(sent), inJSON(read.Object), texts)
		}
	}
	if why := k.is.take(contentOf(deepCopy(read.Object))); why != "" {
		l.excluded++
		if !has(crd.Excludes, crd.Requires, crd.Drops) { // the stored version may require what it drops
			l.t.Errorf("seed %d: %s does not fit the stored version: %s; found only %q", k.seed, inJSON(read.Object), why, texts)
		}
	}
}

func contentOf(object map[string]any) map[string]any {
	return map[string]any{"spec": object["spec"], "status": object["status"]}
}
