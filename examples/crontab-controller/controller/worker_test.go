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

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

// These tests run against an API server in memory, in synctest bubbles, whose clock moves when nothing else can: a night
// takes no time, and a goroutine that is left behind fails the test.

func TestRunsAreMadeWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := connect(newServer(nightly()))
		run := begin(t, client, 2)
		time.Sleep(12*time.Hour + time.Minute) // to one past midday
		expectRuns(t, client, 3*time.Hour)
		end(t, client, 3*time.Hour)
		time.Sleep(48 * time.Hour)
		expectRuns(t, client, 3*time.Hour, 27*time.Hour, 51*time.Hour)

		crontabs := client.StableV1().CronTabs("east")
		crontab, err := crontabs.Get(t.Context(), "nightly", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if crontab.Status.Replicas != 2 { // of which there is one in each active run
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

// A class that comes, changes and goes is followed by its CronTabs without any of them being touched.
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
		expectRuns(t, client, 3*time.Hour) // The next one was forbidden.
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

// Whatever request is the last one before a crash, done or not done, and whatever follows, the next process makes every
// run that is due, and none twice.
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

// crash lets so many writing requests come through, then one more that is done or not and ends in an error, and then none
// until the controller is begun anew. It returns whether there were that many.
func crash(t *testing.T, after int64, done bool) bool {
	crontab := nightly()
	crontab.Spec.CronSpec, crontab.Spec.HistoryLimit = "*/10 * * * *", new(int32(1))
	server := newServer(crontab)
	client, others := connect(server), connect(server)
	times := []time.Duration{10 * time.Minute, 20 * time.Minute, 30 * time.Minute}
	made := map[string]int{}
	var writes atomic.Int64
	restarted := false
	react := client.ReactionChain[0].React // of the server
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
	for _, scheduled := range times { // each run ends a minute after its time
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

// A CronTab that is deleted stays until its runs are gone, and they go because of it.
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

// Another writer may change a CronTab at any time. Whatever update fails because of that, nothing is lost, neither of that
// writer's nor of the controller's. It does not count on the event that tells of the change.
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

// A failure is tried again, later and later, and is forgotten after the first success.
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

// A reconcile that has begun when the controller is told to end is finished, and another one does not begin.
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

// A cache that stays empty is an error that names it, and nothing is reconciled.
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

// The controller can be ended before its caches are full, which is no error, and is ready when they are.
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

// No write of the controller's conflicts with one of its own, even if the CronTabs in its cache are behind everything else.
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
				events = watch.Filter(events, func(event watch.Event) (watch.Event, bool) {
					time.Sleep(time.Second)
					return event, true
				})
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
		run.controller.written.Range(func(name, _ any) bool {
			t.Errorf("%s is remembered", name)
			return true
		})
	})
}

// A request that hangs is given up and tried again. When the process is to end, it has a few seconds; without the lease, none.
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

// hanging is a server that never answers.
type hanging struct{ begun, ended atomic.Int32 }

func (h *hanging) RoundTrip(request *http.Request) (*http.Response, error) {
	h.begun.Add(1)
	defer h.ended.Add(1)
	<-request.Context().Done()
	return nil, request.Context().Err()
}

// controller returns a controller that has a CronTab in its cache and queue, and is to write its finalizer to this server.
func (h *hanging) controller(t *testing.T) *Controller {
	t.Helper()
	client, err := versioned.NewForConfig(&rest.Config{Host: "http://server", Transport: h})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(client, &events.FakeRecorder{}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.stable.CronTabs().Informer().GetIndexer().Add(nightly()); err != nil {
		t.Fatal(err)
	}
	c.queue.Add(cache.NewObjectName("east", "nightly"))
	return c
}

// A panic is logged, with the CronTab, and ends the process.
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

// When the watch was broken, deletions are seen as tombstones, with the last known state or without.
func TestTombstones(t *testing.T) {
	c, err := New(fake.NewSimpleClientset(), &events.FakeRecorder{}, clock.RealClock{})
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

// running is a controller that runs.
type running struct {
	controller *Controller
	cancel     context.CancelFunc
	ended      chan struct{}
	err        error // of Start, once it has ended
}

// newServer returns an API server in memory that has these objects.
func newServer(objects ...runtime.Object) *fakeapi.API {
	return fakeapi.New(
		fakeapi.WithResources(scheme.Scheme, fake.APIResources()),
		fakeapi.WithScalePaths(fake.ScalePaths()),
		fakeapi.WithTypeConverter(applyconfiguration.NewTypeConverter(scheme.Scheme)),
		fakeapi.WithObjects(objects...),
	)
}

// connect returns a clientset of a server.
func connect(server *fakeapi.API) *fake.Clientset {
	client := fake.NewSimpleClientset()
	server.Attach(&client.Fake, scheme.Scheme)
	return client
}

// begin runs a new controller, with an empty cache, as a process that has just started.
func begin(t *testing.T, client *fake.Clientset, workers int) *running {
	t.Helper()
	c, err := New(client, &events.FakeRecorder{}, clock.RealClock{})
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
	r.controller.queue.ShutDown()   // if Start has failed
	r.controller.factory.Shutdown() // Time stands still in a bubble when its test ends.
}

// midnight is when it is in a bubble when its test begins.
var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// nightly returns a CronTab that is made at midnight and due at three.
func nightly() *v1.CronTab {
	return &v1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "nightly", UID: "of nightly", CreationTimestamp: metav1.NewTime(midnight)},
		Spec:       v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"},
	}
}

// end lets a run succeed: that for so long after midnight.
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

// expectRuns compares the runs that there are with the times after midnight that there should be one for.
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
