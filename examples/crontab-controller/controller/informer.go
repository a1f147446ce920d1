package controller

import (
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Indexes, by which a cache finds objects without a look at all of them.
const (
	byClass = "class" // CronTabs by the name of their class
	byOwner = "owner" // CronRuns by the UID of their CronTab
)

// newInformers returns informers, which keep a local copy of all that the controller reads, by list and watch.
func newInformers(client versioned.Interface) (externalversions.SharedInformerFactory, error) {
	factory := externalversions.NewSharedInformerFactory(client, 0)
	if err := factory.Stable().V1().CronTabs().TypedInformer().AddTypedIndexers(informers.CronTabIndexers{
		byClass: func(crontab *v1.CronTab) ([]string, error) { return []string{crontab.Spec.ClassName}, nil },
	}); err != nil {
		return nil, err
	}
	return factory, factory.Stable().V1().CronRuns().TypedInformer().AddTypedIndexers(informers.CronRunIndexers{
		byOwner: func(run *v1.CronRun) ([]string, error) {
			return []string{string(ptr.Deref(metav1.GetControllerOfNoCopy(run), metav1.OwnerReference{}).UID)}, nil
		},
	})
}
