//go:build unix

// Command bench compares the time of kubegen with the time of applyconfiguration-gen, client-gen, lister-gen and
// informer-gen, which run one after the other as in kube_codegen.sh. Both sides generate code for the same packages.
// The exit status is 0 unless a command fails, regardless of the measurements.
//
//	go run . [-n 5] [-case crontab,k8s-api,deepcopy,all,crds,makefiles,import,cache,consistency,scale,build,loop,day,roundtrip] [-kinds 100,1000,10000] [-chart] [-size]
//
// With -chart, it also writes the figures to docs/bench.json, the charts to docs, and their texts to the README and to
// docs/informers.md.
//
// The case deepcopy runs gen-deepcopy and deepcopy-gen on all of k8s.io/api. The case all runs kubegen --with-deepcopy
// --with-register there, and the four tools with deepcopy-gen and register-gen. The following cases only run if -case
// names them. The case crds runs kubegen --only crd and controller-gen crd on two public modules. The case makefiles
// runs controller-gen with all command lines of the Makefiles of ten public modules, once kubegen for the same files,
// and gen-controller with the same lines. The case import runs kubegen import on more than 1,000 public
// CustomResourceDefinitions. The case cache measures the memory of caches with 10,000 Pods in different forms, and the
// time to fill them, with the command in the directory cache. The case consistency runs a controller with and without
// the check for own writes; it is the benchmark OwnWrites of test/e2e. The case scale runs kubegen on APIs of 100,
// 1,000 and 10,000 kinds, or the numbers in -kinds. It prints the number of files, and the time and peak memory of a
// run that writes all of them and of --verify. With 10,000 kinds this takes about a minute, and 400 MB of disk space.
// The case build builds kubegen and the four tools with an empty build cache, which takes minutes. The case loop
// changes a type in a project of kubebuilder with three kinds, generates what "make generate manifests" does, and tests
// a controller: with kubegen and fakeapi, with controller-gen and controller-runtime's fake client, and with
// controller-gen and the servers of envtest in the directory $KUBEBUILDER_ASSETS. Without the variable, envtest is left
// out. The case day runs kubegen, apilint and crdtest on the API of kueue, as docs/reference/loop.md does, and
// controller-gen for its code and manifests. The case roundtrip runs the generated test of conversions for a kind with
// templates of Pods, which is to take less than five seconds of CPU time.
//
// With -size, bench instead counts the lines that kubegen, kubegen --classic and the four tools write for the chosen
// APIs, of which -case gateway-api is another. Unless -n is 0, it also measures what users of this code pay: CPU time
// and memory of the compiler for these packages alone; a program with one client, whose packages are built; and one
// test on the fake clientset, on fakeapi and, with $KUBEBUILDER_ASSETS, on envtest. Ratios are medians of the ratios in
// each run.
//
// Binaries are built beforehand and not measured. Each side runs once to warm up. Then the sides take turns, so that
// other load on the machine affects both. The rows "verify" measure a check that all files are up to date: kubegen
// --verify, and for the classic tools a run into another directory and a diff, as in scripts. Every run has a new
// output directory, which is kept until the end, because ext4 creates files slowly for some seconds after files are
// deleted.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
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

	"github.com/kubegen/kubegen/test/bench/chart"
	"github.com/kubegen/kubegen/test/conformance"
)

// An input is a set of packages to generate clients for.
type input struct {
	name    string
	dir     string   // working directory of the generators; its module resolves pattern; a copy of module if empty
	module  string   // its path, if dir is its root directory and the packages belong to it, with the version to copy
	pattern string   // packages; only packages with +genclient are used
	flags   []string // for both sides
	client  []string // for kubegen and client-gen; the other tools do not have these flags
	schema  string   // package "internal" of existing apply configurations
	sample
}

var inputs = []input{
	{
		name: "crontab", dir: "../../examples/crontab-types", module: "github.com/kubegen/kubegen/examples/crontab-types",
		pattern: "./apis/...", schema: "./generated/applyconfiguration/internal",
		sample: sample{
			types: "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1", calls: `StableV1().CronTabs("default")`,
			object: `CronTab{Spec: v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "backup:v1"}}`, crds: "crds",
		},
	},
	{
		name: "k8s-api", dir: ".", pattern: "k8s.io/api/...",
		flags:  []string{"--plural-exceptions=Endpoints:Endpoints"},
		client: []string{"--prefers-protobuf"},
		schema: "k8s.io/client-go/applyconfigurations/internal",
		sample: sample{types: "k8s.io/api/core/v1", calls: `CoreV1().ConfigMaps("default")`, object: "ConfigMap{}"},
	},
	{
		name: "gateway-api", module: gatewayAPI, pattern: "./apis/...", schema: "./applyconfiguration/internal",
		sample: sample{
			types: "sigs.k8s.io/gateway-api/apis/v1", calls: "GatewayV1().GatewayClasses()",
			object: `GatewayClass{Spec: v1.GatewayClassSpec{ControllerName: "example.com/one"}}`, crds: "config/crd/standard",
		},
	},
}

