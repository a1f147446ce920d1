package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.labelSelector
// +kubebuilder:selectablefield:JSONPath=.spec.image
// +kubebuilder:selectablefield:JSONPath=.spec.suspend

// ClusterCronTab is a CronTab without a namespace.
type ClusterCronTab struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec ClusterCronTabSpec `json:"spec"`
	// +optional
	Status ClusterCronTabStatus `json:"status,omitzero"`
}

// ClusterCronTabSpec has the fields of a CronTabSpec, without defaults and validation.
type ClusterCronTabSpec struct {
	// +required
	CronSpec string `json:"cronSpec"`
	// +optional
	Image string `json:"image,omitempty"`
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	ClassName string `json:"className,omitempty"`
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// +optional
	HistoryLimit *int32 `json:"historyLimit,omitempty"`
}

// ClusterCronTabStatus has the fields of a CronTabStatus.
type ClusterCronTabStatus struct {
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// +optional
	LabelSelector string `json:"labelSelector,omitempty"`
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true

// ClusterCronTabList is a list of ClusterCronTabs.
type ClusterCronTabList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterCronTab `json:"items"`
}
