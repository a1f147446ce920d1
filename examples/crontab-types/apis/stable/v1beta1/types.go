package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +genclient:nonNamespaced
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=ctc
// +kubebuilder:deprecatedversion:warning="stable.example.com/v1beta1 CronTabClass is deprecated; use stable.example.com/v1"
// +kubebuilder:printcolumn:name=Image,type=string,JSONPath=.spec.defaults.image
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp

// CronTabClass provides defaults for CronTabs in all namespaces, which refer to it by name.
type CronTabClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec contains the defaults.
	// +required
	Spec CronTabClassSpec `json:"spec"`
}

// CronTabClassSpec contains the defaults that a CronTabClass provides.
type CronTabClassSpec struct {
	// defaults are the values for CronTabs that do not specify them. In v1, the image is spec.defaultImage.
	// +required
	Defaults Defaults `json:"defaults"`
	// owner is the team to ask. v1 has no such field.
	// +kubegen:conversion:restore
	// +optional
	Owner string `json:"owner,omitempty"`
}

// Defaults are the values for CronTabs that do not specify them.
type Defaults struct {
	// image is the container image.
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
}

// +kubebuilder:object:root=true

// CronTabClassList is a list of CronTabClasses.
type CronTabClassList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CronTabClass `json:"items"`
}
