package crds_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/kubegen/kubegen/internal/moduletest"
)

var goSlicesOfEach = flag.Int("go-slices", 1, "random slices of each kind of Kubernetes")

// slicedKinds are objects of the kinds of Kubernetes that are sliced.
var slicedKinds = []any{
	admissionregistrationv1.ValidatingAdmissionPolicy{}, admissionregistrationv1.ValidatingWebhookConfiguration{},
	appsv1.DaemonSet{}, appsv1.Deployment{}, appsv1.StatefulSet{}, autoscalingv2.HorizontalPodAutoscaler{}, batchv1.CronJob{}, batchv1.Job{},
	certificatesv1.CertificateSigningRequest{}, corev1.ConfigMap{}, corev1.Node{}, corev1.PersistentVolume{}, corev1.Pod{}, corev1.Secret{},
	corev1.Service{}, discoveryv1.EndpointSlice{}, flowcontrolv1.FlowSchema{}, networkingv1.Ingress{}, networkingv1.NetworkPolicy{},
	policyv1.PodDisruptionBudget{}, rbacv1.ClusterRole{}, resourcev1.ResourceSlice{}, storagev1.StorageClass{}, storagev1.VolumeAttachment{},
}

// goSlice is a random slice of a kind. Elements of lists and maps have the name * in paths.
type goSlice struct {
	kind  reflect.Type
	paths [][]string
}

