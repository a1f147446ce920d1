package crds_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/moduletest"
)

// copiedModule is a line of copies.txt.
type copiedModule struct {
	publicModule
	packages    []string
	kinds, keep string
}

func copiedModules(t *testing.T) (all []copiedModule) {
	text, err := os.ReadFile("copies.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		m := copiedModule{publicModule: publicModule{options: map[string]bool{}}}
		m.path, m.version, _ = strings.Cut(words[0], "@")
		for _, word := range words[1:] {
			option, isOption := strings.CutPrefix(strings.TrimSuffix(word, "]"), "[")
			key, value, _ := strings.Cut(option, "=")
			switch {
			case !isOption:
				m.packages = append(m.packages, m.path+"/"+word)
			case key == "kinds":
				m.kinds = value
			case key == "keep":
				m.keep = value
			default:
				m.options[option] = true
			}
		}
		if *allModules || m.options["quick"] {
			all = append(all, m)
		}
	}
	return all
}

// importInto returns the arguments of the command that copies the packages into a directory.
func (m copiedModule) importInto(dir string) []string {
	args := []string{"import", "--copy", "--output-dir", dir}
	if m.kinds != "" {
		args = append(args, "--kinds", m.kinds)
	}
	if m.keep != "" {
		args = append(args, "--keep", m.keep)
	}
	for _, importPath := range m.packages {
		args = append(args, importPath+"@"+m.version)
	}
	return args
}

// copiedPackage is a package of copies with kinds.
type copiedPackage struct {
	original         string // import path
	dir              string // in the project
	kinds, constants []string
}