const gatewayAPI = "sigs.k8s.io/gateway-api@v1.6.3"

func main() {
	n := flag.Int("n", 5, "how many runs to measure")
	only := flag.String("case", "crontab,k8s-api,deepcopy,all", "which cases to run")
	kinds := flag.String("kinds", "100,1000,10000", "how many kinds the APIs of the case scale have")
	draw := flag.Bool("chart", false, "also draw the charts of the README and of docs/informers.md, with the cases that are run")
	size := flag.Bool("size", false, "count lines and time go build instead")
	flag.Parse()
	if err := run(*n, strings.Split(*only, ","), strings.Split(*kinds, ","), *draw, *size); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A bench is what the flags ask for.
type bench struct {
	runs  int
	names []string // of cases
	scale []int    // numbers of kinds of the case scale
	temp  string   // a directory, with the generators in bin
	data  chart.Data
}

func run(n int, names, kinds []string, draw, size bool) error {
	if n < 1 && !size {
		return errors.New("-n: at least one run is needed")
	}
	b := bench{runs: n, names: names}
	for _, text := range kinds {
		count, err := strconv.Atoi(text)
		if err != nil || count <= 0 || count%kindsOfGroup != 0 {
			return fmt.Errorf("-kinds: %q is not a multiple of %d", text, kindsOfGroup)
		}
		b.scale = append(b.scale, count)
	}
	chosen, err := inputsOf(names)
	if err != nil {
		return err
	}
	if b.temp, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.temp)
	for i, in := range chosen {
		if in.dir != "" {
			continue
		}
		if chosen[i].dir, err = copyModule(in.module, b.temp); err != nil {
			return err
		}
	}
	say("Building the generators. The first time, this takes minutes.")
	if err := build(b.temp); err != nil {
		return err
	}
	versions, err := output("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/code-generator", "k8s.io/api")
	if err != nil {
		return err
	}
	upstream, api, _ := strings.Cut(strings.TrimSpace(versions), "\n")
	b.data = chart.Data{
		Origin: chart.Origin{
			Go: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH), CPU: cpu(), Cores: runtime.NumCPU(), Runs: n,
		},
		CodeGenerator: upstream, API: api,
	}

	fmt.Printf("%s, %d cores of %s, %d runs: median (least - most)\n", b.data.Go, b.data.Cores, b.data.CPU, n)
	fmt.Printf(
		"upstream: applyconfiguration-gen, client-gen, lister-gen and informer-gen %s in sequence; in the case deepcopy, deepcopy-gen; in the "+
			"case all, all six\n\n",
		upstream,
	)
	if size {
		return sizes(chosen, n, b.temp)
	}
	if err := b.compare(chosen); err != nil {
		return err
	}
	if b.has("cache") {
		if b.data.Caches, err = measureCaches(b.data.Origin, b.temp); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
	}
	if draw {
		if err := b.data.Write("../.."); err != nil {
			return fmt.Errorf("-chart: %w", err)
		}
	}
	fmt.Print("\nCPU is user and system time, that of child processes such as go list included.\n" +
		"Peak is the resident memory of the largest single process, the generator or a child.\n")
	return b.others()
}

// inputsOf returns the inputs that are named as cases.
func inputsOf(names []string) (chosen []input, err error) {
	others := []string{"deepcopy", "all", "crds", "makefiles", "import", "cache", "consistency", "scale", "build", "loop", "day", "roundtrip"}
	for _, name := range names {
		i := slices.IndexFunc(inputs, func(in input) bool { return in.name == name })
		switch {
		case i >= 0:
			chosen = append(chosen, inputs[i])
		case !slices.Contains(others, name):
			return nil, fmt.Errorf("-case: no case is called %q", name)
		}
	}
	return chosen, nil
}