// TestGoSlices copies random slices of kinds of Kubernetes. The copies must compile. A random object that is decoded
// into a slice must be the object without the fields that the types lack, with the values at all paths, and equal to
// its deep copy.
func TestGoSlices(t *testing.T) {
	bin, project := importProject(t)
	api := "@" + moduletest.Required(moduletest.ModFile(t, moduletest.Client), "k8s.io/api")
	var of []string
	for _, object := range slicedKinds {
		of = append(of, reflect.TypeOf(object).PkgPath())
	}
	keys := listMapKeys(t, strings.TrimSpace(goIn(t, project, "", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api")), of)
	r := randv2.New(randv2.NewPCG(1, 4))
	var config strings.Builder
	config.WriteString("version: 1\nimports:\n")
	var imports [][]goSlice
	var keptIn []keptFields // by import
	for range *goSlicesOfEach {
		kinds := slices.Clone(slicedKinds)
		r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		for len(kinds) > 0 { // several kinds in a run share types
			n := min(1+r.IntN(8), len(kinds))
			var all []goSlice
			packages, fields, kept := map[string]bool{}, map[string][]string{}, keptFields{map[string]bool{}, map[reflect.Type]fieldTree{}, keys}
			for _, object := range kinds[:n] {
				kept.copied[reflect.TypeOf(object).PkgPath()] = true
			}
			for _, object := range kinds[:n] {
				s, texts := randomGoSlice(reflect.TypeOf(object), r)
				all = append(all, s)
				packages[s.kind.PkgPath()+api], fields[s.kind.Name()] = true, texts
				tree := fieldTree{"metadata": nil, "kind": nil, "apiVersion": nil}
				for _, path := range s.paths {
					tree.add(slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "*" }))
				}
				kept.add(s.kind, tree)
			}
			fmt.Fprintf(&config, "- packages: %s\n  copy: true\n  types-only: true\n  kinds: %s\n  fields: %s\n  output-dir: slice%d/out\n",
				inJSON(slices.Sorted(maps.Keys(packages))), inJSON(slices.Sorted(maps.Keys(fields))), inJSON(fields), len(imports))
			imports, keptIn, kinds = append(imports, all), append(keptIn, kept), kinds[n:]
		}
	}
	write(t, filepath.Join(project, "kubegen.yaml"), []byte(config.String()))
	begun := time.Now()
	runIn(t, project, bin)
	if t.Failed() {
		return
	}
	inImport := time.Since(begun)
	var packages []*copiedPackage
	names := map[string]string{} // of kinds in the program
	for i := range imports {
		dir := fmt.Sprintf("slice%d", i)
		for _, p := range copiedPackages(t, filepath.Join(project, dir)) {
			for _, kind := range p.kinds {
				names[fmt.Sprint(i, kind)] = fmt.Sprintf("%d.%s", len(packages), kind)
			}
			p.dir, p.constants = dir+"/"+p.dir, nil
			packages = append(packages, p)
		}
	}
	write(t, filepath.Join(project, "decode", "main.go"), []byte(decodeProgram(packages)))

	filler := goFiller()
	var input bytes.Buffer
	var objects []goSliceObject
	for i, all := range imports {
		for _, s := range all {
			for range 10 {
				object := reflect.New(s.kind).Interface()
				filler.Fill(object)
				text, err := json.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				objects = append(objects, goSliceObject{s, i, string(text)})
				fmt.Fprintln(&input, inJSON(map[string]string{"kind": names[fmt.Sprint(i, s.kind.Name())], "object": string(text)}))
			}
		}
	}
	results := json.NewDecoder(strings.NewReader(goIn(t, project, input.String(), "run", "./decode")))
	paths, values, kept, all := 0, 0, 0, 0
	for _, o := range objects {
		var result struct{ Object, Error string }
		if err := results.Decode(&result); err != nil {
			t.Fatal(err)
		}
		if result.Error != "" {
			t.Errorf("slice%d, %s %v: %s\n%s", o.in, o.kind, o.paths, result.Error, o.text)
			continue
		}
		want, got := parsed(t, o.text), parsed(t, result.Object)
		if pruned := keptIn[o.in].pruned(want, o.kind); !reflect.DeepEqual(got, pruned) {
			t.Errorf("slice%d, %s %v: slice:\n%s\nwant:\n%s", o.in, o.kind, o.paths, result.Object, inJSON(pruned))
		}
		for _, path := range o.paths {
			paths++
			value := at(want, path)
			if value != nil {
				values++
			}
			if !reflect.DeepEqual(at(got, path), value) {
				t.Errorf("slice%d, %s: %v differs\n%s\nslice:\n%s", o.in, o.kind, path, o.text, result.Object)
			}
		}
		delete(want.(map[string]any), "metadata")
		delete(got.(map[string]any), "metadata")
		kept, all = kept+leaves(got), all+leaves(want)
	}
	n := *goSlicesOfEach * len(slicedKinds)
	fmt.Printf("slices of Go types: %d slices in %d runs, generated in %v; %d random objects, %d of %d values at paths compared, %d %% of values outside metadata kept\n",
		n, len(imports), inImport.Round(100*time.Millisecond), len(objects), values, paths, 100*kept/max(all, 1))
}

// goSliceObject is a random object for a slice in an import.
type goSliceObject struct {
	goSlice
	in   int
	text string
}

// randomGoSlice returns a slice of a kind with a few paths, and their texts.
func randomGoSlice(kind reflect.Type, r *randv2.Rand) (s goSlice, texts []string) {
	s.kind = kind
	for range 1 + r.IntN(5) {
		path, text := randomGoPath(kind, r)
		s.paths, texts = append(s.paths, path), append(texts, text)
	}
	return s, texts
}

// randomGoPath returns a path in a type, and one of the ways to write it.
func randomGoPath(of reflect.Type, r *randv2.Rand) (path []string, text string) {
	for {
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		fields := map[string]goField{}
		switch {
		case hasForm(of):
		case of.Kind() == reflect.Slice && of.Elem().Kind() != reflect.Uint8, of.Kind() == reflect.Map:
			of = of.Elem()
			path = append(path, "*")
			text += []string{"", "[*]", "[]"}[r.IntN(3)]
			continue
		case of.Kind() == reflect.Struct:
			addFields(fields, of)
		}
		if len(fields) == 0 || len(path) > 0 && r.IntN(100) < 10 {
			return path, text
		}
		names := slices.Sorted(maps.Keys(fields))
		_, hasSpec := fields["spec"]
		name := names[r.IntN(len(names))]
		if len(path) == 0 && hasSpec && r.IntN(2) == 0 {
			name = "spec"
		}
		switch {
		case r.IntN(10) == 0:
			text += "['" + name + "']"
		case text != "":
			text += "." + name
		default:
			text = name
		}
		path, of = append(path, name), fields[name].of
	}
}

// goField is a field of the type of, declared in a struct.
type goField struct{ of, in reflect.Type }

// addFields adds the fields of a struct in JSON.
func addFields(fields map[string]goField, of reflect.Type) {
	for f := range of.Fields() {
		switch name, inline := nameInJSON(f); {
		case inline:
			addFields(fields, f.Type)
		case name != "-" && f.IsExported():
			fields[name] = goField{f.Type, of}
		}
	}
}

// nameInJSON returns the name of a field. inline means that the fields of its type take its place.
func nameInJSON(f reflect.StructField) (name string, inline bool) {
	name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
	return name, name == "" && f.Anonymous
}

// goFiller returns a filler for types of Kubernetes.
func goFiller() *randfill.Filler {
	return randfill.New().RandSource(rand.NewSource(1)).NilChance(0.3).NumElements(0, 2).MaxDepth(16).Funcs(
		func(m *metav1.TypeMeta, c randfill.Continue) {},
		func(m *metav1.FieldsV1, c randfill.Continue) { m.SetRawString(`{"f:spec":{}}`) },
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.NewTime(time.Unix(c.Int63n(1<<33), 0)) },
		func(t *metav1.MicroTime, c randfill.Continue) {
			*t = metav1.NewMicroTime(time.Unix(c.Int63n(1<<33), 0))
		},
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(1<<40), resource.DecimalSI)
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(c.Int31()); c.Bool() {
				*v = intstr.FromString(c.String(5))
			}
		},
		func(e *runtime.RawExtension, c randfill.Continue) { e.Raw = []byte(`{"apiVersion":"v1","kind":"Pod"}`) },
	)
}

