package e2e

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	apiserver "github.com/kubegen/kubegen/test/apiserver/binary"
)

var (
	binary string  // of test/apiserver
	shared *server // for all tests that do not restart it
)

func TestMain(m *testing.M) {
	if address := os.Getenv(installerEnv); address != "" { // a program that TestMigrationKilled starts and kills
		if err := runInstaller(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	temp, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(temp)
	if binary = os.Getenv("E2E_APISERVER"); binary == "" {
		if binary, err = apiserver.Build(); err != nil {
			return 0, err
		}
	}
	var args []string
	if prefersCBOR {
		args = []string{"--feature-gates", "CBORServingAndStorage=true"}
	}
	shared = newServer(temp, crds, args...)
	if err := shared.start(); err != nil {
		return 0, err
	}
	code = m.Run()
	return code, shared.stop()
}

// connect returns a client of a server that records its requests.
func connect(t *testing.T, s *server) (*versioned.Clientset, *recorder) {
	t.Helper()
	config, err := s.config()
	must(t, err)
	return connectWith(t, config)
}

func connectWith(t *testing.T, config *rest.Config) (*versioned.Clientset, *recorder) {
	t.Helper()
	requests := &recorder{}
	config.Wrap(requests.wrap)
	client, err := versioned.NewForConfig(config)
	must(t, err)
	return client, requests
}

// limit returns a context for all that a test does, so that nothing waits forever.
func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

var notInNames = regexp.MustCompile("[^a-z0-9]+")

// namespace returns one that no other test uses. The server lets objects live in any.
func namespace(t *testing.T) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-")
}

// eventually waits until a condition holds, for that which nobody reports.
func eventually(ctx context.Context, t *testing.T, what string, holds func() bool) {
	t.Helper()
	for !holds() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s: %v", what, context.Cause(ctx))
		}
	}
}

// receive returns the next value of a channel.
func receive[T any](ctx context.Context, t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v, ok := <-from:
		if !ok {
			t.Fatal("the channel is closed")
		}
		return v
	case <-ctx.Done():
		t.Fatalf("waited in vain for a value: %v", context.Cause(ctx))
		panic("unreachable")
	}
}
