// Command demo shows the controller at work, with nothing but Go: it starts the API server of test/apiserver and the
// controller, each as a process, applies CronTabs, and prints what becomes of them until Ctrl-C. It then deletes the
// CronTabs, ends both processes and removes all files.
//
// There is no kubelet here that would run what the controller makes, so the demo plays that part: a run of the image
// "sleep:7" is Running for seven seconds and has then Succeeded.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	"github.com/kubegen/kubegen/examples/crontab-controller/internal/apiserver"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	apply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
)

const (
	program   = "github.com/kubegen/kubegen/examples/crontab-controller"
	namespace = "demo"
)

func main() {
	limit := flag.Duration("for", 0, "end by itself after so long, and fail if no run has succeeded; 0 is never")
	flag.Parse()
	klog.LogToStderr(false) // The reflectors' complaints, when the server goes, are no part of the show.
	klog.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, limit time.Duration) (err error) {
	say("This starts an API server and a controller, applies three CronTabs, and shows their runs until Ctrl-C.")
	server, binary, err := prepare(ctx)
	if server != nil {
		defer func() { err = errors.Join(err, server.Stop()) }()
	}
	if ctx.Err() != nil { // then err says no more than that
		say("Interrupted before anything was applied.")
		return nil
	}
	if err != nil {
		return err
	}
	client, _, _, err := controller.Connect(server.Kubeconfig)
	if err != nil {
		return err
	}
	say("The API server runs. To look at it from elsewhere: kubectl --kubeconfig %s get crontabs,cronruns -A -w", server.Kubeconfig)
	say("A run that begins with + is new, and one that begins with - is deleted.")

	// What runs the runs, and prints, outlives ctx for the CronTabs' deletion.
	watching, stop := context.WithCancel(context.Background())
	var succeeded atomic.Int32
	factory := externalversions.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	defer stop()
	if err := play(watching, client, factory, &succeeded); err != nil {
		return err
	}
	factory.StartWithContext(watching)

	ended, end, err := start(binary, "--kubeconfig", server.Kubeconfig, "--metrics-bind-address", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()

	if err := applyCronTabs(ctx, client); err != nil && ctx.Err() == nil {
		return err
	}
	var timeout <-chan time.Time
	if limit > 0 {
		timeout = time.After(limit)
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
	say("Deleting the CronTabs. They go when their runs have gone, for which the controller has a finalizer on them.")
	return errors.Join(err, deleteCronTabs(client))
}

// prepare builds the API server and the controller, starts the server, and returns it with the file of the controller. If there
// is a server, it has to be stopped, even if there is an error.
func prepare(ctx context.Context) (server *apiserver.Server, binary string, err error) {
	if err := buildServer(ctx); err != nil {
		return nil, "", err
	}
	if server, err = apiserver.Start(ctx); err != nil {
		return nil, "", err
	}
	binary = filepath.Join(filepath.Dir(server.Kubeconfig), "crontab-controller")
	say("Compiling the controller.")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, program)
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) }
	if out, err := build.CombinedOutput(); err != nil {
		return server, "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return server, binary, nil
}

// perPackage is the time that a processor takes, on average, to compile a package of the API server.
const perPackage = 350 * time.Millisecond

// buildServer builds the API server, and says how long that takes and how far it is.
func buildServer(ctx context.Context) error {
	var packages, done int
	said := time.Now()
	_, err := apiserver.Build(ctx, func(n int) {
		packages = n
		took := time.Duration(n) * perPackage / time.Duration(runtime.NumCPU())
		switch {
		case n < 10:
			say("Linking an API server, if it has changed: some seconds.")
		case took < time.Minute:
			say("Compiling an API server, %d packages. This takes less than a minute.", n)
		default:
			say("Compiling an API server, %d packages. The first time, this takes about %.0f minutes.", n, math.Ceil(took.Minutes()))
		}
	}, func(importPath string) {
		done++
		if time.Since(said) > 3*time.Second {
			said = time.Now()
			say("  %d of %d packages: %s", done, packages, importPath)
		}
		if done == packages && packages > 10 {
			say("  %d of %d packages. Linking.", done, packages)
		}
	})
	return err
}

