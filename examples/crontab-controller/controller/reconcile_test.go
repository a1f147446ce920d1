package controller

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubegen/kubegen/consistency"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
)

// TestReconcile calls reconcile once for each row, which describes the objects and the expected requests. The time is
// 12:03. The CronTab east/tidy is due every ten minutes, so 12:00 is the last time.
func TestReconcile(t *testing.T) {
	const untilNext = 7 * time.Minute
	failure := errors.New("no")
	tests := []struct {
		name      string
		crontab   *v1.CronTab // nil for none
		class     *v1.CronTabClass
		runs      []*v1.CronRun
		uncached  []*v1.CronRun     // on the server, but not yet in the cache
		fail      string            // request that fails, such as "create cronruns"
		with      error             // error with which it fails
		actions   []string          // writes, in order
		status    func(*v1.CronTab) // how the written status differs from the one before
		condition string            // status and reason of the condition Ready afterwards
		events    []string          // beginnings of the events
		again     time.Duration
		err       func(error) bool // reports whether the error is as expected; nil if there must be none
	}{
		{name: "no CronTab"},
		{
			name:    "the finalizer comes first",
			crontab: crontab(func(c *v1.CronTab) { c.Finalizers = nil }),
			actions: []string{"update crontabs tidy"},
		},
		{
			name:      "nothing is due yet",
			crontab:   crontab(created("12:00")),
			actions:   []string{"update crontabs/status tidy"},
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:      "nothing is due any more",
			crontab:   crontab(last("12:00")),
			actions:   []string{"update crontabs/status tidy"},
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:      "nothing has changed",
			crontab:   crontab(last("12:00"), settled),
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:      "a run is due",
			crontab:   crontab(),
			actions:   []string{"create cronruns tidy-12:00 image:own*2", "update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 2 },
			condition: "True Scheduled",
			events:    []string{"Normal Created"},
			again:     untilNext,
		},
		{
			name:      "of those that were missed, the last is made",
			crontab:   crontab(created("03:00"), last("07:00")),
			actions:   []string{"create cronruns tidy-12:00 image:own*2", "update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 2 },
			condition: "True Scheduled",
			events:    []string{"Normal Created"},
			again:     untilNext,
		},
		{
			name:      "made, and then a crash",
			crontab:   crontab(),
			runs:      []*v1.CronRun{run("12:00", v1.RunRunning)},
			actions:   []string{"update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 2 },
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:      "made, ended, and then a crash",
			crontab:   crontab(),
			runs:      []*v1.CronRun{run("12:00", v1.RunSucceeded)},
			actions:   []string{"create cronruns tidy-12:00 image:own*2", "update crontabs/status tidy"},
			status:    last("12:00"),
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:      "made, but not in the cache",
			crontab:   crontab(),
			uncached:  []*v1.CronRun{run("12:00", v1.RunRunning)},
			actions:   []string{"create cronruns tidy-12:00 image:own*2", "update crontabs/status tidy"},
			status:    last("12:00"), // The replicas are counted when the cache has the run.
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:    "it cannot be made",
			crontab: crontab(),
			fail:    "create cronruns", with: failure,
			actions: []string{"create cronruns tidy-12:00 image:own*2"},
			events:  []string{"Warning NotCreated"},
			err:     func(err error) bool { return errors.Is(err, failure) },
		},
		{
			name:    "made, but the status is out of date",
			crontab: crontab(),
			fail:    "update crontabs/status", with: apierrors.NewConflict(v1.Resource("crontabs"), "tidy", failure),
			actions: []string{"create cronruns tidy-12:00 image:own*2", "update crontabs/status tidy"},
			events:  []string{"Normal Created"},
			again:   untilNext,
			err:     apierrors.IsConflict,
		},
		{
			name:      "suspended",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.Suspend = true }),
			runs:      []*v1.CronRun{run("11:50", v1.RunRunning)},
			actions:   []string{"update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { c.Status.Replicas = 2 },
			condition: "False Suspended",
		},
		{
			name:      "no such schedule",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.CronSpec = "61 * * * *" }),
			actions:   []string{"update crontabs/status tidy"},
			condition: "False InvalidSchedule",
			events:    []string{"Warning InvalidSchedule end of range (61)"},
		},
		{
			name:      "a schedule without times",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.CronSpec = "0 0 30 2 *" }),
			actions:   []string{"update crontabs/status tidy"},
			condition: "True Scheduled",
		},
		{
			name:      "no such class",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.ClassName = "small" }),
			actions:   []string{"update crontabs/status tidy"},
			condition: "False ClassNotFound",
			events:    []string{"Warning ClassNotFound"},
		},
		{
			name:      "the image of the class, and one replica",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec = v1.CronTabSpec{CronSpec: c.Spec.CronSpec, ClassName: "small"} }),
			class:     class(v1.AllowConcurrent),
			actions:   []string{"create cronruns tidy-12:00 image:class*1", "update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 1 },
			condition: "True Scheduled",
			events:    []string{"Normal Created"},
			again:     untilNext,
		},
		{
			name:      "Allow: beside another run",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.ClassName = "small" }),
			class:     class(v1.AllowConcurrent),
			runs:      []*v1.CronRun{run("11:50", "")},
			actions:   []string{"create cronruns tidy-12:00 image:own*2", "update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 4 },
			condition: "True Scheduled",
			events:    []string{"Normal Created"},
			again:     untilNext,
		},
		{
			name:      "Forbid: not beside another run, and not when that ends",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.ClassName = "small" }),
			class:     class(v1.ForbidConcurrent),
			runs:      []*v1.CronRun{run("11:50", v1.RunPending)},
			actions:   []string{"update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 2 },
			condition: "True Scheduled",
			events:    []string{"Normal Skipped"},
			again:     untilNext,
		},
		{
			name:      "Forbid: after another run",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.ClassName = "small" }),
			class:     class(v1.ForbidConcurrent),
			runs:      []*v1.CronRun{run("11:50", v1.RunFailed)},
			actions:   []string{"create cronruns tidy-12:00 image:own*2", "update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 2 },
			condition: "True Scheduled",
			events:    []string{"Normal Created"},
			again:     untilNext,
		},
		{
			name:      "Forbid: a run is not in its own way",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.ClassName = "small" }),
			class:     class(v1.ForbidConcurrent),
			runs:      []*v1.CronRun{run("12:00", v1.RunRunning)},
			actions:   []string{"update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 2 },
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:    "Replace: instead of other runs",
			crontab: crontab(func(c *v1.CronTab) { c.Spec.ClassName = "small" }),
			class:   class(v1.ReplaceConcurrent),
			runs:    []*v1.CronRun{run("11:30", v1.RunSucceeded), run("11:40", v1.RunRunning), run("11:50", "")},
			actions: []string{
				"delete cronruns tidy-11:40", "delete cronruns tidy-11:50",
				"create cronruns tidy-12:00 image:own*2", "update crontabs/status tidy",
			},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 2 },
			condition: "True Scheduled",
			events:    []string{"Normal Created"},
			again:     untilNext,
		},
		{
			name:    "Replace: another run cannot be deleted",
			crontab: crontab(func(c *v1.CronTab) { c.Spec.ClassName = "small" }),
			class:   class(v1.ReplaceConcurrent),
			runs:    []*v1.CronRun{run("11:50", "")},
			fail:    "delete cronruns", with: failure,
			actions: []string{"delete cronruns tidy-11:50"},
			err:     func(err error) bool { return errors.Is(err, failure) },
		},
		{
			name:      "Replace: a run does not replace itself",
			crontab:   crontab(func(c *v1.CronTab) { c.Spec.ClassName = "small" }),
			class:     class(v1.ReplaceConcurrent),
			runs:      []*v1.CronRun{run("12:00", v1.RunRunning)},
			actions:   []string{"update crontabs/status tidy"},
			status:    func(c *v1.CronTab) { last("12:00")(c); c.Status.Replicas = 2 },
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:    "the oldest runs go, if they have ended",
			crontab: crontab(last("12:00"), settled, func(c *v1.CronTab) { c.Status.Replicas = 2; c.Spec.HistoryLimit = new(int32(1)) }),
			runs: []*v1.CronRun{
				run("11:40", v1.RunFailed), run("11:20", v1.RunRunning), run("12:00", v1.RunSucceeded), run("11:30", v1.RunSucceeded),
			},
			actions:   []string{"delete cronruns tidy-11:30", "delete cronruns tidy-11:40"},
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:      "three runs stay if there is no limit",
			crontab:   crontab(last("12:00"), settled),
			runs:      []*v1.CronRun{run("11:30", v1.RunFailed), run("11:40", v1.RunFailed), run("11:50", v1.RunFailed), run("12:00", v1.RunFailed)},
			fail:      "delete cronruns",
			with:      apierrors.NewNotFound(v1.Resource("cronruns"), "gone already"),
			actions:   []string{"delete cronruns tidy-11:30"},
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:      "other CronTabs' runs are not its business",
			crontab:   crontab(last("12:00"), settled),
			runs:      []*v1.CronRun{run("12:00", "", func(r *v1.CronRun) { r.OwnerReferences[0].UID = "of another" }), run("11:50", "", func(r *v1.CronRun) { r.OwnerReferences = nil })},
			condition: "True Scheduled",
			again:     untilNext,
		},
		{
			name:    "deleted: its runs are first",
			crontab: crontab(deleted),
			runs:    []*v1.CronRun{run("11:50", v1.RunSucceeded), run("12:00", v1.RunRunning)},
			actions: []string{"delete cronruns tidy-11:50", "delete cronruns tidy-12:00"},
		},
		{
			name:     "deleted: it goes without runs, and without such as the cache does not have",
			crontab:  crontab(deleted),
			uncached: []*v1.CronRun{run("12:00", v1.RunRunning)},
			actions:  []string{"delete-collection cronruns stable.example.com/crontab=tidy", "update crontabs tidy"},
		},
		{
			name:    "deleted: while runs cannot be deleted, it stays",
			crontab: crontab(deleted),
			fail:    "delete-collection cronruns", with: failure,
			actions: []string{"delete-collection cronruns stable.example.com/crontab=tidy"},
			err:     func(err error) bool { return errors.Is(err, failure) },
		},
		{
			name:    "deleted: others have finalizers, too",
			crontab: crontab(deleted, func(c *v1.CronTab) { c.Finalizers = []string{"example.com/others"} }),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client := fake.NewClientset()
			recorder := events.NewFakeRecorder(10)
			c, err := New(client, consistency.NewStore(), recorder, clocktesting.NewFakeClock(at("12:03")))
			if err != nil {
				t.Fatal(err)
			}
			add := func(resource string, object runtime.Object, informer cache.SharedIndexInformer) {
				if err := client.Tracker().Create(v1.SchemeGroupVersion.WithResource(resource), object, object.(metav1.Object).GetNamespace()); err != nil {
					t.Fatal(err)
				}
				if informer == nil {
					return
				}
				if err := informer.GetIndexer().Add(object.DeepCopyObject()); err != nil {
					t.Fatal(err)
				}
			}
			if test.crontab != nil {
				add("crontabs", test.crontab, c.stable.CronTabs().Informer())
			}
			if test.class != nil {
				add("crontabclasses", test.class, c.stable.CronTabClasses().Informer())
			}
			for _, run := range test.runs {
				add("cronruns", run, c.stable.CronRuns().Informer())
			}
			for _, run := range test.uncached {
				add("cronruns", run, nil)
			}
			if verb, resource, ok := strings.Cut(test.fail, " "); ok {
				client.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.with })
			}

			again, err := c.reconcile(t.Context(), cache.NewObjectName("east", "tidy"))
			if (err != nil) != (test.err != nil) || err != nil && !test.err(err) {
				t.Errorf("error %v", err)
			}
			if again != test.again {
				t.Errorf("again after %v, want %v", again, test.again)
			}
			var actions []string
			for _, action := range client.Actions() {
				actions = append(actions, describe(action))
			}
			if !slices.Equal(actions, test.actions) {
				t.Errorf("did %q\nwant %q", actions, test.actions)
			}
			close(recorder.Events)
			var got []string
			for event := range recorder.Events {
				got = append(got, event)
			}
			if !slices.EqualFunc(got, test.events, strings.HasPrefix) {
				t.Errorf("events %q\nwant %q", got, test.events)
			}
			if test.crontab == nil || test.err != nil {
				return
			}
			object, err := client.Tracker().Get(v1.SchemeGroupVersion.WithResource("crontabs"), "east", "tidy")
			if err != nil {
				t.Fatal(err)
			}
			after := object.(*v1.CronTab)
			condition := ""
			if ready := meta.FindStatusCondition(after.Status.Conditions, "Ready"); ready != nil {
				condition = fmt.Sprintf("%s %s", ready.Status, ready.Reason)
				if ready.ObservedGeneration != 7 {
					t.Errorf("Ready has seen generation %d, want 7", ready.ObservedGeneration)
				}
			}
			if condition != test.condition {
				t.Errorf("Ready is %q, want %q", condition, test.condition)
			}
			want := test.crontab.DeepCopy()
			if test.status != nil {
				test.status(want)
			}
			if got, want := after.Status, want.Status; got.Replicas != want.Replicas || !got.LastScheduleTime.Equal(want.LastScheduleTime) {
				t.Errorf("status has %d replicas, last %v; want %d, %v", got.Replicas, got.LastScheduleTime, want.Replicas, want.LastScheduleTime)
			}
			wantFinalizer := test.crontab.DeletionTimestamp == nil || slices.Contains(test.crontab.Finalizers, Finalizer) && len(test.runs) > 0
			if has := slices.Contains(after.Finalizers, Finalizer); has != wantFinalizer {
				t.Errorf("finalizers %q, want this controller's: %t", after.Finalizers, wantFinalizer)
			}
		})
	}
}

