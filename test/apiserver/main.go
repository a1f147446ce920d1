// Command apiserver serves CustomResourceDefinitions, and what they define, on a loopback port:
// apiextensions-apiserver, the part of kube-apiserver that does so, on an embedded etcd, in one process. It is for
// tests and demos.
//
//	go build -o apiserver . && ./apiserver --crds ../../examples/crontab-types/crds --kubeconfig kubeconfig
//
// Once everything is served, it writes the kubeconfig and prints one line, "ready URL"; nothing else goes to standard
// output. It ends, and cleans up, on SIGINT and SIGTERM, and with --stdin when standard input is closed. Started again
// with the same --data-dir and --port it has the same objects, certificate and token, so the kubeconfig stays valid.
//
// Storage, the watch cache, validation, defaults, subresources, server-side apply, discovery and OpenAPI are those of
// a cluster. There are no core APIs, such as Pods or Namespaces (any namespace will do), no webhooks' Services and no
// RBAC: the kubeconfig may do everything, and other users have one role. ValidatingAdmissionPolicies are read from a
// file.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) (err error) {
	flags := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	dataDir := flags.String(
		"data-dir", "", "directory for etcd, certificate, token and log; a temporary one if empty, which is removed in the end",
	)
	port := flags.Int("port", 0, "port on 127.0.0.1; any free one if 0")
	kubeconfig := flags.String("kubeconfig", "", "file to write a kubeconfig to; kubeconfig in the data directory if empty")
	gates := flags.String("feature-gates", "", "such as CBORServingAndStorage=true")
	role := flags.String("role", "", "file with a ClusterRole of all users other than the kubeconfig's")
	policyFile := flags.String("policies", "", "file with ValidatingAdmissionPolicies and their bindings, which are applied to all requests")
	watchStdin := flags.Bool(
		"stdin", false,
		"end when standard input is closed, so as not to outlive the process that holds its other side; a line \"compact\" on it removes the "+
			"history of all objects, which is confirmed by \"compacted\" on standard output",
	)
	var crds []string
	flags.Func("crds", "file, or directory of .yaml files, with CustomResourceDefinitions to apply; may be repeated", func(path string) error {
		crds = append(crds, path)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; there are only flags", flags.Arg(0))
	}
	definitions, err := readCRDs(crds)
	if err != nil {
		return err
	}
	rules, err := readRules(*role)
	if err != nil {
		return fmt.Errorf("--role: %w", err)
	}
	policies, err := readPolicies(*policyFile)
	if err != nil {
		return fmt.Errorf("--policies: %w", err)
	}
	if err := utilfeature.DefaultMutableFeatureGate.Set(*gates); err != nil {
		return fmt.Errorf("--feature-gates: %w", err)
	}

	dir := *dataDir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "apiserver-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(log, nil)))

	commands := make(chan string)
	if *watchStdin {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			defer cancel()
			for lines := bufio.NewScanner(stdin); lines.Scan(); {
				select {
				case commands <- lines.Text():
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	etcd, err := startEtcd(ctx, filepath.Join(dir, "etcd"))
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer etcd.Close()
	server, err := newServer(dir, *port, etcd.Clients[0].Addr().String(), rules, policies)
	if err != nil {
		return err
	}

	// Whatever goes wrong, the server is stopped first, and then etcd.
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		ended <- server.run(ctx)
	}()
	defer func() {
		cancel()
		err = errors.Join(err, <-ended)
	}()
	if err := prepare(ctx, server, definitions, *kubeconfig); err != nil {
		if ctx.Err() != nil {
			return nil // asked to end before it was ready; or server.run has failed, and says why
		}
		return err
	}
	fmt.Fprintln(stdout, "ready", server.url())
	for {
		select {
		case <-ctx.Done():
			return nil
		case command := <-commands:
			if command != "compact" {
				return fmt.Errorf("--stdin: unknown command %q; there is only compact", command)
			}
			if err := compact(ctx, etcd); err != nil {
				return err
			}
			fmt.Fprintln(stdout, "compacted")
		}
	}
}

// prepare returns when the server serves all definitions and the kubeconfig is there.
func prepare(ctx context.Context, server *server, definitions []definition, kubeconfig string) error {
	if err := server.waitReady(ctx); err != nil {
		return err
	}
	if err := applyCRDs(ctx, server.loopback(), definitions); err != nil {
		return err
	}
	if kubeconfig == "" {
		kubeconfig = filepath.Join(server.dir, "kubeconfig")
	}
	return server.writeKubeconfig(kubeconfig)
}
