// Command crontab-controller creates the CronRuns of CronTabs, on a cluster or any other server that serves these
// kinds.
package main

import (
	"context"
	"flag"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/kubegen/kubegen/consistency"
	"github.com/kubegen/kubegen/examples/crontab-controller/cluster"
	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

//go:generate go run github.com/kubegen/kubegen/cmd/kubegen --only rbac --with-rbac ./...

var (
	kubeconfig = flag.String(
		"kubeconfig", "", "kubeconfig file; if empty, the one that kubectl would use, or else the pod's own configuration",
	)
	qps         = flag.Float64("kube-api-qps", -1, "average requests per second; -1 leaves the limit to the server's priority and fairness")
	burst       = flag.Int("kube-api-burst", 30, "maximum burst of requests, if --kube-api-qps is positive")
	workers     = flag.Int("workers", 4, "number of CronTabs to reconcile at the same time")
	leaderElect = flag.Bool("leader-elect", true, "work only while holding a lease; other replicas stand by")
	address     = flag.String("metrics-bind-address", ":8080", "address that serves /metrics, /healthz and /readyz")
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

// run runs the controller until all its work has ended. It returns nil after a signal, and otherwise an error.
func run(ctx context.Context) error {
	writes := consistency.NewStore()
	client, kube, namespace, err := cluster.Connect(*kubeconfig, func(config *rest.Config) {
		config.QPS, config.Burst = float32(*qps), *burst
		writes.Wrap(config)
	})
	if err != nil {
		return err
	}
	recorder, err := cluster.NewEventRecorder(ctx, kube)
	if err != nil {
		return err
	}
	crontabs, err := controller.New(client, writes, recorder, clock.RealClock{})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	klog.InfoS("Serving metrics", "address", listener.Addr().String(), "version", controller.Version)
	watchdog := leaderelection.NewLeaderHealthzAdaptor(20 * time.Second)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return cluster.Serve(ctx, listener, cluster.Handler(watchdog.Check, crontabs.Ready))
	})
	group.Go(func() error {
		if err := crontabs.Start(ctx); err != nil || ctx.Err() != nil {
			return err
		}
		if !*leaderElect {
			crontabs.Run(ctx, context.WithoutCancel(ctx), *workers)
			return nil
		}
		hostname, _ := os.Hostname()
		return cluster.RunAsLeader(ctx, kube.CoordinationV1(), namespace, hostname+"_"+string(uuid.NewUUID()), watchdog,
			func(lease context.Context) {
				current, cancel := context.WithCancel(lease)
				defer context.AfterFunc(ctx, cancel)()
				defer cancel()
				if err := writes.WaitUntilCurrent(current); err != nil { // which lacks writes of the leader before
					klog.ErrorS(err, "Not working as the leader")
					return
				}
				crontabs.Run(ctx, lease, *workers)
			})
	})
	return group.Wait()
}
