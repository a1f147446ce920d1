package v1alpha1

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/conversion"

	v1 "github.com/kubegen/kubegen/test/e2e/apis/sites/v1"
)

// Convert_v1alpha1_SiteSpec_To_v1_SiteSpec also converts the fields of other forms.
func Convert_v1alpha1_SiteSpec_To_v1_SiteSpec(in *SiteSpec, out *v1.SiteSpec, s conversion.Scope) error {
	out.Template.Image, out.Scale.Replicas = in.Image, in.Replicas
	out.Template.Env, out.Endpoint = nil, nil
	for _, name := range slices.Sorted(maps.Keys(in.Env)) {
		out.Template.Env = append(out.Template.Env, v1.Variable{Name: name, Value: in.Env[name]})
	}
	if in.Address != nil {
		host, port, err := net.SplitHostPort(*in.Address)
		if err != nil {
			return fmt.Errorf("spec.address: %w", err)
		}
		number, err := strconv.ParseInt(port, 10, 64)
		if err != nil {
			return fmt.Errorf("spec.address: %w", err)
		}
		out.Endpoint = &v1.Endpoint{Host: host, Port: number}
	}
	return autoConvert_v1alpha1_SiteSpec_To_v1_SiteSpec(in, out, s)
}

// Convert_v1_SiteSpec_To_v1alpha1_SiteSpec is the opposite.
func Convert_v1_SiteSpec_To_v1alpha1_SiteSpec(in *v1.SiteSpec, out *SiteSpec, s conversion.Scope) error {
	out.Image, out.Replicas = in.Template.Image, in.Scale.Replicas
	out.Env, out.Address = nil, nil
	for _, variable := range in.Template.Env {
		if out.Env == nil {
			out.Env = map[string]string{}
		}
		out.Env[variable.Name] = variable.Value
	}
	if e := in.Endpoint; e != nil {
		address := net.JoinHostPort(e.Host, strconv.FormatInt(e.Port, 10))
		out.Address = &address
	}
	return autoConvert_v1_SiteSpec_To_v1alpha1_SiteSpec(in, out, s)
}

// Convert_v1alpha1_SiteStatus_To_v1_SiteStatus also converts the field with another name.
func Convert_v1alpha1_SiteStatus_To_v1_SiteStatus(in *SiteStatus, out *v1.SiteStatus, s conversion.Scope) error {
	out.State = in.Phase
	return autoConvert_v1alpha1_SiteStatus_To_v1_SiteStatus(in, out, s)
}

// Convert_v1_SiteStatus_To_v1alpha1_SiteStatus is the opposite.
func Convert_v1_SiteStatus_To_v1alpha1_SiteStatus(in *v1.SiteStatus, out *SiteStatus, s conversion.Scope) error {
	out.Phase = in.State
	return autoConvert_v1_SiteStatus_To_v1alpha1_SiteStatus(in, out, s)
}
