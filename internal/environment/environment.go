// Package environment is what a command is run in: the current directory with the modules around it, and the variables. It is
// passed on, not asked of the process, so that several commands can run in one process.
package environment

import (
	"os"
	"path/filepath"
	"strings"
)

// Environment is what a command is run in.
type Environment struct {
	// Dir is the current directory, absolute.
	Dir string
	// Vars are the variables, each as NAME=VALUE; of several with the same name the last counts.
	Vars []string
}

// Current returns the environment of the process.
func Current() (Environment, error) {
	dir, err := os.Getwd()
	return Environment{Dir: dir, Vars: os.Environ()}, err
}

// Getenv returns the value of a variable, "" where there is none.
func (e Environment) Getenv(name string) (value string) {
	for _, entry := range e.Vars {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// At returns the absolute path of a file that is named in the environment.
func (e Environment) At(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(e.Dir, name)
}

// Name returns how a file is named in messages: relative to the current directory where that is shorter, with slashes.
func (e Environment) Name(abs string) string {
	if rel, err := filepath.Rel(e.Dir, abs); err == nil && len(rel) < len(abs) {
		abs = rel
	}
	return filepath.ToSlash(abs)
}

// Shorten names the files in a message as Name does, as far as they are below the current directory.
func (e Environment) Shorten(message string) string {
	if e.Dir == "" || e.Dir == string(filepath.Separator) {
		return message
	}
	return strings.ReplaceAll(message, e.Dir+string(filepath.Separator), "")
}
