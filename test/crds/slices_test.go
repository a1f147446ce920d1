package crds_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

var slicesOfEach = flag.Int("slices", 1, "random slices of each imported kind")

// fieldTree holds the fields that a slice keeps, by name. A nil tree keeps everything.
type fieldTree map[string]fieldTree

// add adds a path.
func (tree fieldTree) add(path []string) {
	for i, name := range path {
		inner, ok := tree[name]
		switch {
		case ok && inner == nil:
			return
		case i == len(path)-1:
			tree[name] = nil
			return
		case !ok:
			inner = fieldTree{}
			tree[name] = inner
		}
		tree = inner
	}
}

// slice is a random slice of a kind.
type slice struct {
	definition
	tree  fieldTree
	paths []string
}

// randomSlice returns a slice with a few paths that all versions of a kind have.
func randomSlice(d definition, r *rand.Rand) slice {
	s := slice{d, fieldTree{}, nil}
	for range 1 + r.IntN(6) {
		path, text := randomPath(schemaIn(d.versions()[0]), r)
		common := len(path) > 0 && !slices.ContainsFunc(d.versions(), func(v map[string]any) bool { return !hasPath(schemaIn(v), path) })
		if common {
			s.tree.add(path)
			s.paths = append(s.paths, text)
		}
	}
	if len(s.paths) == 0 {
		s.paths = []string{"metadata.labels"}
	}
	return s
}

func schemaIn(version map[string]any) map[string]any {
	return version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
}

// randomPath returns a path in a schema, and one of the ways to write it.
func randomPath(s map[string]any, r *rand.Rand) (path []string, text string) {
	for {
		properties, _ := s["properties"].(map[string]any)
		items, isList := s["items"].(map[string]any)
		values, isMap := s["additionalProperties"].(map[string]any)
		switch {
		case isList && text != "", isMap && len(properties) == 0 && text != "":
			if s = items; !isList {
				s = values
			}
			text += []string{"", "", "[*]", "[]"}[r.IntN(4)]
			continue
		case len(properties) == 0, len(path) > 0 && r.IntN(100) < 25:
			return path, text
		}
		names := slices.Sorted(maps.Keys(properties))
		name := names[r.IntN(len(names))]
		if len(path) == 0 && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			if _, ok := properties["spec"]; !ok {
				return nil, ""
			}
			name = "spec"
		}
		switch {
		case strings.ContainsAny(name, `.[\'`) || r.IntN(10) == 0:
			text += "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "']"
		case text != "" || r.IntN(4) == 0:
			text += "." + name
		default:
			text = name
		}
		path = append(path, name)
		s, _ = properties[name].(map[string]any)
	}
}

// hasPath reports whether a schema has a path.
func hasPath(s map[string]any, path []string) bool {
	for _, name := range path {
		for inner := s; inner != nil; {
			s = inner
			if inner, _ = s["items"].(map[string]any); inner == nil && s["properties"] == nil {
				inner, _ = s["additionalProperties"].(map[string]any)
			}
		}
		properties, _ := s["properties"].(map[string]any)
		next, ok := properties[name].(map[string]any)
		if !ok {
			return false
		}
		s = next
	}
	return true
}

// pruned returns a value without the fields that a slice lacks. If applied is true, it is the value that can be
// applied: without lists, maps and objects that lost fields and that a server merges as a whole, without fields that
// schemas do not list, and without nulls and empty lists and maps.
func pruned(s map[string]any, value any, tree fieldTree, applied bool, keys ...any) any {
	switch v := value.(type) {
	case []any:
		items, _ := s["items"].(map[string]any)
		keys, _ := s["x-kubernetes-list-map-keys"].([]any)
		list := []any{}
		for _, element := range v {
			list = append(list, pruned(items, element, tree, applied, keys...))
		}
		return list
	case map[string]any:
		object := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		values, isMap := s["additionalProperties"].(map[string]any)
		for name, inner := range v {
			of, known := properties[name].(map[string]any)
			below, kept := tree[name]
			switch {
			case isMap && !known:
				of, below = values, tree
			case slices.Contains(keys, any(name)):
				below = nil
			case tree != nil && !kept, applied && !known && len(properties) > 0:
				continue
			}
			if applied && below != nil && isReplaced(of) {
				continue
			}
			if inner = pruned(of, inner, below, applied); applied && (inner == nil || isEmptyCollection(of, inner)) {
				continue
			}
			object[name] = inner
		}
		return object
	}
	return value
}