func parsed(t *testing.T, text string) (value any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// keptFields holds the fields that slices of Go types keep: a type at several places keeps the fields of all of them.
type keptFields struct {
	copied map[string]bool // packages, by import path
	trees  map[reflect.Type]fieldTree
	keys   map[string][]string // of lists, by type and name in JSON
}

var (
	listMapKey = regexp.MustCompile(`^// \+listMapKey=(\w+)`)
	jsonField  = regexp.MustCompile("`json:\"(\\w+)")
)

// listMapKeys returns the keys of lists of type map in the types of packages, from the markers in their source.
func listMapKeys(t *testing.T, dir string, packages []string) map[string][]string {
	keys := map[string][]string{}
	for _, importPath := range packages {
		text, err := os.ReadFile(filepath.Join(dir, strings.TrimPrefix(importPath, "k8s.io/api/"), "types.go"))
		if err != nil {
			t.Fatal(err)
		}
		var name string
		var found []string
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if rest, ok := strings.CutPrefix(line, "type "); ok {
				name, _, _ = strings.Cut(rest, " ")
			} else if key := listMapKey.FindStringSubmatch(line); key != nil {
				found = append(found, key[1])
			} else if field := jsonField.FindStringSubmatch(line); field != nil {
				keys[importPath+"."+name+" "+field[1]], found = found, nil
			}
		}
	}
	return keys
}

// add adds a tree of fields of a type, and the fields of the types of these.
func (k keptFields) add(of reflect.Type, tree fieldTree) {
	of = elementOf(of)
	if of.Kind() != reflect.Struct || k.isWhole(of) {
		return
	}
	before, known := k.trees[of]
	merged := mergedTrees(before, tree)
	if known && (before == nil || tree == nil) {
		merged = nil
	}
	if known && reflect.DeepEqual(before, merged) {
		return
	}
	k.trees[of] = merged
	for f := range of.Fields() {
		name, inline := nameInJSON(f)
		if inline {
			k.add(f.Type, merged)
			continue
		}
		inner, ok := merged[name]
		if merged != nil && !ok {
			continue
		}
		k.add(f.Type, inner)
		keys := k.keys[of.PkgPath()+"."+of.Name()+" "+name]
		if key := f.Tag.Get("patchMergeKey"); key != "" {
			keys = append(slices.Clip(keys), key)
		}
		for _, key := range keys {
			k.add(f.Type, fieldTree{key: nil})
		}
	}
}