// TestRunBelongsToCronTab checks that a created run belongs to its CronTab by name, label and owner reference.
func TestRunBelongsToCronTab(t *testing.T) {
	client := fake.NewClientset()
	c, err := New(client, consistency.NewStore(), &events.FakeRecorder{}, clocktesting.NewFakeClock(at("12:03")))
	if err != nil {
		t.Fatal(err)
	}
	owner := crontab()
	if err := client.Tracker().Create(v1.SchemeGroupVersion.WithResource("crontabs"), owner, "east"); err != nil {
		t.Fatal(err)
	}
	if err := c.stable.CronTabs().Informer().GetIndexer().Add(owner); err != nil {
		t.Fatal(err)
	}
	if _, err := c.reconcile(t.Context(), cache.NewObjectName("east", "tidy")); err != nil {
		t.Fatal(err)
	}
	run, err := client.StableV1().CronRuns("east").Get(t.Context(), fmt.Sprintf("tidy-%d", at("12:00").Unix()), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := metav1.OwnerReference{
		APIVersion: "stable.example.com/v1", Kind: "CronTab", Name: "tidy", UID: "of tidy", Controller: new(true), BlockOwnerDeletion: new(true),
	}
	if len(run.OwnerReferences) != 1 || run.OwnerReferences[0].String() != want.String() {
		t.Errorf("owners %v, want %v", run.OwnerReferences, want)
	}
	if run.Labels[Label] != "tidy" {
		t.Errorf("labels %v", run.Labels)
	}
	if !run.Spec.ScheduledTime.Time.Equal(at("12:00")) {
		t.Errorf("for %v, want 12:00", run.Spec.ScheduledTime)
	}
	if owner.Status.LastScheduleTime != nil {
		t.Error("the CronTab in the cache was changed")
	}
}

// at returns a time on the day of the tests.
func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", "2026-03-01 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

// crontab returns the CronTab east/tidy, which was created at 11:55 and has the finalizer of this controller, with
// changes applied.
func crontab(changes ...func(*v1.CronTab)) *v1.CronTab {
	c := &v1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "tidy", UID: "of tidy", Generation: 7, Finalizers: []string{Finalizer}},
		Spec:       v1.CronTabSpec{CronSpec: "*/10 * * * *", Image: "image:own", Replicas: new(int32(2))},
	}
	created("11:55")(c)
	for _, change := range changes {
		change(c)
	}
	return c
}

