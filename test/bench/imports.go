//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// importInputs are modules with more than 1,000 CustomResourceDefinitions in total, and the directories of their
// manifests.
var importInputs = []struct{ module, dir string }{
	{"github.com/upbound/provider-aws@v1.14.0", "package/crds"},
	{gatewayAPI, "config/crd/experimental"},
	{"github.com/cert-manager/cert-manager@v1.21.2", "deploy/crds"},
	{"sigs.k8s.io/kueue@v0.13.2", "config/components/crd/bases"},
	{"github.com/external-secrets/external-secrets@v0.18.2", "config/crds/bases"},
}

// measureImports runs kubegen import on the manifests of importInputs, in a project that requires the newest client-go.
// It prints the time and memory to write everything, including clients, and to verify it.
func measureImports(n int, temp string) error {
	project, err := os.MkdirTemp(temp, "import-")
	if err != nil {
		return err
	}
	if err := writeModule(project, "example.com/import"); err != nil {
		return err
	}
	definitions := 0
	command := []string{filepath.Join(temp, "bin", "kubegen"), "import", "--output-dir", "api"}
	for _, in := range importInputs {
		found, err := output("go", "mod", "download", "-json", in.module)
		var downloaded struct{ Dir string }
		if err == nil {
			err = json.Unmarshal([]byte(found), &downloaded)
		}
		if err != nil {
			return err
		}
		err = filepath.WalkDir(filepath.Join(downloaded.Dir, in.dir), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), "kustom") || filepath.Ext(name) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(name)
			if n := bytes.Count(text, []byte("\nkind: CustomResourceDefinition\n")); n > 0 {
				definitions += n
				command = append(command, name)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("kubegen import of %d CustomResourceDefinitions, %d runs:\n", definitions, n)
	if err := os.Setenv("GOWORK", "off"); err != nil {
		return err
	}
	for _, mode := range []string{"write", "verify"} {
		var all []usage
		for range n {
			args := command
			if mode == "verify" {
				args = slices.Insert(slices.Clone(command), 2, "--verify")
			} else if err := os.RemoveAll(filepath.Join(project, "api")); err != nil {
				return err
			}
			spent, err := spend(project, [][]string{args})
			if err != nil {
				return err
			}
			all = append(all, spent)
		}
		if len(all) == 0 {
			return errors.New("no runs")
		}
		slices.SortFunc(all, func(a, b usage) int { return int(a.wall - b.wall) })
		median := all[len(all)/2]
		fmt.Printf("%-7s %6.2f s  (%.2f to %.2f), CPU %.2f s, peak %d MB\n", mode, median.wall.Seconds(), all[0].wall.Seconds(),
			all[len(all)-1].wall.Seconds(),
			median.cpu.Round(10*time.Millisecond).Seconds(), median.peak>>20)
	}
	return nil
}
