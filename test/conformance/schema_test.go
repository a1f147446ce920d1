package conformance

import (
	"strings"
	"testing"
)

func TestCompareSchemas(t *testing.T) {
	const before = `types:
- name: Foo
  map:
    fields:
    - name: bar
      type:
        namedType: Bar
      default: {}
    - name: names
      type:
        list:
          elementType:
            scalar: string
          elementRelationship: atomic
- name: Bar
  map:
    elementType:
      scalar: string
`
	for name, test := range map[string]struct {
		was, is string
		want    []string // the start of each
	}{
		"same":     {"", "", nil},
		"spelling": {"default: {}\n", "default:\n        {}\n", nil},
		"order": {
			"elementType:\n            scalar: string\n          elementRelationship: atomic",
			"elementRelationship: atomic\n          elementType:\n            scalar: string", nil,
		},
		"quotes":         {"scalar: string", "'scalar': \"string\"", nil},
		"default":        {"      default: {}\n", "", []string{"Foo, default of field bar: was "}},
		"field name":     {"name: names", "name: name", []string{"Foo, field name: was ", "Foo, field names: was "}},
		"relationship":   {"elementRelationship: atomic", "elementRelationship: associative", []string{"Foo, field names: was "}},
		"of the type":    {"    elementType:\n      scalar: string\n", "    elementType:\n      scalar: numeric\n", []string{"Bar: was "}},
		"one more":       {"types:\n", "types:\n- name: Baz\n  scalar: string\n", []string{"Baz: in old: false, in new: true"}},
		"override":       {"namedType: Bar\n", "namedType: Bar\n        elementRelationship: atomic\n", []string{"Foo, field bar: was "}},
		"another scalar": {"- name: Bar\n  map:\n    elementType:\n      scalar: string\n", "- name: Bar\n  scalar: string\n", []string{"Bar: was "}},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := CompareSchemas(before, strings.Replace(before, test.was, test.is, 1))
			if err != nil {
				t.Fatal(err)
			}
			if report.Types != 2 || report.Fields != 2 || len(report.Differences) != len(test.want) {
				t.Fatalf("%s: %q", report, report.Differences)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(report.Differences[i], want) {
					t.Errorf("got %s, want %s...", report.Differences[i], want)
				}
			}
		})
	}
	for broken, want := range map[string]string{
		"types: 7": "new schema: ",
		strings.Replace(before, "namedType: Bar", "namedType: Baz", 1): "new schema: Foo refers to Baz, which there is not",
	} {
		if _, err := CompareSchemas(before, broken); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
