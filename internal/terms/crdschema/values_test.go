package crdschema

import "testing"

// TestResources refuses objects without their kind, wherever a schema says that they are resources, and no other
// values.
func TestResources(t *testing.T) {
	for text, want := range map[string]string{
		`{"apiVersion": "v1", "kind": "Pod"}`: "",
		`{"apiVersion": "v1"}`:                "a resource needs the field kind",
		`{"kind": "Pod", "apiVersion": ""}`:   "a resource needs the field apiVersion",
		`1`:                                   "",
		`[{}]`:                                "",
	} {
		got, s := "", schemaOf(t, "x-kubernetes-embedded-resource: true\ndefault: "+text)
		if problem := s.fits(s.Default.JSON); problem != nil {
			got = problem.text
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
