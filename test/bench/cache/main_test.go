package main

import (
	"fmt"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	slicev1 "github.com/kubegen/kubegen/examples/podcache/pods/core/v1"
	"github.com/kubegen/kubegen/test/bench/chart"
)

// TestForms checks the Pods of each form in a cache.
func TestForms(t *testing.T) {
	server := httptest.NewServer(serve(20))
	defer server.Close()
	for _, form := range chart.Forms() {
		informer, err := newInformer(server.URL, form)
		if err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		go informer.Run(stop)
		wait(informer)
		obj, found, err := informer.GetStore().GetByKey("team-1/web-7c9d8f6b5d-00011")
		if err != nil || !found {
			t.Fatalf("%s: %v in %v", form, err, informer.GetStore().ListKeys())
		}
		if managed := obj.(metav1.Object).GetManagedFields(); (managed != nil) != (form == chart.Full) {
			t.Errorf("%s has managedFields %v", form, managed)
		}
		if slice, ok := obj.(*slicev1.Pod); ok {
			got := fmt.Sprint(slice.Spec.NodeName, " ", *slice.Spec.Priority, slice.Status)
			if want := "node-17.eu-central-1.compute.internal 1000 {Running 10.128.0.17 Burstable}"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		close(stop)
	}
	filled, err := measure(chart.Slice, 20)
	if err != nil || filled.Pods != 20 || filled.Size < 6000 || filled.Size > 8000 || filled.Managed < 2000 {
		t.Errorf("got %+v, %v", filled, err)
	}
	if _, err := measure("none", 20); err == nil {
		t.Error("a cache of an unknown form")
	}
}
