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
	// +kubebuilder:validation:MaxLength=8
	// +kubegen:conversion:restore
	Comment string `json:"comment,omitempty"`
	// +optional
	// +listType=atomic
	Mounts []Mount `json:"mounts,omitempty"`
	// +optional
	// +listType=atomic
	Ports []Port `json:"ports,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=number
	// +listMapKey=protocol
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

// Port is an element of lists without keys. Versions have other fields, defaults and orders of fields.
type Port struct {
	// +optional
	// +kubebuilder:default=http
	Scheme string `json:"scheme,omitempty"`
	// +optional
	// +kubebuilder:default=noted
	// +kubegen:conversion:restore
	Note   string `json:"note,omitempty"`
	Number int64  `json:"number"`
	// +optional
	Mode string `json:"mode,omitempty"`
	// +optional
	Probe Probe `json:"probe,omitempty"`
	// +optional
	Protocol string `json:"protocol,omitempty"`
}

// Ports is a list without keys.
//
// +listType=atomic
type Ports []Port

// Probe is a struct in an element.
type Probe struct {
	// +optional
	// +kubebuilder:default="/v1"
	Path string `json:"path,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Note string `json:"note,omitempty"`
}

// Service is an element of a list with keys, one of which may have a default.
type Service struct {
	Number int64 `json:"number"`
	// +optional
	// +kubebuilder:default=TCP
	Protocol string `json:"protocol,omitempty"`
	// +optional
	Label string `json:"label,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Note string `json:"note,omitempty"`
	// +optional
	Ports Ports `json:"ports,omitempty"`
}

// Zone is an element of a map.
type Zone struct {
	// +optional
	// +kubebuilder:default=small
	Size string `json:"size,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Note string `json:"note,omitempty"`
	// +optional
	Ports Ports `json:"ports,omitempty"`
}

// Rack is an element without keys that has a list of its own.
type Rack struct {
	Number int64 `json:"number"`
	// +optional
	Label string `json:"label,omitempty"`
	// +optional
	// +kubegen:conversion:restore
	Note string `json:"note,omitempty"`
	// +optional
	Ports Ports `json:"ports,omitempty"`
}

// Limits is a struct.
type Limits struct {
	// +optional
	CPU string `json:"cpu,omitempty"`
	// +optional
	Memory string `json:"memory,omitempty"`
	// +optional
	// +kubebuilder:default=limited
	// +kubegen:conversion:restore
	Note string `json:"note,omitempty"`
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
