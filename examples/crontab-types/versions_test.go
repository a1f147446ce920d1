package crontabtypes_test

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1beta1"
	"github.com/kubegen/kubegen/examples/crontab-types/conversion"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
)

// Clients of each version see the same object. What they change in one version is changed in the other, and nothing is
// lost: not the field that moved, and not the fields that one version lacks. The objects are converted by the functions
// in the scheme, or by the webhook.
func TestVersions(t *testing.T) {
	resources := fakeapi.WithResources(scheme.Scheme, fake.APIResources())
	webhook := fakeapi.WithConversion(conversion.Handler(scheme.Scheme, v1.SchemeGroupVersion))
	for name, api := range map[string]*fakeapi.API{"functions": fakeapi.New(resources), "webhook": fakeapi.New(resources, webhook)} {
		t.Run(name, func(t *testing.T) {
			client, err := versioned.NewForConfig(api.RESTConfig())
			must(t, err)
			newer, older := client.StableV1().CronTabClasses(), client.StableV1beta1().CronTabClasses()

			old := &v1beta1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}}
			old.Spec.Defaults.Image, old.Spec.Owner = "image:1", "team-a"
			_, err = older.Create(t.Context(), old, metav1.CreateOptions{})
			must(t, err)

			class, err := newer.Get(t.Context(), "gold", metav1.GetOptions{})
			must(t, err)
			if class.Spec.DefaultImage != "image:1" {
				t.Errorf("v1 has %+v", class)
			}
			class.Spec.ConcurrencyPolicy = v1.ForbidConcurrent
			_, err = newer.Update(t.Context(), class, metav1.UpdateOptions{})
			must(t, err)

			old, err = older.Get(t.Context(), "gold", metav1.GetOptions{})
			must(t, err)
			if old.Spec.Owner != "team-a" {
				t.Errorf("v1beta1 has %+v", old)
			}
			old.Spec.Defaults.Image = "image:2"
			_, err = older.Update(t.Context(), old, metav1.UpdateOptions{})
			must(t, err)

			class, err = newer.Get(t.Context(), "gold", metav1.GetOptions{})
			must(t, err)
			if class.Spec != (v1.CronTabClassSpec{DefaultImage: "image:2", ConcurrencyPolicy: v1.ForbidConcurrent}) {
				t.Errorf("v1 has %+v", class)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestConvertedLists converts the metadata of lists with their items.
func TestConvertedLists(t *testing.T) {
	metadata := metav1.ListMeta{ResourceVersion: "7", Continue: "more", RemainingItemCount: new(int64)}
	var stored v1.CronTabClassList
	list := &v1beta1.CronTabClassList{ListMeta: metadata, Items: []v1beta1.CronTabClass{{}, {ObjectMeta: metav1.ObjectMeta{Name: "gold"}}}}
	if err := v1beta1.Convert_v1beta1_CronTabClassList_To_v1_CronTabClassList(list, &stored, nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(stored.ListMeta, metadata) || len(stored.Items) != 2 || stored.Items[1].Name != "gold" {
		t.Errorf("got %+v, want the metadata and items of %+v", stored, list)
	}
	var back v1beta1.CronTabClassList
	if err := v1beta1.Convert_v1_CronTabClassList_To_v1beta1_CronTabClassList(&stored, &back, nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.ListMeta, metadata) || len(back.Items) != 2 || back.Items[1].Name != "gold" {
		t.Errorf("got %+v, want the metadata and items of %+v", back, list)
	}
}