// has reports whether the flags name a case, and prints that it is measured.
func (b *bench) has(name string) bool {
	named := slices.Contains(b.names, name)
	if named {
		say("Measuring %s.", name)
	}
	return named
}

// compare prints the table of the cases that compare kubegen with one other side.
func (b *bench) compare(chosen []input) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer table.Flush() // also prints what was measured before an error
	fmt.Fprintln(table, "case\tmeasure\tkubegen\tupstream\tupstream / kubegen\t")
	rows := func(name, prefix string, spent sides) {
		row(table, name, prefix+"wall s", spent, func(u usage) float64 { return u.wall.Seconds() })
		row(table, "", "CPU s", spent, func(u usage) float64 { return u.cpu.Seconds() })
		row(table, "", "peak MB", spent, func(u usage) float64 { return float64(u.peak) / 1e6 })
		b.data.Cases = append(b.data.Cases, chart.Case{
			Name: strings.TrimSuffix(name+" "+strings.TrimSuffix(prefix, ": "), " "), Kubegen: figures(spent.kubegen),
			Classic: figures(spent.upstream),
		})
	}
	for _, in := range chosen {
		say("Measuring %s.", in.name)
		generate, verify, err := measure(in, b.runs, b.temp)
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		rows(in.name, "", generate)
		rows(in.name, "verify: ", verify)
	}
	for _, beside := range []struct {
		name    string
		measure func() (sides, error)
	}{
		{"deepcopy", func() (sides, error) { return measureDeepCopy(b.runs, b.temp) }},
		{"all", func() (sides, error) { return measureAll(inputs[1], b.runs, b.temp) }},
	} {
		if !b.has(beside.name) {
			continue
		}
		generate, err := beside.measure()
		if err != nil {
			return fmt.Errorf("%s: %w", beside.name, err)
		}
		rows(beside.name, "", generate)
	}
	if b.has("crds") {
		for _, in := range manifestInputs {
			say("Measuring crds of %s.", in.name)
			generate, verify, err := measureManifests(in.module, in.pattern, b.runs, b.temp)
			if err != nil {
				return fmt.Errorf("%s: %w", in.name, err)
			}
			rows("crds "+in.name, "", generate)
			rows("crds "+in.name, "verify: ", verify)
		}
	}
	if b.has("makefiles") {
		for _, in := range makefileInputs {
			say("Measuring the Makefile of %s.", in.module)
			once, byLine, err := measureMakefile(in.module, in.flags, b.runs, b.temp)
			if err != nil {
				return fmt.Errorf("%s: %w", in.module, err)
			}
			rows("makefile "+in.module, "", once)
			rows("makefile "+in.module, "line by line: ", byLine)
		}
	}
	if b.has("build") {
		if err := printBuild(table, b.runs, b.temp); err != nil {
			return fmt.Errorf("build: %w", err)
		}
	}
	return table.Flush()
}

// others prints the figures of the cases with tables of their own.
func (b *bench) others() error {
	for _, other := range []struct {
		name    string
		measure func() error
	}{
		{"import", func() error { return measureImports(b.runs, b.temp) }},
		{"consistency", func() error { return measureConsistency(b.runs) }},
		{"loop", func() error { return loop(b.runs, b.temp) }},
		{"day", func() error { return day(b.runs, b.temp) }},
		{"roundtrip", func() error { return roundTrip(b.runs, b.temp) }},
		{"scale", func() error { return scales(b.temp, b.scale) }},
	} {
		if !b.has(other.name) {
			continue
		}
		fmt.Println()
		if err := other.measure(); err != nil {
			return fmt.Errorf("%s: %w", other.name, err)
		}
	}
	return nil
}

// measureConsistency runs the benchmark of the case consistency, which prints its own figures.
func measureConsistency(n int) error {
	rows, err := output("go", "test", "-C", "../e2e", "-run", "^$", "-bench", "OwnWrites", "-count", strconv.Itoa(n), ".")
	fmt.Print(rows)
	return err
}

// say prints a progress message to standard error, with the time.
func say(format string, args ...any) {
	fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// cpu returns the model of the processor.
func cpu() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	if _, rest, ok := strings.Cut(string(info), "model name\t: "); ok {
		model, _, _ := strings.Cut(rest, "\n")
		return model
	}
	if model, err := output("sysctl", "-n", "machdep.cpu.brand_string"); err == nil { // macOS
		return strings.TrimSpace(model)
	}
	return "an unknown model"
}

