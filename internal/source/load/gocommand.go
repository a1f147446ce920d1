package load

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
