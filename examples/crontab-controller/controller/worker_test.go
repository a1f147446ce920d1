package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/clock"

	"github.com/kubegen/kubegen/consistency"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

// These tests run against an API server in memory, in synctest bubbles, whose clock advances only when all goroutines
// are blocked. So a night takes no time, and a goroutine that does not end fails the test.

func TestRunsAreMadeWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := connect(newServer(nightly()))
		run := begin(t, client, 2)
		time.Sleep(12*time.Hour + time.Minute) // past noon
		expectRuns(t, client, 3*time.Hour)
		end(t, client, 3*time.Hour)
		time.Sleep(48 * time.Hour)
		expectRuns(t, client, 3*time.Hour, 27*time.Hour, 51*time.Hour)

		crontabs := client.StableV1().CronTabs("east")
		crontab, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if crontab.Status.Replicas != 2 { // each active run has one
			t.Errorf("%d replicas, want 2", crontab.Status.Replicas)
		}
		crontab.Spec.CronSpec = "0 * * * *"
		crontab.Spec.Suspend = true
		if _, err := crontabs.Update(t.Context(), crontab, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Hour)
		expectRuns(t, client, 3*time.Hour, 27*time.Hour, 51*time.Hour)
		crontab, err = crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		crontab.Spec.Suspend = false
		if _, err := crontabs.Update(t.Context(), crontab, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		expectRuns(t, client, 3*time.Hour, 27*time.Hour, 51*time.Hour, 70*time.Hour)
		run.stop()
		time.Sleep(24 * time.Hour)
		expectRuns(t, client, 3*time.Hour, 27*time.Hour, 51*time.Hour, 70*time.Hour)
	})
}

// TestClassesAreFollowed checks that CronTabs follow the creation, change and deletion of their class without being
// changed themselves.
func TestClassesAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crontab := nightly()
		crontab.Spec.ClassName, crontab.Spec.Image = "small", ""
		client := connect(newServer(crontab))
		defer begin(t, client, 1).stop()
		ready := func(want string) {
			t.Helper()
			synctest.Wait()
			crontab, err := client.StableV1().CronTabs("east").Get(t.Context(), "nightly", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(crontab.Status.Conditions) != 1 || crontab.Status.Conditions[0].Reason != want {
				t.Errorf("conditions %v, want %s", crontab.Status.Conditions, want)
			}
		}
		ready("ClassNotFound")
		class, err := client.StableV1().CronTabClasses().Create(t.Context(), class(v1.ForbidConcurrent), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ready("Scheduled")
		time.Sleep(28 * time.Hour)
		expectRuns(t, client, 3*time.Hour) // The next run was forbidden.
		class.Spec.ConcurrencyPolicy = v1.AllowConcurrent
		if _, err := client.StableV1().CronTabClasses().Update(t.Context(), class, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		expectRuns(t, client, 3*time.Hour, 51*time.Hour)
		if err := client.StableV1().CronTabClasses().Delete(t.Context(), "small", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		ready("ClassNotFound")
	})
}

// TestCrash checks that, whichever request is the last one before a crash, and whether or not it took effect, the next
// process creates every run that is due, and none twice.
func TestCrash(t *testing.T) {
	for _, done := range []bool{false, true} {
		crashed := true
		for after := int64(0); crashed; after++ {
			t.Run(fmt.Sprintf("at request %d, done: %t", after, done), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { crashed = crash(t, after, done) })
			})
		}
	}
}