// upstreamTools lists the packages of the classic tools: the four that kubegen replaces by default, and the tools of
// other cases.
var upstreamTools = []string{
	"k8s.io/code-generator/cmd/applyconfiguration-gen", "k8s.io/code-generator/cmd/client-gen",
	"k8s.io/code-generator/cmd/lister-gen", "k8s.io/code-generator/cmd/informer-gen",
	"k8s.io/code-generator/cmd/deepcopy-gen", "k8s.io/code-generator/cmd/register-gen",
}

// build builds the generators into dir/bin.
func build(dir string) error {
	bin := filepath.Join(dir, "bin") + string(filepath.Separator)
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	if _, err := output("go", append([]string{"build", "-o", bin}, upstreamTools...)...); err != nil {
		return err
	}
	if _, err := output("go", "build", "-C", "../../hack/tools", "-o", bin, "sigs.k8s.io/controller-tools/cmd/controller-gen"); err != nil {
		return err
	}
	if _, err := output("go", "build", "-o", bin, "./toolexec"); err != nil {
		return err
	}
	_, err := output("go", "build", "-C", "../..", "-o", bin, "./cmd/kubegen", "./cmd/gen-controller", "./cmd/gen-deepcopy")
	return err
}

// sides holds the usage of kubegen and of the upstream tools in each run.
type sides struct{ kubegen, upstream []usage }

// measure runs both sides in turn, each time once to generate and once to verify the result.
func measure(in input, n int, temp string) (generate, verify sides, err error) {
	packages, err := genclientPackages(in)
	if err != nil {
		return generate, verify, err
	}
	bin := filepath.Join(temp, "bin")
	for i := range n + 1 {
		run := filepath.Join(temp, fmt.Sprintf("%s-%d", in.name, i))
		ours, theirs, copied := filepath.Join(run, "kubegen"), filepath.Join(run, "upstream"), filepath.Join(run, "copy")
		check := kubegenCommands(in, bin, ours, packages)
		check[0] = slices.Insert(check[0], 1, "--verify")
		var spent [4]usage
		for j, commands := range [][][]string{
			kubegenCommands(in, bin, ours, packages),
			upstreamCommands(in, bin, theirs, packages),
			check,
			append(upstreamCommands(in, bin, copied, packages), []string{"diff", "-Naupr", theirs, copied}),
		} {
			if spent[j], err = spend(in.dir, commands); err != nil {
				return generate, verify, err
			}
		}
		if i == 0 { // warm-up
			if err := wroteAll(ours, theirs); err != nil {
				return generate, verify, err
			}
			continue
		}
		generate.kubegen, generate.upstream = append(generate.kubegen, spent[0]), append(generate.upstream, spent[1])
		verify.kubegen, verify.upstream = append(verify.kubegen, spent[2]), append(verify.upstream, spent[3])
	}
	return generate, verify, nil
}

// genclientPackages returns the import paths of the packages to generate clients for.
func genclientPackages(in input) ([]string, error) {
	list, err := output("go", "list", "-C", in.dir, "-find", "-f", "{{.ImportPath}}\t{{.Dir}}", in.pattern)
	if err != nil {
		return nil, err
	}
	return conformance.WithGenclient(in.pattern, list)
}

const outputPkg = "example.com/bench"

func kubegenCommands(in input, bin, out string, packages []string) [][]string {
	return [][]string{
		slices.Concat([]string{filepath.Join(bin, "kubegen"), "--output-dir", out, "--output-pkg", outputPkg},
			in.flags, in.client, packages),
	}
}

func upstreamCommands(in input, bin, out string, packages []string) [][]string {
	apply := append([]string{
		filepath.Join(bin, "applyconfiguration-gen"),
		"--output-dir", filepath.Join(out, "applyconfiguration"),
		"--output-pkg", outputPkg + "/applyconfiguration",
	}, packages...)
	clientset := slices.Concat([]string{
		filepath.Join(bin, "client-gen"),
		"--clientset-name", "versioned",
		"--output-dir", filepath.Join(out, "clientset"),
		"--output-pkg", outputPkg + "/clientset",
		"--input-base", "",
		"--apply-configuration-package", outputPkg + "/applyconfiguration",
	}, in.flags, in.client)
	for _, path := range packages {
		clientset = append(clientset, "--input", path)
	}
	listers := slices.Concat([]string{
		filepath.Join(bin, "lister-gen"),
		"--output-dir", filepath.Join(out, "listers"),
		"--output-pkg", outputPkg + "/listers",
	}, in.flags, packages)
	informers := slices.Concat([]string{
		filepath.Join(bin, "informer-gen"),
		"--output-dir", filepath.Join(out, "informers"),
		"--output-pkg", outputPkg + "/informers",
		"--versioned-clientset-package", outputPkg + "/clientset/versioned",
		"--listers-package", outputPkg + "/listers",
	}, in.flags, packages)
	return [][]string{apply, clientset, listers, informers}
}

