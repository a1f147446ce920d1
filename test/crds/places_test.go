package crds_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// intruders are texts that would end a comment or literal in Go, or mean something there.
var intruders = []string{
	"x\n\nfunc init() { panic(0) }\n\n// y", "x\r\nimport \"os\"\r\n", "x\rfunc init() {}", "x\vy\fz", "x\u0085+genclient", "x\u2028func init() {}\u2029", "*/ func init() {} /*", "+genclient",
	" \t+kubebuilder:validation:Optional", "x\n+k8s:deepcopy-gen=false\n* +genclient", "//go:build ignore", "x\n//go:generate rm -rf .", "x\n//go:embed x", "//line a.go:1", "x /*line a.go:1*/",
	"#cgo LDFLAGS: -lx", "//export F", "+build ignore", "x\u202ey\u2066z", "\ufeffx\x00y", "x\x1b[31m", "`+os.Exit(0)+`", "\"+os.Exit(0)+\"", "\\", "'", "x` y:\"z\"", "pkg__0.X local__x \u01c3", "%s%!",
	"x,scope=Cluster", "x;y", "{x}", "x=y",
}

// ordinary are texts as manifests have them, of the kinds that lead to different declarations: words, and others that
// cannot be a JSON name in a tag, are numbers or are empty.
var ordinary = []string{"word", "a", "b", "two words", "a\"b", "a'b", "", "-", "1", "a\nb", "a\u00a0b", "+", "é\"", "x\ty", "a'\nb"}

// spot is where a string is in a CustomResourceDefinition: keys of objects, and indexes of lists. isKey says that the
// string is the last key itself.
type spot struct {
	path  []any
	isKey bool
}

func (p spot) String() string {
	var b strings.Builder
	for _, step := range p.path {
		fmt.Fprintf(&b, "/%v", step)
	}
	if p.isKey {
		b.WriteString(" (key)")
	}
	return b.String()
}

// placesOf returns all places of strings in a type and in what it contains. A type that contains itself is entered
// twice.
func placesOf(t reflect.Type, path []any, open []reflect.Type) (all []spot) {
	if n := len(slices.DeleteFunc(slices.Clone(open), func(o reflect.Type) bool { return o != t })); n > 1 {
		return nil
	}
	at := func(step any) []any { return append(slices.Clip(path), step) }
	switch t {
	case reflect.TypeFor[apiextensionsv1.JSON](): // any value
		return []spot{{path: path}, {path: at(0)}, {path: at("word")}, {path: at("word"), isKey: true}}
	case reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray](), reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool](), reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray]():
		return placesOf(reflect.TypeFor[apiextensionsv1.JSONSchemaProps](), path, append(open, t))
	}
	switch t.Kind() {
	case reflect.String:
		return []spot{{path: path}}
	case reflect.Pointer:
		return placesOf(t.Elem(), path, open)
	case reflect.Slice:
		return placesOf(t.Elem(), at(0), open)
	case reflect.Map:
		return append(placesOf(t.Elem(), at("word"), open), spot{path: at("word"), isKey: true})
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case name == "-" || !f.IsExported():
			case strings.Contains(options, "inline") || f.Anonymous && name == "":
				all = append(all, placesOf(f.Type, path, append(open, t))...)
			default:
				all = append(all, placesOf(f.Type, at(name), append(open, t))...)
			}
		}
	}
	return all
}

// base is a valid definition in which each place can be filled. Its schema has a property of each type.
const base = `{
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "words.example.com", "annotations": {"api-approved.kubernetes.io": "https://example.com"}},
  "spec": {
    "group": "example.com", "scope": "Namespaced",
    "names": {"kind": "Word", "listKind": "WordList", "plural": "words", "singular": "word", "shortNames": ["w"], "categories": ["all"]},
    "versions": [{
      "name": "v1", "served": true, "storage": true, "deprecated": true, "deprecationWarning": "old",
      "additionalPrinterColumns": [{"name": "A", "type": "string", "format": "date", "jsonPath": ".spec.text", "description": "text"}],
      "selectableFields": [{"jsonPath": ".spec.text"}],
      "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n", "labelSelectorPath": ".status.s"}},
      "schema": {"openAPIV3Schema": {
        "type": "object", "description": "A word.", "properties": {
          "spec": {"type": "object", "properties": {
            "text": {"type": "string"}, "n": {"type": "integer"}, "choice": {"type": "string", "enum": ["a", "b"]}, "list": {"type": "array", "items": {"type": "string"}},
            "map": {"type": "object", "additionalProperties": {"type": "string"}}, "object": {"type": "object", "properties": {"inner": {"type": "string"}}},
            "objects": {"type": "array", "items": {"type": "object", "properties": {"inner": {"type": "string"}}}}, "any": {"x-kubernetes-preserve-unknown-fields": true},
            "either": {"x-kubernetes-int-or-string": true}, "time": {"type": "string", "format": "date-time"}
          }},
          "status": {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}
        }
      }}
    }]
  }
}`

