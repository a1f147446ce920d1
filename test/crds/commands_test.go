package crds_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

var commands = flag.Int("commands", 12, "number of random command lines")

// TestCommands runs gen-controller and controller-gen with the same random command lines in equal directories, some of
// which have files of an earlier run. The same files must exist afterwards, and the standard output must be equal.
// Manifests are equal byte for byte except for the line with the version. Go files declare the same methods.
func TestCommands(t *testing.T) {
	tree := commandTree(t)
	real, own := controllerGen(t), filepath.Join(moduletest.Build(t, "gen-controller"), "gen-controller")
	done, refused, files := 0, 0, 0
	for i := range *commands {
		seed := *first + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir, args := commandLine(rand.New(rand.NewPCG(seed, 0)))
			want, out, err := runCommandLine(t, tree, dir, real, args)
			got, ownOut, ownErr := runCommandLine(t, tree, dir, own, args)
			line := fmt.Sprintf("%s: %s", dir, strings.Join(args, " "))
			switch {
			case err == nil && ownErr != nil && strings.Contains(ownOut, "would be the same file"): // controller-gen keeps the last package's
				refused++
			case (err == nil) != (ownErr == nil):
				t.Errorf("%s\ncontroller-gen: %v\n%.2000s\ngen-controller: %v\n%.2000s", line, err, out, ownErr, ownOut)
			case err != nil:
				refused++
			default:
				done++
				files += len(want)
				if ownOut != out {
					t.Errorf("%s\ncontroller-gen prints\n%.3000s\ngen-controller prints\n%.3000s", line, out, ownOut)
				}
				for _, name := range slices.Sorted(maps.Keys(want)) {
					if got[name] != want[name] {
						t.Errorf("%s\n%s is\n%.2000s\nwant\n%.2000s", line, name, got[name], want[name])
					}
					delete(got, name)
				}
				for _, name := range slices.Sorted(maps.Keys(got)) {
					t.Errorf("%s\ngen-controller writes %s", line, name)
				}
			}
		})
	}
	fmt.Printf("commands: %d command lines write the same %d files, %d are refused\n", done, files, refused)
}

// controllerGen returns the name of controller-gen's executable.
func controllerGen(t *testing.T) string {
	t.Helper()
	tool, err := exec.Command("go", "tool", "-n", "controller-gen").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(tool))
}