// applyCronTabs applies a class and three CronTabs.
func applyCronTabs(ctx context.Context, client versioned.Interface) error {
	options := metav1.ApplyOptions{FieldManager: "demo"}
	class := apply.CronTabClass("careful").WithSpec(apply.CronTabClassSpec().WithDefaultImage("sleep:7").WithConcurrencyPolicy(v1.ForbidConcurrent))
	if _, err := client.StableV1().CronTabClasses().Apply(ctx, class, options); err != nil {
		return err
	}
	for name, spec := range map[string]*apply.CronTabSpecApplyConfiguration{
		"quick":  apply.CronTabSpec().WithCronSpec("*/5 * * * * *").WithImage("sleep:1").WithHistoryLimit(2),
		"slow":   apply.CronTabSpec().WithCronSpec("*/5 * * * * *").WithClassName("careful"), // which forbids every other run
		"asleep": apply.CronTabSpec().WithCronSpec("*/5 * * * * *").WithImage("sleep:1").WithSuspend(true),
	} {
		if _, err := client.StableV1().CronTabs(namespace).Apply(ctx, apply.CronTab(name, namespace).WithSpec(spec), options); err != nil {
			return err
		}
		say("Applied the CronTab %s: %s", name, *spec.CronSpec)
	}
	return nil
}

// deleteCronTabs returns when they are gone.
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

// play prints what becomes of runs, and plays the kubelet.
func play(ctx context.Context, client versioned.Interface, factory externalversions.SharedInformerFactory, succeeded *atomic.Int32) error {
	set := func(run *v1.CronRun, phase v1.CronRunPhase) {
		run = run.DeepCopy()
		run.Status.Phase = phase
		if _, err := client.StableV1().CronRuns(run.Namespace).UpdateStatus(ctx, run, metav1.UpdateOptions{}); err != nil &&
			!apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && ctx.Err() == nil {
			say("%s: %v", run.Name, err)
		}
	}
	_, err := factory.Stable().V1().CronRuns().TypedInformer().AddTypedEventHandler(informers.CronRunHandlerFuncs{
		AddFunc: func(run *v1.CronRun) {
			say("+ %s for %s", run.Name, run.Spec.ScheduledTime.Format(time.TimeOnly))
			go set(run, v1.RunRunning)
		},
		UpdateFunc: func(from, to *v1.CronRun) {
			if from.Status.Phase == to.Status.Phase {
				return
			}
			say("  %s is %s", to.Name, to.Status.Phase)
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
		DeleteFunc: func(run informers.DeletedCronRun) { say("- %s", run.GetObjectName().Name) },
	})
	return err
}

// start starts the controller, whose log it prints. The channel is closed when it has ended; the function ends it.
func start(binary string, args ...string) (ended <-chan struct{}, end func() error, err error) {
	process := exec.Command(binary, args...)
	apiserver.OwnGroup(process)
	log, err := process.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := process.Start(); err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	var failure error
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			_, line, _ := strings.Cut(lines.Text(), "] ") // without klog's header
			fmt.Println("         controller:", readable(line))
		}
		failure = process.Wait()
	}()
	return done, func() error {
		_ = process.Process.Signal(os.Interrupt)
		<-done
		return failure
	}, nil
}

var (
	conflict = regexp.MustCompile(`crontab="([^"]*)".*the object has been modified`)
	event    = regexp.MustCompile(`^"Event occurred" object="([^"]*)".* note="([^"]*)"`)
)

// readable returns a line of the controller's log, or in other words what it says of events and conflicts. A conflict is no error:
// it is how a server tells the controller that it has decided by an old state.
func readable(line string) string {
	if found := conflict.FindStringSubmatch(line); found != nil {
		return found[1] + " has changed in the meantime, so it is looked at again"
	}
	if found := event.FindStringSubmatch(line); found != nil {
		return found[1] + ": " + found[2]
	}
	return line
}

func say(format string, args ...any) {
	fmt.Println(time.Now().UTC().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
