package controller

import (
	"errors"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// addHandlers makes the informers queue a CronTab whenever it, one of its runs, or its class changes. The kind of
// change does not matter, because a reconcile looks at the whole state.
func (c *Controller) addHandlers() error {
	_, err1 := c.stable.CronTabs().TypedInformer().AddTypedEventHandler(informers.CronTabHandlerFuncs{
		AddFunc:    func(crontab *v1.CronTab) { c.queue.Add(cache.MetaObjectToName(crontab)) },
		UpdateFunc: func(_, crontab *v1.CronTab) { c.queue.Add(cache.MetaObjectToName(crontab)) },
		// If the watch missed the deletion, there is only a tombstone, which also has the name.
		DeleteFunc: func(crontab informers.DeletedCronTab) { c.queue.Add(crontab.GetObjectName()) },
	})
	_, err2 := c.stable.CronRuns().TypedInformer().AddTypedEventHandler(informers.CronRunHandlerFuncs{
		AddFunc:    c.queueOwner,
		UpdateFunc: func(_, run *v1.CronRun) { c.queueOwner(run) },
		DeleteFunc: func(run informers.DeletedCronRun) { c.queueOwner(run.OptionalObj) },
	})
	_, err3 := c.stable.CronTabClasses().TypedInformer().AddTypedEventHandler(informers.CronTabClassHandlerFuncs{
		AddFunc:    func(class *v1.CronTabClass) { c.queueUsers(class.Name) },
		UpdateFunc: func(_, class *v1.CronTabClass) { c.queueUsers(class.Name) },
		DeleteFunc: func(class informers.DeletedCronTabClass) { c.queueUsers(class.GetObjectName().Name) },
	})
	return errors.Join(err1, err2, err3)
}

// queueOwner queues the CronTab of a run. The run is nil if only its name is known.
func (c *Controller) queueOwner(run *v1.CronRun) {
	if run == nil {
		return
	}
	if owner := metav1.GetControllerOfNoCopy(run); owner != nil && owner.Kind == kind.Kind {
		c.queue.Add(cache.NewObjectName(run.Namespace, owner.Name))
	}
}

// queueUsers queues the CronTabs of a class.
func (c *Controller) queueUsers(class string) {
	crontabs, _ := c.stable.CronTabs().Lister().ByClass(class) // The only error is a missing index.
	for _, crontab := range crontabs {
		c.queue.Add(cache.MetaObjectToName(crontab))
	}
}
