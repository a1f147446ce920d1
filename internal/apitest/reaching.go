package apitest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Reaching returns package n of a group, which refers to types of packages with greater numbers. Package 1
// declares all kinds.
func Reaching(r *rand.Rand, n int) string {
	forms := []string{
		"\tF%d v%d.T `json:\"f%d\"`\n", "\tF%d map[string]*v%d.T `json:\"f%d\"`\n", "\tF%d []v%d.Outer `json:\"f%d\"`\n",
		"\tF%d v%d.T `json:\"-\"` // %d\n",
		"\t// +kubebuilder:validation:Schemaless\n\t// +kubebuilder:pruning:PreserveUnknownFields\n\tF%d v%d.T `json:\"f%d\"`\n",
		"\t// +kubebuilder:validation:Type=object\n\tF%d v%d.T `json:\"f%d\"`\n",
	}
	imports := map[string]bool{}
	fields := func() (text string) {
		for m := n + 1; m <= 6; m++ {
			if r.IntN(5) == 0 {
				imports[fmt.Sprintf("\t\"example.com/random/v%d\"\n", m)] = true
				text += fmt.Sprintf(forms[r.IntN(len(forms))], m, m, m)
			}
		}
		return text
	}
	var types strings.Builder
	fmt.Fprintf(&types, "\ntype T struct {\n\tA string `json:\"a\"`\n}\n\ntype Outer struct {\n%s}\n", fields())
	for _, kind := range strings.Fields("Ant Bee Cat Dog Elk Fox") {
		if n > 1 && r.IntN(3) > 0 {
			continue
		}
		marker := "kubebuilder:storageversion"
		if n > 1 {
			marker = []string{"kubebuilder:object:root=true", "kubebuilder:object:root=true", "kubebuilder:skipversion",
				"kubebuilder:unservedversion"}[r.IntN(4)]
		}
		fmt.Fprintf(&types,
			"\n// +%s\ntype %s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n%s}\n", marker,
			kind, fields())
	}
	return fmt.Sprintf("// +groupName=random.example.com\npackage v%d\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"+
		"%s)\n%s\nvar _ metav1.TypeMeta\n",
		n, strings.Join(slices.Sorted(maps.Keys(imports)), ""), types.String())
}
