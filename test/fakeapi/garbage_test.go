package fakeapi_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	crontabfake "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/fakeapi"
)

// owned returns a CronRun that CronTabs own. It blocks the deletion of those whose name begins with "b".
func owned(name string, owners ...string) *stablev1.CronRun {
	run := &stablev1.CronRun{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	for _, owner := range owners {
		run.OwnerReferences = append(run.OwnerReferences, metav1.OwnerReference{
			APIVersion: "stable.example.com/v1", Kind: "CronTab", Name: owner, UID: types.UID(owner), BlockOwnerDeletion: new(owner[0] == 'b'),
		})
	}
	return run
}

func owner(name string) *stablev1.CronTab {
	return crontab(name, func(ct *stablev1.CronTab) { ct.UID = types.UID(name) })
}

// left returns the names of all CronTabs and CronRuns, those that are being deleted in brackets.
func left(t *testing.T, client *crontabfake.Clientset) (names []string) {
	t.Helper()
	add := func(o metav1.Object) {
		name := o.GetName()
		if o.GetDeletionTimestamp() != nil {
			name = "(" + name + ")"
		}
		names = append(names, name)
	}
	for _, ct := range must(client.StableV1().CronTabs("").List(t.Context(), metav1.ListOptions{}))(t).Items {
		add(&ct)
	}
	for _, run := range must(client.StableV1().CronRuns("").List(t.Context(), metav1.ListOptions{}))(t).Items {
		add(&run)
	}
	return names
}

func TestGarbageCollection(t *testing.T) {
	held := owned("r1", "b1")
	held.Finalizers = []string{"example.com/hold"}
	foreign := owned("r1")
	foreign.OwnerReferences = []metav1.OwnerReference{{APIVersion: "other.example.com/v1", Kind: "Other", Name: "o", UID: "o"}}
	for _, test := range []struct {
		name   string
		runs   []*stablev1.CronRun
		policy metav1.DeletionPropagation
		start  []string // before anything is deleted, besides a1, b1 and b2
		left   []string // after a1 and b1 are deleted
	}{
		{"background", []*stablev1.CronRun{owned("r1", "a1"), owned("r2", "b1", "b2"), owned("r3", "b2")}, metav1.DeletePropagationBackground, []string{"r1", "r2", "r3"}, []string{"b2", "r2", "r3"}},
		{"both owners", []*stablev1.CronRun{owned("r1", "a1", "b1")}, metav1.DeletePropagationBackground, []string{"r1"}, []string{"b2"}},
		{"orphan", []*stablev1.CronRun{owned("r1", "a1"), owned("r2", "b1", "b2")}, metav1.DeletePropagationOrphan, []string{"r1", "r2"}, []string{"b2", "r1", "r2"}},
		{"foreground", []*stablev1.CronRun{owned("r1", "a1"), owned("r2", "b1")}, metav1.DeletePropagationForeground, []string{"r1", "r2"}, []string{"b2"}},
		{"foreground, held", []*stablev1.CronRun{held}, metav1.DeletePropagationForeground, []string{"r1"}, []string{"(b1)", "b2", "(r1)"}},
		{"background, held", []*stablev1.CronRun{held}, metav1.DeletePropagationBackground, []string{"r1"}, []string{"b2", "(r1)"}},
		{"without owner", []*stablev1.CronRun{owned("r1", "gone"), owned("r2")}, metav1.DeletePropagationBackground, []string{"r2"}, []string{"b2", "r2"}},
		{"owner of a kind that is not served", []*stablev1.CronRun{foreign}, metav1.DeletePropagationBackground, []string{"r1"}, []string{"b2", "r1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var objects []fakeapi.Option
			for _, run := range test.runs {
				objects = append(objects, fakeapi.WithObjects(run)) // before their owners
			}
			objects = append(objects, fakeapi.WithObjects(owner("a1"), owner("b1"), owner("b2")), fakeapi.WithGarbageCollection())
			_, client := newWorld(t, objects...)
			c := client.StableV1().CronTabs("team")
			equal(t, "at first", left(t, client), append([]string{"a1", "b1", "b2"}, test.start...))
			for _, name := range []string{"a1", "b1"} {
				if err := c.Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &test.policy}); err != nil {
					t.Fatal(err)
				}
			}
			equal(t, "left", left(t, client), test.left)
			for _, run := range must(client.StableV1().CronRuns("team").List(t.Context(), metav1.ListOptions{}))(t).Items {
				gone := func(ref metav1.OwnerReference) bool {
					return ref.Name == "a1" || ref.Name == "b1" && !slices.Contains(test.left, "(b1)")
				}
				if run.DeletionTimestamp == nil && slices.ContainsFunc(run.OwnerReferences, gone) {
					t.Errorf("%s has owners %v", run.Name, run.OwnerReferences)
				}
			}
			if !slices.Contains(test.left, "(r1)") {
				return
			}
			if _, err := client.StableV1().CronRuns("team").Patch(t.Context(), "r1", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
			equal(t, "left at last", left(t, client), []string{"b2"})
		})
	}
}

