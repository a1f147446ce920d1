package crds_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// originals are packages of Go types, and the directories of the manifests that were generated from them. Kinds with
// types of k8s.io/api are not among them: the manifests have the fields of an older release.
var originals = []struct {
	module, version string
	types           string // import path
	manifests       string // directory in the module
	imported        string // GROUP/VERSION
	kinds           []string
}{
	{"sigs.k8s.io/gateway-api", "v1.6.3", "sigs.k8s.io/gateway-api/apis/v1", "config/crd/experimental", "gateway.networking.k8s.io/v1", []string{"Gateway", "GatewayClass", "HTTPRoute", "GRPCRoute"}},
	{"github.com/openshift/api", "v0.0.0-20250725072657-92b1455121e1", "github.com/openshift/api/route/v1", "route/v1/zz_generated.crd-manifests", "route.openshift.io/v1", []string{"Route"}},
	{"sigs.k8s.io/kueue", "v0.13.2", "sigs.k8s.io/kueue/apis/kueue/v1beta1", "config/components/crd/bases", "kueue.x-k8s.io/v1beta1", []string{"ClusterQueue", "LocalQueue", "ResourceFlavor", "AdmissionCheck"}},
}

// TestOriginalTypes makes random objects by the types that manifests were generated from. The imported types decode
// them strictly, and encode the same.
func TestOriginalTypes(t *testing.T) {
	bin, project := importProject(t)
	require := []string{"mod", "edit"}
	var imports, pairs strings.Builder
	for i, o := range originals {
		manifests := filepath.Join(download(t, publicModule{path: o.module, version: o.version}), o.manifests)
		out := fmt.Sprintf("o%d", i)
		group, version, _ := strings.Cut(o.imported, "/")
		var names []string
		for _, kind := range o.kinds {
			names = append(names, kind+"."+group)
			fmt.Fprintf(&pairs, "\t{func() any { return &original%d.%s{} }, func() any { return &imported%[1]d.%[2]s{} }},\n", i, kind)
		}
		files, err := filepath.Glob(filepath.Join(manifests, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"import", "--types-only", "--core-types=false", "--output-dir", out, "--kinds", strings.Join(names, ","), "--versions", version, "--group-dirs", group + "=api"}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("\nkind: CustomResourceDefinition\n")) && !strings.Contains(file, "Default.") {
				args = append(args, file)
			}
		}
		runIn(t, project, bin, args...)
		fmt.Fprintf(&imports, "\toriginal%d %q\n\timported%[1]d \"example.com/imports/%[3]s/api/%[4]s\"\n", i, o.types, out, version)
		require = append(require, "-require="+o.module+"@"+o.version)
	}
	if t.Failed() {
		return
	}
	write(t, filepath.Join(project, "compare", "main.go"), []byte(comparison(imports.String(), pairs.String())))
	for _, args := range [][]string{require, {"build", "-o", "compare/", "./compare"}, {"run", "./compare"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = project, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%.8000s", strings.Join(args, " "), err, out)
		}
		if args[0] == "run" {
			fmt.Printf("imports: %s", out)
		}
	}
}

// comparison returns the program that fills objects of the original types and compares them with what the imported
// ones make of them.
func comparison(imports, pairs string) string {
	return `package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/randfill"

` + imports + `)

var pairs = []struct{ original, imported func() any }{
` + pairs + `}

const each = 300

func main() {
	filler := randfill.New().RandSource(rand.NewSource(1)).NilChance(0.4).NumElements(0, 2).MaxDepth(14).Funcs(
		func(m *metav1.TypeMeta, c randfill.Continue) {},
		func(m *metav1.ObjectMeta, c randfill.Continue) { m.Name = c.String(10) },
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.NewTime(time.Unix(c.Int63n(1<<33), 0)) },
		func(q *resource.Quantity, c randfill.Continue) { *q = *resource.NewMilliQuantity(c.Int63n(1<<40), resource.DecimalSI) },
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(c.Int31()); c.Bool() {
				*v = intstr.FromString(c.String(5))
			}
		},
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(` + "`" + `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}` + "`" + `) },
	)
	objects, failed := 0, 0
	for _, pair := range pairs {
		for range each {
			object := pair.original()
			filler.Fill(object)
			data, err := json.Marshal(object)
			if err != nil {
				panic(err)
			}
			ours := pair.imported()
			strict, err := kjson.UnmarshalStrict(withoutNull(data), ours)
			if err == nil && len(strict) == 0 {
				var again []byte
				if again, err = json.Marshal(ours); err == nil {
					found := difference(decoded(data), decoded(again), "")
					if found == "" {
						objects++
						continue
					}
					data = []byte(found)
				}
			}
			if failed++; failed < 20 {
				fmt.Printf("%T: %v %v\n%.1000s\n", object, err, strict, data)
			}
		}
	}
	fmt.Printf("%d random objects of %d original types are the same in imported ones\n", objects, len(pairs))
	if failed > 0 {
		os.Exit(1)
	}
}

// withoutNull returns an object as a server stores it: without fields that are null.
func withoutNull(data []byte) []byte {
	text, err := json.Marshal(decoded(data))
	if err != nil {
		panic(err)
	}
	return text
}

// difference returns the first path where two values differ, "" if none. What is required, but empty, is in the second one even if the first type leaves
// it out.
func difference(a, b any, at string) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	if x, ok := a.(map[string]any); ok {
		if y, ok := b.(map[string]any); ok {
			for key := range y {
				if _, ok := x[key]; !ok && !reflect.ValueOf(y[key]).IsZero() {
					return fmt.Sprintf("%s.%s is new: %v", at, key, y[key])
				}
			}
			for key := range x {
				if found := difference(x[key], y[key], at+"."+key); found != "" {
					return found
				}
			}
			return ""
		}
	}
	if x, ok := a.([]any); ok {
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				if found := difference(x[i], y[i], fmt.Sprintf("%s[%d]", at, i)); found != "" {
					return found
				}
			}
			return ""
		}
	}
	return fmt.Sprintf("%s: %v became %v", at, a, b)
}

func decoded(data []byte) (value any) {
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &value); err != nil {
		panic(err)
	}
	return prune(value)
}

func prune(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if v[key] = prune(inner); v[key] == nil {
				delete(v, key)
			}
		}
	case []any:
		for i := range v {
			v[i] = prune(v[i])
		}
	}
	return value
}
`
}
