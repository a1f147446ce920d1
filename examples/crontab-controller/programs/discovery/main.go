// Command discovery prints the resources that the server has in the API group, with their verbs.
package main

import (
	"flag"
	"fmt"
	"log"
	"strings"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", clientcmd.RecommendedHomeFile, "kubeconfig file")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	client, err := versioned.NewForConfig(config) // Each clientset has a discovery client.
	if err != nil {
		log.Fatal(err)
	}
	list, err := client.Discovery().ServerResourcesForGroupVersion(v1.SchemeGroupVersion.String())
	if err != nil {
		log.Fatal(err)
	}
	for _, resource := range list.APIResources {
		fmt.Printf(
			"%s (%s), in a namespace: %t, verbs: %s\n", resource.Name, resource.Kind, resource.Namespaced, strings.Join(resource.Verbs, " "),
		)
	}
}