// TestGarbageIsCreated checks that what is created with an owner that is gone goes as well.
func TestGarbageIsCreated(t *testing.T) {
	_, client := newWorld(t, fakeapi.WithObjects(owner("a")), fakeapi.WithGarbageCollection())
	runs := client.StableV1().CronRuns("team")
	for _, run := range []*stablev1.CronRun{owned("r1", "a"), owned("r2", "gone"), owned("r3", "a", "gone")} {
		must(runs.Create(t.Context(), run, metav1.CreateOptions{}))(t)
	}
	equal(t, "left", left(t, client), []string{"a", "r1", "r3"})
	equal(t, "owners", len(must(runs.Get(t.Context(), "r3", metav1.GetOptions{}))(t).OwnerReferences), 1)
}

// ownedByRun returns a CronRun that another one owns, and whose deletion that waits for.
func ownedByRun(name, owner string, finalizers ...string) *stablev1.CronRun {
	run := owned(name)
	run.Finalizers = finalizers
	run.OwnerReferences = []metav1.OwnerReference{{APIVersion: "stable.example.com/v1", Kind: "CronRun", Name: owner, UID: types.UID(owner), BlockOwnerDeletion: new(true)}}
	return run
}

// Deletion goes on to the dependents of dependents by the same policy, or by that which a finalizer of one of them
// asks for.
func TestGarbageOfGarbage(t *testing.T) {
	for _, test := range []struct {
		name       string
		finalizers []string // of r1, which b1 owns
		held       []string // finalizers of r2, which r1 owns
		policy     metav1.DeletionPropagation
		left       []string
	}{
		{name: "background", policy: metav1.DeletePropagationBackground},
		{name: "foreground", policy: metav1.DeletePropagationForeground},
		{name: "foreground, held", policy: metav1.DeletePropagationForeground, held: []string{"example.com/hold"}, left: []string{"(b1)", "(r1)", "(r2)"}},
		{name: "background, held", policy: metav1.DeletePropagationBackground, held: []string{"example.com/hold"}, left: []string{"(r2)"}},
		{name: "orphan finalizer", policy: metav1.DeletePropagationBackground, finalizers: []string{metav1.FinalizerOrphanDependents}, left: []string{"r2"}},
		{name: "foreground finalizer", policy: metav1.DeletePropagationBackground, finalizers: []string{metav1.FinalizerDeleteDependents}, held: []string{"example.com/hold"}, left: []string{"(r1)", "(r2)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r1 := owned("r1", "b1")
			r1.UID, r1.Finalizers = "r1", test.finalizers
			_, client := newWorld(t, fakeapi.WithGarbageCollection(), fakeapi.WithObjects(owner("b1"), r1, ownedByRun("r2", "r1", test.held...)))
			if err := client.StableV1().CronTabs("team").Delete(t.Context(), "b1", metav1.DeleteOptions{PropagationPolicy: &test.policy}); err != nil {
				t.Fatal(err)
			}
			equal(t, "left", left(t, client), test.left)
		})
	}
}

// An object becomes garbage by an update that gives it an owner that is not there, and owners that are there twice
// are one.
func TestGarbageIsUpdated(t *testing.T) {
	_, client := newWorld(t, fakeapi.WithGarbageCollection(), fakeapi.WithObjects(owner("a1"), owned("r1")))
	runs := client.StableV1().CronRuns("team")
	run := must(runs.Get(t.Context(), "r1", metav1.GetOptions{}))(t)
	run.OwnerReferences = owned("r1", "a1", "a1").OwnerReferences
	run = must(runs.Update(t.Context(), run, metav1.UpdateOptions{}))(t)
	equal(t, "owners", len(run.OwnerReferences), 1)
	equal(t, "left", left(t, client), []string{"a1", "r1"})
	run.OwnerReferences = owned("r1", "gone").OwnerReferences
	must(runs.Update(t.Context(), run, metav1.UpdateOptions{}))(t)
	equal(t, "left", left(t, client), []string{"a1"})
}
