package controller

import (
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

// newInformers returns informers, which keep a local copy of all objects that the controller reads. They have the indexes that
// the types declare: CronTabs by class, CronRuns by the CronTab that controls them.
func newInformers(client versioned.Interface) externalversions.SharedInformerFactory {
	return externalversions.NewSharedInformerFactory(client, 0)
}
