package main

import (
	"context"
	"testing"
	"time"

	"github.com/kubegen/kubegen/examples/crontab-controller/internal/apiserver"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// TestRun runs the run of a CronTab. This involves the manager, its cache and client, a generated lister and the lease.
func TestRun(t *testing.T) {
	ctrl.SetLogger(klog.Background())
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // includes the time to build the server
	defer cancel()
	server, err := apiserver.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}()
	config, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	managing, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- run(managing, config) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()

	crontab, err := client.StableV1().CronTabs("default").Create(ctx, &v1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly"},
		Spec:       v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	runs := client.StableV1().CronRuns("default")
	if _, err := runs.Create(ctx, &v1.CronRun{
		ObjectMeta: metav1.ObjectMeta{
			Name:            "nightly-1",
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(crontab, v1.SchemeGroupVersion.WithKind("CronTab"))},
		},
		Spec: v1.CronRunSpec{Image: "image:v1", Replicas: 1, ScheduledTime: metav1.Now()},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for {
		run, err := runs.Get(ctx, "nightly-1", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if run.Status.Phase == v1.RunSucceeded {
			return
		}
		select {
		case err := <-ended:
			ended <- nil
			t.Fatal("the manager has ended: ", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
