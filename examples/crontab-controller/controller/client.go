// Package controller makes CronRuns of CronTabs: one for each time on a CronTab's schedule.
//
// The way of an event: client.go, informer.go, handlers.go, queue.go, worker.go, reconcile.go. The rest serves these.
package controller

import (
	"errors"

	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// Connect returns the generated client, client-go's own for Leases and Events, and the namespace to use if nothing else
// names one, as the kubeconfig file says; without its name, as kubectl would have it, or else as the pod has that this is.
func Connect(kubeconfig string) (versioned.Interface, kubernetes.Interface, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, nil, "", err
	}
	config.QPS = -1                              // Servers limit clients more fairly than these do themselves.
	config.ContentType = runtime.ContentTypeJSON // For Leases the default is protobuf, which not all servers know.
	namespace, _, err1 := loader.Namespace()
	client, err2 := versioned.NewForConfig(config)
	kube, err3 := kubernetes.NewForConfig(config)
	return client, kube, namespace, errors.Join(err1, err2, err3)
}
