// Package charts renders charts that kubegen keeps equal to manifests with Helm's own code, and compares the objects
// with the manifests. It is a module of its own because it requires Helm.
package charts

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"
)

var allModules = flag.Bool("modules", false, "also renew the charts of the modules of modules.txt")

type object = map[string]any

// TestRender writes the archives of testdata, runs kubegen, and compares what their charts render with the manifests.
// The comment of an archive consists of kubegen's flags. Of its files, values.yaml overrides the values of the chart.
func TestRender(t *testing.T) {
	kubegen := build(t)
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir, values := t.TempDir(), object{}
			for _, file := range archive.Files {
				if file.Name == "values.yaml" {
					if err := yaml.Unmarshal(file.Data, &values); err != nil {
						t.Fatal(err)
					}
				}
				write(t, filepath.Join(dir, filepath.FromSlash(file.Name)), file.Data)
			}
			manifests := renew(t, kubegen, dir, strings.Fields(string(archive.Comment)))
			rendered := render(t, filepath.Join(dir, "chart"), values)
			for _, want := range manifests {
				if !slices.ContainsFunc(rendered, func(got object) bool { return equal(got, want, false) }) {
					t.Errorf("the chart renders nothing like\n%s\nbut\n%s", text(t, want), text(t, ofKind(rendered, want)))
				}
			}
		})
	}
}

// TestModules renews charts of public modules. They render the manifests, and exactly as many lines of their files
// change as modules.txt lists with reasons.
func TestModules(t *testing.T) {
	if !*allModules {
		t.Skip("no -modules")
	}
	kubegen := build(t)
	charts, objects := 0, 0
	for _, c := range moduleCharts(t) {
		t.Run(c.module+"/"+c.dir, func(t *testing.T) {
			module := filepath.Join(t.TempDir(), "module")
			if err := os.CopyFS(module, os.DirFS(download(t, c.module))); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(module, filepath.FromSlash(c.dir))
			for file, edits := range c.edits {
				edit(t, filepath.Join(dir, filepath.FromSlash(file)), edits)
			}
			repository := []string{"--git-dir", filepath.Join(t.TempDir(), "git"), "--work-tree", dir}
			git := func(args ...string) string { return run(t, dir, "git", append(slices.Clone(repository), args...)...) }
			git("init", "-q")
			git("add", "-f", ".")
			before := filepath.Join(t.TempDir(), "before")
			if err := os.CopyFS(before, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			manifests := renew(t, kubegen, module, append(c.args, "--chart", "./"+c.dir))
			git("add", "-f", "-N", ".") // makes diff list added files

			compareToggled(t, before, dir, c.values, manifests)
			rendered := render(t, dir, c.values)
			for _, want := range manifests {
				if !slices.ContainsFunc(rendered, func(got object) bool { return equal(got, want, true) }) {
					t.Errorf("the chart renders nothing like %v %v", want["kind"], nameOf(want))
				}
			}
			changes := map[string]bool{}
			for line := range strings.Lines(git("diff", "--numstat")) {
				change := strings.Join(strings.Fields(line), " ")
				if changes[change] = true; c.reasons[change] == "" {
					t.Errorf("%s: modules.txt does not list these changes", change)
				}
			}
			for change, reason := range c.reasons {
				if !changes[change] {
					t.Errorf("%s: no longer an exception: %s", change, reason)
				}
			}
			charts, objects = charts+1, objects+len(manifests)
		})
	}
	fmt.Printf("charts: %d charts of public modules are renewed, with %d objects\n", charts, objects)
}

// renew runs kubegen, which writes the manifests into directories of their own, and a second time with verify. It
// returns the manifests.
func renew(t *testing.T, kubegen, dir string, args []string) (objects []object) {
	t.Helper()
	out := t.TempDir()
	args = slices.Clone(args)
	for i, arg := range args {
		if flag, ok := strings.CutPrefix(arg, "--with-"); ok {
			args[i] = arg + "=" + filepath.Join(out, flag)
		}
	}
	run(t, dir, kubegen, args...)
	run(t, dir, kubegen, append([]string{"verify"}, args...)...)
	files, err := filepath.Glob(filepath.Join(out, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, objectsIn(t, string(content))...)
	}
	return objects
}

// render returns the objects of a chart.
func render(t *testing.T, dir string, values object) (objects []object) {
	t.Helper()
	files, err := renderFiles(dir, values)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if isManifest(name) {
			objects = append(objects, objectsIn(t, files[name])...)
		}
	}
	return objects
}

// renderFiles returns what a chart renders with values, and its definitions, by file.
func renderFiles(dir string, values object) (map[string]string, error) {
	chart, err := loader.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	if err := chartutil.ProcessDependencies(chart, values); err != nil {
		return nil, err
	}
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "release", Namespace: "system"}, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return nil, err
	}
	for _, crd := range chart.CRDObjects() {
		files[crd.Filename] = string(crd.File.Data)
	}
	return files, nil
}