// crash lets the given number of writes succeed. The next write takes effect or not, as done says, and returns an
// error; all further writes fail until the controller is restarted. It returns whether there were that many writes.
func crash(t *testing.T, after int64, done bool) bool {
	crontab := nightly()
	crontab.Spec.CronSpec, crontab.Spec.HistoryLimit = "*/10 * * * *", new(int32(1))
	server := newServer(crontab)
	client, others := connect(server), connect(server)
	times := []time.Duration{10 * time.Minute, 20 * time.Minute, 30 * time.Minute}
	made := map[string]int{}
	var writes atomic.Int64
	restarted := false
	react := client.ReactionChain[0].React // the reactor of the server
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if slices.Contains([]string{"get", "list", "watch"}, action.GetVerb()) {
			return false, nil, nil
		}
		n := writes.Add(1)
		if n > after+1 && !restarted || n == after+1 && !done {
			return true, nil, errors.New("crashed")
		}
		handled, object, err := react(action)
		if create, ok := action.(clienttesting.CreateActionImpl); ok && err == nil {
			made[create.Object.(*v1.CronRun).Name]++
		}
		if n == after+1 {
			return true, nil, errors.New("crashed")
		}
		return handled, object, err
	})

	process := begin(t, client, 1)
	live := func(duration time.Duration) {
		time.Sleep(duration)
		if writes.Load() > after && !restarted {
			process.stop()
			restarted = true
			process = begin(t, client, 1)
			time.Sleep(time.Second)
		}
	}
	for _, scheduled := range times { // each run ends a minute after its scheduled time
		live(time.Until(midnight.Add(scheduled + time.Minute)))
		end(t, others, scheduled)
		live(time.Minute)
	}
	process.stop()
	for _, scheduled := range times {
		name := fmt.Sprintf("nightly-%d", midnight.Add(scheduled).Unix())
		if made[name] != 1 {
			t.Errorf("the run for %v was made %d times", scheduled, made[name])
		}
		delete(made, name)
	}
	if len(made) > 0 {
		t.Errorf("runs that were not due: %v", slices.Collect(maps.Keys(made)))
	}
	expectRuns(t, others, times[2])
	return restarted
}

// TestRunsGoBeforeTheirCronTab checks that a deleted CronTab stays until its runs are deleted, and that its deletion
// deletes these.
func TestRunsGoBeforeTheirCronTab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := connect(newServer(nightly()))
		defer begin(t, client, 1).stop()
		time.Sleep(4 * time.Hour)
		expectRuns(t, client, 3*time.Hour)
		runs := client.StableV1().CronRuns("east")
		run, err := runs.Get(t.Context(), fmt.Sprintf("nightly-%d", midnight.Add(3*time.Hour).Unix()), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		run.Finalizers = []string{"example.com/slow"}
		if run, err = runs.Update(t.Context(), run, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		crontabs := client.StableV1().CronTabs("east")
		if err := crontabs.Delete(t.Context(), "nightly", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if run, err = runs.Get(t.Context(), run.Name, metav1.GetOptions{}); err != nil || run.DeletionTimestamp == nil {
			t.Fatalf("the run is not deleted (%v)", err)
		}
		if _, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{}); err != nil {
			t.Errorf("the CronTab went before its run: %v", err)
		}
		run.Finalizers = nil
		if _, err := runs.Update(t.Context(), run, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		expectRuns(t, client)
		if _, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the CronTab is still there (%v)", err)
		}
	})
}

// TestOthersWriteToo checks that nothing is lost if another writer changes a CronTab at any time, whichever update
// fails because of that: neither changes of that writer, nor of the controller. The controller must not depend on the
// event about the change.
func TestOthersWriteToo(t *testing.T) {
	for _, resource := range []string{"crontabs", "crontabs/status"} {
		for _, seen := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, change is seen: %t", resource, seen), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := newServer(nightly())
					client := connect(server)
					updates := fakeapi.Requests{Verb: "update", Resource: resource}
					if seen {
						server.Conflict(updates, 1)
					} else {
						server.Fail(updates, 1, apierrors.NewConflict(v1.Resource("crontabs"), "nightly", errors.New("changed")))
					}
					defer begin(t, client, 1).stop()
					synctest.Wait()
					time.Sleep(time.Minute)
					crontab, err := client.StableV1().CronTabs("east").Get(t.Context(), "nightly", metav1.GetOptions{})
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Contains(crontab.Finalizers, Finalizer) || len(crontab.Status.Conditions) != 1 || (len(crontab.Annotations) == 1) != seen {
						t.Errorf("finalizers %v, conditions %v, annotations %v", crontab.Finalizers, crontab.Status.Conditions, crontab.Annotations)
					}
				})
			})
		}
	}
}

