//go:build unix

// Command load runs the same controller (worker) on kubegen's code and on that of the generators that it replaces, each
// against an API server of its own with many CronTabs, in turn. It prints what it measured and passes no judgement.
//
//	cd test/e2e && go run ./load [-n 10000] [-runs 3]
//
// E2E_APISERVER is the file of the API server, for these and the tests, if it is not to be built.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
)

const (
	types     = "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	generated = "github.com/kubegen/kubegen/examples/crontab-types/generated"
	classic   = "example.com/classic"
)

func main() {
	n := flag.Int("n", 10_000, "how many CronTabs")
	runs := flag.Int("runs", 3, "how many runs of each side")
	flag.Parse()
	if err := run(*n, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(n, runs int) error {
	temp, err := os.MkdirTemp("", "load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	root, err := output("", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubegen/kubegen")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	server := os.Getenv("E2E_APISERVER")
	if server == "" {
		server = filepath.Join(temp, "apiserver")
		if _, err := output(filepath.Join(root, "test/apiserver"), "go", "build", "-ldflags=-s -w", "-o", server, "."); err != nil {
			return err
		}
	}
	e2e := filepath.Join(root, "test/e2e")
	if _, err := output(e2e, "go", "build", "-o", filepath.Join(temp, "kubegen"), "./load/worker"); err != nil {
		return err
	}
	if err := buildClassic(root, temp); err != nil {
		return err
	}

	sides := []string{"kubegen", "classic"}
	measured := map[string]map[string][]float64{"kubegen": {}, "classic": {}}
	for i := range runs {
		for j := range sides {
			side := sides[(i+j)%2] // who goes first takes turns, too
			figures, err := measure(server, filepath.Join(temp, side), n)
			if err != nil {
				return fmt.Errorf("%s: %w", side, err)
			}
			for name, value := range figures {
				measured[side][name] = append(measured[side][name], value)
			}
		}
	}
	fmt.Printf("%d CronTabs, median of %d runs\n\n", n, runs)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "figure\tkubegen\tclassic\tkubegen / classic\t")
	for _, name := range slices.Sorted(maps.Keys(measured["kubegen"])) {
		k, c := median(measured["kubegen"][name]), median(measured["classic"][name])
		fmt.Fprintf(table, "%s\t%.3g\t%.3g\t%.2f\t\n", name, k, c, k/c)
	}
	return table.Flush()
}

// buildClassic generates code with the tools of k8s.io/code-generator, at the version that bench pins, and builds the
// worker with it, as temp/classic.
func buildClassic(root, temp string) error {
	module, bin := filepath.Join(temp, "module"), filepath.Join(temp, "bin")+string(filepath.Separator)
	for _, dir := range []string{bin, filepath.Join(module, "worker")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	build := []string{"build", "-o", bin}
	for _, tool := range []string{"applyconfiguration-gen", "client-gen", "lister-gen", "informer-gen"} {
		build = append(build, "k8s.io/code-generator/cmd/"+tool)
	}
	if _, err := output(filepath.Join(root, "bench"), "go", build...); err != nil {
		return err
	}
	to := func(directory string) []string {
		return []string{"--output-dir", filepath.Join(module, directory), "--output-pkg", classic + "/" + directory}
	}
	for _, args := range [][]string{
		slices.Concat([]string{"applyconfiguration-gen"}, to("applyconfiguration"), []string{types}),
		slices.Concat([]string{"client-gen", "--clientset-name", "versioned", "--input-base", "", "--input", types,
			"--apply-configuration-package", classic + "/applyconfiguration"}, to("clientset")),
		slices.Concat([]string{"lister-gen"}, to("listers"), []string{types}),
		slices.Concat([]string{"informer-gen", "--versioned-clientset-package", classic + "/clientset/versioned",
			"--listers-package", classic + "/listers"}, to("informers"), []string{types}),
	} {
		if _, err := output(root, bin+args[0], args[1:]...); err != nil {
			return err
		}
	}
	e2e := filepath.Join(root, "test/e2e")
	for from, edit := range map[string]struct {
		to      string
		replace *strings.Replacer
	}{
		"go.mod":              {"go.mod", strings.NewReplacer("module github.com/kubegen/kubegen/test/e2e", "module "+classic, "=> ../..", "=> "+root)},
		"go.sum":              {"go.sum", strings.NewReplacer()},
		"load/worker/main.go": {"worker/main.go", strings.NewReplacer(generated, classic)},
	} {
		content, err := os.ReadFile(filepath.Join(e2e, from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(module, edit.to), []byte(edit.replace.Replace(string(content))), 0o644); err != nil {
			return err
		}
	}
	_, err := output(module, "go", "build", "-mod=mod", "-o", filepath.Join(temp, "classic"), "./worker")
	return err
}

// measure runs a worker against a new server.
func measure(server, worker string, n int) (figures map[string]float64, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(worker), "data-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	root, err := output("", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubegen/kubegen")
	if err != nil {
		return nil, err
	}
	crds := filepath.Join(strings.TrimSpace(root), "examples/crontab-types/crds")
	kubeconfig := filepath.Join(dir, "kubeconfig")
	serving := exec.Command(server, "--stdin", "--data-dir", dir, "--kubeconfig", kubeconfig, "--crds", crds)
	serving.Stderr = os.Stderr
	stdin, err := serving.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := serving.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := serving.Start(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stdin.Close(), serving.Wait()) }()
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("the API server did not start: %w", err)
	}

	var out bytes.Buffer
	working := exec.Command(worker, "-kubeconfig", kubeconfig, "-n", strconv.Itoa(n))
	working.Stdout, working.Stderr = &out, os.Stderr
	if err := working.Run(); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out.Bytes(), &figures); err != nil {
		return nil, err
	}
	usage := working.ProcessState.SysUsage().(*syscall.Rusage)
	unit := 1024.0 // getrusage(2) counts in kilobytes, but for macOS
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	figures["peak memory, MB"] = float64(usage.Maxrss) * unit / 1e6
	figures["CPU s"] = (working.ProcessState.UserTime() + working.ProcessState.SystemTime()).Seconds()
	return figures, nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	half := len(values) / 2
	if len(values)%2 == 0 {
		return (values[half-1] + values[half]) / 2
	}
	return values[half]
}

// output runs a command in a directory and returns what it printed.
func output(dir, name string, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, stderr.Bytes())
	}
	return string(out), nil
}
