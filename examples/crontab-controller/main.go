// Command crontab-controller makes CronRuns of CronTabs, on a cluster or any other server that has the API.
package main

import (
	"context"
	"flag"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

var (
	kubeconfig  = flag.String("kubeconfig", "", "kubeconfig file; if empty, what kubectl would use, or else the pod's own")
	workers     = flag.Int("workers", 4, "how many CronTabs to reconcile at a time")
	leaderElect = flag.Bool("leader-elect", true, "work only while holding a lease, for which others stand by")
	address     = flag.String("metrics-bind-address", ":8080", "where to serve /metrics and /healthz")
)

func main() {
	klog.InitFlags(nil)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second signal ends the process at once.
	if err := run(ctx); err != nil {
		klog.ErrorS(err, "The controller has ended")
		klog.FlushAndExit(klog.ExitFlushTimeout, 1)
	}
}

func run(ctx context.Context) error {
	client, kube, namespace, err := controller.Connect(*kubeconfig)
	if err != nil {
		return err
	}
	recorder, err := controller.NewEventRecorder(ctx, kube)
	if err != nil {
		return err
	}
	crontabs, err := controller.New(client, recorder, clock.RealClock{})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	klog.InfoS("Serving metrics", "address", listener.Addr().String())
	go func() { _ = http.Serve(listener, controller.Handler()) }()
	work := func(ctx context.Context) { crontabs.Run(ctx, *workers) }
	if !*leaderElect {
		work(ctx)
		return nil
	}
	hostname, _ := os.Hostname()
	return controller.RunAsLeader(ctx, kube.CoordinationV1(), namespace, hostname+"_"+string(uuid.NewUUID()), work)
}
