package v1beta1

import (
	"k8s.io/apimachinery/pkg/conversion"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
)

// Convert_v1beta1_CronTabClassSpec_To_v1_CronTabClassSpec also converts the image, which has moved. Generated code
// calls it.
func Convert_v1beta1_CronTabClassSpec_To_v1_CronTabClassSpec(in *CronTabClassSpec, out *v1.CronTabClassSpec, s conversion.Scope) error {
	out.DefaultImage = in.Defaults.Image
	return autoConvert_v1beta1_CronTabClassSpec_To_v1_CronTabClassSpec(in, out, s)
}

// Convert_v1_CronTabClassSpec_To_v1beta1_CronTabClassSpec is the opposite.
func Convert_v1_CronTabClassSpec_To_v1beta1_CronTabClassSpec(in *v1.CronTabClassSpec, out *CronTabClassSpec, s conversion.Scope) error {
	out.Defaults.Image = in.DefaultImage
	return autoConvert_v1_CronTabClassSpec_To_v1beta1_CronTabClassSpec(in, out, s)
}