// hosts are the schemas in base in which keywords are tried.
var hosts = []string{
	"", "properties/spec", "properties/spec/properties/text", "properties/spec/properties/n", "properties/spec/properties/choice", "properties/spec/properties/list", "properties/spec/properties/list/items",
	"properties/spec/properties/map", "properties/spec/properties/map/additionalProperties", "properties/spec/properties/object", "properties/spec/properties/object/properties/inner", "properties/spec/properties/objects/items",
	"properties/spec/properties/any", "properties/spec/properties/either", "properties/spec/properties/time",
}

// allPlaces returns the places in a CustomResourceDefinition, with the keywords of schemas in each of the hosts.
func allPlaces() (all []spot) {
	version := []any{"spec", "versions", 0, "schema", "openAPIV3Schema"}
	for _, p := range placesOf(reflect.TypeFor[apiextensionsv1.CustomResourceDefinition](), nil, nil) {
		if len(p.path) < len(version) || !slices.Equal(p.path[:len(version)], version) {
			all = append(all, p)
		}
	}
	for _, p := range placesOf(reflect.TypeFor[apiextensionsv1.JSONSchemaProps](), nil, nil) {
		for _, host := range hosts {
			path := slices.Clone(version)
			for _, step := range strings.FieldsFunc(host, func(r rune) bool { return r == '/' }) {
				path = append(path, step)
			}
			if len(p.path) < 4 || host == "" || host == hosts[2] { // what is deep is the same everywhere
				all = append(all, spot{append(path, p.path...), p.isKey})
			}
		}
	}
	return all
}

// put returns a value with a text at a place.
func put(at any, p spot, path []any, text string) any {
	if len(path) == 0 {
		return text
	}
	if i, ok := path[0].(int); ok {
		list, _ := at.([]any)
		list = slices.Clone(list)
		for len(list) <= i {
			list = append(list, nil)
		}
		list[i] = put(list[i], p, path[1:], text)
		return list
	}
	object, _ := at.(map[string]any)
	if object = maps.Clone(object); object == nil {
		object = map[string]any{}
	}
	key := path[0].(string)
	if len(path) == 1 && p.isKey {
		object[text] = map[string]any{"type": "string"}
		return object
	}
	object[key] = put(object[key], p, path[1:], text)
	return object
}

// outcome imports the base with a text at a place, and returns the structure of what it becomes; ok is false if it is
// refused, with a position.
func outcome(t *testing.T, p spot, text string) (structure string, files map[string][]byte, ok bool) {
	t.Helper()
	var object any
	if err := json.Unmarshal([]byte(base), &object); err != nil {
		t.Fatal(err)
	}
	manifest, err := json.Marshal(put(object, p, p.path, text))
	if err != nil {
		t.Fatal(err)
	}
	definitions, diags := crd.ReadComplete("crd.json", manifest)
	packages, wrong := importer.Packages(definitions, importer.Options{
		Path: "example.com/api", Name: func(file string) string { return file }, Earlier: func(string) string { return "" },
	})
	if diags = append(diags, wrong...); !diags.HasErrors() {
		diags = append(diags, importer.Write(packages, nil)...)
	}
	if diags.HasErrors() {
		for _, d := range diags {
			if d.Severity == diag.Error && !d.Pos.IsValid() {
				t.Errorf("%s, %q: an error without a position: %s", p, text, d.Message)
			}
		}
		return "", nil, false
	}
	files = map[string][]byte{}
	for _, pkg := range packages {
		maps.Copy(files, pkg.Files)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		b.WriteString(name + ":" + structureOf(t, p, text, files[name]) + "\n")
	}
	return b.String(), files, true
}

