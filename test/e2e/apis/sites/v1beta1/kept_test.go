package v1beta1

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/kubegen/kubegen/test/e2e/apis/sites/v1"
)

// TestForgedAnnotations converts objects whose annotation is not from a conversion. None may make a conversion fail,
// because API servers could no longer list the kind.
func TestForgedAnnotations(t *testing.T) {
	const valid = `{"format":1,"kind":"Site","versions":{"v1":{".spec":{"=comment":"kept"}}}}`
	large := func(of string) string { return strings.Repeat(of, (127<<10)/len(of)) }
	for name, text := range map[string]string{
		"no JSON":       "{",
		"another shape": `{"format":1,"kind":"Site","versions":[1]}`,
		"another kind":  strings.Replace(valid, "Site", "Other", 1),
		"escaped":       `{"format":1,"kind":"Site","versions":{"v1alpha1":{".spec":{"=zone":"` + large("<") + `"}}}}`,
		"almost full":   `{"format":1,"kind":"Site","versions":{"v1alpha1":{".spec":{"=zone":"` + large("x") + `"}},"v1":{}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			annotations := map[string]string{conversionData: text}
			beta := &Site{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}}
			hub := new(v1.Site)
			if err := Convert_v1beta1_Site_To_v1_Site(beta, hub, nil); err != nil || hub.Spec.Comment != "" {
				t.Errorf("to v1: comment %q, error %v", hub.Spec.Comment, err)
			}
			stored := &v1.Site{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}}
			stored.Spec.Comment = strings.Repeat("y", 8<<10)
			converted, back := new(Site), new(v1.Site)
			if err := Convert_v1_Site_To_v1beta1_Site(stored, converted, nil); err != nil {
				t.Fatal("to v1beta1:", err)
			}
			if err := Convert_v1beta1_Site_To_v1_Site(converted, back, nil); err != nil || back.Spec.Comment != stored.Spec.Comment {
				t.Errorf("back: comment %q, error %v", back.Spec.Comment, err)
			}
		})
	}
}

// TestFunctionsWin restores a field only if no function has set it.
func TestFunctionsWin(t *testing.T) {
	for set, want := range map[string]string{"": "kept", "by hand": "by hand"} {
		in, out := new(Site), new(v1.Site)
		in.Annotations = map[string]string{conversionData: `{"format":1,"kind":"Site","versions":{"v1":{".spec":{"=comment":"kept"}}}}`}
		out.Spec.Comment = set // as a function of the spec does
		if err := Convert_v1beta1_Site_To_v1_Site(in, out, nil); err != nil || out.Spec.Comment != want {
			t.Errorf("set to %q: comment %q, error %v, want %q", set, out.Spec.Comment, err, want)
		}
	}
}
