package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/utils/clock"

	"github.com/kubegen/kubegen/examples/crontab-controller/cluster"
	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/consistency"
)

// leases defines Leases for a server that has custom resources only.
const leases = "../../examples/crontab-controller/internal/apiserver/leases.yaml"

// startController runs a controller of the example until stop is called. It returns what it sent.
func startController(ctx context.Context, t *testing.T, config *rest.Config, clock clock.WithTicker) (requests *recorder, stop func()) {
	t.Helper()
	writes := consistency.NewStore(consistency.WithRequestTimeout(time.Second)) // the server carries out a request at once or never
	config = rest.CopyConfig(config)
	writes.Wrap(config)
	client, requests := connectWith(t, config)
	c, err := controller.New(client, writes, events.NewFakeRecorder(10_000), clock)
	must(t, err)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Start(ctx); err != nil {
			t.Error(err)
			return
		}
		c.Run(ctx, context.WithoutCancel(ctx), 2)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	t.Cleanup(stop)
	return requests, stop
}

// newYear is a clock that is ahead, so that CronTabs that are made now, for once a year, are due already.
type newYear struct {
	clock.RealClock
	ahead time.Duration
}

const onceAYear = "0 0 1 1 *"

// inNewYear returns a clock at the new year after the next, which has not passed by while the test runs, whenever it
// does.
func inNewYear() newYear {
	now := time.Now().UTC()
	return newYear{ahead: time.Date(now.Year()+2, time.January, 1, 0, 0, 0, 0, time.UTC).Sub(now)}
}

func (c newYear) Now() time.Time                  { return c.RealClock.Now().Add(c.ahead) }
func (c newYear) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// runsOf returns the names of the runs of a CronTab, sorted.
func runsOf(ctx context.Context, t *testing.T, client versioned.Interface, crontab *v1.CronTab) []string {
	t.Helper()
	runs, err := client.StableV1().CronRuns(crontab.Namespace).List(ctx, metav1.ListOptions{LabelSelector: controller.Label + "=" + crontab.Name})
	must(t, err)
	var names []string
	for _, run := range runs.Items {
		if owner := metav1.GetControllerOf(&run); owner == nil || owner.UID != crontab.UID {
			t.Errorf("run %s is owned by %v, want the CronTab %s", run.Name, owner, crontab.UID)
		}
		names = append(names, run.Name)
	}
	slices.Sort(names)
	return names
}

// settled reports whether the status of a CronTab tells of a run and of nothing that is in the way.
func settled(crontab *v1.CronTab) bool {
	return crontab.Status.LastScheduleTime != nil && meta.IsStatusConditionTrue(crontab.Status.Conditions, "Ready") &&
		slices.Contains(crontab.Finalizers, controller.Finalizer)
}

// waitSettled returns the CronTab once it is.
func waitSettled(ctx context.Context, t *testing.T, client versioned.Interface, crontab *v1.CronTab) *v1.CronTab {
	t.Helper()
	got := crontab
	eventually(ctx, t, crontab.Name+" is settled", func() bool {
		var err error
		got, err = client.StableV1().CronTabs(crontab.Namespace).Get(ctx, crontab.Name, metav1.GetOptions{})
		must(t, err)
		return settled(got)
	})
	return got
}

func gone(ctx context.Context, t *testing.T, client versioned.Interface, crontab *v1.CronTab) bool {
	t.Helper()
	_, err := client.StableV1().CronTabs(crontab.Namespace).Get(ctx, crontab.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err != nil
}

// A crash is a transport that works for so many writes, and then no longer, as if the process were gone. The next write
// still gets through to the server if late is true, but its answer is lost.
type crash struct {
	writes int
	late   bool

	mu   sync.Mutex
	done int
	dead bool
}

var errCrashed = errors.New("crashed")

func (c *crash) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		c.mu.Lock()
		if c.dead {
			c.mu.Unlock()
			return nil, errCrashed
		}
		if r.Method != http.MethodGet {
			c.done++
		}
		c.dead = c.done > c.writes
		now, late := c.dead, c.dead && c.late
		c.mu.Unlock()
		if now && !late {
			return nil, errCrashed
		}
		response, err := next.RoundTrip(r)
		if late && err == nil {
			response.Body.Close()
			return nil, errCrashed
		}
		return response, err
	})
}

