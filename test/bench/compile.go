//go:build unix

package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A sample is what programs and tests do with the clients of an input, to measure what building them costs.
type sample struct {
	types  string // package of the object, called v1
	calls  string // of the clientset, for the client of the object
	object string // a literal without its metadata, which is its first field; a server accepts it
	crds   string // CustomResourceDefinitions, below dir
}

// costs holds the figures of some sides, in each run.
type costs struct {
	measures []string
	values   map[string][][]float64 // by measure, side and run
	sides    []string               // the last one is what the others are compared with
}

func (c *costs) add(measure string, side int, value float64) {
	if c.values[measure] == nil {
		if c.values == nil {
			c.values = map[string][][]float64{}
		}
		c.measures = append(c.measures, measure)
		c.values[measure] = make([][]float64, len(c.sides))
	}
	c.values[measure][side] = append(c.values[measure][side], value)
}

// header prints the first row of the table of print.
func (c *costs) header(table *tabwriter.Writer) {
	last := len(c.sides) - 1
	fmt.Fprintf(table, "case\tmeasure\t%s\t", strings.Join(c.sides, "\t"))
	for _, side := range c.sides[:last] {
		fmt.Fprintf(table, "%s / %s\t", side, c.sides[last])
	}
	fmt.Fprintln(table)
}

// print prints the figures of each measure, and the medians of the ratios in each run.
func (c *costs) print(table *tabwriter.Writer, name string) {
	same := func(f float64) float64 { return f }
	text := func(runs []float64) string {
		switch {
		case len(runs) == 0:
			return "-"
		case len(runs) == 1:
			return fmt.Sprintf("%.*f", max(0, 3-len(strconv.Itoa(int(runs[0])))), runs[0])
		}
		return figure(summary(runs, same))
	}
	for _, measure := range c.measures {
		fmt.Fprintf(table, "%s\t%s\t", name, measure)
		name = ""
		values := c.values[measure]
		for _, of := range values {
			fmt.Fprintf(table, "%s\t", text(of))
		}
		last := len(values) - 1
		for _, of := range values[:last] {
			var ratios []float64
			for i := range min(len(of), len(values[last])) {
				ratios = append(ratios, of[i]/values[last][i])
			}
			ratio := "-"
			if len(ratios) > 0 {
				ratio = fmt.Sprintf("%.2f", summary(ratios, same).Median)
			}
			fmt.Fprintf(table, "%s\t", ratio)
		}
		fmt.Fprintln(table)
	}
}

