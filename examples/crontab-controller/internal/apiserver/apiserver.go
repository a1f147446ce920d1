// Package apiserver starts the API server of test/apiserver, for the demo and the tests.
package apiserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is an API server that runs in its own process.
type Server struct {
	Kubeconfig string // configuration file for clients

	dir     string
	stdin   io.Closer
	process *exec.Cmd
}

// Build builds the API server and returns the path of its binary. It must be called in a directory of the module that
// contains this package. The binary is kept in the user's cache. It is built without the commit, so that it is linked
// again only if the code has changed; linking takes longer than anything else here. Build calls begin with the number
// of packages to compile, and compiled with the import path of each package when its compilation begins. If ctx ends,
// the build ends with the error of ctx.
func Build(ctx context.Context, begin func(packages int), compiled func(importPath string)) (string, error) {
	repository, err := root(ctx)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(cache, "kubegen-e2e", "apiserver")
	run := func(stdout, stderr io.Writer, args ...string) error {
		command := exec.CommandContext(ctx, "go", args...)
		command.Dir = filepath.Join(repository, "test", "apiserver")
		command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		command.Stdout, command.Stderr = stdout, stderr
		command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // lets the go command clean up
		command.WaitDelay = 10 * time.Second
		return command.Run()
	}
	var list, printed bytes.Buffer
	if err := run(&list, &printed, "list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}", "."); err != nil {
		return "", failure(ctx, "go list", err, &printed)
	}
	stale := strings.Fields(list.String())
	begin(len(stale))
	read, write := io.Pipe()
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines := bufio.NewScanner(read); lines.Scan(); {
			if slices.Contains(stale, lines.Text()) {
				compiled(lines.Text())
			} else {
				fmt.Fprintln(&printed, lines.Text())
			}
		}
	})
	err = run(io.Discard, write, "build", "-v", "-buildvcs=false", "-ldflags=-s -w", "-o", file, ".")
	_ = write.Close()
	reading.Wait()
	if err != nil {
		return "", failure(ctx, "go build", err, &printed)
	}
	return file, nil
}

// failure returns the error of a command with its output. If ctx has ended, it returns the error of ctx.
func failure(ctx context.Context, command string, err error, printed *bytes.Buffer) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s in test/apiserver: %w\n%s", command, err, printed)
}

// Start builds the API server and starts it with the CRDs of examples/crontab-types, a CRD for Leases, and the CRDs in
// further files. The server must be stopped, but it also stops when this process ends.
func Start(ctx context.Context, crds ...string) (*Server, error) {
	binary, err := Build(ctx, func(int) {}, func(string) {})
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
	for _, file := range crds {
		s.process.Args = append(s.process.Args, "--crds", file)
	}
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