// mergedTrees returns a tree with the fields of two trees.
func mergedTrees(a, b fieldTree) fieldTree {
	if len(a) == 0 {
		return b
	}
	merged := maps.Clone(a)
	for name, tree := range b {
		switch inner, ok := a[name]; {
		case !ok, tree == nil:
			merged[name] = tree
		case inner != nil:
			merged[name] = mergedTrees(inner, tree)
		}
	}
	return merged
}

// pruned returns the value of a type in JSON without the fields that are not kept.
func (k keptFields) pruned(value any, of reflect.Type) any {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch v := value.(type) {
	case []any:
		list := []any{}
		for _, element := range v {
			list = append(list, k.pruned(element, of.Elem()))
		}
		return list
	case map[string]any:
		if k.isWhole(of) {
			return value
		}
		object := map[string]any{}
		fields := map[string]goField{}
		if of.Kind() == reflect.Struct {
			addFields(fields, of)
		}
		for name, inner := range v {
			f := fields[name]
			if of.Kind() == reflect.Map {
				object[name] = k.pruned(inner, of.Elem())
			} else if tree, ok := k.trees[f.in]; ok && (tree == nil || hasName(tree, name)) || f.in != nil && k.isWhole(f.in) {
				object[name] = k.pruned(inner, f.of)
			}
		}
		return object
	}
	return value
}

func hasName(tree fieldTree, name string) bool {
	_, ok := tree[name]
	return ok
}

// elementOf returns the type of the elements of lists, maps and pointers.
func elementOf(of reflect.Type) reflect.Type {
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, of.Kind()) {
		of = of.Elem()
	}
	return of
}

// hasForm reports whether methods determine the form of a type's values in JSON.
func hasForm(of reflect.Type) bool {
	return reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]())
}

// isWhole reports whether the values of a type keep all fields, because the type has a form of its own or stays
// imported.
func (k keptFields) isWhole(of reflect.Type) bool {
	return hasForm(of) || of.Kind() == reflect.Struct && !k.copied[of.PkgPath()]
}

// at returns the value at a path, as a list or map of the values in lists and maps, or nil.
func at(value any, path []string) any {
	if len(path) == 0 || value == nil {
		return value
	}
	object, _ := value.(map[string]any)
	if path[0] != "*" {
		return at(object[path[0]], path[1:])
	}
	if list, ok := value.([]any); ok {
		all := []any{}
		for _, element := range list {
			all = append(all, at(element, path[1:]))
		}
		return all
	}
	all := map[string]any{}
	for key, element := range object {
		all[key] = at(element, path[1:])
	}
	return all
}

// leaves returns how many values other than lists and objects are in a value.
func leaves(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			n += leaves(inner)
		}
	case []any:
		for _, inner := range v {
			n += leaves(inner)
		}
	default:
		n = 1
	}
	return n
}

// decodeProgram returns a program that decodes objects into kinds of packages, and prints them again.
func decodeProgram(packages []*copiedPackage) string {
	imports, rest := tables(packages, func(p *copiedPackage) string { return "example.com/imports/" + p.dir })
	return `package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

` + imports + `)

` + rest + `
func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var line, result struct{ Kind, Object, Error string }
		if err := in.Decode(&line); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		object := kinds[line.Kind]().(runtime.Object)
		if err := json.Unmarshal([]byte(line.Object), object); err != nil {
			result.Error = err.Error()
		} else if encoded, err := json.Marshal(object); err != nil {
			result.Error = err.Error()
		} else if result.Object = string(encoded); !reflect.DeepEqual(object.DeepCopyObject(), object) {
			result.Error = "the deep copy differs"
		}
		if err := out.Encode(result); err != nil {
			panic(err)
		}
	}
}
`
}
