package crds_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// TestLosses compares two random versions of a kind as kubegen does, and creates objects of the one that is not stored
// on a real API server. For each object from which a reader of the stored version misses a value, a loss must be found;
// what is called dropped must be missing; and what does not fit the stored version must be found, too.
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
	t.Logf("%d kinds, %d objects: %d lost something, %d did not fit", len(kinds), found.objects, found.lost, found.excluded)
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

type losses struct {
	t                       *testing.T
	config                  *rest.Config
	objects, lost, excluded int
}

// create creates the definition of a kind. It returns false if the server refuses it, for a reason that newServer does
// not know.
func (l *losses) create(k kindWithLosses) bool {
	text := fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
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
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(text), definition); err != nil {
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
	client, err := dynamic.NewForConfig(l.config)
	if err != nil {
		l.t.Fatal(err)
	}
	in := func(version string) dynamic.ResourceInterface {
		return client.Resource(schema.GroupVersionResource{Group: "example.com", Version: version, Resource: k.plural()})
	}
	changes := crdschema.ChangesBetween(parseSchema(l.t, k.served), parseSchema(l.t, k.stored))
	g := &schemaGenerator{Rand: rand.New(rand.NewPCG(k.seed, 4))}
	for i := range 20 {
		object := g.object(k.served)
		object["apiVersion"], object["kind"] = "example.com/v1alpha1", k.kind()
		object["metadata"] = map[string]any{"name": fmt.Sprintf("o%d", i)}
		l.object(k, in, object, changes)
	}
}

// object creates an object in the served version, and reads it in both.
func (l *losses) object(
	k kindWithLosses, in func(version string) dynamic.ResourceInterface, sent map[string]any, changes []crdschema.Change,
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
	has := func(effects ...crdschema.Effect) bool {
		return slices.ContainsFunc(changes, func(c crdschema.Change) bool { return slices.Contains(effects, c.Effect) })
	}
	var texts []string
	for _, c := range changes {
		texts = append(texts, c.Path+": "+c.What)
		if c.Effect != crdschema.Drops || strings.ContainsAny(c.Path, "[*") {
			continue
		}
		path := strings.Split(strings.TrimPrefix(c.Path, "."), ".")
		if value, ok, _ := unstructured.NestedFieldNoCopy(read.Object, path...); ok {
			l.t.Errorf("seed %d: %s is called dropped, and reads %v", k.seed, c.Path, value)
		}
	}
	content := func(from map[string]any) map[string]any {
		return map[string]any{"spec": from["spec"], "status": from["status"]}
	}
	kept := content(deepCopy(sent))
	k.was.take(kept)
	if path := lost(kept, content(read.Object), ""); path != "" {
		l.lost++
		if !has(crdschema.Drops, crdschema.Prunes, crdschema.Excludes) {
			l.t.Errorf("seed %d: %s of %s is lost, and %s reads; found only %q", k.seed, path, inJSON(sent), inJSON(read.Object), texts)
		}
	}
	if why := k.is.take(content(deepCopy(read.Object))); why != "" {
		l.excluded++
		if !has(crdschema.Excludes, crdschema.Requires, crdschema.Drops) { // the stored version may require what it drops
			l.t.Errorf("seed %d: %s does not fit the stored version: %s; found only %q", k.seed, inJSON(read.Object), why, texts)
		}
	}
}
