// Package apiserver starts the API server of test/apiserver, for the demo and the tests.
package apiserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Server is an API server that runs in a process of its own.
type Server struct {
	Kubeconfig string // what its clients need

	dir     string
	stdin   io.Closer
	process *exec.Cmd
}

// Build builds the API server and returns its file. It must be called in a directory of the module that this package is in,
// or of one below. The file is kept in the user's cache, without the commit in it, so as to link it again only when it
// has changed, which takes longer than anything else here.
func Build(ctx context.Context) (string, error) {
	repository, err := root(ctx)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(cache, "kubegen-e2e", "apiserver")
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(repository, "test", "apiserver"), "-buildvcs=false", "-ldflags=-s -w", "-o", file, ".")
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build in test/apiserver: %w\n%s", err, out)
	}
	return file, nil
}

// Start builds the API server and starts it, with the CRDs of examples/crontab-types and one for Leases. It has to be
// stopped, but also stops when this process ends.
func Start(ctx context.Context) (*Server, error) {
	binary, err := Build(ctx)
	if err != nil {
		return nil, err
	}
	repository, err := root(ctx)
	if err != nil {
		return nil, err
	}
	examples := filepath.Join(repository, "examples")
	dir, err := os.MkdirTemp("", "crontab-controller-")
	if err != nil {
		return nil, err
	}
	s := &Server{Kubeconfig: filepath.Join(dir, "kubeconfig"), dir: dir}
	s.process = exec.Command(binary, "--stdin", "--data-dir", dir, "--kubeconfig", s.Kubeconfig,
		"--crds", filepath.Join(examples, "crontab-types", "crds"),
		"--crds", filepath.Join(examples, "crontab-controller", "internal", "apiserver", "leases.yaml"))
	OwnGroup(s.process)
	s.process.Stderr = os.Stderr
	stdout, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.stdin, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := context.AfterFunc(ctx, func() { _ = s.stdin.Close() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if !stop() || !strings.HasPrefix(line, "ready ") {
		return nil, errors.Join(fmt.Errorf("the API server did not start"), context.Cause(ctx), err, s.Stop())
	}
	return s, nil
}

// Stop ends the server and removes its data.
func (s *Server) Stop() error {
	_ = s.stdin.Close()
	return errors.Join(s.process.Wait(), os.RemoveAll(s.dir))
}

// root returns the directory of the repository.
func root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubegen/kubegen").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
