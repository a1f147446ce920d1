// Package show contains what the demos have in common: it applies CronTabs, prints what happens to their runs, and
// deletes them.
//
// There is no kubelet to run what the controller creates, so the package simulates one: a run of the image "sleep:7" is
// Running for seven seconds and then Succeeded.
package show

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	apply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
)

const namespace = "demo"

var limit = flag.Duration("for", 0, "end after this time, and fail if no run has succeeded; 0 means not before Ctrl-C")

// Main parses the flags and calls run with a context that ends at SIGINT and SIGTERM. If run returns an error, Main
// prints it and exits with code 1.
func Main(run func(ctx context.Context) error) {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// CronTabs applies CronTabs, and prints what happens to their runs until ctx ends or the time of --for is over. It then
// deletes the CronTabs and returns when they are gone; the controller must still be running for that. It returns an
// error if ended is closed earlier, which means that the controller has ended.
func CronTabs(ctx context.Context, client versioned.Interface, ended <-chan struct{}) (err error) {
	Say("A run that begins with + is new, and one that begins with - is deleted.")
	// Watching continues after the end of ctx, until the CronTabs are deleted.
	watching, stop := context.WithCancel(context.Background())
	var succeeded atomic.Int32
	factory := externalversions.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	defer stop()
	if err := play(watching, client, factory, &succeeded); err != nil {
		return err
	}
	factory.StartWithContext(watching)
	if err := applyCronTabs(ctx, client); err != nil && ctx.Err() == nil {
		return err
	}
	var timeout <-chan time.Time
	if *limit > 0 {
		timeout = time.After(*limit)
	}
	select {
	case <-ctx.Done():
	case <-timeout:
		if succeeded.Load() == 0 {
			err = errors.New("no run has succeeded")
		}
	case <-ended:
		return errors.New("the controller has ended")
	}
	Say("Deleting the CronTabs. The controller's finalizer keeps them until their runs are deleted.")
	return errors.Join(err, deleteCronTabs(client))
}

// applyCronTabs applies a class and three CronTabs.
func applyCronTabs(ctx context.Context, client versioned.Interface) error {
	options := metav1.ApplyOptions{FieldManager: "demo"}
	class := apply.CronTabClass(
		"careful",
	).WithSpec(apply.CronTabClassSpec().WithDefaultImage("sleep:7").WithConcurrencyPolicy(v1.ForbidConcurrent))
	if _, err := client.StableV1().CronTabClasses().Apply(ctx, class, options); err != nil {
		return err
	}
	for _, crontab := range []*apply.CronTabApplyConfiguration{
		apply.CronTab("quick", namespace).WithSpec(apply.CronTabSpec().WithCronSpec("*/5 * * * * *").WithImage("sleep:1").WithHistoryLimit(2)),
		apply.CronTab(
			"slow", namespace,
		).WithSpec(apply.CronTabSpec().WithCronSpec("*/5 * * * * *").WithClassName("careful")), // forbids every other run
		apply.CronTab("asleep", namespace).WithSpec(apply.CronTabSpec().WithCronSpec("*/5 * * * * *").WithImage("sleep:1").WithSuspend(true)),
	} {
		if _, err := client.StableV1().CronTabs(namespace).Apply(ctx, crontab, options); err != nil {
			return err
		}
		Say("Applied the CronTab %s: %s", *crontab.GetName(), *crontab.Spec.CronSpec)
	}
	return nil
}

// deleteCronTabs deletes the CronTabs and waits until they are gone.
func deleteCronTabs(client versioned.Interface) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	crontabs := client.StableV1().CronTabs(namespace)
	if err := crontabs.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		left, err := crontabs.List(ctx, metav1.ListOptions{})
		return err == nil && len(left.Items) == 0, err
	})
}

// play prints what happens to runs, and simulates the kubelet.
func play(ctx context.Context, client versioned.Interface, factory externalversions.SharedInformerFactory, succeeded *atomic.Int32) error {
	set := func(run *v1.CronRun, phase v1.CronRunPhase) {
		run = run.DeepCopy()
		run.Status.Phase = phase
		if _, err := client.StableV1().CronRuns(run.Namespace).UpdateStatus(ctx, run, metav1.UpdateOptions{}); err != nil &&
			!apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && ctx.Err() == nil {
			Say("%s: %v", run.Name, err)
		}
	}
	_, err := factory.Stable().V1().CronRuns().TypedInformer().AddTypedEventHandler(informers.CronRunHandlerFuncs{
		AddFunc: func(run *v1.CronRun) {
			Say("+ %s for %s", run.Name, run.Spec.ScheduledTime.Format(time.TimeOnly))
			go set(run, v1.RunRunning)
		},
		UpdateFunc: func(from, to *v1.CronRun) {
			if from.Status.Phase == to.Status.Phase {
				return
			}
			Say("  %s is %s", to.Name, to.Status.Phase)
			switch to.Status.Phase {
			case v1.RunRunning:
				var seconds time.Duration
				if _, err := fmt.Sscanf(to.Spec.Image, "sleep:%d", &seconds); err == nil {
					time.AfterFunc(seconds*time.Second, func() { set(to, v1.RunSucceeded) })
				}
			case v1.RunSucceeded:
				succeeded.Add(1)
			}
		},
		DeleteFunc: func(run informers.DeletedCronRun) { Say("- %s", run.GetObjectName().Name) },
	})
	return err
}

// Say prints a line that begins with the time.
func Say(format string, args ...any) {
	fmt.Println(time.Now().UTC().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