func (c *crash) crashed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

// However far a controller gets before it crashes, the next one brings the CronTab to where it should be: one run for
// the time that is due, and once it is deleted, none.
func TestControllerCrashesInAnyStep(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	server := ownServer(t)
	user, _ := connect(t, server)
	crashes := 0
	for writes := 0; ; writes++ {
		again := false
		for _, late := range []bool{false, true} {
			fault := &crash{writes: writes, late: late}
			live(ctx, t, server, user, fmt.Sprintf("crash-%d-%t", writes, late), fault)
			if fault.crashed() {
				again = true
				crashes++
			}
		}
		if !again {
			break // there are no more steps
		}
	}
	// Finalizer, run, status; runs deleted, finalizer removed.
	if crashes < 2*5 {
		t.Errorf("the controller crashed %d times, which are fewer than it has steps", crashes)
	}
}

// live takes a CronTab through its life under a controller that crashes, and then under another.
func live(ctx context.Context, t *testing.T, server *server, user versioned.Interface, name string, fault *crash) {
	t.Helper()
	clock := inNewYear()
	config, err := server.config()
	must(t, err)
	sent := &recorder{} // by both controllers, and below the crash, so only what reached the server
	config.Wrap(sent.wrap)
	healthy := rest.CopyConfig(config)
	config.Wrap(fault.wrap)

	crontab := newCronTab(name)
	crontab.Spec.CronSpec = onceAYear
	crontab = create(ctx, t, user.StableV1().CronTabs("default"), crontab)
	_, stop := startController(ctx, t, config, clock)
	replace := func() {
		stop()
		_, stop = startController(ctx, t, healthy, clock)
	}
	replaced := false
	until := func(what string, holds func() bool) {
		t.Helper()
		eventually(ctx, t, name+" "+what, func() bool {
			if fault.crashed() && !replaced {
				replaced = true
				replace()
			}
			return holds()
		})
	}
	until("is settled", func() bool {
		got, err := user.StableV1().CronTabs("default").Get(ctx, name, metav1.GetOptions{})
		must(t, err)
		return settled(got)
	})
	due := time.Date(clock.Now().Year(), time.January, 1, 0, 0, 0, 0, time.UTC)
	expect(t, name+": runs", runsOf(ctx, t, user, crontab), []string{fmt.Sprintf("%s-%d", name, due.Unix())})

	remove(ctx, t, user.StableV1().CronTabs("default"), name)
	until("is gone", func() bool { return gone(ctx, t, user, crontab) })
	expect(t, name+": runs once it is gone", runsOf(ctx, t, user, crontab), nil)
	expect(t, name+": runs made", len(created(sent)), 1)
	stop()
}

// created returns the names of the runs that a client has created, as the server has confirmed.
func created(sent *recorder) []string {
	var names []string
	for _, r := range sent.all("create") {
		if r.status == http.StatusCreated && strings.HasSuffix(r.path, "/cronruns") {
			names = append(names, nameIn(r.body))
		}
	}
	slices.Sort(names)
	return names
}

