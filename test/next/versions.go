package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// Modules whose new versions matter.
const (
	clientGo          = "k8s.io/client-go"
	machinery         = "k8s.io/apimachinery"
	openAPI           = "k8s.io/kube-openapi"
	mergeDiff         = "sigs.k8s.io/structured-merge-diff/v"
	controllerTools   = "sigs.k8s.io/controller-tools"
	controllerRuntime = "sigs.k8s.io/controller-runtime"
)

// versions has the versions of modules that the repository knows, in ascending order: of client-go and apimachinery the
// newest of each minor release.
type versions map[string][]string

func (v versions) add(modulePath, version string) {
	if !slices.Contains(v[modulePath], version) {
		v[modulePath] = append(v[modulePath], version)
		slices.SortFunc(v[modulePath], semver.Compare)
	}
}

func (v versions) newest(modulePath string) string {
	if len(v[modulePath]) == 0 {
		return ""
	}
	return v[modulePath][len(v[modulePath])-1]
}

// known returns the versions in the .mod files of the directory releases, up to a release of client-go, and of other
// modules in testMod, the go.mod file of the tests.
func known(releases, testMod string, upTo model.Release) (versions, error) {
	found := versions{}
	names, err := filepath.Glob(filepath.Join(releases, "v*.mod"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		release, err := model.ParseRelease(strings.TrimSuffix(filepath.Base(name), ".mod"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if release > upTo {
			continue
		}
		err = found.readMod(name, func(path string) bool {
			return path == clientGo || path == machinery || path == openAPI || strings.HasPrefix(path, mergeDiff)
		})
		if err != nil {
			return nil, err
		}
	}
	if found.newest(clientGo) == "" {
		return nil, fmt.Errorf("%s has no release of client-go up to %s", releases, upTo)
	}
	return found, found.readMod(testMod, func(path string) bool { return path == controllerTools || path == controllerRuntime })
}

func (v versions) readMod(name string, wanted func(modulePath string) bool) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	for _, r := range file.Require {
		if wanted(r.Mod.Path) {
			v.add(r.Mod.Path, r.Mod.Version)
		}
	}
	return nil
}

// candidates returns the published versions that are new, in ascending order: later than all known ones or, if the
// module has a known version for each minor release, later than that of the same one. Versions later than last are left
// out, unless it is "".
func candidates(known, published []string, perMinor bool, last string) (found []string) {
	if len(known) == 0 {
		return nil
	}
	for _, version := range published {
		than := known[len(known)-1]
		if i := slices.IndexFunc(known, func(k string) bool { return semver.MajorMinor(k) == semver.MajorMinor(version) }); perMinor && i >= 0 {
			than = known[i]
		}
		if semver.Compare(version, than) > 0 && (last == "" || semver.Compare(version, last) <= 0) {
			found = append(found, version)
		}
	}
	slices.SortFunc(found, semver.Compare)
	return found
}

// baseOf returns the version to compare a candidate with: the newest of the known ones and of the earlier candidates
// that is older.
func baseOf(candidate string, earlier []string) string {
	base := ""
	for _, version := range earlier {
		if semver.Compare(version, candidate) < 0 && semver.Compare(version, base) > 0 {
			base = version
		}
	}
	return base
}

// published returns the versions of a module on the module proxy: all its tags, or the latest commit if it has none. It
// returns nil if there is no such module.
func (g goCommand) published(modulePath string) ([]string, error) {
	out, err := g.run("list", "-m", "-json", "-versions", modulePath+"@latest")
	if err != nil {
		return nil, err
	}
	var m struct {
		Version  string
		Versions []string
	}
	if err := json.Unmarshal(out, &m); err != nil {
		return nil, err
	}
	if len(m.Versions) == 0 {
		return []string{m.Version}, nil
	}
	return m.Versions, nil
}

// downloads downloads versions of modules, "PATH@VERSION", and returns their directories and why others are not
// available.
func (g goCommand) downloads(modules ...string) (dirs, unavailable map[string]string, err error) {
	out, err := g.run(append([]string{"mod", "download", "-json"}, modules...)...)
	if len(out) == 0 && err != nil {
		return nil, nil, err
	}
	dirs, unavailable = map[string]string{}, map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Path, Version, Dir, Error string }
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return dirs, unavailable, nil
		} else if err != nil {
			return nil, nil, err
		}
		if name := m.Path + "@" + m.Version; m.Error != "" {
			unavailable[name] = m.Error
		} else {
			dirs[name] = m.Dir
		}
	}
}

// goCommand runs go commands, and other commands, in a directory, outside of the workspace of the repository.
type goCommand struct {
	dir string
	env []string // beyond what all commands have
}

func (g goCommand) run(args ...string) ([]byte, error) { return g.command("go", args...) }

// command returns the standard output.
func (g goCommand) command(name string, args ...string) ([]byte, error) {
	stdout, _, err := g.output(name, args...)
	return stdout, err
}

// output returns the standard output and the standard error. The error has the last lines of the latter.
func (g goCommand) output(name string, args ...string) (out []byte, said string, err error) {
	var stderr strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = g.dir, &stderr
	cmd.Env = slices.Concat(os.Environ(), []string{"GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "GOTOOLCHAIN=auto"}, g.env)
	out, err = cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(cmp.Or(stderr.String(), string(out))), "\n")
		const most = 15
		if len(lines) > most {
			lines = append([]string{"..."}, lines[len(lines)-most:]...)
		}
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args[:min(2, len(args))], " "), err, strings.Join(lines, "\n"))
	}
	return out, stderr.String(), err
}
