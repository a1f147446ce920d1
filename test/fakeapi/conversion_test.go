package fakeapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubegen/kubegen/fakeapi"
)

// Versions of the kind Box. The field with the size has another name in each.
type (
	boxV1 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Size              int64 `json:"size,omitempty"`
	}
	boxV2 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Width             int64 `json:"width,omitempty"`
	}
	boxV3 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Length            int64 `json:"length,omitempty"`
	}
	box struct { // the internal version
		metav1.TypeMeta
		metav1.ObjectMeta
		size int64
	}
)

func (b *boxV1) DeepCopyObject() runtime.Object { return &boxV1{b.TypeMeta, *b.DeepCopy(), b.Size} }
func (b *boxV2) DeepCopyObject() runtime.Object { return &boxV2{b.TypeMeta, *b.DeepCopy(), b.Width} }
func (b *boxV3) DeepCopyObject() runtime.Object { return &boxV3{b.TypeMeta, *b.DeepCopy(), b.Length} }
func (b *box) DeepCopyObject() runtime.Object   { return &box{b.TypeMeta, *b.DeepCopy(), b.size} }

// sizeOf returns the fields that versions have in common.
func sizeOf(obj any) (metadata *metav1.ObjectMeta, size *int64) {
	switch b := obj.(type) {
	case *boxV1:
		return &b.ObjectMeta, &b.Size
	case *boxV2:
		return &b.ObjectMeta, &b.Width
	case *boxV3:
		return &b.ObjectMeta, &b.Length
	}
	return &obj.(*box).ObjectMeta, &obj.(*box).size
}

func boxes(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "example.com", Version: version, Resource: "boxes"}
}

// boxTypes are the Go types by their version.
var boxTypes = map[string]runtime.Object{"v1": &boxV1{}, "v2": &boxV2{}, "v3": &boxV3{}, runtime.APIVersionInternal: &box{}}

// newBoxes returns an API that serves Boxes in three versions, and converts between those in pairs, such as "v1 v2".
// check is called by each conversion.
func newBoxes(check func(size int64) error, pairs string, options ...fakeapi.Option) *fakeapi.API {
	scheme := runtime.NewScheme()
	var lists []*metav1.APIResourceList
	for _, version := range []string{"v1", "v2", "v3"} {
		lists = append(lists, &metav1.APIResourceList{GroupVersion: "example.com/" + version, APIResources: []metav1.APIResource{
			{Name: "boxes", SingularName: "box", Kind: "Box", Verbs: metav1.Verbs{"create", "get", "list", "update", "watch"}},
		}})
	}
	for version, obj := range boxTypes {
		scheme.AddKnownTypeWithName(boxes(version).GroupVersion().WithKind("Box"), obj)
	}
	convert := func(in, out any, _ conversion.Scope) error {
		metadata, size := sizeOf(in)
		copied, copiedSize := sizeOf(out)
		*copied, *copiedSize = *metadata, *size
		return check(*size)
	}
	for _, pair := range strings.Split(pairs, ",") {
		x, y, ok := strings.Cut(pair, " ")
		if !ok {
			continue
		}
		utilruntime.Must(scheme.AddConversionFunc(boxTypes[x], boxTypes[y], convert))
		utilruntime.Must(scheme.AddConversionFunc(boxTypes[y], boxTypes[x], convert))
	}
	return fakeapi.New(append(options, fakeapi.WithResources(scheme, lists))...)
}

func newBox(version, field string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/" + version, "kind": "Box", "metadata": map[string]any{"name": "a"}, field: size,
	}}
}

