// Package random_test generates everything for random packages of API types, and uses it.
package random_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	_ "github.com/kubegen/kubegen/fakeapi/crdvalidation" // what is generated is used with it
	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/commands/cli"
)

var (
	packages = flag.Int("packages", 40, "number of random packages")
	first    = flag.Uint64("first", 1, "seed of the first package")
	together = flag.Int("together", 100, "number of packages in a program")
	keep     = flag.Bool("keep", false, "keep the programs, and print where they are")
)

// TestPackages generates everything for random packages: kinds are named by English nouns, their directories and
// package clauses differ, their metadata comes by all ways of Go, their fields have all options of JSON, and there
// are markers at random places. Each marker must be in the output or reported, at its line, unless it is for another
// tool. A package may be refused only for a reason that is among those below. What is generated is compiled, and
// works on fakeapi with the manifests of the same run, and with both fake clientsets, unless kubegen has warned that
// these cannot handle a field.
//
//	go test ./random -args -packages 2000
//	go test ./random -args -first 17 -packages 1 -keep
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it compiles what is generated")
	}
	refused := map[string]int{} // by reason
	for from := 0; from < *packages; from += *together {
		p := newProgram(t)
		for i := range min(*together, *packages-from) {
			p.add(apitest.Objects(*first + uint64(from+i)))
		}
		p.generate()
		for _, reason := range p.refused {
			refused[reason]++
		}
		if len(p.packages) > 0 {
			p.use()
		}
	}
	total := 0
	for _, reason := range slices.Sorted(maps.Keys(refused)) {
		total += refused[reason]
		t.Logf("%d refused: %s", refused[reason], reason)
	}
	t.Logf("%d packages, %d of them refused", *packages, total)
	if total > *packages/2 && *packages > 10 {
		t.Errorf("more than half of the packages are refused")
	}
}

// reasons match the messages of errors that are right: the types are valid Go, but mean nothing to an API server, to
// client-go or to kubegen's own markers, or mean two things.
var reasons = []string{
	`^a struct without a name has no schema$`,
	`^field \S+ of \S+ has no JSON tag$`,
	`^kind \S+ embeds a pointer to (Object|Type)Meta, but kinds and lists embed`,
	`^clients of \S+ use the version \S+, but its CustomResourceDefinition has \S+$`,                                    // of a package whose clause is no version
	`^clients of \S+ are cluster-scoped because of \+genclient:nonNamespaced, but its CustomResourceDefinition is not$`, // misplaced by the test
	`^unknown marker \+(genclient|kubegen):m\d+x\d+$`,
	`^\+genclient:m\d+x\d+ belongs above a type, but this is too far above`,
}

// program is a module with random packages, and what is generated for them.
type program struct {
	*testing.T
	dir      string
	packages map[string]*apitest.ObjectPackage // by directory
	refused  map[string]string                 // reasons, by directory

	unappliable []string // kinds and fields of which kubegen warns that fake clientsets cannot handle them, such as example.com/random/apis/s1/v1.Foo.Bar
}

// here is the directory of this file.
var here = func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}()

// newProgram returns a module of a workspace, so that libraries need not be compiled for it.
func newProgram(t *testing.T) *program {
	p := &program{T: t, dir: t.TempDir(), packages: map[string]*apitest.ObjectPackage{}, refused: map[string]string{}}
	if *keep {
		var err error
		if p.dir, err = os.MkdirTemp("", "random"); err != nil {
			t.Fatal(err)
		}
		t.Logf("the program is in %s", p.dir)
	}
	root := filepath.Join(here, "../../..")
	goMod := p.read(filepath.Join(here, "../../go.mod"))
	_, goMod, _ = bytes.Cut(goMod, []byte("\n"))
	goMod, _, _ = bytes.Cut(goMod, []byte("\nreplace "))
	p.write("go.mod", string(append([]byte("module example.com/random\n"), goMod...)))
	p.write("go.sum", string(p.read(filepath.Join(here, "../../go.sum"))))
	work := strings.ReplaceAll(string(p.read(filepath.Join(root, "go.work"))), "\t./", "\t"+root+"/")
	p.write("go.work", strings.ReplaceAll(work, "\t.\n", "\t"+root+"\n\t.\n"))
	p.write("go.work.sum", string(p.read(filepath.Join(root, "go.work.sum"))))
	p.write("driver/driver_test.go", string(p.read(filepath.Join(here, "testdata/driver/driver_test.go"))))
	return p
}

func (p *program) read(name string) []byte {
	p.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		p.Fatal(err)
	}
	return text
}

func (p *program) write(name, text string) {
	p.Helper()
	name = filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		p.Fatal(err)
	}
}

func (p *program) add(pkg *apitest.ObjectPackage) {
	p.packages[pkg.Dir] = pkg
	for name, text := range pkg.Files {
		p.write(pkg.Dir+"/"+name, text)
	}
}

// message is a diagnostic of kubegen.
type message struct {
	File     string
	Line     int
	Severity string
	Message  string
	Hint     string
}

