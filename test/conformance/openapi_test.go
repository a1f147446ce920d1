package conformance

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/apitest"
)

var definitionsSeed = flag.Uint64("definitions", 1, "seed of the random packages of TestMigrationOpenAPI")

// visibility are kueue's packages for an aggregated API server.
var visibility = []string{"sigs.k8s.io/kueue/apis/visibility/v1beta1", "sigs.k8s.io/kueue/apis/visibility/v1beta2"}

// TestMigrationOpenAPI generates OpenAPI definitions with openapi-gen and with gen-openapi: for types with everything
// that determines definitions, for random packages, and for k8s.io/api, kueue and packages of apimachinery. The
// definitions must be the same, as values, and so must be the names of models and the violations of API rules.
func TestMigrationOpenAPI(t *testing.T) {
	files := map[string]string{"compare/main.go": openAPICompare, "theirs/doc.go": "package theirs\n", "ours/doc.go": "package ours\n"}
	source := filepath.Join("testdata", "openapi")
	if err := fs.WalkDir(os.DirFS(source), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(name)))
		files["featured/"+name] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	maps.Copy(files, apitest.Definitions(*definitionsSeed, 40))
	b := newBothTools(t, fmt.Sprint("-definitions ", *definitionsSeed), workDir(t), "k8s.io/kube-openapi/cmd/openapi-gen", "./cmd/gen-openapi", files)
	dir, input := b.ours, []string{"./featured/...", "./random/...", "k8s.io/apimachinery/pkg/version", "k8s.io/apimachinery/pkg/runtime"}
	const readOnly = "k8s.io/apimachinery/pkg/apis/meta/v1,k8s.io/apimachinery/pkg/api/resource"
	input = append(input, strings.Split(readOnly, ",")...)
	listed, err := output(goCommand(dir, "list", "k8s.io/api/..."))
	if err != nil {
		t.Fatal(err)
	}
	published := append(strings.Fields(string(listed)), visibility...)
	input = append(input, published...)
	reports, names := map[string]string{}, map[string]string{}
	name := regexp.MustCompile(`return "[^\["]*"`) // openapi-gen also names generic types, without use
	for _, one := range [][2]string{{"theirs", "openapi-gen"}, {"ours", "gen-openapi"}} {
		flags := []string{
			"--output-dir", one[0], "--output-pkg", "example.com/migration/" + one[0], "--output-file", "zz_generated.openapi.go",
			"--report-filename", one[0] + ".report", "--output-model-name-file", "zz_model.go", "--readonly-pkg",
			readOnly + ",k8s.io/apimachinery/pkg/runtime,k8s.io/apimachinery/pkg/version," + strings.Join(published, ","),
		}
		b.mustRun(t, dir, one[1], append(flags, input...)...)
		report, err := os.ReadFile(filepath.Join(dir, one[0]+".report"))
		if err != nil {
			t.Fatal(err)
		}
		reports[one[0]] = string(report)
		models, err := filepath.Glob(filepath.Join(dir, "*", "*", "zz_model.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range models {
			named, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			names[one[0]] += file + ":\n" + strings.Join(name.FindAllString(string(named), -1), "\n") + "\n"
			if one[0] == "theirs" {
				if err := os.Remove(file); err != nil { // gen-openapi keeps methods in other files, and so this one
					t.Fatal(err)
				}
			}
		}
	}
	if reports["theirs"] != reports["ours"] || reports["ours"] == "" {
		t.Errorf("%s: openapi-gen reports\n%s\ngen-openapi\n%s", b.of, reports["theirs"], reports["ours"])
	}
	if names["theirs"] != names["ours"] || names["ours"] == "" {
		t.Errorf("%s: openapi-gen names models\n%s\ngen-openapi\n%s", b.of, names["theirs"], names["ours"])
	}
	said, err := goCommand(dir, "run", "./compare").CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %s", b.of, head(string(said)))
	}
	fmt.Print("OpenAPI: ", string(said))
}

// TestMigrationOpenAPIServer starts the API server of k8s.io/sample-apiserver, and one with kueue's visibility API,
// with definitions of openapi-gen and of gen-openapi. They must serve the same OpenAPI documents, in versions 2 and 3.
func TestMigrationOpenAPIServer(t *testing.T) {
	server, err := os.ReadFile(filepath.Join("testdata", "openapiserver", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	b := newBothTools(t, "sample-apiserver", workDir(t), "k8s.io/kube-openapi/cmd/openapi-gen", "./cmd/gen-openapi",
		map[string]string{"server/main.go": string(server), "ours/doc.go": "package ours\n", "theirs/doc.go": "package theirs\n"})
	const (
		apis      = "k8s.io/sample-apiserver/pkg/apis/wardle/"
		machinery = "k8s.io/apimachinery/pkg/"
	)
	input := append(slices.Clone(visibility), apis+"v1alpha1", apis+"v1beta1", machinery+"api/resource", machinery+"apis/meta/v1",
		machinery+"runtime", machinery+"version")
	for to, tool := range map[string]string{"theirs": "openapi-gen", "ours": "gen-openapi"} {
		b.mustRun(t, b.ours, tool, append([]string{
			"--output-dir", to, "--output-pkg", "example.com/migration/" + to, "--output-file", "zz_generated.openapi.go",
			"--report-filename", os.DevNull, "--readonly-pkg", strings.Join(input, ","),
		}, input...)...)
	}
	said, err := goCommand(b.ours, "run", "./server").CombinedOutput()
	if err != nil {
		t.Fatal(head(string(said)))
	}
	fmt.Print("OpenAPI of sample-apiserver and kueue: ", string(said))
}

// openAPICompare is a program that compares the definitions in two packages.
const openAPICompare = `package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"

	"example.com/migration/ours"
	"example.com/migration/theirs"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

func main() {
	ref := func(name string) spec.Ref { return spec.MustCreateRef("#/definitions/" + common.EscapeJsonPointer(name)) }
	got, want := ours.GetOpenAPIDefinitions(ref), theirs.GetOpenAPIDefinitions(ref)
	if a, b := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(a, b) {
		fmt.Println("other names:", a, b)
		os.Exit(1)
	}
	for name, definition := range want {
		if !reflect.DeepEqual(definition, got[name]) {
			a, _ := json.Marshal(got[name])
			b, _ := json.Marshal(definition)
			fmt.Printf("%s\n%s\n%s\n", name, a, b)
			defer os.Exit(1)
		}
	}
	fmt.Println(len(want), "definitions compared")
}
`
