package typecopy

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Scratch makes a module in a temporary directory that requires the modules of packages, each in the form PATH@VERSION.
// It returns the environment of a Loader that finds the packages. remove deletes the directory, and must be called
// unless there is an error. With offline, the go command uses only the module cache.
func Scratch(ctx context.Context, env load.Environment, queries []string, offline bool) (in load.Environment, remove func(), err error) {
	dir, err := os.MkdirTemp("", "kubegen-copy-")
	if err != nil {
		return env, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	flags := []string{"-mod=mod"}
	for _, flag := range strings.Fields(env.Getenv("GOFLAGS")) {
		if !strings.HasPrefix(strings.TrimLeft(flag, "-"), "mod") { // -mod and -modfile are about another go.mod
			flags = append(flags, flag)
		}
	}
	in = load.Environment{
		Dir: dir, Vars: append(append([]string{}, env.Vars...), "GOWORK=off", "GOFLAGS="+strings.Join(flags, " "), "PWD="+dir),
		Downloading: env.Downloading,
	}
	if offline {
		in.Vars = append(in.Vars, "GOPROXY=off")
	}
	for _, args := range [][]string{{"mod", "init", "kubegen.invalid/copy"}, append([]string{"get", "--"}, queries...)} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, in.Vars, time.Second
		if _, err := in.Output(cmd); err != nil {
			remove()
			if ctx.Err() != nil {
				return in, nil, ctx.Err()
			}
			return in, nil, diag.Errorf("go get %s: %s", strings.Join(queries, " "), reason(err))
		}
	}
	return in, remove, nil
}

// reason returns the error of a go command: the last line of its messages, with the indented lines that continue it.
func reason(err error) string {
	said := err.Error()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		said = string(exit.Stderr)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	first := len(lines) - 1
	for first > 0 && strings.HasPrefix(lines[first], "\t") {
		first--
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(strings.Join(lines[first:], " "), "go: ")), " ")
}
