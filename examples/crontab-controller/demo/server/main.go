// Command server shows the controller at work on a real API server, and needs only Go. It starts the API server of
// test/apiserver and the controller as separate processes, applies CronTabs, and prints what happens to them until
// Ctrl-C. It then deletes the CronTabs, ends both processes and removes all files.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/kubegen/kubegen/examples/crontab-controller/internal/apiserver"
	"github.com/kubegen/kubegen/examples/crontab-controller/internal/show"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
)

const program = "github.com/kubegen/kubegen/examples/crontab-controller"

func main() {
	klog.LogToStderr(false) // Reflectors log errors when the server ends, which is expected.
	klog.SetOutput(io.Discard)
	show.Main(run)
}

func run(ctx context.Context) (err error) {
	show.Say("This starts an API server and a controller, applies three CronTabs, and shows their runs until Ctrl-C.")
	server, binary, err := prepare(ctx)
	if server != nil {
		defer func() { err = errors.Join(err, server.Stop()) }()
	}
	if ctx.Err() != nil { // err says no more than that
		show.Say("Interrupted before anything was applied.")
		return nil
	}
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig)
	if err != nil {
		return err
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	show.Say("The API server runs. To look at it from elsewhere: kubectl --kubeconfig %s get crontabs,cronruns -A -w", server.Kubeconfig)
	ended, end, err := start(binary, "--kubeconfig", server.Kubeconfig, "--metrics-bind-address", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return show.CronTabs(ctx, client, ended)
}

// prepare builds the API server and the controller, and starts the server. It returns the server and the path of the
// controller's binary. If the returned server is not nil, it must be stopped, even if there is an error.
func prepare(ctx context.Context) (server *apiserver.Server, binary string, err error) {
	if err := buildServer(ctx); err != nil {
		return nil, "", err
	}
	if server, err = apiserver.Start(ctx); err != nil {
		return nil, "", err
	}
	binary = filepath.Join(filepath.Dir(server.Kubeconfig), "crontab-controller")
	show.Say("Compiling the controller.")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, program)
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) }
	if out, err := build.CombinedOutput(); err != nil {
		return server, "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return server, binary, nil
}

// perPackage is the average time that a processor takes to compile a package of the API server.
const perPackage = 350 * time.Millisecond

// buildServer builds the API server and prints an estimate of the time and the progress.
func buildServer(ctx context.Context) error {
	var packages, done int
	said := time.Now()
	_, err := apiserver.Build(ctx, func(n int) {
		packages = n
		took := time.Duration(n) * perPackage / time.Duration(runtime.NumCPU())
		switch {
		case n < 10:
			show.Say("Linking an API server, if it has changed: some seconds.")
		case took < time.Minute:
			show.Say("Compiling an API server, %d packages. This takes less than a minute.", n)
		default:
			show.Say("Compiling an API server, %d packages. The first time, this takes about %.0f minutes.", n, math.Ceil(took.Minutes()))
		}
	}, func(importPath string) {
		done++
		if time.Since(said) > 3*time.Second {
			said = time.Now()
			show.Say("  %d of %d packages: %s", done, packages, importPath)
		}
		if done == packages && packages > 10 {
			show.Say("  %d of %d packages. Linking.", done, packages)
		}
	})
	return err
}

// start starts the controller and prints its log. The channel is closed when the process has ended. The returned
// function ends it.
func start(binary string, args ...string) (ended <-chan struct{}, end func() error, err error) {
	process := exec.Command(binary, args...)
	apiserver.OwnGroup(process)
	log, err := process.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := process.Start(); err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	var failure error
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			_, line, _ := strings.Cut(lines.Text(), "] ") // without klog's header
			fmt.Println("         controller:", readable(line))
		}
		failure = process.Wait()
	}()
	return done, func() error {
		_ = process.Process.Signal(os.Interrupt)
		<-done
		return failure
	}, nil
}

var (
	conflict = regexp.MustCompile(`crontab="([^"]*)".*the object has been modified`)
	event    = regexp.MustCompile(`^"Event occurred" object="([^"]*)".* note="([^"]*)"`)
)

// readable returns a line of the controller's log, with events and conflicts in plain words. A conflict is not an
// error: the server rejects an update that is based on an old version, and the controller tries again.
func readable(line string) string {
	if found := conflict.FindStringSubmatch(line); found != nil {
		return found[1] + " has changed in the meantime; reconciling it again"
	}
	if found := event.FindStringSubmatch(line); found != nil {
		return found[1] + ": " + found[2]
	}
	return line
}
