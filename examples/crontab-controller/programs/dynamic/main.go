// Command dynamic lists CronTabs with the dynamic client. It needs no Go types, so it suits tools that work with any
// API.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", clientcmd.RecommendedHomeFile, "kubeconfig file")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	crontabs := schema.GroupVersionResource{Group: "stable.example.com", Version: "v1", Resource: "crontabs"}
	list, err := client.Resource(crontabs).List(context.Background(), metav1.ListOptions{}) // in all namespaces
	if err != nil {
		log.Fatal(err)
	}
	for _, crontab := range list.Items {
		schedule, _, err := unstructured.NestedString(crontab.Object, "spec", "cronSpec")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s/%s runs %q\n", crontab.GetNamespace(), crontab.GetName(), schedule)
	}
}
