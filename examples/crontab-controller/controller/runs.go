package controller

import (
	"context"
	"fmt"
	"slices"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Label is the key of the label of all runs. Its value is the name of the CronTab.
const Label = "stable.example.com/crontab"

var kind = v1.SchemeGroupVersion.WithKind("CronTab")

// The update of finalizers is for owner references, where the admission plugin OwnerReferencesPermissionEnforcement is
// on.
//
// +kubebuilder:rbac:groups=stable.example.com,resources=cronruns,verbs=create;delete
// +kubebuilder:rbac:groups=stable.example.com,resources=crontabs/finalizers,verbs=update

// start creates a run, unless the policy forbids it while others are active, and returns the runs that are active then.
// The name of the run consists of the CronTab's name and the scheduled time. So it is created only once, even if
// several attempts or processes try.
func (c *Controller) start(
	ctx context.Context, crontab *v1.CronTab, spec v1.CronRunSpec, policy v1.ConcurrencyPolicy, active []*v1.CronRun,
) ([]*v1.CronRun, error) {
	name := fmt.Sprintf("%s-%d", crontab.Name, spec.ScheduledTime.Unix())
	if slices.ContainsFunc(active, func(run *v1.CronRun) bool { return run.Name == name }) {
		return active, nil // An earlier attempt has created the run, but has not written the status.
	}
	switch {
	case policy == v1.ForbidConcurrent && len(active) > 0:
		runsSkipped.Inc()
		c.events.Eventf(crontab, active[0], corev1.EventTypeNormal, "Skipped", "Schedule", "Skipped %s: %s is active", name, active[0].Name)
		return active, nil
	case policy == v1.ReplaceConcurrent:
		if err := c.delete(ctx, active); err != nil {
			return nil, err
		}
		active = nil
	}
	run, err := c.client.StableV1().CronRuns(crontab.Namespace).Create(ctx, &v1.CronRun{
		ObjectMeta: metav1.ObjectMeta{
			Name:            name,
			Labels:          map[string]string{Label: crontab.Name},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(crontab, kind)},
		},
		Spec: spec,
	}, metav1.CreateOptions{FieldManager: Name})
	if errors.IsAlreadyExists(err) {
		return active, nil // The run exists, but is not in the cache yet, or has already ended.
	} else if err != nil {
		c.events.Eventf(crontab, nil, corev1.EventTypeWarning, "NotCreated", "Schedule", "%v", err)
		return nil, err
	}
	runsCreated.Inc()
	runDelay.Observe(c.clock.Since(spec.ScheduledTime.Time).Seconds())
	c.events.Eventf(crontab, run, corev1.EventTypeNormal, "Created", "Schedule", "Created %s", name)
	return append(active, run), nil
}

// prune deletes the oldest runs that have ended, and keeps as many as the history limit says.
func (c *Controller) prune(ctx context.Context, crontab *v1.CronTab, runs []*v1.CronRun) error {
	ended := slices.DeleteFunc(slices.Clone(runs), func(run *v1.CronRun) bool { return !hasEnded(run) })
	return c.delete(ctx, ended[:max(0, len(ended)-int(ptr.Deref(crontab.Spec.HistoryLimit, 3)))])
}

// delete deletes runs. It does not delete a run that was created later with the same name.
func (c *Controller) delete(ctx context.Context, runs []*v1.CronRun) error {
	for _, run := range runs {
		options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(run.UID))}
		if err := c.client.StableV1().CronRuns(run.Namespace).Delete(ctx, run.Name, options); err != nil && !errors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

func hasEnded(run *v1.CronRun) bool {
	return run.Status.Phase == v1.RunSucceeded || run.Status.Phase == v1.RunFailed
}
