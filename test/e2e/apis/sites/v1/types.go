// Package v1 is the version of the web.example.com API to which the others are converted. Site has renamed, moved and
// retyped fields in the others, and fields that one of them lacks, for tests of what a server does with several
// versions.
//
// +groupName=web.example.com
// +kubebuilder:object:generate=true
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Site is the kind.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.scale.replicas,statuspath=.status.ready
// +kubebuilder:selectablefield:JSONPath=.spec.template.image
// +kubegen:conversion:hub
// +kubegen:conversion:strategy=Webhook,url="https://localhost/convert"
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
	Template Template `json:"template,omitempty"`
	// +optional
	// +kubebuilder:default={}
	Scale Scale `json:"scale,omitempty"`
	// +optional
	Endpoint *Endpoint `json:"endpoint,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Paused bool `json:"paused,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Comment string `json:"comment,omitempty"`
	// +optional
	// +listType=atomic
	Mounts []Mount `json:"mounts,omitempty"`
}

// Template describes the containers.
type Template struct {
	// +optional
	Image string `json:"image,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Env []Variable `json:"env,omitempty"`
}

// Variable is an environment variable.
type Variable struct {
	Name string `json:"name"`
	// +optional
	Value string `json:"value,omitempty"`
}

// Scale is the part of the scale subresource.
type Scale struct {
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int64 `json:"replicas,omitempty"`
}

// Endpoint is an address.
type Endpoint struct {
	// +optional
	Host string `json:"host,omitempty"`
	// +optional
	Port int64 `json:"port,omitempty"`
}

// Mount is a directory.
type Mount struct {
	Path string `json:"path"`
	// +optional
	// +kubegen:conversion:restore
	ReadOnly bool `json:"readOnly,omitempty"`
}

// SiteStatus is what a controller has seen.
type SiteStatus struct {
	// +optional
	State string `json:"state,omitempty"`
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
