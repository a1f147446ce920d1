package crontabtypes_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	apply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
)

var fakes = map[string]func(...runtime.Object) *fake.Clientset{"NewClientset": fake.NewClientset, "NewSimpleClientset": fake.NewSimpleClientset}

// Fakes store the objects that they are given, of all kinds and in lists, and say what discovery would.
func TestFakesStore(t *testing.T) {
	for name, newClientset := range fakes {
		t.Run(name, func(t *testing.T) {
			client := newClientset(populationOfVersions()...)
			runs, err1 := client.StableV1().CronRuns("").List(t.Context(), metav1.ListOptions{})
			tabs, err2 := client.StableV1().CronTabs("east").List(t.Context(), metav1.ListOptions{LabelSelector: "tier"})
			classes, err3 := client.StableV1().CronTabClasses().List(t.Context(), metav1.ListOptions{})
			old, err4 := client.StableV1beta1().CronTabClasses().List(t.Context(), metav1.ListOptions{LabelSelector: "tier"})
			if err := errors.Join(err1, err2, err3, err4); err != nil || len(runs.Items) != 4 || len(tabs.Items) != 1 || len(classes.Items) != 2 || len(old.Items) != 1 {
				t.Errorf("got %v, %v, %v, %v and error %v", runs, tabs, classes, old, err)
			}
			if _, err := client.Tracker().Get(groupVersion.WithResource("cronruns"), "west", "gold"); err != nil {
				t.Errorf("the tracker does not have an object: %v", err)
			}
			want := apiResources()
			if got := fake.APIResources(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(client.Resources, want) {
				t.Errorf("got %s\nwant %s", asJSON(t, got), asJSON(t, want))
			}
			if got, err := client.Discovery().ServerResourcesForGroupVersion("stable.example.com/v1"); err != nil || !reflect.DeepEqual(got, want[0]) {
				t.Errorf("discovery says %v, %v", got, err)
			}
			paths := map[schema.GroupVersionResource]map[string]string{groupVersion.WithResource("crontabs"): {
				"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.labelSelector"}}
			if got := fake.ScalePaths(); !reflect.DeepEqual(got, paths) {
				t.Errorf("got paths %v", got)
			}
			mustPanic(t, func() { newClientset(&autoscalingv1.HorizontalPodAutoscaler{}, &metav1.PartialObjectMetadata{}) })
			mustPanic(t, func() { newClientset(&v1.CronTab{}, &v1.CronTab{}, &metav1.Status{}, &metav1.PartialObjectMetadata{}) })

			watcher, err := client.StableV1().CronTabClasses().Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if event := <-watcher.ResultChan(); event.Type != watch.Added { // as by a server
				t.Errorf("got event %v, want those of the objects that there are", event)
			}
			watcher.Stop()
			if _, err := client.StableV1().CronTabClasses().Watch(t.Context(), metav1.ListOptions{ResourceVersion: "none"}); err == nil {
				t.Error("a watch from a version that there is not")
			}
			failed := errors.New("no watch")
			client.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) { return true, nil, failed })
			if _, err := client.StableV1().CronTabs("east").Watch(t.Context(), metav1.ListOptions{}); err != failed {
				t.Errorf("got error %v from a watch", err)
			}
		})
	}
}

// apiResources returns what discovery says of the kinds.
func apiResources() []*metav1.APIResourceList {
	list := &metav1.APIResourceList{GroupVersion: "stable.example.com/v1"}
	short := map[string]string{"cronruns": "run", "crontabs": "ct", "crontabclasses": "ctc"}
	for _, i := range []int{0, 2, 1} { // in the order of resources
		kind := kinds[i]
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: kind.resource, SingularName: strings.ToLower(kind.name), Namespaced: kind.namespaced, Kind: kind.name,
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}, ShortNames: []string{short[kind.resource]}})
		for _, subresource := range kind.subresources {
			of := metav1.APIResource{Name: kind.resource + "/" + subresource, Namespaced: kind.namespaced, Kind: kind.name, Verbs: metav1.Verbs{"get", "patch", "update"}}
			if subresource == "scale" {
				of.Group, of.Version, of.Kind = "autoscaling", "v1", "Scale"
			}
			list.APIResources = append(list.APIResources, of)
		}
	}
	old := &metav1.APIResourceList{GroupVersion: oldVersion.String()}
	for _, resource := range list.APIResources {
		if resource.Name == "crontabclasses" {
			old.APIResources = append(old.APIResources, resource)
		}
	}
	return []*metav1.APIResourceList{list, old}
}

