package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// shapes are the wrappings that types of fields come in.
var shapes = []string{
	"%s", "*%s", "[]%s", "[2]%s", "map[string]%s", "map[Mode]%s", "Box[%s]", "Alias[%s]", "Pair[string, %s]", "struct{ Inner %s `json:\"inner\"` }",
}

// elements are what is wrapped, twice: what apply configurations or schemas treat in a way of its own.
var elements = []string{"string", "any", "Modes", "Item", "Node", "metav1.Time", "corev1.EnvVar", "version.Info"}

// alike are wrapped once, since each is like one of the elements, or refused in itself.
var alike = []string{
	"bool", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "float32", "float64", "byte", "interface{}", "Mode", "Level",
	"Octets", "Labels", "Timeout", "hidden", "Renamed", "Own", "json.RawMessage", "json.Number", "metav1.MicroTime", "metav1.Duration",
	"metav1.FieldsV1", "metav1.LabelSelector", "metav1.Condition", "resource.Quantity", "intstr.IntOrString", "runtime.RawExtension",
	"corev1.Container", "corev1.ResourceList", "sharedv1.Part",
	"uint64", "Digest", "map[Level]string", "runtime.Object",
}

// refused is what sigs.k8s.io/structured-merge-diff cannot handle, wherever it is in a type, and is warned of:
// arrays, pointers to pointers or interfaces, numbers that it has no room for, and keys that are no strings.
var refused = regexp.MustCompile(`\[2\]|\*\*|\*any|\*interface|Digest|uint64|map\[Level\]`)

// undecodable is what JSON cannot be decoded into, and json.Number, which Kubernetes' converter does not know. Those
// are not warned of: fields of such types may well be left unset.
var undecodable = regexp.MustCompile(`runtime\.Object|json\.Number`)

var roundTrip = flag.Bool("roundtrip", false, "compile what TestApplyShapes generates, and use it; takes a minute")

// TestApplyShapes generates apply configurations for fields of every type that comes of two wrappings of a type, and
// checks that they compile. With -roundtrip they are used as well, in a module of their own, which testdata/shapes is
// the other half of: what builders make is applied to a fake clientset and extracted again. Those types that do not
// come back are the ones that are warned of.
func TestApplyShapes(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/shapes")); err != nil {
		t.Fatal(err)
	}
	moduletest.Write(t, dir, []byte("module example.com/api"))
	types, tests, warned := shapeKinds()
	writeFile(t, filepath.Join(dir, "apis", "stable", "v1", "shapes.go"), []byte(types))
	writeFile(t, filepath.Join(dir, "roundtrip", "kinds_test.go"), []byte(tests))
	t.Chdir(dir)

	var stdout, stderr bytes.Buffer
	if code := Main(Kubegen, []string{"--format", "json", "--only", "applyconfiguration,clientset", "--output-dir", "gen", "./apis/..."}, &stdout, &stderr); code != exitDone {
		t.Fatalf("exit code %d:\n%s", code, stderr.String())
	}
	for line := range strings.Lines(stderr.String()) {
		field := regexp.MustCompile(`"message":"field (\w+) of (\w+) `).FindStringSubmatch(line)
		switch {
		case field == nil || !strings.Contains(line, "which Extract functions and fake.NewClientset cannot handle"):
			t.Error(line)
		case field[2] == "Refused":
			i := slices.Index(warned, field[1])
			if i < 0 {
				t.Error(line)
				continue
			}
			warned = slices.Delete(warned, i, i+1)
		case field[2] != "Box" && field[2] != "Pair":
			t.Error(line)
		}
	}
	if len(warned) > 0 {
		t.Errorf("these are not warned of: %v", warned)
	}
	if !*roundTrip {
		if !testing.Short() {
			typeCheck(t, dir)
		}
		return
	}
	test := exec.Command("go", "test", "-vet=off", "./roundtrip")
	test.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// shapeKinds returns kinds with fields of all shapes, one kind for each element and one for what is refused, tests of
// them, and the names of those fields of the latter that are to be warned of.
func shapeKinds() (types, tests string, warned []string) {
	var b, names, table strings.Builder
	kind := func(name, fields string) {
		fmt.Fprintf(&b, "\n// +genclient\n// +genclient:skipVerbs=list,watch,deleteCollection\ntype %s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n%s}\n"+
			"\nfunc (in *%[1]s) DeepCopyObject() runtime.Object { return deepCopy(in) }\n", name, fields)
		fmt.Fprintf(&names, "&%s{}, ", name)
	}
	test := func(name, kind, how string) {
		fmt.Fprintf(&table, "\tt.Run(%q, func(t *testing.T) {\n\t\t%[3]s(t, access[stablev1.%[2]s, apply.%[2]sApplyConfiguration]{\n"+
			"\t\t\tfunc(name string) *apply.%[2]sApplyConfiguration { return apply.%[2]s(name, \"space\") }, client.%[2]ss(\"space\").Apply, apply.Extract%[2]s})\n\t})\n",
			name, kind, how)
	}
	var once, bad strings.Builder
	n := 0
	add := func(typ string, good *strings.Builder) {
		n++
		if !refused.MatchString(typ) && !undecodable.MatchString(typ) {
			fmt.Fprintf(good, "\tF%d %s `json:\"f%[1]d%[3]s\"`\n", n, typ, []string{"", ",omitempty", ",omitzero"}[n%3])
			return
		}
		fmt.Fprintf(&bad, "\tF%d %s `json:\"f%[1]d,omitempty,omitzero\"`\n", n, typ)
		if refused.MatchString(regexp.MustCompile(`Box|Pair`).Split(typ, 2)[0]) { // the fields of those are warned of by themselves
			warned = append(warned, fmt.Sprintf("F%d", n))
		}
	}
	for i, element := range elements {
		var good strings.Builder
		for _, outer := range shapes {
			for _, inner := range shapes {
				typ := fmt.Sprintf(outer, fmt.Sprintf(inner, element))
				if refused.MatchString(typ) && i%4 != 0 {
					continue // whatever is in there
				}
				add(typ, &good)
			}
		}
		name := fmt.Sprintf("Shape%d", i)
		kind(name, good.String())
		test(element, name, "trip")
	}
	for _, element := range alike {
		for _, shape := range shapes {
			add(fmt.Sprintf(shape, element), &once)
		}
	}
	kind("Once", once.String())
	test("Once", "Once", "trip")
	kind("Refused", bad.String())
	test("Refused", "Refused", "refuse")
	types = `package v1

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/version"

	sharedv1 "example.com/api/apis/shared/v1"
)
` + b.String() + "\nvar kinds = []runtime.Object{&Marked{}, &Embedding{}, " + names.String() + "}\n"
	tests = `package roundtrip

import (
	"testing"

	stablev1 "example.com/api/apis/stable/v1"
	apply "example.com/api/gen/applyconfiguration/stable/v1"
	"example.com/api/gen/clientset/versioned/fake"
)

func TestShapes(t *testing.T) {
	client := fake.NewClientset().StableV1()
` + table.String() + "}\n"
	return types, tests, warned
}