// isReplaced reports whether a server replaces the objects in a value when it is applied.
func isReplaced(s map[string]any) bool {
	if items, ok := s["items"].(map[string]any); ok {
		return s["x-kubernetes-list-type"] != "map" || isReplaced(items)
	}
	values, ok := s["additionalProperties"].(map[string]any)
	return s["x-kubernetes-map-type"] == "atomic" || ok && isReplaced(values)
}

func isEmptyCollection(s map[string]any, value any) bool {
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	_, isMap := s["additionalProperties"].(map[string]any)
	return isList && len(list) == 0 || isObject && isMap && len(object) == 0
}

// TestSlices imports random slices of the kinds of public modules. What is generated must compile. A random valid
// object that is decoded into a slice, from JSON and CBOR, must be the object without the other fields. Its apply
// configuration must have these fields, except those that would replace others.
func TestSlices(t *testing.T) {
	bin, project := importProject(t)
	var config strings.Builder
	config.WriteString("version: 1\nimports:\n")
	found := map[string][]slice{} // by directory
	r := rand.New(rand.NewPCG(1, 3))
	paths := 0
	for _, m := range importModules(t) {
		module := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(m.path), "-")
		var definitions []definition
		for _, d := range manifestsIn(t, download(t, m)) {
			if d.isStructural(t) {
				definitions = append(definitions, d)
				write(t, filepath.Join(project, module, "crds", d.name+".json"), []byte(d.text))
			}
		}
		for i := range *slicesOfEach {
			dir := fmt.Sprintf("%s/slice%d", module, i)
			fields := map[string][]string{}
			for _, d := range definitions {
				s := randomSlice(d, r)
				fields[d.name] = s.paths
				found[dir] = append(found[dir], s)
				paths++
			}
			fmt.Fprintf(&config, "- manifests: [%s/crds]\n  output-dir: %s\n  core-types: false\n  fields: %s\n", module, dir, inJSON(fields))
			if i > 0 { // one with all code is enough
				config.WriteString("  only: [applyconfiguration, deepcopy, register]\n")
			}
		}
	}
	write(t, filepath.Join(project, "kubegen.yaml"), []byte(config.String()))
	runIn(t, project, bin)
	if t.Failed() {
		return
	}
	t.Run("compile", func(t *testing.T) { typeCheck(t, project) })
	c := newSliceCodec(t, project, slices.Sorted(maps.Keys(found)))
	t.Run("values", func(t *testing.T) { testSliceValues(t, c, found, paths) })
	t.Run("server", func(t *testing.T) { testSliceServer(t, c, found) })
}

func testSliceValues(t *testing.T, c *codec, found map[string][]slice, paths int) {
	objects, replaced := 0, 0
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		for _, s := range found[dir] {
			spec := s.definition.tree["spec"].(map[string]any)
			group, kind := spec["group"].(string), spec["names"].(map[string]any)["kind"].(string)
			for _, v := range s.versions() {
				tree := schemaIn(v)
				server := newServer(t, asInts(deepCopy(tree)).(map[string]any))
				g := &valueGenerator{rand.New(rand.NewPCG(uint64(objects), 4))}
				valid := 0
				for try := 0; try < 20**objectsOfEach && valid < *objectsOfEach; try++ {
					object := g.object(tree, group+"/"+v["name"].(string), kind)
					if server.take(deepCopy(object)) != "" {
						continue
					}
					valid++
					kept := maps.Clone(s.tree)
					kept["apiVersion"], kept["kind"], kept["metadata"] = nil, nil, nil
					if checkSlice(t, c, dir+"/"+group+"/"+v["name"].(string), object, tree, kept, s.paths) {
						replaced++
					}
				}
				objects += valid
			}
		}
	}
	fmt.Printf("slices: %d objects of %d slices are as expected; %d could replace fields that their slice lacks\n", objects, paths, replaced)
	if objects < paths**objectsOfEach/2 || replaced < objects/50 {
		t.Error("too few objects")
	}
}

// checkSlice sends an object through the program. It reports whether the object has values that cannot be applied.
func checkSlice(t *testing.T, c *codec, key string, object, of map[string]any, tree fieldTree, paths []string) bool {
	line := c.again(t, key, inJSON(object))
	var answer struct{ Object, Applied json.RawMessage }
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		if c.failed++; c.failed < 30 {
			t.Errorf("%s %q: %s\n%.2000s", key, paths, line, inJSON(object))
		}
		return false
	}
	value := func(applied bool) any {
		return canonical(of, decoded(t, inJSON(pruned(of, deepCopy(object), tree, applied))))
	}
	applied := decoded(t, string(answer.Applied)).(map[string]any)
	for _, test := range []struct {
		what      string
		want, got any
	}{
		{"object", value(false), canonical(of, decoded(t, string(answer.Object)))},
		{"applied", value(true), pruned(of, canonical(of, applied), nil, true)},
	} {
		if !reflect.DeepEqual(test.want, test.got) {
			if c.failed++; c.failed < 30 {
				t.Errorf("%s %q: %s: %s", key, paths, test.what, strings.Join(schemaDifferences(test.want, test.got, ""), "\n"))
			}
		}
	}
	return !reflect.DeepEqual(value(true), pruned(of, value(false), nil, true))
}

