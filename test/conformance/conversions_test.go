package conformance

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubegen/kubegen/internal/moduletest"
)

var checkouts = flag.String("checkouts", "", "also convert types of the git repositories OWNER/NAME below this directory")

const conversionFile = "zz_generated.conversion.go"

// exchanged are modules in which conversion-gen exchanges the values of two fields, which have one type and another
// order in the other version: it takes types with the same memory for equal, whatever their fields are called.
var exchanged = map[string]string{
	"github.com/vmware-tanzu/vm-operator": "VirtualMachineNetworkDNSStatus.HostName and VirtualMachineImageCacheFileStatus.Name",
}

// convertedModule is a module in testdata/conversions.txt with its command lines.
type convertedModule struct {
	path, version string
	options       []string
	lines         []conversionLine
}

// conversionLine is a command line in a directory of a module: flags, and then patterns of packages.
type conversionLine struct {
	dir  string
	args []string
}

func convertedModules(t *testing.T) (all []convertedModule) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "conversions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || line[0] == '#':
		case line[0] == '\t':
			m := &all[len(all)-1]
			command := conversionLine{".", words}
			if words[0] == "cd" {
				command = conversionLine{words[1], words[3:]}
			}
			m.lines = append(m.lines, command)
		default:
			m := convertedModule{options: words[1:]}
			m.path, m.version, _ = strings.Cut(words[0], "@")
			all = append(all, m)
		}
	}
	return all
}

// TestConversions runs the command lines for conversion-gen of public modules with gen-conversion, too. The functions
// that both write and register must have the same signatures, and random values must be converted to the same ones.
func TestConversions(t *testing.T) {
	want := filepath.Join(t.TempDir(), "conversion-gen")
	if _, err := output(goCommand("migration", "build", "-o", want, "k8s.io/code-generator/cmd/conversion-gen")); err != nil {
		t.Fatal(err)
	}
	got := filepath.Join(moduletest.Build(t, "gen-conversion"), "gen-conversion")
	modules, functions, pairs := 0, 0, 0
	for _, m := range convertedModules(t) {
		repository := strings.TrimPrefix(m.path, "github.com/")
		isRepository := !strings.HasPrefix(m.version, "v")
		if isRepository && *checkouts == "" || !isRepository && !*allModules && !slices.Contains(m.options, "[quick]") {
			continue
		}
		t.Run(repository, func(t *testing.T) {
			work := workDir(t)
			var results [2]conversionResult
			for i, tool := range []string{want, got} {
				dir := filepath.Join(work, strconv.Itoa(i))
				if isRepository {
					m.checkOut(t, dir)
				} else {
					m.download(t, dir)
				}
				results[i] = m.generate(t, dir, tool)
			}
			for name, text := range results[0].files {
				if different := differentLines(text, results[1].files[name]); len(different) > 0 {
					t.Errorf("%s differs:\n%s", name, head(strings.Join(different, "\n")))
				}
				functions += len(text)
			}
			t.Logf("conversion-gen: %v; gen-conversion: %v", results[0], results[1])
			if t.Failed() {
				return
			}
			theirs, ours := m.convert(t, filepath.Join(work, "0")), m.convert(t, filepath.Join(work, "1"))
			switch different, reason := differentLines(theirs, ours), exchanged[m.path]; {
			case len(different) > 0 && reason == "":
				t.Errorf("values differ:\n%s", head(strings.Join(different, "\n")))
			case len(different) > 0:
				t.Logf("%d lines differ, because of %s", len(different), reason)
			case reason != "":
				t.Errorf("no longer an exception: %s", reason)
			}
			modules, pairs = modules+1, pairs+len(theirs)
		})
	}
	fmt.Printf("conversions: %d functions of %d public modules are equal, and values of %d pairs of types\n", functions, modules, pairs)
}

// download writes the module's files into dir, or skips the test if a registry does not have them.
func (m convertedModule) download(t *testing.T, dir string) {
	t.Helper()
	cmd := goCommand(t.TempDir(), "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Env = append(cmd.Env, "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s@%s: %v %s", m.path, m.version, err, out)
	}
	_, found, _ := bytes.Cut(out, []byte(`"Dir": "`))
	from, _, _ := bytes.Cut(found, []byte(`"`))
	if err := CopyModule(dir, string(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "vendor")); err != nil { // which has no packages in an archive
		t.Fatal(err)
	}
}

// checkOut writes the repository's files into dir, or skips the test if it is not there.
func (m convertedModule) checkOut(t *testing.T, dir string) {
	t.Helper()
	repository := filepath.Join(*checkouts, filepath.FromSlash(strings.TrimPrefix(m.path, "github.com/")))
	if _, err := os.Stat(repository); errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"clone", "--quiet", "--shared", "--no-checkout", repository, dir}, {"-C", dir, "checkout", "--quiet", "--detach", m.version},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
}