// Whatever state a controller finds, it ends where it should.
func TestControllerFromAnyStart(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	server := ownServer(t)
	user, _ := connect(t, server)
	crontabs, runs := user.StableV1().CronTabs("default"), user.StableV1().CronRuns("default")
	year := inNewYear()
	begin := func(name string, change func(*v1.CronTab)) *v1.CronTab {
		crontab := newCronTab(name)
		crontab.Spec.CronSpec = onceAYear
		change(crontab)
		return create(ctx, t, crontabs, crontab)
	}
	due := metav1.Date(year.Now().Year(), time.January, 1, 0, 0, 0, 0, time.UTC)
	runOf := func(crontab *v1.CronTab) *v1.CronRun {
		return &v1.CronRun{
			ObjectMeta: metav1.ObjectMeta{
				Name:            fmt.Sprintf("%s-%d", crontab.Name, due.Unix()),
				Labels:          map[string]string{controller.Label: crontab.Name},
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(crontab, v1.SchemeGroupVersion.WithKind("CronTab"))},
			},
			Spec: v1.CronRunSpec{Image: crontab.Spec.Image, Replicas: 1, ScheduledTime: due},
		}
	}

	fresh := begin("fresh", func(*v1.CronTab) {})
	finalized := begin("finalized", func(c *v1.CronTab) { c.Finalizers = []string{controller.Finalizer} })
	started := begin("started", func(c *v1.CronTab) { c.Finalizers = []string{controller.Finalizer} })
	_, err := runs.Create(ctx, runOf(started), metav1.CreateOptions{})
	must(t, err)
	classless := begin("classless", func(c *v1.CronTab) { c.Spec.Image, c.Spec.ClassName = "", "silver" })
	suspended := begin("suspended", func(c *v1.CronTab) { c.Spec.Suspend = true })
	deleted := begin("deleted", func(c *v1.CronTab) { c.Finalizers = []string{controller.Finalizer} })
	_, err = runs.Create(ctx, runOf(deleted), metav1.CreateOptions{})
	must(t, err)
	remove(ctx, t, crontabs, "deleted")

	config, err := server.config()
	must(t, err)
	_, stop := startController(ctx, t, config, year)
	for _, crontab := range []*v1.CronTab{fresh, finalized, started} {
		got := waitSettled(ctx, t, user, crontab)
		expect(t, crontab.Name+": last time", got.Status.LastScheduleTime.Unix(), due.Unix())
		expect(t, crontab.Name+": runs", runsOf(ctx, t, user, crontab), []string{runOf(crontab).Name})
	}
	eventually(ctx, t, "what was deleted is gone", func() bool { return gone(ctx, t, user, deleted) })
	expect(t, "deleted: runs", runsOf(ctx, t, user, deleted), nil)

	// What was in the way goes away.
	for _, crontab := range []*v1.CronTab{classless, suspended} {
		eventually(ctx, t, crontab.Name+" is not ready", func() bool {
			got, err := crontabs.Get(ctx, crontab.Name, metav1.GetOptions{})
			must(t, err)
			return meta.IsStatusConditionFalse(got.Status.Conditions, "Ready")
		})
		expect(t, crontab.Name+": runs", runsOf(ctx, t, user, crontab), nil)
	}
	_, err = user.StableV1().CronTabClasses().Create(ctx, &v1.CronTabClass{
		ObjectMeta: metav1.ObjectMeta{Name: "silver"}, Spec: v1.CronTabClassSpec{DefaultImage: "image:silver"},
	}, metav1.CreateOptions{})
	must(t, err)
	_, err = crontabs.Patch(ctx, "suspended", "application/merge-patch+json", []byte(`{"spec":{"suspend":false}}`), metav1.PatchOptions{})
	must(t, err)
	for _, crontab := range []*v1.CronTab{classless, suspended} {
		waitSettled(ctx, t, user, crontab)
		expect(t, crontab.Name+": runs", runsOf(ctx, t, user, crontab), []string{runOf(crontab).Name})
	}
	run, err := runs.Get(ctx, runOf(classless).Name, metav1.GetOptions{})
	must(t, err)
	expect(t, "image out of the class", run.Spec.Image, "image:silver")
	stop()
}