// usage is the resource usage of one run of a side.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // bytes
}

// spend runs commands in dir, one after the other.
//
// The kernel reports the resource usage of a process including all children that it waited for: CPU times are added,
// but peak memory is the maximum. A child shares the memory of this process until it executes its own program. Its peak
// memory is therefore at least the size of this process, which must stay small.
func spend(dir string, commands [][]string) (usage, error) {
	var sum usage
	for _, args := range commands {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		var printed bytes.Buffer
		cmd.Stdout, cmd.Stderr = &printed, &printed
		start := time.Now()
		err := cmd.Run()
		sum.wall += time.Since(start)
		if err != nil {
			return sum, fmt.Errorf("%s: %w\n%s", filepath.Base(args[0]), err, printed.Bytes())
		}
		sum.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		sum.peak = max(sum.peak, peak(cmd.ProcessState))
	}
	return sum, nil
}

// peak returns the peak memory in bytes. getrusage(2) returns kilobytes, except on macOS.
func peak(state *os.ProcessState) int64 {
	rss := int64(state.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return rss
	}
	return rss * 1024
}

// wroteAll checks that kubegen wrote all packages written by the upstream tools, and so did not do less work. It may
// write more for its own markers.
func wroteAll(ours, theirs string) error {
	a, err := directories(ours)
	if err != nil {
		return err
	}
	b, err := directories(theirs)
	if err != nil {
		return err
	}
	var errs []error
	for _, directory := range b {
		if _, ok := slices.BinarySearch(a, directory); !ok {
			errs = append(errs, fmt.Errorf("only upstream writes %s", directory))
		}
	}
	return errors.Join(errs...)
}

// directories returns the directories at and below root that contain Go files, sorted.
func directories(root string) ([]string, error) {
	files, err := goFiles(root)
	var found []string
	for _, file := range files {
		found = append(found, filepath.Dir(file))
	}
	slices.Sort(found)
	return slices.Compact(found), err
}

// goFiles returns the Go files below root, by path relative to root.
func goFiles(root string) ([]string, error) {
	var found []string
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".go" {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

func row(table *tabwriter.Writer, name, measure string, spent sides, of func(usage) float64) {
	k, u := summary(spent.kubegen, of), summary(spent.upstream, of)
	fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.1f\t\n", name, measure, figure(k), figure(u), u.Median/k.Median)
}

// figure prints the median, minimum and maximum.
func figure(f chart.Figure) string {
	return fmt.Sprintf("%.3g (%.3g - %.3g)", f.Median, f.Least, f.Most)
}

// summary returns the median, minimum and maximum of the runs.
func summary[T any](runs []T, of func(T) float64) chart.Figure {
	var values []float64
	for _, u := range runs {
		values = append(values, of(u))
	}
	slices.Sort(values)
	half := len(values) / 2
	median := values[half]
	if len(values)%2 == 0 {
		median = (values[half-1] + values[half]) / 2
	}
	return chart.Figure{Median: median, Least: values[0], Most: values[len(values)-1]}
}

// figures returns the figures of a side, rounded to three digits.
func figures(runs []usage) chart.Figures {
	return chart.Figures{
		Wall: rounded(runs, func(u usage) float64 { return u.wall.Seconds() }),
		CPU:  rounded(runs, func(u usage) float64 { return u.cpu.Seconds() }),
		Peak: rounded(runs, func(u usage) float64 { return float64(u.peak) / 1e6 }),
	}
}

// rounded is like summary, with three digits.
func rounded[T any](runs []T, of func(T) float64) chart.Figure {
	f := summary(runs, of)
	for _, value := range []*float64{&f.Median, &f.Least, &f.Most} {
		*value, _ = strconv.ParseFloat(strconv.FormatFloat(*value, 'g', 3, 64), 64)
	}
	return f
}

// output runs a command and returns its standard output.
func output(name string, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, stderr.Bytes())
	}
	return string(out), nil
}