// compile measures in n runs what a project pays for the generated code in the directories of the sides: to compile its
// packages, to build a program with one client, and to test one request. All other packages are built beforehand.
func (in input) compile(c *costs, dirs []string, n int, temp string) error {
	programs := make([][]string, len(dirs))
	for side, dir := range dirs {
		var err error
		if programs[side], err = in.prepare(dir, temp); err != nil {
			return err
		}
	}
	for run := range n {
		for side, dir := range dirs {
			if err := compilePackages(c, side, dir, run, temp); err != nil {
				return err
			}
			for _, program := range programs[side] {
				if err := buildProgram(c, side, dir, program, run); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// prepare makes dir a module with the programs of in, which it returns, and compiles the packages of other modules.
func (in input) prepare(dir, temp string) (programs []string, err error) {
	if err := writeModule(dir, outputPkg); err != nil {
		return nil, err
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	runtimeVersion, err := output("go", "list", "-m", "-f", "{{.Version}}", controllerRuntime)
	if err != nil {
		return nil, err
	}
	edit := []string{
		"mod", "edit", "-require=" + controllerRuntime + "@" + strings.TrimSpace(runtimeVersion),
		"-require=" + fakeAPI + "@v0.0.0", "-replace=" + fakeAPI + "=" + filepath.Join(root, "fakeapi"),
	}
	if in.module != "" {
		types, err := filepath.Abs(in.dir)
		if err != nil {
			return nil, err
		}
		module, _, _ := strings.Cut(in.module, "@")
		edit = append(edit, "-require="+module+"@v0.0.0", "-replace="+module+"="+types)
	}
	if _, err := output("go", append(edit, filepath.Join(dir, "go.mod"))...); err != nil {
		return nil, err
	}
	if programs, err = in.writePrograms(dir); err != nil {
		return nil, err
	}
	imports, err := output("go", "list", "-C", dir, "-mod=mod", "-deps", "-test", "-f",
		"{{if not (or .Standard .ForTest (and .Module .Module.Main))}}{{.ImportPath}}{{end}}", "./...")
	if err != nil {
		return nil, err
	}
	text := "package prime\n"
	for _, path := range strings.Fields(imports) {
		if !slices.Contains(strings.Split(path, "/"), "internal") {
			text += fmt.Sprintf("\nimport _ %q\n", path)
		}
	}
	if err := writeFile(filepath.Join(dir, "prime", "prime_test.go"), text); err != nil {
		return nil, err
	}
	// With go vet, as go test runs it.
	_, err = output("go", "test", "-C", dir, "-mod=mod", toolexec(temp), "./prime")
	return programs, err
}

const (
	controllerRuntime = "sigs.k8s.io/controller-runtime"
	fakeAPI           = "github.com/kubegen/kubegen/fakeapi"
)

// toolexec is the flag for builds that write the file in $TOOLEXEC_LOG.
func toolexec(temp string) string { return "-toolexec=" + filepath.Join(temp, "bin", "toolexec") }

// compilePackages compiles the generated packages below dir: first those that a test with the fake clientset needs, by
// running the test, and then all others. It first changes each package, so that the build cache does not contain it.
func compilePackages(c *costs, side int, dir string, run int, temp string) error {
	err := stamp(filepath.Join(dir, "programs", onFake), fmt.Sprintf("func first%d() {}", run))
	for _, tree := range trees {
		err = errors.Join(err, stamp(filepath.Join(dir, tree), fmt.Sprint("// ", run)))
	}
	if err != nil {
		return err
	}
	log := filepath.Join(temp, "toolexec.log")
	if err := os.RemoveAll(log); err != nil {
		return err
	}
	goCommand := func(name string) []string {
		return []string{"env", "TOOLEXEC_LOG=" + log, "go", name, "-mod=mod", toolexec(temp)}
	}
	test, err := spend(dir, [][]string{append(goCommand("test"), "./programs/"+onFake)})
	if err != nil {
		return err
	}
	build := goCommand("build")
	for _, tree := range trees {
		build = append(build, "./"+tree+"/...")
	}
	if _, err := spend(dir, [][]string{build}); err != nil {
		return err
	}
	parts, peak, err := compiled(log)
	if err != nil {
		return err
	}
	all := 0.0
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		c.add("compile "+part+": CPU s", side, parts[part])
		all += parts[part]
	}
	c.add("compile all: CPU s", side, all)
	c.add("largest compiler: peak MB", side, peak/1e6)
	c.add("compile what the fake clientset needs, and one test: CPU s", side, test.cpu.Seconds())
	return nil
}

// compiled returns from a log of toolexec the CPU seconds of the compilers of each part of the generated code, and the
// memory of the largest one.
func compiled(log string) (parts map[string]float64, peak float64, err error) {
	text, err := os.ReadFile(log)
	parts = map[string]float64{}
	for line := range strings.Lines(string(text)) {
		var tool, path string
		var cpu, memory float64
		if n, err := fmt.Sscan(line, &tool, &cpu, &memory, &path); n < 3 { // without a path it was asked for its version
			return nil, 0, fmt.Errorf("%s: %q: %w", log, line, err)
		}
		path, ours := strings.CutPrefix(path, outputPkg+"/")
		tree, rest, _ := strings.Cut(path, "/")
		switch {
		case tool != "compile" || !ours || !slices.Contains(trees, tree):
			continue
		case tree == "clientset" && (strings.HasSuffix(rest, "/fake") || strings.HasSuffix(rest, "/fakes")):
			tree = "fakes"
		case tree == "clientset":
			tree = "clients"
		}
		parts[tree] += cpu
		peak = max(peak, memory)
	}
	return parts, peak, err
}

// buildProgram builds a program or runs a test after a change of its only file. All packages that it imports are built.
func buildProgram(c *costs, side int, dir, program string, run int) error {
	if err := stamp(filepath.Join(dir, "programs", program), fmt.Sprintf("func again%d() {}", run)); err != nil {
		return err
	}
	args, measure := []string{"go", "test", "-mod=mod", "./programs/" + program}, "test "+program
	binary := filepath.Join(dir, "program")
	if program == oneClient {
		args = []string{"go", "build", "-mod=mod", "-o", binary, "./programs/" + program}
		measure = "build a program with one client"
	}
	spent, err := spend(dir, [][]string{args})
	if err != nil {
		return err
	}
	c.add(measure+": CPU s", side, spent.cpu.Seconds())
	if program != oneClient {
		c.add(measure+": wall s", side, spent.wall.Seconds())
		return nil
	}
	if run > 0 {
		return nil
	}
	info, err := os.Stat(binary)
	if err == nil {
		c.add("its size: MB", side, float64(info.Size())/1e6)
	}
	return err
}

// stamp appends a line to all Go files at and below dir, so that the build cache does not contain their packages. After
// a comment, these compile to what they were. A function also changes what imports them, and binaries.
func stamp(dir, line string) error {
	files, err := goFiles(dir)
	for _, name := range files {
		file, err2 := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
		if err2 == nil {
			_, err2 = fmt.Fprintf(file, "\n%s\n", line)
			err2 = errors.Join(err2, file.Close())
		}
		err = errors.Join(err, err2)
	}
	return err
}

// Programs and tests.
const (
	oneClient = "client"
	onFake    = "fakeclientset"
	onFakeAPI = "fakeapi"
	onEnvtest = "envtest"
)

// writePrograms writes below dir the programs and tests of in, and returns their names. Without the binaries of envtest
// there is no test on a server. Only kubegen's clientsets say which API fakeapi has to serve.
func (in input) writePrograms(dir string) (names []string, err error) {
	const versioned, fake = outputPkg + "/clientset/versioned", outputPkg + "/clientset/versioned/fake"
	texts := map[string]string{
		oneClient + "/main.go":  fmt.Sprintf(clientProgram, versioned, in.calls),
		onFake + "/one_test.go": in.test("client := fake.NewClientset()", fake),
	}
	if _, err := os.Stat(filepath.Join(dir, "clientset/versioned/fake/resources.go")); err == nil {
		texts[onFakeAPI+"/one_test.go"] = in.test(
			"client := versioned.NewForConfigOrDie(fakeapi.New(fakeapi.WithAPI(fake.API{})).RESTConfig())", versioned, fake, fakeAPI)
	}
	if os.Getenv("KUBEBUILDER_ASSETS") != "" {
		crds := ""
		if in.crds != "" {
			path, err := filepath.Abs(filepath.Join(in.dir, in.crds))
			if err != nil {
				return nil, err
			}
			crds = fmt.Sprintf("%q", path)
		}
		texts[onEnvtest+"/one_test.go"] = in.test(fmt.Sprintf(startServer, crds), versioned, controllerRuntime+"/pkg/envtest")
	}
	for name, text := range texts {
		names = append(names, filepath.Dir(name))
		err = errors.Join(err, writeFile(filepath.Join(dir, "programs", name), text))
	}
	slices.Sort(names)
	return names, err
}

// test returns a test of the requests of in, with the statements that declare the client and the packages that these
// need.
func (in input) test(client string, imports ...string) string {
	return fmt.Sprintf(requestsTest, `"`+strings.Join(imports, "\"\n\t\"")+`"`, in.types, client, in.object, in.calls)
}

const requestsTest = `package programs

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	%[1]s
	v1 %[2]q
)

func TestRequests(t *testing.T) {
	%[3]s
	object := &v1.%[4]s
	object.Name = "one"
	if _, err := client.%[5]s.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	found, err := client.%[5]s.Get(t.Context(), "one", metav1.GetOptions{})
	if err != nil || found.Name != "one" {
		t.Errorf("%%v, %%v", found, err)
	}
}
`

const startServer = `environment := envtest.Environment{CRDDirectoryPaths: []string{%s}}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer environment.Stop()
	client := versioned.NewForConfigOrDie(config)`

const clientProgram = `package main

import (
	"context"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	%[1]q
)

func main() {
	client := versioned.NewForConfigOrDie(&rest.Config{Host: os.Args[1]})
	fmt.Println(client.%[2]s.Get(context.Background(), os.Args[2], metav1.GetOptions{}))
}
`
