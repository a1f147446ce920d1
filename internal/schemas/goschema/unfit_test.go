package goschema

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/schemas/edits"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// edited returns what a run reports with an entry of edits, at its second line, of the type T.
func edited(t *testing.T, code, entry string) diag.List {
	var config yaml.Node
	if err := yaml.Unmarshal([]byte("- type: own.example.com/own.T\n  "+entry), &config); err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
	r, own, _ := readerOf(t, code)
	all, diags := edits.Read("kubegen.yaml", config.Content[0])
	r = NewReader(r.Markers, Options{Edits: all})
	_, ofTypes := r.Schema(r.types.Declared(own, "T"))
	return slices.Concat(diags, ofTypes, r.Edits().Mistakes(), r.Edits().Unmatched())
}

// TestUnfit sets each keyword that is for some values, for each type, by an edit and by its marker. The edit is refused
// at its line if the marker is refused, or if the keyword has none and is for other values.
func TestUnfit(t *testing.T) {
	types := map[string]string{"object": "struct { A string 'a' }", "string": "string", "integer": "int", "array": "[]string", "boolean": "bool"}
	refused := 0
	for _, k := range crdschema.Keywords {
		if k.For == "" {
			continue
		}
		value, written := "3", "=3"
		switch k.Name {
		case "pattern", "x-kubernetes-list-type", "x-kubernetes-map-type":
			value, written = "atomic", "=atomic"
		case "exclusiveMinimum", "exclusiveMaximum", "uniqueItems":
			value, written = "true", "=true"
		case "required":
			value = "[a]"
		case "properties":
			value = "{a: {type: string}}"
		case "items", "additionalProperties":
			value = "{type: string}"
		}
		for name, typ := range types {
			if k.Name == "x-kubernetes-list-map-keys" {
				value, written = "[a], x-kubernetes-list-type: map", "=a\n// +listType=map"
			}
			entry := "set: {" + k.Name + ": " + value + "}"
			want := k.Unfit(&crdschema.Schema{}, &crdschema.Schema{Type: name}) != ""
			if marker := slices.Concat(k.Names(), []string{""})[0]; marker != "" {
				above := "// +" + marker + written + "\n"
				if k.Marker != "" {
					above = "// +" + crdschema.Validation + marker + written + "\n"
				}
				r, own, _ := readerOf(t, above+"type T "+typ)
				_, diags := r.Schema(r.types.Declared(own, "T"))
				want = diags.HasErrors()
			}
			got := edited(t, "type T "+typ, entry)
			elsewhere := func(d *diag.Diagnostic) bool { return d.Pos.Filename != "kubegen.yaml" || d.Pos.Line != 2 }
			if got.HasErrors() != want || slices.ContainsFunc(got, elsewhere) {
				t.Errorf("%s of type %s: refused: %v, says %v", entry, name, want, said(got))
			}
			if want {
				refused++
			}
		}
	}
	if refused < 60 {
		t.Errorf("only %d refused", refused)
	}
	for from, typ := range types {
		for to := range types {
			said := strings.Join(said(edited(t, "type T "+typ, "set: {type: "+to+"}")), ", ")
			want := from != to && (from == "object" || from == "array")
			if strings.Contains(said, "then has no effect") != want {
				t.Errorf("type %s in place of %s: %s", to, from, said)
			}
		}
	}
}