// TestConversionFunctions converts with functions of a scheme, directly or by way of another version.
func TestConversionFunctions(t *testing.T) {
	never := func(int64) error { return nil }
	for _, test := range []struct {
		name, pairs string
		check       func(size int64) error
	}{
		{"each pair", "v1 v2,v2 v3,v1 v3", never},
		{"a version between", "v1 v2,v3 v2", never},
		{"the internal version", "v1 __internal,v2 __internal,v3 __internal", never},
		{"functions that refuse empty objects", "v1 v3,v2 v3", func(size int64) error {
			if size == 0 {
				return errors.New("the size is missing")
			}
			return nil
		}},
		{"functions that panic for empty objects", "v1 v3,v2 v3", func(size int64) error { return []error{2: nil}[size-5] }},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := newBoxes(test.check, test.pairs).Dynamic()
			must(client.Resource(boxes("v1")).Create(t.Context(), newBox("v1", "size", 7), metav1.CreateOptions{}))(t)
			for version, field := range map[string]string{"v1": "size", "v2": "width", "v3": "length"} {
				got := must(client.Resource(boxes(version)).Get(t.Context(), "a", metav1.GetOptions{}))(t)
				equal(t, version+" has "+field, fmt.Sprint(got.Object[field], got.Object["apiVersion"]), "7example.com/"+version)
			}
		})
	}

	t.Run("no function", func(t *testing.T) {
		client := newBoxes(never, "v1 v3").Dynamic()
		_, err := client.Resource(boxes("v2")).Create(t.Context(), newBox("v2", "width", 7), metav1.CreateOptions{})
		want := "conversion webhook for example.com/v2, Kind=Box failed: the scheme cannot convert example.com/v2, Kind=Box to example.com/v3, Kind=Box"
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	})
	t.Run("no functions at all", func(t *testing.T) {
		client := newBoxes(never, "").Dynamic()
		must(client.Resource(boxes("v1")).Create(t.Context(), newBox("v1", "size", 7), metav1.CreateOptions{}))(t)
		got := must(client.Resource(boxes("v2")).Get(t.Context(), "a", metav1.GetOptions{}))(t)
		equal(t, "size in v2, which only differs in apiVersion", got.Object["size"], any(int64(7)))
	})
}

// TestConversionObjects stores objects that exist from the start, and watches one that can no longer be converted.
func TestConversionObjects(t *testing.T) {
	check := func(size int64) error {
		if size == 9 {
			return errors.New("too large")
		}
		return nil
	}
	stored := &boxV1{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Size: 7}
	client := newBoxes(check, "v1 v3,v2 v3", fakeapi.WithObjects(stored)).Dynamic()
	w := must(client.Resource(boxes("v1")).Watch(t.Context(), metav1.ListOptions{}))(t)
	first := <-w.ResultChan()
	equal(t, "size of the first event", first.Object.(*unstructured.Unstructured).Object["size"], any(int64(7)))
	read := must(client.Resource(boxes("v3")).Get(t.Context(), "a", metav1.GetOptions{}))(t)
	equal(t, "length", read.Object["length"], any(int64(7)))
	read.Object["length"] = int64(9)
	must(client.Resource(boxes("v3")).Update(t.Context(), read, metav1.UpdateOptions{}))(t)
	last := <-w.ResultChan()
	want := "conversion webhook for example.com/v3, Kind=Box failed: too large"
	if status, ok := last.Object.(*metav1.Status); !ok || status.Message != want {
		t.Errorf("event %v, want an error: %s", last, want)
	}
	if _, ok := <-w.ResultChan(); ok {
		t.Error("the watch goes on")
	}
	for i := range 100 {
		another := newBox("v3", "length", 9)
		another.SetName(fmt.Sprintf("b%02d", i))
		must(client.Resource(boxes("v3")).Create(t.Context(), another, metav1.CreateOptions{}))(t)
	}
	_, err := client.Resource(boxes("v2")).List(t.Context(), metav1.ListOptions{Limit: 1})
	if !apierrors.IsStoreReadError(err) || !strings.HasSuffix(err.Error(), want+" (and 99 more)") {
		t.Errorf("list: %v, want a StorageReadError for 100 objects: %s", err, want)
	}
	if n := len(errorDetails(err).Causes); n != 101 {
		t.Errorf("the list has %d causes, want those of 100 objects, and that there are more", n)
	}
}

// errorDetails returns the details of an error of a server.
func errorDetails(err error) *metav1.StatusDetails {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return &metav1.StatusDetails{}
	}
	return status.Status().Details
}

// TestWithConversionMistakes passes handlers that New refuses.
func TestWithConversionMistakes(t *testing.T) {
	for want, f := range map[string]func(){
		"fakeapi: WithConversion without a handler; pass the handler of the webhook": func() { fakeapi.WithConversion(nil) },
		"fakeapi: conversion of missing.example.com, which is not served; add it by WithResources": func() {
			fakeapi.New(fakeapi.WithConversion(http.NotFoundHandler(), schema.GroupResource{Group: "example.com", Resource: "missing"}))
		},
	} {
		func() {
			defer func() { equal(t, "panic", recover(), any(want)) }()
			f()
		}()
	}
}
