package v1beta1

import (
	"k8s.io/apimachinery/pkg/conversion"

	v1 "github.com/kubegen/kubegen/test/e2e/apis/sites/v1"
)

// Convert_v1beta1_SiteSpec_To_v1_SiteSpec also converts the fields that are elsewhere in v1.
func Convert_v1beta1_SiteSpec_To_v1_SiteSpec(in *SiteSpec, out *v1.SiteSpec, s conversion.Scope) error {
	out.Template.Image, out.Scale.Replicas = in.Container.Image, in.Replicas
	out.Template.Env = nil
	for _, variable := range in.Env {
		out.Template.Env = append(out.Template.Env, v1.Variable(variable))
	}
	return autoConvert_v1beta1_SiteSpec_To_v1_SiteSpec(in, out, s)
}

// Convert_v1_SiteSpec_To_v1beta1_SiteSpec is the opposite.
func Convert_v1_SiteSpec_To_v1beta1_SiteSpec(in *v1.SiteSpec, out *SiteSpec, s conversion.Scope) error {
	out.Container.Image, out.Replicas = in.Template.Image, in.Scale.Replicas
	out.Env = nil
	for _, variable := range in.Template.Env {
		out.Env = append(out.Env, Variable(variable))
	}
	return autoConvert_v1_SiteSpec_To_v1beta1_SiteSpec(in, out, s)
}