func isManifest(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".yaml" || ext == ".yml" || ext == ".json"
}

// objectsIn returns the objects in a file.
func objectsIn(t *testing.T, file string) (objects []object) {
	t.Helper()
	for _, document := range strings.Split("\n"+file, "\n---") {
		var o object
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}

func nameOf(o object) string {
	metadata, _ := o["metadata"].(object)
	name, _ := metadata["name"].(string)
	return name
}

func ofKind(objects []object, like object) (found []object) {
	return slices.DeleteFunc(slices.Clone(objects), func(o object) bool { return o["kind"] != like["kind"] })
}

// equal compares the parts of objects that kubegen replaces. With own, what an installation decides, and what a marker
// cannot set, may differ.
func equal(got, want object, own bool) bool {
	if got["kind"] != want["kind"] {
		return false
	}
	if want["kind"] == "CustomResourceDefinition" {
		a, b := got["spec"].(object), want["spec"].(object)
		return nameOf(got) == nameOf(want) && reflect.DeepEqual(a["names"], b["names"]) && a["scope"] == b["scope"] &&
			reflect.DeepEqual(set(a["versions"], nil), set(b["versions"], nil))
	}
	if want["webhooks"] == nil {
		return reflect.DeepEqual(set(got["rules"], want), set(want["rules"], nil))
	}
	trim := func(o object) (list []any) {
		webhooks, _ := o["webhooks"].([]any)
		for _, webhook := range webhooks {
			w := maps.Clone(webhook.(object))
			delete(w, "clientConfig")
			if own {
				for _, key := range []string{"failurePolicy", "timeoutSeconds", "reinvocationPolicy", "namespaceSelector", "objectSelector", "matchConditions"} {
					delete(w, key)
				}
			}
			list = append(list, w)
		}
		return list
	}
	return reflect.DeepEqual(set(trim(got), nil), set(trim(want), nil))
}

// set returns the elements of a list as text, in order. Of the names of objects in rules, the beginning is left out
// that a chart adds to those of the manifests.
func set(list any, of object) (elements []string) {
	all, _ := list.([]any)
	for _, element := range all {
		data, _ := json.Marshal(element)
		text := string(data)
		if rules, ok := of["rules"].([]any); ok {
			for _, rule := range rules {
				names, _ := rule.(object)["resourceNames"].([]any)
				for _, name := range names {
					if at := strings.Index(text, fmt.Sprintf("-%v\"", name)); at >= 0 {
						from := strings.LastIndex(text[:at], `"`)
						text = text[:from+1] + text[at+1:]
					}
				}
			}
		}
		elements = append(elements, text)
	}
	slices.Sort(elements)
	return elements
}

// moduleChart is a chart in a public module, with everything that modules.txt says about it.
type moduleChart struct {
	module, dir string
	args        []string
	values      object
	edits       map[string][]string // by file
	reasons     map[string]string   // of changes in its files
}

// moduleCharts reads modules.txt.
func moduleCharts(t *testing.T) (all []moduleChart) {
	t.Helper()
	text, err := os.ReadFile("modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
			continue
		case line[0] != '\t':
			all = append(all, moduleChart{module: words[0], dir: words[1], edits: map[string][]string{}, reasons: map[string]string{}})
			continue
		}
		c, rest := &all[len(all)-1], strings.TrimSpace(line[len("\t")+len(words[0]):])
		switch words[0] {
		case "edit":
			c.edits[words[1]] = append(c.edits[words[1]], strings.TrimPrefix(rest, words[1]))
		case "values":
			if err := yaml.Unmarshal([]byte(rest), &c.values); err != nil {
				t.Fatal(err)
			}
		case "changed":
			change, reason, _ := strings.Cut(rest, ": ")
			c.reasons[change] = reason
		default:
			c.args = words
		}
	}
	return all
}

// download returns the directory of a module in the module cache.
func download(t *testing.T, module string) string {
	t.Helper()
	var found struct{ Dir string }
	if err := json.Unmarshal([]byte(run(t, t.TempDir(), "go", "mod", "download", "-json", module)), &found); err != nil {
		t.Fatal(err)
	}
	return found.Dir
}

// edit inserts comments into a file: each edit is "COMMENT below LINE".
func edit(t *testing.T, name string, edits []string) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		comment, line, _ := strings.Cut(strings.TrimSpace(e), " below ")
		before, after, found := strings.Cut(string(content), line+"\n")
		if !found {
			t.Fatalf("%s has no line %q", name, line)
		}
		content = []byte(before + line + "\n" + comment + "\n" + after)
	}
	write(t, name, content)
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	content, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// build builds kubegen and returns its path.
func build(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubegen")
	run(t, filepath.Join("..", ".."), "go", "build", "-o", file, "./cmd/kubegen")
	return file
}

// run runs a command and returns what it prints.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out.Bytes())
	}
	return out.String()
}