// commandTree returns the directory of a module with a nested one, with the types of examples.
func commandTree(t *testing.T) string {
	t.Helper()
	dir := randomModule(t)
	for to, from := range map[string]string{"apis": "examples/crontab-types/apis", "e2e": "test/e2e/apis"} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(filepath.Join(moduletest.Root, from))); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{"zz_generated.*.go", "conversion.go", "*_test.go"} { // functions call generated ones
		found, err := filepath.Glob(filepath.Join(dir, "*/*/*", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	types, err := filepath.Glob(filepath.Join(dir, "*/*/*/types.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range types { // without a marker that controller-gen does not have
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, regexp.MustCompile(`(?m)^// \+kubegen:conversion:strategy.*\n`).ReplaceAll(text, nil))
	}
	if err := os.Mkdir(filepath.Join(dir, "nested"), 0o755); err != nil {
		t.Fatal(err)
	}
	moduletest.Copy(t, filepath.Join(dir, "nested"), "../go.mod", "example.com/nested")
	object := "// +groupName=%s.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// A %[2]s is here.\n// It is stored.\n//\n// +kubebuilder:object:root=true\ntype %[2]s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n"
	for name, text := range map[string]string{
		"nested/api/v1/types.go": fmt.Sprintf(object, "nested", "Nest"), "one/v1/types.go": fmt.Sprintf(object, "one", "Single"),
		"one/v1/tagged.go": "//go:build special\n\n" + fmt.Sprintf(object, "one", "Special"), "main.go": "package main\n\n// +kubebuilder:rbac:groups=one.example.com,resources=singles;nests,verbs=get;list;watch\n// +kubebuilder:rbac:groups=\"\",namespace=system,resources=secrets,verbs=get\n\nfunc main() {}\n",
		"hack/boilerplate.go.txt": "/*\nCopyright YEAR The Authors.\n*/\n", "hack/boilerplate.yaml": "# Copyright YEAR The Authors.\n", "empty/doc.txt": "",
		"old/one.example.com_singles.yaml": "kind: CustomResourceDefinition\n", "old/one.example.com_gone.yaml": "metadata:\n  annotations:\n    controller-gen.kubebuilder.io/version: v0.23.0\n",
	} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	return dir
}

// commandLine returns a random command line and the directory, relative to the tree, in which it runs.
func commandLine(r *rand.Rand) (dir string, args []string) {
	maybe := func(texts ...string) (chosen []string) {
		for _, text := range texts {
			if r.IntN(4) == 0 {
				chosen = append(chosen, text)
			}
		}
		return chosen
	}
	one := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	dir = one(".", ".", ".", "one", "nested/api")
	up := map[string]string{".": ".", "one": "..", "nested/api": "../.."}[dir]
	option := func(name string, arguments []string) string {
		if len(arguments) == 0 {
			return name
		}
		r.Shuffle(len(arguments), func(i, j int) { arguments[i], arguments[j] = arguments[j], arguments[i] })
		return name + ":" + strings.Join(arguments, ",")
	}
	object := option("object", maybe("headerFile="+up+"/hack/boilerplate.go.txt", "year=2026", `year="2024 - 2026"`))
	crd := option("crd", append(maybe("maxDescLen=0", "maxDescLen=40", "generateEmbeddedObjectMeta=true", "crdVersions=v1", "crdVersions={v1}", "ignoreUnexportedFields=false",
		"headerFile="+up+"/hack/boilerplate.yaml", `year=2026`, "omitToolVersion=true", "deprecatedV1beta1CompatibilityPreserveUnknownFields=false"), "allowDangerousTypes=true"))
	rbac := option("rbac", append(maybe("headerFile="+up+"/hack/boilerplate.yaml", "year=2026", "fileName=roles.yaml"), "roleName=manager-role"))
	generators := [][]string{{object}, {crd}, {object, crd}, {rbac, crd, object}, {rbac}, {crd, rbac}}[r.IntN(6)]
	for _, generator := range generators {
		name, _, _ := strings.Cut(generator, ":")
		args = append(args, generator)
		switch r.IntN(6) {
		case 0:
			args = append(args, "output:"+name+":"+one("stdout", "none"))
		case 1:
			args = append(args, "output:"+name+":dir="+one("old", "out/"+name, up+"/old"))
		case 2:
			args = append(args, "output:"+name+":artifacts:config="+one("config/crd/bases", up+"/old"))
		}
	}
	switch r.IntN(8) {
	case 0:
		args = append(args, "output:stdout")
	case 1:
		args = append(args, "output:artifacts:config=all,code=code")
	case 2:
		args = append(args, "output:dir=all")
	case 3:
		args = append(args, "output:none")
	}
	below := one("one/...", "one/v1", "one/v1;"+up+"/apis/...", "apis/...", "e2e/...", "e2e/cluster/v1;"+up+"/one/...", "nested/...", "...", "...", "empty/...", "empty", "missing")
	args = append(args, "paths="+up+"/"+below)
	if r.IntN(6) == 0 {
		args = append(args, "--load-build-tags="+one("special", "special,ignore_autogenerated", "ignore_autogenerated"))
	}
	r.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	return dir, args
}

// runCommandLine runs a tool in a copy of the tree. It returns the files that are new or different, in a comparable
// form, and the standard output or, if the tool fails, the standard error.
func runCommandLine(t *testing.T, tree, dir, tool string, args []string) (files map[string]string, out string, err error) {
	t.Helper()
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, args...)
	cmd.Dir = filepath.Join(work, dir)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err = cmd.Run(); err != nil {
		return nil, stderr.String(), err
	}
	files = map[string]string{}
	walkErr := filepath.WalkDir(work, func(name string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(work, name)
		if err != nil || entry.IsDir() || strings.HasPrefix(filepath.Base(name), "go.") {
			return err
		}
		text, err := os.ReadFile(name)
		if old, oldErr := os.ReadFile(filepath.Join(tree, rel)); oldErr != nil || !bytes.Equal(old, text) {
			files[rel] = comparable(string(text))
		}
		return err
	})
	if walkErr != nil {
		t.Fatal(walkErr)
	}
	return files, comparable(stdout.String()), nil
}

// comparable returns manifests without the version of the tool, or the declarations of Go files.
func comparable(text string) string {
	const tag = "//go:build !ignore_autogenerated\n"
	manifests, code, ok := strings.Cut(text, tag)
	var declared []string
	for ok {
		var file string
		file, code, ok = strings.Cut(code, tag)
		end := len(file)
		if at := strings.Index(file, "\n---\n"); at >= 0 { // manifests follow
			end = at + 1
		}
		manifests += file[end:]
		f, err := parser.ParseFile(token.NewFileSet(), "", file[:end], 0)
		if err != nil {
			return text
		}
		declared = append(declared, "package "+f.Name.Name)
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.IsExported() {
				declared = append(declared, fmt.Sprintf("%s.%s", receiver(fn.Recv.List[0].Type), fn.Name.Name))
			}
		}
	}
	return tool.ReplaceAllString(manifests, "") + strings.Join(declared, "\n")
}

// receiver returns the type of a method's receiver.
func receiver(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return "*" + receiver(expr.X)
	case *ast.Ident:
		return expr.Name
	case *ast.IndexExpr:
		return receiver(expr.X)
	}
	return ""
}
