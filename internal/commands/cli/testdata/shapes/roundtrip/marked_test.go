package roundtrip

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"

	stablev1 "example.com/api/apis/stable/v1"
	applyshared "example.com/api/gen/applyconfiguration/shared/v1"
	apply "example.com/api/gen/applyconfiguration/stable/v1"
	"example.com/api/gen/clientset/versioned/fake"
)

func TestMarked(t *testing.T) {
	trip(t, access[stablev1.Marked, apply.MarkedApplyConfiguration]{
		func(name string) *apply.MarkedApplyConfiguration { return apply.Marked(name, "space") },
		fake.NewClientset().StableV1().Markeds("space").Apply, apply.ExtractMarked})
}

func TestEmbedding(t *testing.T) {
	trip(t, access[stablev1.Embedding, apply.EmbeddingApplyConfiguration]{
		apply.Embedding, fake.NewClientset().StableV1().Embeddings().Apply, apply.ExtractEmbedding})
}

// Elements of a list that are told apart by keys, or are a set, and keys of maps belong to different managers; what
// is atomic belongs to one.
func TestShared(t *testing.T) {
	build := func(n string) *apply.MarkedApplyConfiguration {
		return apply.Marked("name", "space").
			WithItems(apply.Item().WithName("item" + n)).
			WithPointers(apply.Item().WithName("pointer" + n)).
			WithPorts(apply.Port().WithPort(80).WithProtocol("protocol" + n).WithName(n)).
			WithBoxes(apply.SizedIntOrString().WithName("box" + n).WithSize(intstr.FromString(n))).
			WithSet("set" + n).
			WithModes(stablev1.Modes{stablev1.Mode("mode" + n)}).
			WithContainers(applycore.Container().WithName("container" + n).
				WithPorts(applycore.ContainerPort().WithContainerPort(80).WithProtocol(corev1.Protocol(n))).
				WithEnv(applycore.EnvVar().WithName("env").WithValue(n))).
			WithParts(applyshared.Part().WithKey("part" + n).WithCount(3)).
			WithGranular(map[string]apply.ItemApplyConfiguration{"key" + n: *apply.Item().WithName(n)}).
			WithLists(map[string][]stablev1.Item{"key" + n: {{Name: "a"}, {Name: n}}})
	}
	client := fake.NewClientset().StableV1().Markeds("space")
	var obj *stablev1.Marked
	for _, manager := range []string{"one", "two"} {
		var err error
		if obj, err = client.Apply(context.Background(), build(manager), metav1.ApplyOptions{FieldManager: manager}); err != nil {
			t.Fatal(err)
		}
	}
	if len(obj.Items) != 2 || len(obj.Pointers) != 2 || len(obj.Ports) != 2 || len(obj.Boxes) != 2 || len(obj.Set) != 2 || len(obj.Modes) != 2 ||
		len(obj.Containers) != 2 || len(obj.Parts) != 2 || len(obj.Granular) != 2 || len(obj.Lists) != 2 {
		t.Errorf("not merged: %s", text(obj))
	}
	for _, manager := range []string{"one", "two"} {
		extracted, err := apply.ExtractMarked(obj, manager)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := text(extracted), text(build(manager)); got != want {
			t.Errorf("%s applied\n\t%s\nand got\n\t%s", manager, want, got)
		}
	}

	for name, b := range map[string]func(n string) *apply.MarkedApplyConfiguration{
		"list": func(n string) *apply.MarkedApplyConfiguration {
			return apply.Marked("list", "space").WithAtomic(apply.Item().WithName(n))
		},
		"map": func(n string) *apply.MarkedApplyConfiguration {
			return apply.Marked("map", "space").WithAtomicMap(map[string]string{n: n})
		},
		"struct": func(n string) *apply.MarkedApplyConfiguration {
			return apply.Marked("struct", "space").WithAtomicStruct(apply.Node().WithName(n))
		},
		"pointer": func(n string) *apply.MarkedApplyConfiguration {
			return apply.Marked("pointer", "space").WithAtomicPointer(apply.Node().WithName(n))
		},
	} {
		if _, err := client.Apply(context.Background(), b("one"), metav1.ApplyOptions{FieldManager: "one"}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Apply(context.Background(), b("two"), metav1.ApplyOptions{FieldManager: "two"}); err == nil {
			t.Errorf("two managers share an atomic %s", name)
		}
	}
}

// The status belongs to whoever applied it through its subresource.
func TestStatus(t *testing.T) {
	client := fake.NewClientset().StableV1().Markeds("space")
	spec := apply.Marked("name", "space").WithSet("a")
	if _, err := client.Apply(context.Background(), spec, metav1.ApplyOptions{FieldManager: "manager"}); err != nil {
		t.Fatal(err)
	}
	status := apply.Marked("name", "space").WithStatus(apply.MarkedStatus().WithPhase("Ready").WithObserved(0).WithConditions(
		applymeta.Condition().WithType("A").WithStatus(metav1.ConditionTrue).WithReason("B").WithMessage("").WithLastTransitionTime(metav1.Unix(1, 0))))
	obj, err := client.ApplyStatus(context.Background(), status, metav1.ApplyOptions{FieldManager: "status"})
	if err != nil {
		t.Fatal(err)
	}
	// Fakes do not record through which subresource something was applied.
	i := slices.IndexFunc(obj.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == "status" })
	if i < 0 {
		t.Fatalf("not managed: %s", text(obj))
	}
	obj.ManagedFields[i].Manager, obj.ManagedFields[i].Subresource = "manager", "status"

	check := func(extract func(*stablev1.Marked, string) (*apply.MarkedApplyConfiguration, error), want *apply.MarkedApplyConfiguration) error {
		got, err := extract(obj, "manager")
		if err == nil && text(got) != text(want) {
			err = fmt.Errorf("applied\n\t%s\nand got\n\t%s", text(want), text(got))
		}
		return err
	}
	if err := check(apply.ExtractMarkedStatus, status); err != nil {
		t.Error(err)
	}
	if err := check(apply.ExtractMarked, spec); err != nil {
		t.Error(err)
	}
	if got, err := apply.ExtractMarked(obj, "nobody"); err != nil || text(got) != text(apply.Marked("name", "space")) {
		t.Errorf("nobody owns %s, %v", text(got), err)
	}
}
