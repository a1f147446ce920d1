package controller

import (
	"cmp"
	"context"
	"slices"
	"time"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// Finalizer keeps a CronTab until all its runs are deleted.
const Finalizer = "stable.example.com/runs"

// +kubebuilder:rbac:groups=stable.example.com,resources=crontabs;crontabs/status,verbs=update

// reconcile brings the actual state of a CronTab closer to the desired state. It returns the time after which to
// reconcile the CronTab again; 0 means when something changes. It can stop after any step, because of an error or a
// crash, and start again in this or another process, because all steps are idempotent.
func (c *Controller) reconcile(ctx context.Context, name cache.ObjectName) (again time.Duration, err error) {
	if err := c.writes.EnsureReady(name); err != nil {
		return 0, err // What follows would act on what it has already changed.
	}
	cached, err := c.stable.CronTabs().Lister().CronTabs(name.Namespace).Get(name.Name)
	if errors.IsNotFound(err) {
		return 0, nil // Its runs were deleted before it.
	} else if err != nil {
		return 0, err
	}
	runs, err := c.stable.CronRuns().Lister().CronRuns(name.Namespace).ByController(cached.UID)
	if err != nil {
		return 0, err
	}
	slices.SortFunc(runs, func(a, b *v1.CronRun) int { return a.Spec.ScheduledTime.Compare(b.Spec.ScheduledTime.Time) })
	hasFinalizer := slices.Contains(cached.Finalizers, Finalizer)
	if cached.DeletionTimestamp != nil && hasFinalizer {
		return 0, c.finalize(ctx, cached, runs)
	} else if cached.DeletionTimestamp != nil {
		return 0, nil
	} else if !hasFinalizer {
		return 0, c.setFinalizers(ctx, cached, append(slices.Clone(cached.Finalizers), Finalizer)) // The update queues the CronTab again.
	}
	crontab := cached.DeepCopy() // Objects in the cache are shared.
	again, err = c.sync(ctx, crontab, runs)
	if err != nil || equality.Semantic.DeepEqual(cached.Status, crontab.Status) {
		return again, err
	}
	// If the CronTab has changed in the meantime, this is a conflict, so an outdated status is never written.
	_, err = c.client.StableV1().CronTabs(crontab.Namespace).UpdateStatus(ctx, crontab, metav1.UpdateOptions{FieldManager: Name})
	return again, err
}

// sync creates the run that is due, and changes the status of crontab. The caller writes the status.
func (c *Controller) sync(ctx context.Context, crontab *v1.CronTab, runs []*v1.CronRun) (again time.Duration, err error) {
	schedule, err := parser.Parse(crontab.Spec.CronSpec)
	if err != nil {
		return 0, c.notReady(crontab, "InvalidSchedule", err)
	}
	spec := v1.CronRunSpec{Image: crontab.Spec.Image, Replicas: ptr.Deref(crontab.Spec.Replicas, 1)}
	policy := v1.AllowConcurrent
	if crontab.Spec.ClassName != "" {
		class, err := c.stable.CronTabClasses().Lister().Get(crontab.Spec.ClassName)
		if err != nil {
			return 0, c.notReady(crontab, "ClassNotFound", err)
		}
		spec.Image, policy = cmp.Or(spec.Image, class.Spec.DefaultImage), class.Spec.ConcurrencyPolicy
	}
	now, last := c.clock.Now().UTC(), ptr.Deref(crontab.Status.LastScheduleTime, crontab.CreationTimestamp)
	active := slices.DeleteFunc(slices.Clone(runs), hasEnded)
	if due := lastDue(schedule, last.Time, now); !due.IsZero() && !crontab.Spec.Suspend {
		spec.ScheduledTime = metav1.NewTime(due)
		if active, err = c.start(ctx, crontab, spec, policy, active); err != nil {
			return 0, err
		}
		crontab.Status.LastScheduleTime = &spec.ScheduledTime
	}
	if err := c.prune(ctx, crontab, runs); err != nil {
		return 0, err
	}
	crontab.Status.LabelSelector = labels.Set{Label: crontab.Name}.String()
	crontab.Status.Replicas = 0
	for _, run := range active {
		crontab.Status.Replicas += run.Spec.Replicas
	}
	if crontab.Spec.Suspend {
		setReady(crontab, metav1.ConditionFalse, "Suspended", "")
		return 0, nil
	}
	setReady(crontab, metav1.ConditionTrue, "Scheduled", "")
	return max(0, schedule.Next(now).Sub(now)), nil // Next is the zero time if the schedule has no more times.
}

// notReady reports a problem with an event and a condition. It returns no error, because only a change of an object can
// solve the problem, and that change queues the CronTab.
func (c *Controller) notReady(crontab *v1.CronTab, reason string, problem error) error {
	c.events.Eventf(crontab, nil, corev1.EventTypeWarning, reason, "Schedule", "%v", problem)
	setReady(crontab, metav1.ConditionFalse, reason, problem.Error())
	return nil
}

func setReady(crontab *v1.CronTab, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&crontab.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: status, Reason: reason, Message: message, ObservedGeneration: crontab.Generation,
	})
}

// +kubebuilder:rbac:groups=stable.example.com,resources=cronruns,verbs=deletecollection

// finalize deletes the runs of a CronTab. Each deletion queues the CronTab again. When no run is left, finalize removes
// the finalizer.
func (c *Controller) finalize(ctx context.Context, crontab *v1.CronTab, runs []*v1.CronRun) error {
	if len(runs) > 0 {
		return c.delete(ctx, runs)
	}
	// The cache may lack a run that another process created when it was the leader.
	its := metav1.ListOptions{LabelSelector: labels.Set{Label: crontab.Name}.String()}
	if err := c.client.StableV1().CronRuns(crontab.Namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, its); err != nil {
		return err
	}
	isOwn := func(finalizer string) bool { return finalizer == Finalizer }
	return c.setFinalizers(ctx, crontab, slices.DeleteFunc(slices.Clone(crontab.Finalizers), isOwn))
}

// setFinalizers updates the finalizers. Like UpdateStatus, it fails with a conflict if crontab is not the latest
// version.
func (c *Controller) setFinalizers(ctx context.Context, crontab *v1.CronTab, finalizers []string) error {
	changed := crontab.DeepCopy()
	changed.Finalizers = finalizers
	_, err := c.client.StableV1().CronTabs(crontab.Namespace).Update(ctx, changed, metav1.UpdateOptions{FieldManager: Name})
	return err
}