// TestCopies copies the types of public modules into modules that require only client-go. The copies compile, no
// requirement of the original stays, random objects of the original have the same form in JSON when they went through
// the copy, constants have the same values, and manifests are the same, byte for byte.
func TestCopies(t *testing.T) {
	bin := moduletest.Build(t, "kubegen")
	for _, m := range copiedModules(t) {
		if m.options["vet"] {
			continue // see TestCopiesOfReleases
		}
		t.Run(m.path, func(t *testing.T) {
			dir := t.TempDir()
			project, original := filepath.Join(dir, "project"), filepath.Join(dir, "original")
			for _, dir := range []string{project, original} {
				if err := os.Mkdir(dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			moduletest.Write(t, project, []byte("module example.com/copies\n"))
			args := m.importInto("out")
			if m.options["refused"] {
				cmd := exec.Command(filepath.Join(bin, "kubegen"), args...)
				cmd.Dir, cmd.Env = project, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
				out, err := cmd.CombinedOutput()
				if err == nil || !bytes.Contains(out, []byte(".go:")) {
					t.Errorf("not refused at a place: %v\n%s", err, out)
				}
				return
			}
			begun := time.Now()
			runIn(t, project, bin, args...)
			if t.Failed() {
				return
			}
			inCopies := time.Since(begun)
			goIn(t, project, "", "mod", "tidy") // also downloads what tests of dependencies need
			for _, r := range moduletest.ModFile(t, filepath.Join(project, "go.mod")).Require {
				if r.Mod.Path == m.path && m.path != "k8s.io/api" {
					t.Errorf("go.mod still requires %s", r.Mod)
				}
			}
			goIn(t, project, "", "vet", "./...")
			runIn(t, project, bin, append(args, "--verify")...)
			packages := copiedPackages(t, project)
			if len(packages) == 0 {
				t.Fatal("no package has kinds")
			}
			kinds, constants := 0, 0
			for _, p := range packages {
				kinds, constants = kinds+len(p.kinds), constants+len(p.constants)
			}

			write(t, filepath.Join(original, "go.mod"), fmt.Appendf(nil, "module example.com/original\n\ngo 1.24.0\n\nrequire %s %s\n", m.path, m.version))
			ofOriginal := func(p *copiedPackage) string { return p.original }
			ofCopy := func(p *copiedPackage) string { return "example.com/copies/" + p.dir }
			apiextensions, _ := filepath.Glob(filepath.Join(project, "out/*/apiextensions-v1"))
			write(t, filepath.Join(original, "main.go"), []byte(objectsProgram(packages, ofOriginal, len(apiextensions) > 0)))
			write(t, filepath.Join(project, "compare", "main.go"), []byte(compareProgram(packages, ofCopy)))
			get := []string{"get"} // the project's types of Kubernetes
			for _, module := range []string{"k8s.io/api", "k8s.io/apimachinery"} {
				if module != m.path {
					get = append(get, module+"@"+moduletest.Required(moduletest.ModFile(t, filepath.Join(project, "go.mod")), module))
				}
			}
			if m.options["raise"] {
				goIn(t, original, "", get...)
			}
			objects := runProgram(t, original, "", ".")
			said := runProgram(t, project, objects, "./compare")

			var originals, copies []string
			for _, p := range packages {
				originals, copies = append(originals, p.original), append(copies, "./"+p.dir)
			}
			var imports strings.Builder
			for _, importPath := range originals {
				fmt.Fprintf(&imports, "import _ %q\n", importPath)
			}
			write(t, filepath.Join(original, "main.go"), []byte("package main\n\n"+imports.String()))
			goIn(t, original, "", get...)
			goIn(t, original, "", "list", "-e", "-deps", ".") // completes go.mod; an older client-go need not compile
			o := crd.Options{}
			o.Floats = true
			want, _ := generate(t, original, o, originals...)
			got, diags := generate(t, project, o, copies...)
			for name := range want {
				if got[name] == "" { // of a kind that was not named, or has no list
					delete(want, name)
				}
			}
			for name := range got {
				if want[name] == "" { // a kind without markers for manifests
					delete(got, name)
				}
			}
			equal := compare(t, got, want)
			if equal == 0 && m.path != "k8s.io/api" {
				t.Error("there are no manifests")
			}
			if t.Failed() {
				t.Log(messages(diags))
			}
			fmt.Printf("copies: %s: %d kinds, %d constants, %d equal manifests, %scopied in %v\n", m.path, kinds, constants, equal, said, inCopies.Round(100*time.Millisecond))
		})
	}
}

// runProgram builds a program, which go run would keep in the build cache, and runs it; it must not fail.
func runProgram(t *testing.T, dir, stdin, program string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	goIn(t, dir, "", "build", "-ldflags=-s -w", "-o", binary, program)
	return runCommand(t, dir, stdin, binary)
}

// goIn runs the go command in a module; it must not fail.
func goIn(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	return runCommand(t, dir, stdin, "go", args...)
}

// runCommand runs a command in a module, and returns what it prints; it must not fail.
func runCommand(t *testing.T, dir, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%.4000s%.4000s", filepath.Base(name), strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// copiedPackages returns the packages of copies with kinds, ordered by directory.
func copiedPackages(t *testing.T, project string) (all []*copiedPackage) {
	docs, err := filepath.Glob(filepath.Join(project, "out/*/*/doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range docs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, from, _ := strings.Cut(string(text), "\n// From ")
		from, _, _ = strings.Cut(from, "\n")
		module, within, _ := strings.Cut(from, " ")
		module, _, _ = strings.Cut(module, "@")
		if !bytes.Contains(text, []byte("\n// +groupName=")) {
			continue
		}
		rel, _ := filepath.Rel(project, filepath.Dir(name))
		p := &copiedPackage{original: path.Join(module, within), dir: filepath.ToSlash(rel)}
		files, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "zz_generated.*.go"))
		for _, file := range files {
			syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, ".register.go") {
				continue
			}
			for _, d := range syntax.Decls {
				if gen, ok := d.(*ast.GenDecl); ok {
					p.add(gen)
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// add adds the kinds or constants of a declaration.
func (p *copiedPackage) add(gen *ast.GenDecl) {
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			fields, ok := spec.Type.(*ast.StructType)
			if !ok || !spec.Name.IsExported() {
				continue
			}
			var metas []string
			for _, f := range fields.Fields.List {
				if sel, ok := f.Type.(*ast.SelectorExpr); ok && len(f.Names) == 0 {
					metas = append(metas, sel.Sel.Name)
				}
			}
			if slices.Contains(metas, "TypeMeta") && slices.Contains(metas, "ObjectMeta") {
				p.kinds = append(p.kinds, spec.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if gen.Tok == token.CONST && name.IsExported() {
					p.constants = append(p.constants, name.Name)
				}
			}
		}
	}
}

// tables returns the imports and the tables of kinds and constants for a program.
func tables(packages []*copiedPackage, importPath func(*copiedPackage) string) (imports, rest string) {
	var i, kinds, constants strings.Builder
	for n, p := range packages {
		fmt.Fprintf(&i, "\tp%d %q\n", n, importPath(p))
		for _, kind := range p.kinds {
			fmt.Fprintf(&kinds, "\t\"%d.%s\": func() any { return &p%[1]d.%[2]s{} },\n", n, kind)
		}
		for _, name := range p.constants {
			fmt.Fprintf(&constants, "\t\"%d.%s\": p%[1]d.%[2]s,\n", n, name)
		}
	}
	return i.String(), "var kinds = map[string]func() any{\n" + kinds.String() + "}\n\nvar constants = map[string]any{\n" + constants.String() + "}\n"
}

// objectsProgram returns a program that prints constants and random objects of the original types: in JSON, and in
// JSON again after decoding.
func objectsProgram(packages []*copiedPackage, importPath func(*copiedPackage) string, apiextensions bool) string {
	imports, rest := tables(packages, importPath)
	more := ""
	if apiextensions {
		imports += "\tapiextensionsv1 \"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1\"\n"
		more = "\n\t\tfunc(r *apiextensionsv1.JSON, c randfill.Continue) { r.Raw = []byte(`[1,\"a\"]`) },\n\t\tfunc(r *apiextensionsv1.JSONSchemaProps, c randfill.Continue) { r.Type = c.String(5) },"
	}
	return `package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

` + imports + `)

` + rest + `
func main() {
	filler := randfill.New().RandSource(rand.NewSource(1)).NilChance(0.4).NumElements(0, 2).MaxDepth(14).Funcs(
		func(m *metav1.TypeMeta, c randfill.Continue) {},
		func(m *metav1.ObjectMeta, c randfill.Continue) { m.Name = c.String(10) },
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.NewTime(time.Unix(c.Int63n(1<<33), 0)) },
		func(t *metav1.MicroTime, c randfill.Continue) { *t = metav1.NewMicroTime(time.Unix(c.Int63n(1<<33), 0)) },
		func(q *resource.Quantity, c randfill.Continue) { *q = *resource.NewMilliQuantity(c.Int63n(1<<40), resource.DecimalSI) },
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(c.Int31()); c.Bool() {
				*v = intstr.FromString(c.String(5))
			}
		},
		func(m *json.RawMessage, c randfill.Continue) { *m = []byte(` + "`{\"a\":1}`" + `) },
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(` + "`{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}`" + `) },` + more + `
	)
	out := json.NewEncoder(os.Stdout)
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		must(out.Encode(map[string]string{"constant": name, "value": fmt.Sprint(constants[name])}))
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		for made, tried := 0, 0; made < 50 && tried < 10000; tried++ {
			object := kinds[name]()
			filler.Fill(object)
			data, err := json.Marshal(object)
			if err != nil {
				continue // a random value that the type cannot encode
			}
			made++
			again := kinds[name]()
			result := ""
			if err := json.Unmarshal(data, again); err != nil {
				result = "error"
			} else if encoded, err := json.Marshal(again); err != nil {
				result = "error"
			} else {
				result = string(encoded)
			}
			must(out.Encode(map[string]string{"kind": name, "object": string(data), "again": result}))
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
`
}

// compareProgram returns a program that compares what objectsProgram prints with copies.
func compareProgram(packages []*copiedPackage, importPath func(*copiedPackage) string) string {
	imports, rest := tables(packages, importPath)
	return `package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

` + imports + `)

` + rest + `
func main() {
	in := json.NewDecoder(os.Stdin)
	objects, failed := 0, 0
	fail := func(format string, args ...any) {
		if failed++; failed < 10 {
			fmt.Printf(format+"\n", args...)
		}
	}
	seen := map[string]bool{}
	for {
		var line struct{ Constant, Value, Kind, Object, Again string }
		if err := in.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			panic(err)
		}
		if line.Constant != "" {
			if got := fmt.Sprint(constants[line.Constant]); got != line.Value {
				fail("constant %s is %s, want %s", line.Constant, got, line.Value)
			}
			continue
		}
		seen[line.Kind] = true
		object := kinds[line.Kind]()
		result := ""
		if err := json.Unmarshal([]byte(line.Object), object); err != nil {
			result = "error"
		} else if encoded, err := json.Marshal(object); err != nil {
			result = "error"
		} else {
			result = string(encoded)
		}
		if normal(result) != normal(line.Again) {
			got, want := normal(result), normal(line.Again)
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			fail("%s: after %.300q\nis %.100q\nwant %.100q", line.Kind, got[max(0, i-200):i], got[i:], want[i:])
			continue
		}
		if o, ok := object.(runtime.Object); ok && !reflect.DeepEqual(o.DeepCopyObject(), object) { // kinds compile only with it
			fail("%s: the deep copy differs: %.1000s", line.Kind, line.Object)
			continue
		}
		objects++
	}
	for kind := range kinds {
		if !seen[kind] {
			fail("%s: no random object", kind)
		}
	}
	fmt.Printf("%d random objects, ", objects)
	if failed > 0 {
		os.Exit(1)
	}
}

// normal returns JSON without null and empty objects: releases of Kubernetes' own types differ in writing them.
func normal(text string) string {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	encoded, _ := json.Marshal(prune(value))
	return string(encoded)
}

func prune(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if value[key] = prune(inner); value[key] == nil {
				delete(value, key)
			}
		}
		if len(value) == 0 {
			return nil
		}
	case []any:
		for i, inner := range value {
			value[i] = prune(inner)
		}
	}
	return value
}
`
}
