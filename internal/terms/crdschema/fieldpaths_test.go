package crdschema

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string][]string{
		"spec":                      {"spec"},
		"spec.nodeName":             {"spec", "nodeName"},
		".spec.nodeName":            {"spec", "nodeName"},
		"status.conditions[*].type": {"status", "conditions", "type"},
		"status.conditions[].type":  {"status", "conditions", "type"},
		"spec.lists[*][*].a[]":      {"spec", "lists", "a"},
		"spec['a.b'].c":             {"spec", "a.b", "c"},
		`spec["a.b"]['c']`:          {"spec", "a.b", "c"},
		`spec.a\.b.c`:               {"spec", "a.b", "c"},
		`spec['it\'s'][*].x`:        {"spec", "it's", "x"},
		"['a:b'].c":                 {"a:b", "c"},
		"spec.x-y_z":                {"spec", "x-y_z"},
		`spec.a\[0\]`:               {"spec", "a[0]"},
		"":                          nil,
		".":                         nil,
		"..a":                       nil,
		"a..b":                      nil,
		"a.":                        nil,
		"[*].a":                     nil,
		"a[0]":                      nil,
		"a[?(@.b)].c":               nil,
		"a['b":                      nil,
		"a['b'":                     nil,
		"a['b'x":                    nil,
		"a['b']c":                   nil,
		"a['']":                     nil,
		"a.['b']":                   nil,
		"a[*]b":                     nil,
	} {
		got, err := ParsePath(text)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("Parse(%q) = %q, %v; want %q", text, got, err, want)
		}
		if err != nil {
			continue
		}
		if again, err := ParsePath(got.String()); err != nil || !slices.Equal(again, got) {
			t.Errorf("Parse(%q) = %q, %v; want %q", got.String(), again, err, got)
		}
	}
}

func TestTree(t *testing.T) {
	tree := &PathTree{}
	for _, text := range []string{"status.phase", "spec.template.spec.image", "spec.template", "metadata.labels", "spec.template.name", "status.conditions.type"} {
		path, err := ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		tree.Add(path)
	}
	var got []string
	for _, p := range tree.Paths() {
		got = append(got, p.String())
	}
	if want := "metadata.labels spec.template status.conditions.type status.phase"; strings.Join(got, " ") != want {
		t.Errorf("paths %s, want %s", strings.Join(got, " "), want)
	}
	spec := tree.Field("spec")
	if spec == nil || spec.Whole() || !spec.Field("template").Whole() || !spec.Field("template").Field("x").Whole() || spec.Field("other") != nil {
		t.Errorf("spec is %+v", spec)
	}
}

// FuzzParse parses any text. A path that Parse returns is the same if it is written and parsed again.
func FuzzParse(f *testing.F) {
	f.Add(`.spec['a\'b'][*].c\.d`)
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParsePath(text)
		if err != nil {
			return
		}
		if again, err := ParsePath(path.String()); err != nil || !slices.Equal(again, path) {
			t.Errorf("Parse(%q) = %q; %q is %q, %v", text, path, path.String(), again, err)
		}
	})
}