// structureOf returns what a file declares and imports: its syntax without names and the values of literals, and the
// names of markers. Comments that are directives, or in which a character cannot be seen, are errors.
func structureOf(t *testing.T, p spot, text string, content []byte) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "", content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s, %q: %v\n%s", p, text, err, content)
		return ""
	}
	var b strings.Builder
	for _, spec := range f.Imports {
		b.WriteString(" " + spec.Path.Value)
	}
	for _, d := range f.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case nil, *ast.CommentGroup:
				return false
			case *ast.FuncDecl:
				b.WriteString(" func " + n.Name.Name)
			case *ast.BasicLit:
				b.WriteString(" " + n.Kind.String())
			case *ast.Ident:
			default:
				b.WriteString(fmt.Sprintf(" %T", n)[len(" *ast."):])
			}
			return true
		})
	}
	marked := map[string]bool{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Text != "//" && !strings.HasPrefix(c.Text, "// ") && !strings.HasPrefix(c.Text, "//\t") || strings.Contains(c.Text, "/*line ") {
				t.Errorf("%s, %q: the comment %q is a directive", p, text, c.Text)
			}
			if strings.ContainsFunc(c.Text, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
				t.Errorf("%s, %q: the comment %q has characters that cannot be seen", p, text, c.Text)
			}
			if line := strings.TrimLeft(c.Text, "/* \t"); strings.HasPrefix(line, "+") {
				name := line[:strings.IndexFunc(line+"=", func(r rune) bool { return r == '=' })]
				if name != "+kubegen:schema" && name != "+optional" { // which says what comments and tags cannot
					marked[name] = true
				}
			}
		}
	}
	return b.String() + " " + strings.Join(slices.Sorted(maps.Keys(marked)), " ")
}

var everyText = flag.Bool("texts", false, "TestPlaces tries each text at each place")

// TestPlaces puts texts that would become code at each place of a CustomResourceDefinition that has a string. Either
// an error has a position, or what is written declares and imports what it does for an ordinary text, has the same
// markers and no directives.
//
//	go test -run TestPlaces . -args -texts
func TestPlaces(t *testing.T) {
	all := allPlaces()
	if len(all) < 500 {
		t.Errorf("there are only %d places", len(all))
	}
	runs, refused, effective := 0, 0, 0
	for i, p := range all {
		possible := map[string]bool{}
		if original, ok := untouched(t, p); ok {
			possible[original] = true
		}
		others := slices.Clone(ordinary)
		known := func(structure string) bool {
			for !possible[structure] && len(others) > 0 {
				if ordinary, _, ok := outcome(t, p, others[0]); ok {
					possible[ordinary] = true
				}
				others = others[1:]
			}
			return possible[structure]
		}
		wrote := map[string]bool{}
		for n, text := range intruders {
			if !*everyText && (i+n)%8 > 0 {
				continue
			}
			runs++
			structure, files, ok := outcome(t, p, text)
			if !ok {
				refused++
				continue
			}
			wrote[string(files[importer.TypesFile])] = true
			if !known(structure) {
				t.Errorf("%s, %s: becomes\n%s\n%s", p, strconv.Quote(text), structure, files[importer.TypesFile])
			}
		}
		if len(wrote) > 1 {
			effective++
		}
	}
	if refused < 200 || effective < 200 {
		t.Errorf("%d texts are refused, and those at %d places are in the types", refused, effective)
	}
	t.Logf("%d places, %d texts, %d refused; %d places are in the types", len(all), runs, refused, effective)
}

// FuzzPlaces puts any text at any place.
func FuzzPlaces(f *testing.F) {
	all := allPlaces()
	for i, text := range intruders {
		f.Add(uint16(i*97%len(all)), text)
		f.Add(uint16(i*193%len(all)), text)
	}
	f.Fuzz(func(t *testing.T, n uint16, text string) {
		if len(text) > 500 {
			return
		}
		p := all[int(n)%len(all)]
		structure, files, ok := outcome(t, p, text)
		if !ok {
			return
		}
		if original, ok := untouched(t, p); ok && original == structure {
			return
		}
		for _, text := range ordinary {
			if known, _, ok := outcome(t, p, text); ok && known == structure {
				return
			}
		}
		t.Errorf("%s, %q: becomes\n%s\n%s", p, text, structure, files[importer.TypesFile])
	})
}

// untouched returns the structure of the base, for places whose ordinary value is not just any text.
func untouched(t *testing.T, p spot) (string, bool) {
	var object any
	if err := json.Unmarshal([]byte(base), &object); err != nil {
		t.Fatal(err)
	}
	for _, step := range p.path {
		switch at := object.(type) {
		case map[string]any:
			key, _ := step.(string)
			object = at[key]
		case []any:
			i, _ := step.(int)
			if i < len(at) {
				object = at[i]
			}
		default:
			return "", false
		}
	}
	text, ok := object.(string)
	if !ok {
		return "", false
	}
	structure, _, ok := outcome(t, p, text)
	return structure, ok
}
