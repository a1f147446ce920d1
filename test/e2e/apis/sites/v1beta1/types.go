// Package v1beta1 is a version of the web.example.com API in which image and replicas are elsewhere.
//
// +groupName=web.example.com
// +kubebuilder:object:generate=true
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Site is the kind.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.ready
// +kubebuilder:selectablefield:JSONPath=.spec.container.image
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
	Container Container `json:"container,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Env []Variable `json:"env,omitempty"`
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int64 `json:"replicas,omitempty"`
	// +optional
	Endpoint *Endpoint `json:"endpoint,omitempty"`
	// +optional
	Paused bool `json:"paused,omitempty"`
	// +optional
	// +listType=atomic
	Mounts []Mount `json:"mounts,omitempty"`
}

// Container is the container.
type Container struct {
	// +optional
	// +kubebuilder:validation:MaxLength=8
	Image string `json:"image,omitempty"`
}

// Variable is an environment variable.
type Variable struct {
	Name string `json:"name"`
	// +optional
	Value string `json:"value,omitempty"`
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
