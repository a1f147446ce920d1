// This file describes the environment of a command: the current directory and the environment variables. It
// is a value, so that several commands can run in one process.

package load

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Environment is the environment of a command.
type Environment struct {
	// Dir is the current directory, absolute.
	Dir string
	// Vars are the environment variables in the form NAME=VALUE. If a name occurs more than once, the last one counts.
	Vars []string
	// Go runs a go command that lists packages or modules, and returns its output; nil stands for its method Output.
	Go func(cmd *exec.Cmd) ([]byte, error)
	// Downloading receives the lines in which go commands name the modules that they download, which can take long. It
	// may be nil.
	Downloading func(line []byte)
}

// Output runs a go command and returns its output. An *exec.ExitError has its messages.
func (e Environment) Output(cmd *exec.Cmd) ([]byte, error) {
	switch {
	case e.Go != nil:
		return e.Go(cmd)
	case e.Downloading == nil:
		return cmd.Output()
	}
	said := &messages{downloading: e.Downloading}
	cmd.Stderr = said
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		exit.Stderr = said.others
	}
	return out, err
}

// messages passes on the lines of a go command about downloads, and keeps the others.
type messages struct {
	downloading func(line []byte)
	others      []byte
}

func (m *messages) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) { // the go command writes whole lines
		if bytes.HasPrefix(line, []byte("go: downloading ")) {
			m.downloading(line)
		} else {
			m.others = append(m.others, line...)
		}
	}
	return len(text), nil
}

// Current returns the environment of the current process.
func Current() (Environment, error) {
	dir, err := os.Getwd()
	return Environment{Dir: dir, Vars: os.Environ()}, err
}

// Getenv returns the value of a variable, or "" if it is not set.
func (e Environment) Getenv(name string) (value string) {
	for _, entry := range e.Vars {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// At returns the absolute path of a file. A relative name is relative to the current directory.
func (e Environment) At(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(e.Dir, name)
}

// Name returns the name of a file for messages: the path relative to the current directory if that is shorter, with
// slashes.
func (e Environment) Name(abs string) string {
	if rel, err := filepath.Rel(e.Dir, abs); err == nil && len(rel) < len(abs) {
		abs = rel
	}
	return filepath.ToSlash(abs)
}

// Shorten replaces absolute names of files below the current directory with relative ones in a message.
func (e Environment) Shorten(message string) string {
	if e.Dir == "" || e.Dir == string(filepath.Separator) {
		return message
	}
	return strings.ReplaceAll(message, e.Dir+string(filepath.Separator), "")
}

// GoList returns the variables for go commands that list packages or modules. These must not change go.mod, even if
// GOFLAGS allows it.
func (e Environment) GoList() []string {
	return append(slices.Clip(e.Vars), "GOFLAGS="+strings.ReplaceAll(e.goFlags(), "-mod=mod", "-mod=readonly"))
}

// UpdatesGoMod reports whether GOFLAGS allows the go command to change go.mod.
func (e Environment) UpdatesGoMod() bool {
	return slices.ContainsFunc(strings.Fields(e.goFlags()), func(flag string) bool {
		return strings.TrimLeft(flag, "-") == "mod=mod"
	})
}

// CheckFlags returns an error if GOFLAGS makes the go command read files other than the ones on disk.
func (e Environment) CheckFlags() error {
	for _, flag := range strings.Fields(e.goFlags()) {
		if name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "="); name == "overlay" && value != "" {
			return errors.New("GOFLAGS has -overlay, but packages are read as they are on disk; remove it from GOFLAGS")
		}
	}
	return nil
}

// goFlags returns the value of GOFLAGS, which "go env -w" may have set.
func (e Environment) goFlags() string {
	if flags := e.Getenv("GOFLAGS"); flags != "" {
		return flags
	}
	name := e.Getenv("GOENV")
	if name == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			name = filepath.Join(dir, "go", "env")
		}
	}
	text, _ := os.ReadFile(name) // "off" and files that do not exist set nothing
	for line := range strings.Lines(string(text)) {
		if flags, ok := strings.CutPrefix(strings.TrimSpace(line), "GOFLAGS="); ok {
			return flags
		}
	}
	return ""
}