// TestBackOff checks that a failed reconcile is retried with increasing delays, and that a success resets these.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := connect(newServer(nightly()))
		var failures []time.Time
		client.PrependReactor("create", "cronruns", func(clienttesting.Action) (bool, runtime.Object, error) {
			if len(failures) == 10 {
				return false, nil, nil
			}
			failures = append(failures, time.Now())
			return true, nil, errors.New("not now")
		})
		run := begin(t, client, 1)
		time.Sleep(4 * time.Hour)
		synctest.Wait()
		expectRuns(t, client, 3*time.Hour)
		for i := 2; i < len(failures); i++ {
			if failures[i].Sub(failures[i-1]) <= failures[i-1].Sub(failures[i-2]) {
				t.Errorf("failure %d came no later after the one before than that did: %v", i, failures)
			}
		}
		if n := run.controller.queue.NumRequeues(cache.NewObjectName("east", "nightly")); n != 0 {
			t.Errorf("%d failures are remembered after a success", n)
		}
		run.stop()
	})
}

// TestShutdownIsGraceful checks that the reconcile in progress is finished when the controller is told to end, and that
// no other one starts.
func TestShutdownIsGraceful(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := connect(newServer(nightly()))
		creating, proceed := make(chan struct{}), make(chan struct{})
		client.PrependReactor("create", "cronruns", func(clienttesting.Action) (bool, runtime.Object, error) {
			close(creating)
			<-proceed
			return false, nil, nil
		})
		run := begin(t, client, 1)
		<-creating
		run.cancel()
		synctest.Wait()
		select {
		case <-run.ended:
			t.Error("Run returned while a worker was at it")
		default:
		}
		close(proceed)
		run.stop()
		expectRuns(t, client, 3*time.Hour)
		crontab, err := client.StableV1().CronTabs("east").Get(t.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if crontab.Status.LastScheduleTime == nil {
			t.Error("the status was not written any more")
		}
	})
}

// TestCacheStaysEmpty checks that a cache that cannot be filled results in an error that names it, and that nothing is
// reconciled.
func TestCacheStaysEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(nightly())
		server.Fail(fakeapi.Requests{Resource: "crontabclasses"}, math.MaxInt, errors.New("not now"))
		client := connect(server)
		run := begin(t, client, 1)
		if run.controller.Ready(nil) == nil {
			t.Error("ready without a full cache")
		}
		time.Sleep(syncTimeout + time.Second)
		run.stop()
		if run.err == nil || !strings.Contains(run.err.Error(), "crontabclasses") {
			t.Errorf("error %v, want one that names crontabclasses", run.err)
		}
		expectRuns(t, client)
	})
}

// TestEndBeforeSync checks that ending the controller before its caches are full is not an error, and that it is ready
// when they are full.
func TestEndBeforeSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(nightly())
		server.Delay(fakeapi.Requests{Resource: "crontabclasses"}, 1, time.Minute)
		run := begin(t, connect(server), 1)
		run.stop()
		if run.err != nil {
			t.Error(run.err)
		}
		run = begin(t, connect(server), 1)
		if err := run.controller.Ready(nil); err != nil {
			t.Error(err)
		}
		run.stop()
	})
}

// TestRunsWithoutConflicts checks that no two writes of the controller conflict, even if its cache of CronTabs is
// behind everything else.
func TestRunsWithoutConflicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(nightly())
		client, others := connect(server), connect(server)
		react, watches := client.ReactionChain[0].React, client.WatchReactionChain[0].React
		client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			handled, object, err := react(action)
			if apierrors.IsConflict(err) {
				t.Errorf("%s: %v", describe(action), err)
			}
			return handled, object, err
		})
		client.PrependWatchReactor("crontabs", func(action clienttesting.Action) (bool, watch.Interface, error) {
			handled, events, err := watches(action)
			if err == nil {
				events = late(events, time.Second)
			}
			return handled, events, err
		})
		run := begin(t, client, 2)
		defer run.stop()
		time.Sleep(4 * time.Hour)
		end(t, others, 3*time.Hour)
		time.Sleep(24 * time.Hour)
		expectRuns(t, others, 3*time.Hour, 27*time.Hour)
		if err := others.StableV1().CronTabs("east").Delete(t.Context(), "nightly", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		expectRuns(t, others)
		if _, err := others.StableV1().CronTabs("east").Get(t.Context(), "nightly", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the CronTab is still there (%v)", err)
		}
		if n := run.controller.writes.Len(); n != 0 {
			t.Errorf("%d writes are remembered", n)
		}
	})
}

