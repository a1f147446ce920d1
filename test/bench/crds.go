//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// manifestInputs are the modules of the case crds, with the packages that CustomResourceDefinitions are generated from.
var manifestInputs = []struct{ name, module, pattern string }{
	{"gateway-api", gatewayAPI, "./apis/..."},
	{"prometheus-operator", "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring@v0.94.0", "./..."},
	{"kueue", "sigs.k8s.io/kueue@v0.17.0", "./apis/..."},
	{"cert-manager", "github.com/cert-manager/cert-manager@v1.21.2", "./pkg/apis/..."},
}

// measureManifests runs kubegen --only crd and controller-gen crd in turn on a copy of a module, each time once to
// generate and once to verify the result. The files must be equal except for the line that names the tool.
func measureManifests(module, pattern string, n int, temp string) (generate, verify sides, err error) {
	controllerGen := filepath.Join(temp, "bin", "controller-gen")
	dir, err := copyModule(module, temp)
	if err != nil {
		return generate, verify, err
	}
	work := filepath.Dir(dir)
	restore, err := withoutWorkspace()
	if err != nil {
		return generate, verify, err
	}
	defer restore()
	for i := range n + 1 {
		in := func(name string) string { return filepath.Join(work, fmt.Sprintf("%s-%d", name, i)) }
		kubegen := []string{filepath.Join(temp, "bin", "kubegen"), "--only", "crd", "--with-crds=" + in("kubegen"), pattern}
		theirs := func(out string) []string {
			return []string{controllerGen, "crd", "paths=" + pattern, "output:dir=" + out}
		}
		var spent [4]usage
		for j, commands := range [][][]string{
			{kubegen}, {theirs(in("upstream"))}, {slices.Insert(slices.Clone(kubegen), 1, "--verify")},
			{theirs(in("copy")), {"diff", "-Naupr", in("upstream"), in("copy")}},
		} {
			if spent[j], err = spend(dir, commands); err != nil {
				return generate, verify, err
			}
		}
		if i == 0 { // warm-up
			_, err := output("diff", "-r", "-I", "controller-gen.kubebuilder.io/version", in("kubegen"), in("upstream"))
			if err != nil {
				return generate, verify, fmt.Errorf("the manifests differ: %w", err)
			}
			continue
		}
		generate.kubegen, generate.upstream = append(generate.kubegen, spent[0]), append(generate.upstream, spent[1])
		verify.kubegen, verify.upstream = append(verify.kubegen, spent[2]), append(verify.upstream, spent[3])
	}
	return generate, verify, nil
}

// downloaded returns the directory of a module in the module cache.
func downloaded(module string) (dir string, err error) {
	found, err := output("go", "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	var info struct{ Dir string }
	err = json.Unmarshal([]byte(found), &info)
	return info.Dir, err
}

// copyModule copies a module to the directory "module" of a new directory below temp, without a workspace.
func copyModule(module, temp string) (dir string, err error) {
	source, err := downloaded(module)
	if err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(temp, "module-")
	if err != nil {
		return "", err
	}
	dir = filepath.Join(work, "module")
	return dir, errors.Join(os.CopyFS(dir, os.DirFS(source)), os.RemoveAll(filepath.Join(dir, "go.work")))
}

// withoutWorkspace makes commands use the go.mod of their own directory, until restore is called.
func withoutWorkspace() (restore func(), err error) {
	old := [2]string{os.Getenv("GOWORK"), os.Getenv("GOFLAGS")}
	set := func(work, flags string) error {
		return errors.Join(os.Setenv("GOWORK", work), os.Setenv("GOFLAGS", flags))
	}
	return func() { _ = set(old[0], old[1]) }, set("off", "-mod=mod")
}