// The server restarts with and without warning while runs are due every second. None is lost that was made, and none is
// made twice. Each restart makes Reflectors wait longer until they try again, up to a minute, so these are not many.
func TestControllerOutlivesServer(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	server := ownServer(t)
	user, _ := connect(t, server)
	var crontabs []*v1.CronTab
	for i := range 3 {
		crontab := newCronTab(fmt.Sprintf("crontab-%d", i))
		crontab.Spec.CronSpec = "* * * * * *"
		crontabs = append(crontabs, create(ctx, t, user.StableV1().CronTabs("default"), crontab))
	}
	config, err := server.config()
	must(t, err)
	sent, stop := startController(ctx, t, config, clock.RealClock{})
	progress := func() {
		t.Helper()
		since := metav1.Now()
		for _, crontab := range crontabs {
			eventually(ctx, t, crontab.Name+" runs again", func() bool {
				got, err := user.StableV1().CronTabs("default").Get(ctx, crontab.Name, metav1.GetOptions{})
				must(t, err)
				return got.Status.LastScheduleTime != nil && since.Before(got.Status.LastScheduleTime)
			})
		}
	}
	progress()
	for _, end := range []func() error{server.stop, server.kill} {
		must(t, end())
		must(t, server.start())
		progress()
	}
	stop()

	var all []string
	for _, crontab := range crontabs {
		all = append(all, runsOf(ctx, t, user, crontab)...)
		got, err := user.StableV1().CronTabs("default").Get(ctx, crontab.Name, metav1.GetOptions{})
		must(t, err)
		if last := fmt.Sprintf("%s-%d", crontab.Name, got.Status.LastScheduleTime.Unix()); !slices.Contains(all, last) {
			t.Errorf("the status tells of a run %s, which there is not", last)
		}
	}
	made := created(sent)
	if once := slices.Compact(slices.Clone(made)); len(once) != len(made) {
		t.Errorf("of %d runs, only %d were made once", len(made), len(once))
	}
	for _, name := range made {
		if !slices.Contains(all, name) {
			t.Errorf("run %s was made and is lost", name)
		}
	}
}

// Of two controllers one works. When it is cut off, the other takes over, but not before the first has ended.
func TestLeaderElection(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	server := ownServer(t, "--crds", leases)
	user, _ := connect(t, server)
	clock := inNewYear()
	var working atomic.Int32
	leaders := make(chan string, 10)
	type candidate struct {
		proxy *proxy
		stop  func()
		ended chan error
	}
	stand := func(name string) candidate {
		proxy, config := newProxy(t, server)
		writes := consistency.NewStore(consistency.WithRequestTimeout(time.Second)) // the server carries out a request at once or never
		writes.Wrap(config)
		client, _ := connectWith(t, config)
		config.ContentType = runtime.ContentTypeJSON // the default, protobuf, is not for custom resources
		lock, err := coordination.NewForConfig(config)
		must(t, err)
		ctx, cancel := context.WithCancel(ctx)
		t.Cleanup(cancel)
		c := candidate{proxy, cancel, make(chan error, 1)}
		go func() {
			c.ended <- cluster.RunAsLeader(ctx, lock, "default", name, leaderelection.NewLeaderHealthzAdaptor(0), func(lease context.Context) {
				if n := working.Add(1); n > 1 {
					t.Errorf("%d controllers work at a time", n)
				}
				defer working.Add(-1)
				leaders <- name
				crontabs, err := controller.New(client, writes, events.NewFakeRecorder(1000), clock)
				if err != nil {
					t.Error(err)
					return
				}
				if err := crontabs.Start(lease); err != nil {
					t.Error(err)
					return
				}
				crontabs.Run(ctx, lease, 1)
			})
		}()
		return c
	}
	work := func(name string) {
		t.Helper()
		crontab := newCronTab(name)
		crontab.Spec.CronSpec = onceAYear
		crontab = create(ctx, t, user.StableV1().CronTabs("default"), crontab)
		waitSettled(ctx, t, user, crontab)
		expect(t, name+": how many runs", len(runsOf(ctx, t, user, crontab)), 1)
	}

	candidates := map[string]candidate{"a": stand("a"), "b": stand("b")}
	first := receive(ctx, t, leaders)
	work("under-the-first")
	candidates[first].proxy.cut()
	second := receive(ctx, t, leaders)
	if first == second {
		t.Fatalf("%s leads again, although it is cut off", first)
	}
	if err := receive(ctx, t, candidates[first].ended); err == nil {
		t.Error("the first has lost its lease and ended without an error")
	}
	work("under-the-second")

	// One that is asked to end gives its lease back.
	third := stand("c")
	candidates[second].stop()
	must(t, receive(ctx, t, candidates[second].ended))
	expect(t, "leader", receive(ctx, t, leaders), "c")
	work("under-the-third")
	third.stop()
	must(t, receive(ctx, t, third.ended))
}