// late returns a watch that passes events on after the given time. When it is stopped, it drops the event that it is
// about to pass on, whereas the watch of watch.Filter waits for ever for a reader of the event.
func late(events watch.Interface, by time.Duration) watch.Interface {
	result := make(chan watch.Event)
	passed := watch.NewProxyWatcher(result)
	go func() {
		defer close(result)
		defer events.Stop()
		for {
			select {
			case event, ok := <-events.ResultChan():
				if !ok {
					return
				}
				select {
				case <-time.After(by):
				case <-passed.StopChan():
					return
				}
				select {
				case result <- event:
				case <-passed.StopChan():
					return
				}
			case <-passed.StopChan():
				return
			}
		}
	}()
	return passed
}

// TestHangingRequest checks that a request that hangs is abandoned and retried, that it has a few seconds when the
// process is told to end, and no time at all when the lease is lost.
func TestHangingRequest(t *testing.T) {
	for name, end := range map[string]struct {
		stop, lose bool
		after      time.Duration
	}{
		"again":      {after: reconcileTimeout},
		"at the end": {stop: true, after: grace},
		"at once":    {lose: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := &hanging{}
				c := requests.controller(t)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				lease, lose := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() { defer close(ended); c.Run(ctx, lease, 1) }()
				synctest.Wait()
				if n := requests.begun.Load(); n != 1 {
					t.Fatalf("%d requests, want 1", n)
				}
				if end.stop {
					stop()
				}
				if end.lose {
					lose()
				}
				time.Sleep(end.after - 1)
				if synctest.Wait(); !end.lose && requests.ended.Load() != 0 {
					t.Error("the request has been given up early")
				}
				time.Sleep(time.Nanosecond)
				if synctest.Wait(); requests.ended.Load() != 1 {
					t.Error("the request still hangs")
				}
				if end.stop || end.lose {
					<-ended
				}
				time.Sleep(time.Minute)
				if again := requests.begun.Load() > 1; again == (end.stop || end.lose) {
					t.Errorf("%d requests", requests.begun.Load())
				}
				lose()
				<-ended
			})
		})
	}
}

// hanging is a server that never responds.
type hanging struct{ begun, ended atomic.Int32 }

func (h *hanging) RoundTrip(request *http.Request) (*http.Response, error) {
	h.begun.Add(1)
	defer h.ended.Add(1)
	<-request.Context().Done()
	return nil, request.Context().Err()
}

