// Package v1alpha1 is a version of the web.example.com API with a map of variables and with an address in one field.
//
// +groupName=web.example.com
// +kubebuilder:object:generate=true
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Site is the kind.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.ready
// +kubebuilder:selectablefield:JSONPath=.spec.image
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec SiteSpec `json:"spec,omitempty"`
	// +optional
	Status SiteStatus `json:"status,omitempty"`
}

// SiteSpec is what a user wants.
type SiteSpec struct {
	// +optional
	Image string `json:"image,omitempty"`
	// +optional
	Env map[string]string `json:"env,omitempty"`
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int64 `json:"replicas,omitempty"`
	// Address is HOST:PORT.
	// +optional
	Address *string `json:"address,omitempty"`
	// +optional
	// +listType=atomic
	Mounts []Mount `json:"mounts,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Legacy string `json:"legacy,omitempty"`
}

// Mount is a directory.
type Mount struct {
	Path string `json:"path"`
}

// SiteStatus is what a controller has seen.
type SiteStatus struct {
	// +optional
	Phase string `json:"phase,omitempty"`
	// +optional
	Ready int64 `json:"ready,omitempty"`
}

// SiteList is a list of Sites.
//
// +kubebuilder:object:root=true
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}
