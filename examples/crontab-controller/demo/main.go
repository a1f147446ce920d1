// Command demo shows the controller at work in a single process: it runs the controller on fakeapi, an API server in
// memory, applies CronTabs, prints what happens to them until Ctrl-C, and then deletes them. The demo on a real API
// server is in ./server.
package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"

	"github.com/kubegen/kubegen/consistency"
	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	"github.com/kubegen/kubegen/examples/crontab-controller/internal/show"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/fakeapi"
)

func main() { show.Main(run) }

func run(ctx context.Context) error {
	show.Say("This runs a controller on an API server in memory, applies three CronTabs, and shows their runs until Ctrl-C.")
	api := fakeapi.New(fakeapi.WithAPI(fake.API{}))
	config, writes := api.RESTConfig(), consistency.NewStore()
	writes.Wrap(config)
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	crontabs, err := controller.New(client, writes, printer{}, clock.RealClock{})
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx)) // The controller must end last, because the CronTabs have its finalizer.
	if err := crontabs.Start(running); err != nil {
		stop()
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		crontabs.Run(running, running, 4)
	}()
	defer func() { stop(); <-ended }()
	return show.CronTabs(ctx, client, ended)
}

// printer prints the events that the controller reports.
type printer struct{}

func (printer) Eventf(regarding, _ runtime.Object, _, _, _, note string, args ...any) {
	name := "?"
	if object, err := meta.Accessor(regarding); err == nil {
		name = object.GetNamespace() + "/" + object.GetName()
	}
	fmt.Println("         controller:", name+":", fmt.Sprintf(note, args...))
}
