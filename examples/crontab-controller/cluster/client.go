// Package cluster connects the controller to a cluster: clients, events, leader election with a Lease, and an HTTP server for
// metrics and probes.
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

// Connect returns the generated client; client-go's own, for Leases and Events; and the namespace of the kubeconfig file.
// Without a file, it uses the one that kubectl would use, or else the configuration and namespace of the pod. The options
// change the configuration of both clients.
func Connect(kubeconfig string, options ...func(*rest.Config)) (versioned.Interface, kubernetes.Interface, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, nil, "", err
	}
	config.UserAgent = controller.Name + "/" + controller.Version
	config.QPS = -1                              // The server's priority and fairness limits clients better than these can.
	config.ContentType = runtime.ContentTypeJSON // For Leases the default is protobuf, which not all servers support.
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
