// Command clientset applies, scales, reads and deletes a CronTab with the generated clientset.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	apply "github.com/kubegen/kubegen/examples/crontab-types/generated/applyconfiguration/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", clientcmd.RecommendedHomeFile, "kubeconfig file")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	client, err := versioned.NewForConfig(config)
	check(err)
	ctx, crontabs := context.Background(), client.StableV1().CronTabs("default")

	wanted := apply.CronTab("example", "default").WithSpec(apply.CronTabSpec().WithCronSpec("0 3 * * *").WithImage("image:v1"))
	crontab, err := crontabs.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "example"})
	check(err)
	fmt.Println("applied", crontab.Name, "with the default of", *crontab.Spec.Replicas, "replicas")

	scale, err := crontabs.GetScale(ctx, "example", metav1.GetOptions{})
	check(err)
	scale.Spec.Replicas = 3
	_, err = crontabs.UpdateScale(ctx, "example", scale, metav1.UpdateOptions{})
	check(err)
	crontab, err = crontabs.Get(ctx, "example", metav1.GetOptions{})
	check(err)
	fmt.Println("scaled it to", *crontab.Spec.Replicas)
	check(crontabs.Delete(ctx, "example", metav1.DeleteOptions{}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
