package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
)

// A server is a process of test/apiserver that serves the CronTab example, and whatever else it was given.
type server struct {
	dir  string // its data; what a restart goes on with
	args []string
	port string // once it has run

	process *exec.Cmd
	stdin   io.WriteCloser // the process ends when this is closed, as happens when the tests end, however they do
	stdout  *bufio.Reader
}

const crds = "../../examples/crontab-types/crds"

// newServer returns a server of the definitions in crds that does not run yet and keeps its data in dir.
func newServer(dir, crds string, args ...string) *server {
	return &server{dir: dir, port: "0", args: append([]string{
		"--stdin", "--data-dir", dir, "--kubeconfig", filepath.Join(dir, "kubeconfig"), "--crds", crds,
	}, args...)}
}

// ownServer starts a server for one test.
func ownServer(t *testing.T, args ...string) *server {
	t.Helper()
	return startServer(t, newServer(t.TempDir(), crds, args...))
}

// startServer starts a server until the end of the test.
func startServer(t *testing.T, s *server) *server {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// start returns when everything is served. Started again, the server has the same address and the same objects.
func (s *server) start() error {
	cmd := exec.Command(binary, append([]string{"--port", s.port}, s.args...)...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.process, s.stdin, s.stdout = cmd, stdin, bufio.NewReader(stdout)
	line, err := s.stdout.ReadString('\n')
	address, ready := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ready {
		return errors.Join(fmt.Errorf("the API server did not start: it printed %q", line), s.stop())
	}
	at, err := url.Parse(address)
	if err != nil {
		return err
	}
	s.port = at.Port()
	return s.fillWatchCaches()
}

// fillWatchCaches returns when the server can serve watches from any resource version that comes from now on. It makes
// its caches when they are first asked for, and what came before that it calls expired.
func (s *server) fillWatchCaches() error {
	config, err := s.config()
	if err != nil {
		return err
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, start := range []func(context.Context, metav1.ListOptions) (watch.Interface, error){
		client.StableV1().CronTabs("").Watch, client.StableV1().CronRuns("").Watch, client.StableV1().CronTabClasses().Watch,
	} {
		events, err := start(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		events.Stop()
	}
	return nil
}

// compact removes all versions of objects but the latest from the server's storage. What its watch caches have, they
// keep.
func (s *server) compact() error {
	if _, err := io.WriteString(s.stdin, "compact\n"); err != nil {
		return err
	}
	line, err := s.stdout.ReadString('\n')
	if err == nil && line != "compacted\n" {
		err = fmt.Errorf("the API server printed %q", line)
	}
	return err
}

// stop asks the server to end, as a rolling update does, and waits for that.
func (s *server) stop() error {
	if s.process == nil {
		return nil
	}
	err := errors.Join(s.stdin.Close(), s.process.Wait())
	s.process = nil
	return err
}

// kill ends the server without asking.
func (s *server) kill() error {
	if err := s.process.Process.Kill(); err != nil {
		return err
	}
	var exit *exec.ExitError
	if err := s.process.Wait(); !errors.As(err, &exit) {
		return fmt.Errorf("the API server was killed, but ended with %w", err)
	}
	s.process = nil
	return nil
}

// config returns how to reach the server, without a limit on how often.
func (s *server) config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(s.dir, "kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return config, nil
}