// testSliceServer creates random objects, without nulls and empty lists, on a real API server, and applies what the
// apply configurations of slices have of them, as another field manager. The objects must be the same afterwards:
// nothing in the slices is different, and nothing outside of them may change.
func testSliceServer(t *testing.T, c *codec, found map[string][]slice) {
	config := startServer(t)
	client := definitionsOf(t, config)
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	type served struct {
		slice
		dir string
		*apiextensionsv1.CustomResourceDefinition
	}
	var kinds []served
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		module, _, _ := strings.Cut(dir, "/")
		if !slices.Contains(onServer, module) || !strings.HasSuffix(dir, "/slice0") {
			continue
		}
		for _, s := range found[dir] {
			d := &apiextensionsv1.CustomResourceDefinition{}
			if err := json.Unmarshal([]byte(s.text), d); err != nil {
				t.Fatal(err)
			}
			d.Spec.Conversion = nil // for there is no such server
			if _, err := client.Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
				t.Errorf("%s: %v", s.name, err)
				continue
			}
			kinds = append(kinds, served{s, dir, d})
		}
	}
	applied, refused := 0, 0
	for i, k := range kinds {
		if err := established(t, client, k.name); err != nil {
			t.Fatal(err)
		}
		v := k.versions()[0]
		gvr := schema.GroupVersionResource{Group: k.Spec.Group, Version: v["name"].(string), Resource: k.Spec.Names.Plural}
		server := newServer(t, asInts(deepCopy(schemaIn(v))).(map[string]any))
		var resources dynamic.ResourceInterface = objects.Resource(gvr)
		if k.Spec.Scope == apiextensionsv1.NamespaceScoped {
			resources = objects.Resource(gvr).Namespace("b")
		}
		g := &valueGenerator{rand.New(rand.NewPCG(uint64(i), 5))}
		for n := range 20 {
			object := g.object(schemaIn(v), "", "")
			object = canonical(schemaIn(v), decoded(t, inJSON(pruned(schemaIn(v), object, nil, true)))).(map[string]any)
			object["apiVersion"], object["kind"] = gvr.GroupVersion().String(), k.Spec.Names.Kind
			object["metadata"] = map[string]any{"name": fmt.Sprintf("a-%d", n), "labels": map[string]any{"c": ""}}
			if server.take(deepCopy(object)) != "" {
				continue
			}
			before, err := resources.Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
			if err != nil {
				refused++ // by a rule in CEL
				continue
			}
			before.Object["status"] = object["status"]
			if updated, err := resources.UpdateStatus(t.Context(), before, metav1.UpdateOptions{}); err == nil {
				before = updated
			}
			if before, err = resources.Get(t.Context(), before.GetName(), metav1.GetOptions{}); err != nil {
				t.Fatal(err)
			}
			if applySlice(t, c, k.dir+"/"+gvr.Group+"/"+gvr.Version, resources, before, schemaIn(v), k.paths) {
				applied++
			}
		}
	}
	fmt.Printf("slices: a server applied slices of %d objects of %d kinds, and nothing else changed; it refused %d objects, by rules in CEL\n", applied, len(kinds), refused)
	if applied < 10*len(kinds) {
		t.Error("too few objects")
	}
}

