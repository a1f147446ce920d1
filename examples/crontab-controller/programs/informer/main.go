// Command informer prints CronTabs and their changes until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", clientcmd.RecommendedHomeFile, "kubeconfig file")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	factory := externalversions.NewSharedInformerFactory(versioned.NewForConfigOrDie(config), 0)
	_, err = factory.Stable().V1().CronTabs().TypedInformer().AddTypedEventHandler(informers.CronTabHandlerFuncs{
		AddFunc:    func(crontab *v1.CronTab) { fmt.Println("added", crontab.Name) },
		UpdateFunc: func(_, crontab *v1.CronTab) { fmt.Println("updated", crontab.Name) },
		DeleteFunc: func(crontab informers.DeletedCronTab) { fmt.Println("deleted", crontab.GetObjectName().Name) },
	})
	if err != nil {
		log.Fatal(err)
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
}
