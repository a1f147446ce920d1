//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// makefileInputs are the modules of the case makefiles, with the flags of kubegen that stand for the command lines of
// their Makefiles, which are in test/crds/makefiles.txt.
var makefileInputs = []struct {
	module string
	flags  string
}{
	{
		"github.com/NVIDIA/gpu-operator",
		"--only deepcopy,crd,rbac,webhook --rbac-role-name gpu-operator-role --boilerplate hack/boilerplate.go.txt",
	},
	{
		"github.com/cloudnative-pg/cloudnative-pg",
		"--only deepcopy,crd,rbac,webhook --rbac-role-name manager --boilerplate hack/boilerplate.go.txt",
	},
	{
		"github.com/kedacore/keda/v2",
		"--only deepcopy,crd,rbac --rbac-role-name keda-operator --crd-embedded-object-meta --boilerplate hack/boilerplate.go.txt",
	},
	{
		"github.com/kubernetes-sigs/aws-load-balancer-controller",
		"--only deepcopy,crd,rbac,webhook --rbac-role-name controller-role --boilerplate hack/boilerplate.go.txt",
	},
	{"github.com/kubernetes-sigs/kro", "--only deepcopy,crd,webhook --with-crds=helm/crds"},
	{"github.com/mongodb/mongodb-kubernetes-operator", "--only deepcopy,crd --boilerplate hack/boilerplate.go.txt"},
	{"github.com/percona/everest-operator", "--only deepcopy,crd,rbac,webhook --boilerplate hack/boilerplate.go.txt"},
	{"github.com/ray-project/kuberay/ray-operator",
		"--only deepcopy,crd,rbac,webhook --rbac-role-name kuberay-operator --crd-max-description-length 0 --crd-embedded-object-meta" +
			" --crd-allow-dangerous-types --boilerplate hack/boilerplate.go.txt"},
	{
		"sigs.k8s.io/cluster-api-operator",
		"--only deepcopy,crd,rbac,webhook --boilerplate hack/boilerplate.go.txt ./cmd ./api/... ./internal/controller/... ./internal/webhook/...",
	},
	{
		"sigs.k8s.io/lws",
		"--only deepcopy,crd,rbac,webhook --crd-embedded-object-meta --boilerplate hack/boilerplate.go.txt ./api/... ./pkg/...",
	},
}

// makefileLines returns the version of a module in makefiles.txt, and its command lines.
func makefileLines(module string) (version string, lines []string, err error) {
	file, err := os.Open("../crds/makefiles.txt")
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	current := ""
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		switch line, isLine := strings.CutPrefix(scanner.Text(), "\t"); {
		case !isLine:
			current, line, _ = strings.Cut(line, "@")
			if current == module {
				version, _, _ = strings.Cut(line, " ")
			}
		case current == module:
			lines = append(lines, line)
		}
	}
	if version == "" {
		return "", nil, fmt.Errorf("makefiles.txt lacks %s", module)
	}
	return version, lines, nil
}

// measureMakefile runs kubegen once, controller-gen with each command line of a Makefile, and gen-controller with the
// same lines, in turn, each on its own copy of a module. Before each run, the files that controller-gen writes are
// changed, so that each side writes all of them.
func measureMakefile(module, flags string, n int, temp string) (once, byLine sides, err error) {
	version, lines, err := makefileLines(module)
	if err != nil {
		return once, byLine, err
	}
	source, err := downloaded(module + "@" + version)
	if err != nil {
		return once, byLine, err
	}
	restore, err := withoutWorkspace()
	if err != nil {
		return once, byLine, err
	}
	defer restore()
	bin := filepath.Join(temp, "bin")
	inMakefile := func(tool string) (commands [][]string) {
		for _, line := range lines {
			commands = append(commands, []string{"sh", "-c", filepath.Join(bin, tool) + " " + line})
		}
		return commands
	}
	work := filepath.Join(temp, "makefiles")
	defer os.RemoveAll(work)
	var written []string
	var spent [3][]usage
	for i := range n + 1 {
		for j, commands := range [][][]string{
			inMakefile("controller-gen"), {append([]string{filepath.Join(bin, "kubegen")}, strings.Fields(flags)...)}, inMakefile("gen-controller"),
		} {
			dir := filepath.Join(work, fmt.Sprint(j))
			if i == 0 { // the warm-up
				err = os.CopyFS(dir, os.DirFS(source))
			} else {
				err = makeStale(dir, written)
			}
			if err != nil {
				return once, byLine, err
			}
			begun := time.Now()
			used, err := spend(dir, commands)
			if err != nil {
				return once, byLine, err
			}
			switch {
			case i > 0:
				spent[j] = append(spent[j], used)
			case j == 0:
				if written, err = changedSince(dir, begun); err != nil {
					return once, byLine, err
				}
			}
		}
	}
	for j := range spent[1:] {
		if err := sameManifests(filepath.Join(work, "0"), filepath.Join(work, fmt.Sprint(j+1)), written); err != nil {
			return once, byLine, err
		}
	}
	return sides{kubegen: spent[1], upstream: spent[0]}, sides{kubegen: spent[2], upstream: spent[0]}, nil
}

// changedSince returns the files below dir with a time after a point in time, except for those of the go command.
func changedSince(dir string, point time.Time) (files []string, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "go.mod" || entry.Name() == "go.sum" {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().After(point) {
			name, err = filepath.Rel(dir, name)
			files = append(files, name)
		}
		return err
	})
	return files, err
}

const stale = "stale\n"

// makeStale appends a comment to files of Go or YAML.
func makeStale(dir string, files []string) error {
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		comment := "# " + stale
		if filepath.Ext(name) == ".go" {
			comment = "// " + stale
		}
		if err := os.WriteFile(filepath.Join(dir, name), append(text, comment...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sameManifests checks that files below two directories are without the comment of makeStale, and that files of YAML
// are equal except for the line that names the tool.
func sameManifests(theirs, ours string, files []string) error {
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(ours, name))
		switch {
		case err != nil:
			return err
		case bytes.HasSuffix(text, []byte(stale)):
			return fmt.Errorf("%s: not written", name)
		case filepath.Ext(name) == ".go":
			continue
		}
		if _, err := output(
			"diff", "-I", "controller-gen.kubebuilder.io/version", filepath.Join(theirs, name), filepath.Join(ours, name),
		); err != nil {
			return fmt.Errorf("%s differs: %w", name, err)
		}
	}
	return nil
}
