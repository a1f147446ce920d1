package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubegen/kubegen/fakeapi"
)

// TestMeasure runs the program on an API server in memory with Pods of 20 kB: a cache of whole Pods would need 20 MB.
func TestMeasure(t *testing.T) {
	var objects []runtime.Object
	for i := range 1000 {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d", i), Namespace: "default"},
			Spec:       corev1.PodSpec{NodeName: fmt.Sprintf("node-%d", i%30), Containers: []corev1.Container{{Name: "a", Image: "b"}}},
			Status:     corev1.PodStatus{Phase: corev1.PodRunning},
		}
		if i%10 == 0 {
			pod.Spec.NodeName, pod.Status.Phase = "", corev1.PodPending
		}
		pod.Spec.Containers[0].Args = []string{strings.Repeat("x", 20_000)}
		objects = append(objects, pod)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var out strings.Builder
	if err := measure(ctx, fakeapi.New(fakeapi.WithObjects(objects...)).RESTConfig(), &out); err != nil {
		t.Fatal(err)
	}
	var pods, running, nodes int
	var used float64
	_, err := fmt.Sscanf(out.String(), "%d Pods, %d of them running on %d nodes: the cache needs %f MB\n", &pods, &running, &nodes, &used)
	if err != nil || pods != 1000 || running != 900 || nodes != 27 || used < 0.1 || used > 10 {
		t.Errorf("printed %q: %v", out.String(), err)
	}
	t.Log(out.String())
}