// A scale has the identity of its object, belongs to who changes it, and is an error where it cannot be.
func TestScaleOfFakes(t *testing.T) {
	crontab := newCronTab("east", "nightly")
	crontab.UID, crontab.ResourceVersion, crontab.CreationTimestamp = "uid", "77", metav1.NewTime(time.Unix(1000, 0))
	crontab.Spec.Replicas, crontab.Labels = new(int32(2)), map[string]string{"of": "the object"}
	client := fake.NewClientset(crontab, newCronTab("east", "unset"))
	crontabs := client.StableV1().CronTabs("east")
	scale, err := crontabs.GetScale(t.Context(), "nightly", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "nightly", Namespace: "east", UID: "uid", ResourceVersion: crontab.ResourceVersion, CreationTimestamp: crontab.CreationTimestamp},
		Spec: autoscalingv1.ScaleSpec{Replicas: 2}}
	if want.ResourceVersion = scale.ResourceVersion; !reflect.DeepEqual(scale, want) || scale.ResourceVersion == "" {
		t.Errorf("got %+v\nwant %+v", scale, want)
	}
	managers := func() (found []string) {
		t.Helper()
		got, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range got.ManagedFields {
			found = append(found, entry.Manager)
		}
		return found
	}
	owner := apply.CronTab("nightly", "east").WithSpec(apply.CronTabSpec().WithReplicas(2))
	if _, err := crontabs.Apply(t.Context(), owner, metav1.ApplyOptions{FieldManager: "owner"}); err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 3
	if _, err := crontabs.UpdateScale(t.Context(), "nightly", scale, metav1.UpdateOptions{FieldManager: "updater"}); err != nil {
		t.Fatal(err)
	}
	expect(t, managers(), "before-first-apply", "updater")
	if _, err := crontabs.Patch(t.Context(), "nightly", types.MergePatchType, []byte(`{"spec":{"replicas":4}}`), metav1.PatchOptions{FieldManager: "patcher", FieldValidation: "Strict"}, "scale"); err != nil {
		t.Fatal(err)
	}
	expect(t, managers(), "before-first-apply", "patcher")
	if _, err := crontabs.Patch(t.Context(), "nightly", types.MergePatchType, []byte(`{"metadata":{}}`), metav1.PatchOptions{}, "scale"); err != nil {
		t.Errorf("a patch without replicas: %v", err)
	}
	other, err := client.StableV1().CronTabs("east").GetScale(t.Context(), "nightly", metav1.GetOptions{})
	if err != nil || other.Spec.Replicas != 4 {
		t.Errorf("got %v, %v", other, err)
	}

	if third, err := crontabs.GetScale(t.Context(), "nightly", metav1.GetOptions{}); err != nil || third == other {
		t.Errorf("got the same scale twice, error %v", err)
	}
	if _, err := fake.NewSimpleClientset(scale).Tracker().Get(autoscalingv1.SchemeGroupVersion.WithResource("scales"), "east", "nightly"); err != nil {
		t.Errorf("a scale is not stored: %v", err)
	}

	resource := groupVersion.WithResource("crontabs")
	fails := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	_, err = crontabs.GetScale(t.Context(), "unset", metav1.GetOptions{})
	fails(err, "fake clientset: unset has no spec.replicas")
	_, err = client.Invokes(clienttesting.NewDeleteSubresourceAction(resource, "scale", "east", "nightly"), nil)
	fails(err, "fake clientset: cannot delete a scale; add a reactor for it with PrependReactor")
	_, err = client.Invokes(clienttesting.NewCreateAction(resource, "east", scale), nil)
	fails(err, "fake clientset: cannot create crontabs with a *v1.Scale without a reactor; add one with PrependReactor")
	_, err = client.Invokes(clienttesting.NewUpdateSubresourceAction(resource, "scale", "east", &metav1.Status{}), nil)
	fails(err, "object does not implement the Object interfaces")
	_, err = crontabs.Patch(t.Context(), "nightly", types.MergePatchType, []byte(`{"spec":{"replicas":"many"}}`), metav1.PatchOptions{}, "scale")
	fails(err, "json: cannot unmarshal string into Go struct field .spec.replicas of type int64")
	_, err = crontabs.Create(t.Context(), crontab, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		t.Errorf("got error %v of an object that is there", err)
	}

	// What a tracker refuses is an error, too.
	refused := errors.New("refused")
	broken := fake.NewClientset(crontab)
	broken.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) { return false, nil, refused })
	if _, err := broken.StableV1().CronTabs("east").Get(t.Context(), "nightly", metav1.GetOptions{}); err != nil {
		t.Errorf("got error %v of a reactor that does not react", err)
	}
	if _, err := client.StableV1().CronTabs("west").UpdateScale(t.Context(), "nightly", scale, metav1.UpdateOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got error %v for the scale of another namespace", err)
	}
	// Of kinds for which nothing is foreign.
	_, err = client.StableV1().CronRuns("east").UpdateStatus(t.Context(), &v1.CronRun{ObjectMeta: metav1.ObjectMeta{Name: "none"}}, metav1.UpdateOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("got error %v for the status of a run that is not there", err)
	}
}
