package controller

import (
	"github.com/kubegen/kubegen/consistency"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

// +kubebuilder:rbac:groups=stable.example.com,resources=crontabs;cronruns;crontabclasses,verbs=list;watch

// newInformers returns informers for the objects that the controller reads. An informer keeps a local copy of all
// objects of a kind. The indexes are declared by the types: CronTabs by class, and CronRuns by the CronTab that
// controls them. The local copies are behind the server; writes knows whether they have what the controller has
// written.
func newInformers(client versioned.Interface, writes *consistency.Store) externalversions.SharedInformerFactory {
	return externalversions.NewSharedInformerFactoryWithOptions(client, 0, externalversions.WithConsistency(writes))
}
