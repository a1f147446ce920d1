// Command podcache fills a cache with all Pods of the cluster in KUBECONFIG, and prints how many there are and how much
// memory the cache needs. The type of the Pods has only the fields in kubegen.yaml.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubegen/kubegen/examples/podcache/pods/clientset/versioned"
	v1 "github.com/kubegen/kubegen/examples/podcache/pods/core/v1"
	"github.com/kubegen/kubegen/examples/podcache/pods/informers/externalversions"
)

//go:generate go run github.com/kubegen/kubegen/cmd/kubegen

func main() {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, config, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// measure fills a cache with the Pods of a cluster, and prints a line about it.
func measure(ctx context.Context, config *rest.Config, out io.Writer) error {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := externalversions.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lister := factory.Core().V1().Pods().Lister()

	before := heap()
	factory.StartWithContext(ctx)
	if err := externalversions.WaitForCaches(ctx, factory); err != nil {
		return err
	}
	used := heap() - before

	pods, err := lister.List(labels.Everything())
	if err != nil {
		return err
	}
	running, nodes := 0, map[string]bool{}
	for _, pod := range pods {
		if pod.Status.Phase == v1.PodRunning {
			running++
			nodes[pod.Spec.NodeName] = true
		}
	}
	_, err = fmt.Fprintf(
		out, "%d Pods, %d of them running on %d nodes: the cache needs %.1f MB\n", len(pods), running, len(nodes), float64(used)/1e6,
	)
	return err
}

// heap returns the memory of reachable objects.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
