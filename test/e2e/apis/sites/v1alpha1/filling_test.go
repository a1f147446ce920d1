package v1alpha1

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	v1 "github.com/kubegen/kubegen/test/e2e/apis/sites/v1"
)

// fill returns functions for valid addresses, and for variables as they are in maps.
func fill(serializer.CodecFactory) []any {
	return []any{
		func(spec *SiteSpec, c randfill.Continue) {
			c.FillNoCustom(spec)
			if spec.Address != nil {
				*spec.Address = "host:80"
			}
		},
		func(endpoint *v1.Endpoint, c randfill.Continue) {
			c.FillNoCustom(endpoint)
			endpoint.Host = "host"
		},
		func(template *v1.Template, c randfill.Continue) {
			c.FillNoCustom(template)
			slices.SortFunc(template.Env, func(a, b v1.Variable) int { return cmp.Compare(a.Name, b.Name) })
			template.Env = slices.CompactFunc(template.Env, func(a, b v1.Variable) bool { return a.Name == b.Name })
		},
	}
}