func created(clock string) func(*v1.CronTab) {
	return func(c *v1.CronTab) { c.CreationTimestamp = metav1.NewTime(at(clock)) }
}

func last(clock string) func(*v1.CronTab) {
	return func(c *v1.CronTab) { c.Status.LastScheduleTime = new(metav1.NewTime(at(clock))) }
}

func deleted(c *v1.CronTab) { c.DeletionTimestamp = new(metav1.NewTime(at("12:02"))) }

func settled(c *v1.CronTab) {
	c.Status.LabelSelector = "stable.example.com/crontab=tidy"
	c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Scheduled", ObservedGeneration: 7}}
}

func class(policy v1.ConcurrencyPolicy) *v1.CronTabClass {
	return &v1.CronTabClass{
		ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec:       v1.CronTabClassSpec{DefaultImage: "image:class", ConcurrencyPolicy: policy},
	}
}

// run returns the run of east/tidy for a scheduled time, with two replicas.
func run(scheduled string, phase v1.CronRunPhase, changes ...func(*v1.CronRun)) *v1.CronRun {
	r := &v1.CronRun{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "east", Name: fmt.Sprintf("tidy-%d", at(scheduled).Unix()), UID: types.UID("of " + scheduled),
			Labels:          map[string]string{Label: "tidy"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(crontab(), kind)},
		},
		Spec:   v1.CronRunSpec{Image: "image:own", Replicas: 2, ScheduledTime: metav1.NewTime(at(scheduled))},
		Status: v1.CronRunStatus{Phase: phase},
	}
	for _, change := range changes {
		change(r)
	}
	return r
}

