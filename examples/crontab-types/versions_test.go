package crontabtypes_test

import (
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubegen/kubegen/conversion/keep"
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
	err1 := v1beta1.Convert_v1beta1_CronTabClassList_To_v1_CronTabClassList(new(v1beta1.CronTabClassList), &stored, nil)
	err2 := v1beta1.Convert_v1_CronTabClassList_To_v1beta1_CronTabClassList(new(v1.CronTabClassList), &back, nil)
	if err := errors.Join(err1, err2); err != nil || stored.Items != nil || back.Items != nil {
		t.Errorf("got %+v, %+v and error %v, want empty lists", stored, back, err)
	}
}

// The scheme converts objects, lists and specs. Fields that a version lacks are in an annotation, whose text later
// releases must be able to read.
func TestSchemeConverts(t *testing.T) {
	annotated := func(text string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: "gold", Annotations: map[string]string{"stable.example.com/conversion-data": text}}
	}
	spec := v1.CronTabClassSpec{DefaultImage: "image:1", ConcurrencyPolicy: v1.ForbidConcurrent}
	oldSpec := v1beta1.CronTabClassSpec{Defaults: v1beta1.Defaults{Image: "image:1"}, Owner: "team-a"}
	class := &v1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}, Spec: spec}
	oldClass := &v1beta1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}, Spec: oldSpec}
	// as they are in the other version
	older := &v1beta1.CronTabClass{Spec: v1beta1.CronTabClassSpec{Defaults: oldSpec.Defaults},
		ObjectMeta: annotated(`{"format":1,"kind":"CronTabClass","versions":{"v1":{".spec":{"=concurrencyPolicy":"Forbid"}}}}`)}
	newer := &v1.CronTabClass{Spec: v1.CronTabClassSpec{DefaultImage: "image:1"},
		ObjectMeta: annotated(`{"format":1,"kind":"CronTabClass","versions":{"v1beta1":{".spec":{"=owner":"team-a"}}}}`)}
	long := oldClass.DeepCopy()
	random := make([]byte, keep.MaxAnnotations)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	long.Spec.Owner = base64.StdEncoding.EncodeToString(random) // which cannot be compressed
	for name, test := range map[string]struct{ from, into, want any }{
		"object to v1beta1": {class, &v1beta1.CronTabClass{}, older},
		"object to v1":      {oldClass, &v1.CronTabClass{}, newer},
		"back to v1":        {older, &v1.CronTabClass{}, class},
		"back to v1beta1":   {newer, &v1beta1.CronTabClass{}, oldClass},
		"list to v1beta1":   {&v1.CronTabClassList{Items: []v1.CronTabClass{*class}}, &v1beta1.CronTabClassList{}, &v1beta1.CronTabClassList{Items: []v1beta1.CronTabClass{*older}}},
		"list to v1":        {&v1beta1.CronTabClassList{Items: []v1beta1.CronTabClass{*oldClass}}, &v1.CronTabClassList{}, &v1.CronTabClassList{Items: []v1.CronTabClass{*newer}}},
		"spec to v1beta1":   {&spec, &v1beta1.CronTabClassSpec{}, &older.Spec},
		"spec to v1":        {&oldSpec, &v1.CronTabClassSpec{}, &newer.Spec},
		"complete, as it is stored": {&v1.CronTabClass{ObjectMeta: annotated(`{"format":1,"kind":"CronTabClass","omitted":["v1beta1"]}`), Spec: newer.Spec},
			&v1beta1.CronTabClass{}, &v1beta1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}, Spec: older.Spec}},
		"what cannot be kept":         {long, &v1.CronTabClass{}, nil},
		"list of what cannot be kept": {&v1beta1.CronTabClassList{Items: []v1beta1.CronTabClass{*long}}, &v1.CronTabClassList{}, nil},
	} {
		switch err := scheme.Scheme.Convert(test.from, test.into, nil); {
		case test.want == nil:
			if err == nil || !strings.Contains(err.Error(), "would be lost") {
				t.Errorf("%s: got error %v", name, err)
			}
		case err != nil || !reflect.DeepEqual(test.into, test.want):
			t.Errorf("%s: got %+v and error %v, want %+v", name, test.into, err, test.want)
		}
	}
}