// applySlice applies the slice of an object. It reports whether nothing changed.
func applySlice(t *testing.T, c *codec, key string, resources dynamic.ResourceInterface, before *unstructured.Unstructured, of map[string]any, paths []string) bool {
	var answer struct{ Applied json.RawMessage }
	if err := json.Unmarshal([]byte(c.again(t, key, inJSON(before.Object))), &answer); err != nil {
		t.Fatal(err)
	}
	applied := canonical(of, decoded(t, string(answer.Applied))).(map[string]any)
	applied["metadata"] = map[string]any{"name": before.GetName(), "labels": map[string]any{"c": ""}}
	after, err := resources.Apply(t.Context(), before.GetName(), &unstructured.Unstructured{Object: applied}, metav1.ApplyOptions{FieldManager: "slice", Force: true})
	if err != nil {
		t.Errorf("%s %q: %v\n%s", key, paths, err, inJSON(applied))
		return false
	}
	if applied["status"] != nil {
		if again, err := resources.ApplyStatus(t.Context(), before.GetName(), &unstructured.Unstructured{Object: applied}, metav1.ApplyOptions{FieldManager: "slice", Force: true}); err == nil {
			after = again
		} else if !apierrors.IsNotFound(err) {
			t.Errorf("%s %q: %v", key, paths, err)
		}
	}
	for _, o := range []*unstructured.Unstructured{before, after} {
		o.SetManagedFields(nil)
		o.SetResourceVersion("")
	}
	if !reflect.DeepEqual(before.Object, after.Object) {
		t.Errorf("%s %q: %s", key, paths, strings.Join(schemaDifferences(before.Object, after.Object, ""), "\n"))
		return false
	}
	return true
}

// newSliceCodec builds a program that decodes objects of slices in some directories, and encodes their apply
// configurations. It runs until the end of the test.
func newSliceCodec(t *testing.T, project string, dirs []string) *codec {
	t.Helper()
	var imports, adds strings.Builder
	n := 0
	for _, dir := range dirs {
		fmt.Fprintf(&imports, "\ta%d %q\n", n, "example.com/imports/"+dir+"/applyconfiguration")
		fmt.Fprintf(&adds, "\t%q: {a%d.ForKind, []func(*runtime.Scheme) error{", dir, n)
		docs, err := filepath.Glob(filepath.Join(project, dir, "*", "*", "zz_generated.types.go"))
		if err != nil {
			t.Fatal(err)
		}
		n++
		for _, file := range docs {
			rel, _ := filepath.Rel(project, filepath.Dir(file))
			fmt.Fprintf(&imports, "\tp%d %q\n", n, "example.com/imports/"+filepath.ToSlash(rel))
			fmt.Fprintf(&adds, "p%d.AddToScheme, ", n)
			n++
		}
		adds.WriteString("}},\n")
	}
	write(t, filepath.Join(project, "codec", "main.go"), []byte(sliceCodec(imports.String(), adds.String())))
	return startCodec(t, project)
}

func sliceCodec(imports, adds string) string {
	return `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	kjson "sigs.k8s.io/json"

` + imports + `)

var slices = map[string]struct {
	forKind func(schema.GroupVersionKind) any
	adds    []func(*runtime.Scheme) error
}{
` + adds + `}

func main() {
	schemes := map[string]*runtime.Scheme{}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		key, data, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dir := strings.Join(strings.Split(key, "/")[:2], "/")
		if schemes[dir] == nil {
			schemes[dir] = runtime.NewScheme()
			for _, add := range slices[dir].adds {
				if err := add(schemes[dir]); err != nil {
					panic(err)
				}
			}
		}
		text, err := again(schemes[dir], slices[dir].forKind, []byte(data))
		if err != nil {
			text = []byte("error: " + err.Error())
		}
		fmt.Println(strings.ReplaceAll(string(text), "\n", " "))
	}
}

func again(scheme *runtime.Scheme, forKind func(schema.GroupVersionKind) any, data []byte) ([]byte, error) {
	var meta struct{ APIVersion, Kind string }
	if err := json.Unmarshal(data, &meta); err != nil {
		return nil, err
	}
	gvk := schema.FromAPIVersionAndKind(meta.APIVersion, meta.Kind)
	object, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, object); err != nil {
		return nil, err
	}
	object = object.DeepCopyObject()
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if err := alsoFromCBOR(scheme, gvk, data, object); err != nil {
		return nil, err
	}
	configuration := forKind(gvk)
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, configuration); err != nil {
		return nil, err
	}
	applied, err := json.Marshal(configuration)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]json.RawMessage{"Object": text, "Applied": applied})
}

// alsoFromCBOR decodes the object from CBOR.
func alsoFromCBOR(scheme *runtime.Scheme, gvk schema.GroupVersionKind, data []byte, want runtime.Object) error {
	var value any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &value); err != nil {
		return err
	}
	encoded, err := direct.Marshal(value)
	if err != nil {
		return err
	}
	got, _, err := cbor.NewSerializer(scheme, scheme).Decode(encoded, &gvk, nil)
	if err != nil && strings.Contains(err.Error(), "cannot unmarshal positive integer into Go struct field") {
		return nil // resource.Quantity does not decode numbers from CBOR
	}
	if err != nil {
		return err
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil || !reflect.DeepEqual(x, y) {
		return fmt.Errorf("JSON is decoded as %s, CBOR as %s", a, b)
	}
	return nil
}
`
}
