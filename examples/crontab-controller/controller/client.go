// Package controller makes CronRuns of CronTabs: one for each time on a CronTab's schedule.
//
// The way of an event: client.go, informer.go, handlers.go, queue.go, worker.go, reconcile.go. The rest serves these.
package controller

import (
	"errors"

	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Version is sent to the server with each request, and logged. The linker sets it; see the Dockerfile.
var Version = "devel"

// Connect returns the generated client; client-go's own for Leases and Events; and the namespace that the kubeconfig file
// names. Without a file, it uses what kubectl would, or else the pod's own configuration and namespace. The options change
// the configuration of both clients.
func Connect(kubeconfig string, options ...func(*rest.Config)) (versioned.Interface, kubernetes.Interface, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, nil, "", err
	}
	config.UserAgent = Name + "/" + Version
	config.QPS = -1                              // Servers limit clients more fairly than these do themselves.
	config.ContentType = runtime.ContentTypeJSON // For Leases the default is protobuf, which not all servers know.
	for _, option := range options {
		option(config)
	}
	urgent := rest.CopyConfig(config)
	urgent.QPS = -1                    // A lease must not wait for other requests,
	urgent.Timeout = renewDeadline / 2 // and there has to be time for another attempt.
	namespace, _, err1 := loader.Namespace()
	client, err2 := versioned.NewForConfig(config)
	kube, err3 := kubernetes.NewForConfig(urgent)
	return client, kube, namespace, errors.Join(err1, err2, err3)
}