// describe returns an action as text. In names of runs, the seconds are replaced with the time of day.
func describe(action clienttesting.Action) string {
	resource := action.GetResource().Resource
	if action.GetSubresource() != "" {
		resource += "/" + action.GetSubresource()
	}
	text := action.GetVerb() + " " + resource + " "
	name := func(name string) string {
		for minute := range 24 * 60 {
			clock := fmt.Sprintf("%02d:%02d", minute/60, minute%60)
			name = strings.ReplaceAll(name, fmt.Sprint(at(clock).Unix()), clock)
		}
		return name
	}
	switch action := action.(type) {
	case clienttesting.DeleteCollectionActionImpl:
		return text + action.ListOptions.LabelSelector
	case clienttesting.DeleteActionImpl:
		if preconditions := action.DeleteOptions.Preconditions; preconditions == nil || preconditions.UID == nil {
			return text + "whatever its UID"
		}
		return text + name(action.Name)
	case clienttesting.CreateActionImpl:
		run := action.Object.(*v1.CronRun)
		return fmt.Sprintf("%s%s %s*%d", text, name(run.Name), run.Spec.Image, run.Spec.Replicas)
	case clienttesting.UpdateActionImpl:
		return text + action.Object.(metav1.Object).GetName()
	}
	return text
}
