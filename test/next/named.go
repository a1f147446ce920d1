package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// released are modules that are released together. They need not be available in each version.
var released = []string{clientGo, machinery, "k8s.io/api", "k8s.io/apiextensions-apiserver", codeGenerator}

// named returns the versions of the modules of Kubernetes that the go.mod files of a release name, by path.
func (c *clientVersion) named() (map[string]string, error) {
	found := map[string]string{}
	for _, modulePath := range released {
		out, err := goCommand{dir: c.dir}.run("list", "-m", "-f", "{{.GoMod}}", modulePath+"@"+c.version)
		if err != nil {
			continue
		}
		text, err := os.ReadFile(strings.TrimSpace(string(out)))
		if err != nil {
			return nil, err
		}
		file, err := modfile.ParseLax(modulePath, text, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range file.Require {
			if strings.HasPrefix(r.Mod.Path, "k8s.io/") || strings.HasPrefix(r.Mod.Path, "sigs.k8s.io/") {
				found[r.Mod.Path] = r.Mod.Version
			}
		}
	}
	return found, nil
}

// compareNamed returns the modules that the go.mod files of a release name for the first time, and whether the module
// proxy has them, and the ones that none names any longer.
func compareNamed(before, after *clientVersion) (changes []change, err error) {
	was, err := before.named()
	if err != nil {
		return nil, err
	}
	is, err := after.named()
	if err != nil {
		return nil, err
	}
	for _, modulePath := range slices.Sorted(maps.Keys(is)) {
		if was[modulePath] != "" {
			continue
		}
		name := modulePath + "@" + is[modulePath]
		text := name
		if dirs, _, err := (goCommand{dir: after.dir}).downloads(name); err != nil || dirs[name] == "" {
			text = fmt.Sprintf("%s, which is not available", name)
		}
		changes = append(changes, change{"+", text})
	}
	for _, modulePath := range slices.Sorted(maps.Keys(was)) {
		if is[modulePath] == "" {
			changes = append(changes, change{"-", modulePath + "@" + was[modulePath]})
		}
	}
	return changes, nil
}
