package controller

import (
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

// newInformers returns informers for the objects that the controller reads. An informer keeps a local copy of all
// objects of a kind. The indexes are declared by the types: CronTabs by class, and CronRuns by the CronTab that
// controls them.
func newInformers(client versioned.Interface) externalversions.SharedInformerFactory {
	return externalversions.NewSharedInformerFactory(client, 0)
}