// controller returns a controller with a CronTab in its cache and queue, whose finalizer it will write to this server.
func (h *hanging) controller(t *testing.T) *Controller {
	t.Helper()
	config, writes := &rest.Config{Host: "http://server", Transport: h}, consistency.NewStore()
	writes.Wrap(config)
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(client, writes, &events.FakeRecorder{}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.stable.CronTabs().Informer().GetIndexer().Add(nightly()); err != nil {
		t.Fatal(err)
	}
	c.queue.Add(cache.NewObjectName("east", "nightly"))
	return c
}

// TestPanic checks that a panic is logged with the CronTab, and ends the process.
func TestPanic(t *testing.T) {
	if os.Getenv("PANIC") != "" {
		c := (&hanging{}).controller(t)
		c.client = nil
		c.Run(t.Context(), t.Context(), 1)
		return
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPanic$")
	command.Env = append(os.Environ(), "PANIC=yes")
	out, err := command.CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || !regexp.MustCompile(`Observed a panic.* crontab="east/nightly"`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestTombstones checks the handling of deletions that the watch missed: tombstones, with or without the last known
// state.
func TestTombstones(t *testing.T) {
	c, err := New(fake.NewSimpleClientset(), consistency.NewStore(), &events.FakeRecorder{}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.queue.ShutDown()
	gone := run("12:00", v1.RunRunning)
	tombstone := cache.DeletedFinalStateUnknown{Key: "east/" + gone.Name, Obj: gone}
	c.queueOwner(informers.DeletedCronRun{OptionalObj: gone, FinalStateUnknown: &tombstone}.OptionalObj)
	c.queueOwner(informers.DeletedCronRun{FinalStateUnknown: &cache.DeletedFinalStateUnknown{Key: "east/" + gone.Name}}.OptionalObj)
	c.queueOwner(run("12:00", "", func(r *v1.CronRun) { r.OwnerReferences = nil }))
	c.queueOwner(run("12:00", "", func(r *v1.CronRun) { r.OwnerReferences[0].Kind = "Another" }))
	if n := c.queue.Len(); n != 1 {
		t.Fatalf("%d CronTabs are queued, want 1", n)
	}
	if name, _ := c.queue.Get(); name != cache.NewObjectName("east", "tidy") {
		t.Errorf("%s is queued, want east/tidy", name)
	}
}

// running is a running controller.
type running struct {
	controller *Controller
	cancel     context.CancelFunc
	ended      chan struct{}
	err        error // the error of Start, after it has returned
}

// newServer returns an API server in memory that contains the given objects.
func newServer(objects ...runtime.Object) *fakeapi.API {
	return fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithObjects(objects...))
}

// connect returns a clientset for a server.
func connect(server *fakeapi.API) *fake.Clientset {
	client := fake.NewSimpleClientset()
	server.Attach(&client.Fake, scheme.Scheme)
	return client
}

// record makes a store see the writes of a fake clientset, as Wrap does for others.
func record(client *fake.Clientset, writes *consistency.Store) {
	chain := slices.Clone(client.ReactionChain)
	client.PrependReactor("*", "*", func(action clienttesting.Action) (handled bool, object runtime.Object, err error) {
		for _, reactor := range chain {
			if !handled && reactor.Handles(action) {
				handled, object, err = reactor.React(action)
			}
		}
		reads := slices.Contains([]string{"get", "list", "watch"}, action.GetVerb())
		if written, ok := object.(metav1.Object); ok && err == nil && !reads {
			writes.WroteAt(action.GetResource().GroupResource(), written)
		}
		return handled, object, err
	})
}

// begin starts a new controller with an empty cache, like a new process.
func begin(t *testing.T, client *fake.Clientset, workers int) *running {
	t.Helper()
	writes := consistency.NewStore()
	record(client, writes)
	c, err := New(client, writes, &events.FakeRecorder{}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	_, ctx := ktesting.NewTestContext(t)
	ctx, cancel := context.WithCancel(ctx)
	r := &running{controller: c, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		if r.err = c.Start(ctx); r.err == nil {
			c.Run(ctx, context.WithoutCancel(ctx), workers)
		}
	}()
	synctest.Wait()
	return r
}

func (r *running) stop() {
	r.cancel()
	<-r.ended
	r.controller.queue.ShutDown()   // in case Start has failed
	r.controller.factory.Shutdown() // In a bubble, time stops when the test ends.
}

// midnight is the time in a bubble when its test starts.
var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// nightly returns a CronTab that is created at midnight and due at three.
func nightly() *v1.CronTab {
	return &v1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "nightly", UID: "of nightly", CreationTimestamp: metav1.NewTime(midnight)},
		Spec:       v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"},
	}
}

// end lets the run succeed that was scheduled at the given time after midnight.
func end(t *testing.T, client *fake.Clientset, scheduled time.Duration) {
	t.Helper()
	run, err := client.StableV1().CronRuns("east").Get(t.Context(), fmt.Sprintf("nightly-%d", midnight.Add(scheduled).Unix()), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run.Status.Phase = v1.RunSucceeded
	if _, err := client.StableV1().CronRuns("east").UpdateStatus(t.Context(), run, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// expectRuns checks that there are runs for exactly the given times after midnight.
func expectRuns(t *testing.T, client *fake.Clientset, scheduled ...time.Duration) {
	t.Helper()
	list, err := client.StableV1().CronRuns("east").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []time.Duration
	for _, run := range list.Items {
		got = append(got, run.Spec.ScheduledTime.Sub(midnight))
	}
	slices.Sort(got)
	if !slices.Equal(got, scheduled) {
		t.Errorf("runs for %v, want %v", got, scheduled)
	}
}
