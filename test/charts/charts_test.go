// Package charts renders charts that kubegen keeps equal to manifests with Helm's own code, and compares the objects
// with the manifests. It is a module of its own because it requires Helm.
package charts

import (
	"bufio"
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

var checkouts = flag.String("checkouts", "", "also renew the charts of repositories.txt, with the git repositories OWNER/NAME below this directory")

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

// TestRepositories renews charts of public repositories. It prints how many lines of their files change: none, unless
// the chart and the types of the repository differ.
func TestRepositories(t *testing.T) {
	if *checkouts == "" {
		t.Skip("no -checkouts: clone the repositories that repositories.txt lists")
	}
	kubegen := build(t)
	for _, r := range repositories(t) {
		t.Run(strings.TrimPrefix(r.chart, "./"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "repository")
			run(t, ".", "git", "clone", "-q", "--shared", "--no-checkout", filepath.Join(*checkouts, filepath.FromSlash(r.name)), dir)
			run(t, dir, "git", "checkout", "-q", r.commit)
			for file, edits := range r.edits {
				edit(t, filepath.Join(dir, r.root, filepath.FromSlash(file)), edits)
			}
			run(t, dir, "git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "-q", "--allow-empty", "-a", "-m", "edits")
			in := filepath.Join(dir, filepath.FromSlash(r.root))
			manifests := renew(t, kubegen, in, append(r.args, "--chart", r.chart))
			rendered := render(t, filepath.Join(in, filepath.FromSlash(r.chart)), r.values)
			found := 0
			for _, want := range manifests {
				switch {
				case slices.ContainsFunc(rendered, func(got object) bool { return equal(got, want, true) }):
					found++
				case !slices.Contains(r.args, "--chart-add=false"):
					t.Errorf("the chart renders nothing like %v %v", want["kind"], nameOf(want))
				}
			}
			if found == 0 {
				t.Error("the chart renders nothing of the manifests")
			}
			t.Logf("%d of %d objects; changed lines:\n%s", found, len(manifests), run(t, dir, "git", "diff", "--numstat", "--", in))
		})
	}
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
	chart, err := loader.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "release", Namespace: "system"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
			objects = append(objects, objectsIn(t, files[name])...)
		}
	}
	for _, crd := range chart.CRDObjects() {
		objects = append(objects, objectsIn(t, string(crd.File.Data))...)
	}
	return objects
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

// repository is a chart in a repository.
type repository struct {
	name, commit, root, chart string
	args                      []string
	values                    object
	edits                     map[string][]string // by file
}

// repositories reads repositories.txt.
func repositories(t *testing.T) (all []repository) {
	t.Helper()
	file, err := os.Open("repositories.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case line[0] != '\t':
			name, commit, _ := strings.Cut(strings.TrimPrefix(words[0], "github.com/"), "@")
			r := repository{name: name, commit: commit, root: ".", chart: words[1], edits: map[string][]string{}}
			if len(words) > 2 {
				r.root = words[2]
			}
			all = append(all, r)
		case words[0] == "edit":
			last := &all[len(all)-1]
			last.edits[words[1]] = append(last.edits[words[1]], strings.SplitN(strings.TrimSpace(line), words[1], 2)[1])
		case words[0] == "values":
			if err := yaml.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(line), "values")), &all[len(all)-1].values); err != nil {
				t.Fatal(err)
			}
		default:
			all[len(all)-1].args = words
		}
	}
	return all
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
