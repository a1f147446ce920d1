package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// projects are directories of the repository whose packages have kinds, roles or webhooks.
var projects = []string{"examples/crontab-types", "examples/crontab-controller", "test/e2e"}

// controllerGens compares the markers and manifests of new versions of controller-gen with those of the version before.
func (n *next) controllerGens(fresh []string) error {
	earlier := slices.Clone(n.known[controllerTools])
	var errs []error
	for _, version := range fresh {
		base := baseOf(version, earlier)
		fmt.Fprintf(n.stdout, "\n%s %s, after %s\n", controllerTools, version, base)
		was, err := n.controllerGen(base)
		if err == nil {
			var is map[string]string
			if is, err = n.controllerGen(version); err == nil {
				err = n.compareTexts(version, was, is)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", controllerTools, version, err))
			continue
		}
		earlier = append(earlier, version)
	}
	return errors.Join(errs...)
}

// controllerGen returns what a version of controller-gen says of its markers, and the manifests that it writes.
func (n *next) controllerGen(version string) (map[string]string, error) {
	name := filepath.Join(n.work, "controller-gen-"+version)
	bin := goCommand{dir: n.work, env: []string{"GOBIN=" + name}}
	if _, err := bin.run("install", controllerTools+"/cmd/controller-gen@"+version); err != nil {
		return nil, err
	}
	texts := map[string]string{}
	name = filepath.Join(name, "controller-gen")
	for _, generator := range []string{"crd", "object", "rbac:roleName=role", "webhook", "applyconfiguration"} {
		_, help, err := bin.output(name, generator, "-ww")
		if err != nil {
			return nil, err
		}
		texts["markers of "+generator] = help
	}
	for _, project := range projects {
		out, err := os.MkdirTemp(n.work, "manifests-")
		if err != nil {
			return nil, err
		}
		in := goCommand{dir: filepath.Join(n.root, filepath.FromSlash(project)), env: []string{"GOFLAGS=-buildvcs=false"}}
		if _, err := in.command(name, "crd", "rbac:roleName=role", "webhook", "paths=./...", "output:dir="+out); err != nil {
			return nil, fmt.Errorf("%s: %w", project, err)
		}
		err = fs.WalkDir(os.DirFS(out), ".", func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(filepath.Join(out, file))
			texts[project+": "+file] = withoutVersion(string(text), version)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// withoutVersion leaves the version of controller-gen out of a manifest.
func withoutVersion(text, version string) string {
	return strings.ReplaceAll(text, "controller-gen.kubebuilder.io/version: "+version, "controller-gen.kubebuilder.io/version: VERSION")
}

// compareTexts prints the names of the texts that differ, and writes the differences.
func (n *next) compareTexts(version string, was, is map[string]string) error {
	all := maps.Clone(was)
	maps.Copy(all, is)
	var unified bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if d := diff.Diff("before: "+name, []byte(was[name]), version+": "+name, []byte(is[name])); len(d) > 0 {
			fmt.Fprintf(n.stdout, "  ~ %s\n", name)
			unified.Write(d)
		}
	}
	if unified.Len() == 0 {
		fmt.Fprintf(n.stdout, "  no changes in %d manifests and lists of markers\n", len(all))
		return nil
	}
	file := filepath.Join(n.out, "controller-gen-"+version+".diff")
	fmt.Fprintf(n.stdout, "  the differences are in %s\n", file)
	return writeFile(file, unified.String())
}
