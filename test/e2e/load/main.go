//go:build unix

// Command load runs the same controller (worker) on kubegen's code and on that of the generators that it replaces,
// each against an API server of its own with many CronTabs, in turn. It prints the medians with the least and the
// most, and how much of the machine other processes used in the meantime, and passes no judgement.
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
	"time"
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
		say("Building the API server. The first time, this takes minutes.")
		server = filepath.Join(temp, "apiserver")
		if _, err := output(filepath.Join(root, "test/apiserver"), "go", "build", "-ldflags=-s -w", "-o", server, "."); err != nil {
			return err
		}
	}
	say("Generating code with the classic tools, and building the controller with both.")
	e2e := filepath.Join(root, "test/e2e")
	if _, err := output(e2e, "go", "build", "-o", filepath.Join(temp, "kubegen"), "./load/worker"); err != nil {
		return err
	}
	if err := buildClassic(root, temp); err != nil {
		return err
	}

	sides := []string{"kubegen", "classic"}
	measured := map[string]map[string][]float64{"kubegen": {}, "classic": {}}
	var others []float64 // percent of the machine, for each run
	for i := range runs {
		for j := range sides {
			side := sides[(i+j)%2] // who goes first takes turns, too
			say("Run %d of %d: %s.", 2*i+j+1, 2*runs, side)
			figures, busy, err := measure(server, filepath.Join(temp, side), n)
			if err != nil {
				return fmt.Errorf("%s: %w", side, err)
			}
			for name, value := range figures {
				measured[side][name] = append(measured[side][name], value)
			}
			others = append(others, busy)
		}
	}
	fmt.Printf("%d CronTabs, %d runs: median (least - most)\n", n, runs)
	if slices.Contains(others, unknown) {
		fmt.Printf("%d cores; how much of them other processes used is known on Linux alone\n\n", runtime.NumCPU())
	} else {
		fmt.Printf(
			"%d cores, of which other processes used %.0f %% (%.0f - %.0f %%)\n\n", runtime.NumCPU(), median(others), others[0],
			others[len(others)-1],
		)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "figure\tkubegen\tclassic\tkubegen / classic\t")
	for _, name := range slices.Sorted(maps.Keys(measured["kubegen"])) {
		fmt.Fprintln(table, row(name, measured["kubegen"][name], measured["classic"][name]))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Println("\n~ is a ratio within the spread: the runs of one side reach into those of the other, so it means nothing.")
	return nil
}

// say prints what is being done, with the time, beside the result.
func say(format string, args ...any) {
	fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// row is a line of the table.
func row(name string, kubegen, classic []float64) string {
	k, c := median(kubegen), median(classic) // which sorts them
	spread := ""
	if kubegen[0] <= classic[len(classic)-1] && classic[0] <= kubegen[len(kubegen)-1] {
		spread = "~"
	}
	text := func(middle float64, values []float64) string {
		return fmt.Sprintf("%.3g (%.3g - %.3g)", middle, values[0], values[len(values)-1])
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s%.2f\t", name, text(k, kubegen), text(c, classic), spread, k/c)
}

// buildClassic generates code with the tools of k8s.io/code-generator, and builds the worker with it, as temp/classic.
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
	if _, err := output(filepath.Join(root, "test"), "go", build...); err != nil {
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
	test := filepath.Join(root, "test")
	for from, edit := range map[string]struct {
		to      string
		replace *strings.Replacer
	}{
		"go.mod": {
			"go.mod", strings.NewReplacer("module github.com/kubegen/kubegen/test\n", "module "+classic+"\n", "=> ..", "=> "+root),
		},
		"go.sum":                  {"go.sum", strings.NewReplacer()},
		"e2e/load/worker/main.go": {"worker/main.go", strings.NewReplacer(generated, classic)},
	} {
		content, err := os.ReadFile(filepath.Join(test, from))
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

// measure runs a worker against a new server. It also returns the percentage of the machine that other processes used
// in the meantime, or unknown.
func measure(server, worker string, n int) (figures map[string]float64, others float64, err error) {
	begun, busy := time.Now(), busyTime()
	figures, ours, err := measureWorker(server, worker, n)
	if err != nil {
		return nil, 0, err
	}
	if busy == unknown {
		return figures, unknown, nil
	}
	machine := time.Since(begun).Seconds() * float64(runtime.NumCPU())
	return figures, max(0, 100*(busyTime()-busy-ours.Seconds())/machine), nil
}

const unknown = -1

// busyTime returns the seconds that processors were not idle since the machine was started, or unknown.
func busyTime() float64 {
	stat, err := os.ReadFile("/proc/stat") // see proc_stat(5)
	if err != nil {
		return unknown
	}
	line, _, _ := strings.Cut(string(stat), "\n")
	const perSecond, idle, ioWait, guest = 100, 4, 5, 9 // the unit, and columns; guests are part of user time
	var ticks float64
	for i, column := range strings.Fields(line) {
		if value, err := strconv.ParseFloat(column, 64); err == nil && i != idle && i != ioWait && i < guest {
			ticks += value
		}
	}
	return ticks / perSecond
}

// measureWorker runs a worker against a new server, and returns its figures, and the processor time of both.
func measureWorker(server, worker string, n int) (figures map[string]float64, ours time.Duration, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(worker), "data-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	root, err := output("", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubegen/kubegen")
	if err != nil {
		return nil, 0, err
	}
	crds := filepath.Join(strings.TrimSpace(root), "examples/crontab-types/crds")
	kubeconfig := filepath.Join(dir, "kubeconfig")
	serving := exec.Command(server, "--stdin", "--data-dir", dir, "--kubeconfig", kubeconfig, "--crds", crds)
	serving.Stderr = os.Stderr
	stdin, err := serving.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	stdout, err := serving.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := serving.Start(); err != nil {
		return nil, 0, err
	}
	defer func() {
		err = errors.Join(err, stdin.Close(), serving.Wait())
		ours += processorTime(serving)
	}()
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		return nil, 0, fmt.Errorf("the API server did not start: %w", err)
	}

	var out bytes.Buffer
	working := exec.Command(worker, "-kubeconfig", kubeconfig, "-n", strconv.Itoa(n))
	working.Stdout, working.Stderr = &out, os.Stderr
	if err := working.Run(); err != nil {
		return nil, 0, err
	}
	if err := json.Unmarshal(out.Bytes(), &figures); err != nil {
		return nil, 0, err
	}
	usage := working.ProcessState.SysUsage().(*syscall.Rusage)
	unit := 1024.0 // getrusage(2) counts in kilobytes, but for macOS
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	figures["peak memory, MB"] = float64(usage.Maxrss) * unit / 1e6
	figures["CPU s"] = processorTime(working).Seconds()
	return figures, processorTime(working), nil
}

// processorTime is that of a command that has ended.
func processorTime(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// median sorts the values.

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