// conversionResult is what a tool writes, and what it uses.
type conversionResult struct {
	files map[string][]string // by name, as conversionFunctions returns them
	cpu   time.Duration
	peak  int64 // in KiB, the resident memory of the largest process
}

func (r conversionResult) String() string {
	return fmt.Sprintf("%.2f s of CPU, %d MiB", r.cpu.Seconds(), r.peak/1024)
}

// generate removes the files of the packages in the command lines, and runs these.
func (m convertedModule) generate(t *testing.T, dir, tool string) conversionResult {
	t.Helper()
	r := conversionResult{files: map[string][]string{}}
	var names []string
	for _, line := range m.lines {
		for _, pkg := range m.packages(t, dir, line) {
			names = append(names, filepath.Join(pkg.dir, conversionFile))
		}
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	for _, line := range m.lines {
		cmd := exec.Command(tool, line.args...)
		cmd.Dir, cmd.Env = filepath.Join(dir, line.dir), m.env()
		if _, err := output(cmd); err != nil {
			t.Fatalf("%s: %v", strings.Join(line.args, " "), err)
		}
		r.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			r.peak = max(r.peak, usage.Maxrss)
		}
	}
	for _, name := range names {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(name); err == nil {
			r.files[rel] = conversionFunctions(t, text)
		} else {
			r.files[rel] = nil // not each package has a marker
		}
	}
	return r
}

func (m convertedModule) env() []string {
	mode := "mod"
	if slices.Contains(m.options, "[vendor]") {
		mode = "vendor"
	}
	return append(goEnv(), "GOFLAGS=-buildvcs=false -mod="+mode)
}

type convertedPackage struct{ path, dir string }

// packages returns those in a command line.
func (m convertedModule) packages(t *testing.T, dir string, line conversionLine) (all []convertedPackage) {
	t.Helper()
	args := []string{"list", "-e", "-find", "-f", "{{.ImportPath}} {{.Dir}}"}
	for _, arg := range line.args {
		if !strings.HasPrefix(arg, "-") {
			args = append(args, arg)
		}
	}
	cmd := goCommand(filepath.Join(dir, line.dir), args...)
	cmd.Env = m.env()
	out, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(out)) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(text), " ")
		all = append(all, convertedPackage{path: pkg, dir: dir})
	}
	return all
}

// convert compiles the functions in dir, converts random values, and returns a line for each pair of types.
func (m convertedModule) convert(t *testing.T, dir string) []string {
	t.Helper()
	var imports, table strings.Builder
	seen := map[string]bool{}
	for _, line := range m.lines {
		for _, pkg := range m.packages(t, dir, line) {
			if _, err := os.Stat(filepath.Join(pkg.dir, conversionFile)); err != nil || seen[pkg.path] {
				continue
			}
			seen[pkg.path] = true
			fmt.Fprintf(&imports, "\tp%d %q\n", len(seen), pkg.path)
			fmt.Fprintf(&table, "\tregisters[%q] = p%d.RegisterConversions\n", pkg.path, len(seen))
		}
	}
	root := filepath.Join(dir, m.lines[0].dir)
	program := filepath.Join(root, "kubegen-conversions")
	writeText(t, filepath.Join(program, "packages.go"), fmt.Sprintf("package main\n\nimport (\n%s)\n\nfunc init() {\n%s}\n", &imports, &table))
	for _, file := range []string{"conversions/main.go", "copies/values.go"} {
		copyFile(t, filepath.Join(program, path.Base(file)), filepath.Join("migration", file))
	}
	cmd := goCommand(root, "run", "./kubegen-conversions", "-values", strconv.Itoa(*copiedValues))
	cmd.Env = m.env()
	out, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// conversionFunctions returns the functions in a generated file that others call, with the types in their signatures,
// sorted. Import paths stand for the names of packages.
func conversionFunctions(t *testing.T, text []byte) (all []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, spec := range file.Imports {
		name := path.Base(strings.Trim(spec.Path.Value, `"`))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		paths[name] = spec.Path.Value
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() && !strings.HasPrefix(f.Name.Name, "autoConvert_") {
			continue
		}
		text := f.Name.Name
		for _, param := range f.Type.Params.List {
			ast.Inspect(param.Type, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := s.X.(*ast.Ident); ok && paths[id.Name] != "" {
						id.Name = paths[id.Name]
					}
				}
				return true
			})
			var typ strings.Builder
			if err := printer.Fprint(&typ, set, param.Type); err != nil {
				t.Fatal(err)
			}
			text += " " + typ.String()
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// differentLines returns the lines that only one of two lists has, with a sign.
func differentLines(want, got []string) (all []string) {
	for _, line := range want {
		if !slices.Contains(got, line) {
			all = append(all, "- "+line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			all = append(all, "+ "+line)
		}
	}
	return all
}
