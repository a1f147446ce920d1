// Package cluster connects the controller to a cluster: clients, events, leader election with a Lease, and an HTTP
// server for metrics and probes.
package cluster

import (
	"errors"

	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Connect returns the generated client, client-go's own client for Leases and Events, and the namespace of the
// kubeconfig file. If kubeconfig is "", it uses the file that kubectl would use, or else the configuration and
// namespace of the pod. The options modify the configuration of both clients.
func Connect(kubeconfig string, options ...func(*rest.Config)) (versioned.Interface, kubernetes.Interface, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, nil, "", err
	}
	config.UserAgent = controller.Name + "/" + controller.Version
	config.QPS = -1                              // The server limits the rate of clients by priority and fairness.
	config.ContentType = runtime.ContentTypeJSON // The default for Leases is protobuf, which not all servers support.
	for _, option := range options {
		option(config)
	}
	urgent := rest.CopyConfig(config)
	urgent.QPS = -1                    // Requests for the lease must not wait for other requests,
	urgent.Timeout = renewDeadline / 2 // and if one fails, there must be time for another attempt.
	namespace, _, err1 := loader.Namespace()
	client, err2 := versioned.NewForConfig(config)
	kube, err3 := kubernetes.NewForConfig(urgent)
	return client, kube, namespace, errors.Join(err1, err2, err3)
}
