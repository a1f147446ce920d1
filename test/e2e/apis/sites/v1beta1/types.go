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
	// +optional
	// +listType=atomic
	Ports []Port `json:"ports,omitempty"`
	// +optional
	// +listType=atomic
	Services []Service `json:"services,omitempty"`
	// +optional
	Zones map[string]Zone `json:"zones,omitempty"`
	// +optional
	Sets map[string]Ports `json:"sets,omitempty"`
	// +optional
	// +listType=atomic
	Rows []Ports `json:"rows,omitempty"`
	// +optional
	// +listType=atomic
	Racks []Rack `json:"racks,omitempty"`
	// +optional
	Limits Limits `json:"limits,omitempty"`
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

// Port is an element of lists without keys. Versions have other fields, defaults and orders of fields.
type Port struct {
	Number int64 `json:"number"`
	// +optional
	// +kubebuilder:default=TCP
	Protocol string `json:"protocol,omitempty"`
	// +optional
	Mode string `json:"mode,omitempty"`
	// +optional
	Scheme string `json:"scheme,omitempty"`
	// +optional
	Probe Probe `json:"probe,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Alias string `json:"alias,omitempty"`
}

// Ports is a list without keys.
//
// +listType=atomic
type Ports []Port

// Probe is a struct in an element.
type Probe struct {
	// +optional
	Path string `json:"path,omitempty"`
	// +optional
	// +kubebuilder:default=probe
	// +kubegen:conversion:restore
	Alias string `json:"alias,omitempty"`
}

// Service is an element of a list with keys, one of which may have a default.
type Service struct {
	Number int64 `json:"number"`
	// +optional
	Protocol string `json:"protocol,omitempty"`
	// +optional
	Label string `json:"label,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Alias string `json:"alias,omitempty"`
	// +optional
	Ports Ports `json:"ports,omitempty"`
}

// Zone is an element of a map.
type Zone struct {
	// +optional
	Size string `json:"size,omitempty"`
	// +optional
	// +kubebuilder:default=zone
	// +kubegen:conversion:restore
	Alias string `json:"alias,omitempty"`
	// +optional
	Ports Ports `json:"ports,omitempty"`
}

// Rack is an element without keys that has a list of its own.
type Rack struct {
	Number int64 `json:"number"`
	// +optional
	// +kubebuilder:default=rack
	Label string `json:"label,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Alias string `json:"alias,omitempty"`
	// +optional
	Ports Ports `json:"ports,omitempty"`
}

// Limits is a struct.
type Limits struct {
	// +optional
	CPU string `json:"cpu,omitempty"`
	// +optional
	// +kubebuilder:default="1Gi"
	Memory string `json:"memory,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Alias string `json:"alias,omitempty"`
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
