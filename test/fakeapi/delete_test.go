package fakeapi_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

func TestDelete(t *testing.T) {
	policy := func(p metav1.DeletionPropagation) metav1.DeleteOptions {
		return metav1.DeleteOptions{PropagationPolicy: &p}
	}
	for _, test := range []struct {
		name       string
		finalizers []string
		opts       metav1.DeleteOptions
		reason     metav1.StatusReason
		text       string   // of the error; none if there is none
		held       []string // finalizers of what is still there; nil if it is gone
	}{
		{name: "plain"},
		{name: "background", opts: policy(metav1.DeletePropagationBackground)},
		{name: "with a grace period", opts: metav1.DeleteOptions{GracePeriodSeconds: new(int64(30))}},
		{name: "held", finalizers: []string{"example.com/a"}, held: []string{"example.com/a"}},
		{name: "foreground", opts: policy(metav1.DeletePropagationForeground), held: []string{metav1.FinalizerDeleteDependents}},
		{name: "orphan", opts: policy(metav1.DeletePropagationOrphan), held: []string{metav1.FinalizerOrphanDependents}},
		//lint:ignore SA1019 clients can still send it
		{name: "orphan by the old option", opts: metav1.DeleteOptions{OrphanDependents: new(true)}, held: []string{metav1.FinalizerOrphanDependents}},
		{name: "background in place of foreground", finalizers: []string{metav1.FinalizerDeleteDependents}, opts: policy(metav1.DeletePropagationBackground)},
		{name: "foreground by the finalizer", finalizers: []string{metav1.FinalizerDeleteDependents}, held: []string{metav1.FinalizerDeleteDependents}},
		{name: "UID", opts: metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("mine")}},
		{name: "another UID", opts: metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("other")}, reason: metav1.StatusReasonConflict,
			text: "the UID in the precondition (other) does not match the UID in record (mine)", held: []string{}},
		{name: "another version", opts: metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: new("1")}}, reason: metav1.StatusReasonConflict,
			text: "the ResourceVersion in the precondition (1) does not match", held: []string{}},
		//lint:ignore SA1019 clients can still send it
		{name: "both options", opts: metav1.DeleteOptions{OrphanDependents: new(true), PropagationPolicy: new(metav1.DeletePropagationOrphan)}, reason: metav1.StatusReasonInvalid,
			text: "orphanDependents and deletionPropagation cannot be both set", held: []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, client := newWorld(t, fakeapi.WithObjects(crontab("one", func(ct *stablev1.CronTab) { ct.UID, ct.Finalizers = "mine", test.finalizers })))
			c := client.StableV1().CronTabs("team")
			before := must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
			for range 2 { // the second one changes nothing
				err := c.Delete(t.Context(), "one", test.opts)
				if test.text != "" {
					reason(t, err, test.reason, test.text)
				} else if err != nil {
					t.Fatal(err)
				}
				if test.held == nil {
					break
				}
			}
			after, err := c.Get(t.Context(), "one", metav1.GetOptions{})
			switch {
			case test.held == nil:
				reason(t, err, metav1.StatusReasonNotFound, `crontabs.stable.example.com "one" not found`)
			case test.text != "":
				equal(t, "the object", after, before)
			default:
				if after.DeletionTimestamp == nil || *after.DeletionGracePeriodSeconds != 0 || after.Generation != 2 {
					t.Errorf("deleted %+v", after)
				}
				equal(t, "finalizers", after.Finalizers, test.held)
				after.Finalizers = nil
				if _, err := c.Update(t.Context(), after, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
				_, err := c.Get(t.Context(), "one", metav1.GetOptions{})
				reason(t, err, metav1.StatusReasonNotFound, "")
			}
			if test.held == nil {
				reason(t, c.Delete(t.Context(), "one", test.opts), metav1.StatusReasonNotFound, `"one" not found`)
			}
		})
	}
}

func TestNoNewFinalizers(t *testing.T) {
	_, client := newWorld(t, fakeapi.WithObjects(crontab("one", func(ct *stablev1.CronTab) { ct.Finalizers = []string{"example.com/a"} })))
	c := client.StableV1().CronTabs("team")
	if err := c.Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Patch(t.Context(), "one", types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/a","example.com/b"]}}`), metav1.PatchOptions{})
	reason(t, err, metav1.StatusReasonInvalid, "no new finalizers can be added if the object is being deleted")
}

func TestDeleteCollection(t *testing.T) {
	for _, test := range []struct {
		opts metav1.ListOptions
		left []string
	}{
		{metav1.ListOptions{}, []string{"other/a"}},
		{metav1.ListOptions{LabelSelector: "tier=gold"}, []string{"other/a", "team/a", "team/c"}},
		{metav1.ListOptions{FieldSelector: "metadata.name!=a"}, []string{"other/a", "team/a"}},
		{metav1.ListOptions{FieldSelector: "spec.image=alpine"}, []string{"other/a", "team/a", "team/b"}},
		{metav1.ListOptions{Limit: 2}, []string{"other/a", "team/c"}},
	} {
		t.Run(fmt.Sprint(test.opts), func(t *testing.T) {
			_, client := newWorld(t, fakeapi.WithObjects(
				crontab("a"),
				crontab("b", func(ct *stablev1.CronTab) { ct.Labels = map[string]string{"tier": "gold"} }),
				crontab("c", func(ct *stablev1.CronTab) { ct.Spec.Image = "alpine" }),
				crontab("a", func(ct *stablev1.CronTab) { ct.Namespace = "other" }),
			))
			if err := client.StableV1().CronTabs("team").DeleteCollection(t.Context(), metav1.DeleteOptions{}, test.opts); err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, ct := range must(client.StableV1().CronTabs("").List(t.Context(), metav1.ListOptions{}))(t).Items {
				left = append(left, ct.Namespace+"/"+ct.Name)
			}
			equal(t, "left", left, test.left)
		})
	}
}
