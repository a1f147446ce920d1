// Command workqueue is a minimal controller: an informer queues the names of CronTabs, and a worker processes them.
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
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
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
	queue := workqueue.NewTyped[cache.ObjectName]()
	context.AfterFunc(ctx, queue.ShutDown)
	factory := externalversions.NewSharedInformerFactory(versioned.NewForConfigOrDie(config), 0)
	crontabs := factory.Stable().V1().CronTabs()
	_, err = crontabs.TypedInformer().AddTypedEventHandler(informers.CronTabHandlerFuncs{
		AddFunc:    func(crontab *v1.CronTab) { queue.Add(cache.MetaObjectToName(crontab)) },
		UpdateFunc: func(_, crontab *v1.CronTab) { queue.Add(cache.MetaObjectToName(crontab)) },
		DeleteFunc: func(crontab informers.DeletedCronTab) { queue.Add(crontab.GetObjectName()) },
	})
	if err != nil {
		log.Fatal(err)
	}
	factory.StartWithContext(ctx)
	for name, shutdown := queue.Get(); !shutdown; name, shutdown = queue.Get() {
		_, err := crontabs.Lister().CronTabs(name.Namespace).Get(name.Name)
		fmt.Println("look at", name, "which is there:", err == nil)
		queue.Done(name)
	}
	factory.Shutdown()
}