// generate runs kubegen, leaves out the packages that it refuses, and runs it again for the others, until it refuses
// none.
func (p *program) generate() {
	said := map[string][]message{} // by directory
	for {
		var patterns []string
		for _, dir := range slices.Sorted(maps.Keys(p.packages)) {
			patterns = append(patterns, "./"+dir)
		}
		if len(patterns) == 0 {
			return
		}
		code, messages := p.kubegen(patterns)
		errors := 0
		for _, m := range messages {
			dir := filepath.ToSlash(filepath.Dir(m.File))
			pkg := p.packages[dir]
			if m.Severity == "error" {
				errors++
				reason := p.reason(m)
				if m.File == "" || m.Line == 0 || pkg == nil && p.refused[dir] == "" {
					p.Fatalf("an error without a place: %+v", m)
				}
				if reason == "" {
					p.Errorf("%s:%d: refused for an unknown reason: %s (%s)", m.File, m.Line, m.Message, m.Hint)
					reason = m.Message
				}
				p.refused[dir] = reason
				delete(p.packages, dir)
			}
			said[dir] = append(said[dir], m)
		}
		if errors == 0 {
			if code != 0 {
				p.Fatalf("exit code %d without errors: %v", code, messages)
			}
			break
		}
	}
	output := p.output()
	for dir, pkg := range p.packages {
		for _, marker := range pkg.Markers {
			p.checkMarker(pkg, said[dir], marker, output)
		}
		for _, m := range said[dir] {
			if slices.ContainsFunc(pkg.Foreign, func(text string) bool { return strings.Contains(m.Message, text) }) {
				p.Errorf("%s:%d: a marker of another tool is reported: %s", m.File, m.Line, m.Message)
			}
			if field := unappliable.FindStringSubmatch(m.Message); field != nil {
				p.unappliable = append(p.unappliable, "example.com/random/"+dir+"."+field[2]+"."+field[1])
			}
			if kind := ignored.FindStringSubmatch(m.Message); kind != nil {
				p.unappliable = append(p.unappliable, "example.com/random/"+dir+"."+kind[1])
			}
		}
	}
}

// unappliable matches warnings about fields that fake clientsets cannot handle.
var unappliable = regexp.MustCompile(`^field (\S+) of (\S+) (contains|is) .*which .*fake\.NewClientset cannot handle$`)

// ignored matches warnings about kinds that they cannot handle.
var ignored = regexp.MustCompile(`^kind (\S+) .* fake\.NewClientset cannot handle it$`)

// reason returns the pattern of the reasons that a message matches.
func (p *program) reason(m message) string {
	for _, reason := range reasons {
		if regexp.MustCompile(reason).MatchString(m.Message) {
			return reason
		}
	}
	return ""
}

// kubegen generates everything for packages. It returns its exit code and what it says.
func (p *program) kubegen(patterns []string) (code int, messages []message) {
	p.Helper()
	p.Chdir(p.dir)
	var said bytes.Buffer
	arguments := []string{"--format=json", "--with-deepcopy", "--with-register", "--with-crds=crds", "--crd-allow-dangerous-types", "--crd-ignore-unexported-fields", "--output-dir=generated",
		"--only=clientset,applyconfiguration,deepcopy,register,crd"}
	code = cli.Main(cli.Kubegen, append(arguments, patterns...), io.Discard, &said)
	for line := range bytes.Lines(said.Bytes()) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			p.Fatalf("%s: %v", line, err)
		}
		messages = append(messages, m)
	}
	return code, messages
}

// output returns all manifests and generated code.
func (p *program) output() string {
	var all strings.Builder
	for _, dir := range []string{"crds", "generated"} {
		err := filepath.WalkDir(filepath.Join(p.dir, dir), func(name string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			all.Write(p.read(name))
			return nil
		})
		if err != nil {
			p.Fatal(err)
		}
	}
	return all.String()
}

// checkMarker checks that a marker has an effect, or that a message says that it has none.
func (p *program) checkMarker(pkg *apitest.ObjectPackage, said []message, marker, output string) {
	is := regexp.MustCompile(regexp.QuoteMeta(marker) + `\b`)
	if regexp.MustCompile(`(?m)^[^+\n]*` + is.String()).MatchString(output) { // but not the marker itself, in a description
		return
	}
	for name, text := range pkg.Files {
		for i, line := range strings.Split(text, "\n") {
			if !is.MatchString(line) {
				continue
			}
			if !slices.ContainsFunc(said, func(m message) bool { return filepath.Base(m.File) == name && m.Line == i+1 }) {
				p.Errorf("%s/%s:%d: no effect of this marker, and no message: %s\n%s", pkg.Dir, name, i+1, line, around(text, i))
			}
		}
	}
}

// around returns some lines of a text.
func around(text string, at int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, at-4):min(len(lines), at+5)], "\n")
}

// use compiles what was generated, and runs the driver.
func (p *program) use() {
	list, err := json.Marshal(p.unappliable)
	if err != nil {
		p.Fatal(err)
	}
	p.write("driver/unappliable.json", string(list))
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "./driver")
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Errorf("%v\n%.20000s", err, out)
		for dir, pkg := range p.packages {
			if strings.Contains(string(out), fmt.Sprintf("S%d", pkg.Seed)) {
				p.Logf("-- %s --\n%s", dir, pkg.Files["types.go"])
			}
		}
	}
}
