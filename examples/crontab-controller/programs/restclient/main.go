// Command restclient lists CronTabs with a RESTClient, which is the basis of typed clients. The generated scheme tells
// it the Go types.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", clientcmd.RecommendedHomeFile, "kubeconfig file")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	config.APIPath = "/apis"
	config.GroupVersion = &v1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		log.Fatal(err)
	}
	var list v1.CronTabList
	err = client.Get().Resource("crontabs").
		VersionedParams(&metav1.ListOptions{Limit: 100}, scheme.ParameterCodec). // in all namespaces
		Do(context.Background()).Into(&list)
	if err != nil {
		log.Fatal(err)
	}
	for _, crontab := range list.Items {
		fmt.Printf("%s/%s runs %q\n", crontab.Namespace, crontab.Name, crontab.Spec.CronSpec)
	}
}
