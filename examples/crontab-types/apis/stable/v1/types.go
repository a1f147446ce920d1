package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=ct
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.labelSelector
// +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.cronSpec
// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp

// CronTab runs an image again and again, on a schedule.
type CronTab struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the user wants.
	// +required
	Spec CronTabSpec `json:"spec"`
	// status is what the controller has seen. Only the status subresource changes it.
	// +optional
	Status CronTabStatus `json:"status,omitzero"`
}

// CronTabSpec is the wanted state of a CronTab.
// +kubebuilder:validation:XValidation:rule="has(self.image) || has(self.className)",message="image or className is needed"
type CronTabSpec struct {
	// cronSpec says when to run: minute, hour, day of month, month and day of week, as in crontab(5).
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^\S+( +\S+){4}$`
	// +required
	CronSpec string `json:"cronSpec"`
	// image is the container image to run. The defaultImage of the class if left out.
	// +kubebuilder:validation:MinLength=1
	// +optional
	Image string `json:"image,omitempty"`
	// replicas is how many containers to run at a time. A pointer, because none at all is not the same as left out.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// className names the CronTabClass to take defaults from.
	// +kubebuilder:validation:MinLength=1
	// +optional
	ClassName string `json:"className,omitempty"`
}

// CronTabStatus is the seen state of a CronTab.
type CronTabStatus struct {
	// replicas is how many containers run now.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// labelSelector selects the containers' pods, in the string form that the scale subresource wants.
	// +optional
	LabelSelector string `json:"labelSelector,omitempty"`
	// lastScheduleTime is when the image was last run. Nothing if it never was.
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`
	// conditions hold the latest observations, one for each type.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true

// CronTabList is a list of CronTabs.
type CronTabList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CronTab `json:"items"`
}

// +genclient
// +genclient:nonNamespaced
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=ctc
// +kubebuilder:printcolumn:name=Image,type=string,JSONPath=.spec.defaultImage
// +kubebuilder:printcolumn:name=Concurrency,type=string,JSONPath=.spec.concurrencyPolicy
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp

// CronTabClass holds defaults that CronTabs of every namespace may take by its name.
type CronTabClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the defaults.
	// +required
	Spec CronTabClassSpec `json:"spec"`
}

// CronTabClassSpec is what a CronTab takes from its class.
type CronTabClassSpec struct {
	// defaultImage is the container image for CronTabs that name none.
	// +kubebuilder:validation:MinLength=1
	// +required
	DefaultImage string `json:"defaultImage"`
	// concurrencyPolicy says what happens when a run is due and the one before it has not ended.
	// +kubebuilder:default=Allow
	// +optional
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`
}

// ConcurrencyPolicy says what happens when a run is due and the one before it has not ended.
// +kubebuilder:validation:Enum=Allow;Forbid;Replace
type ConcurrencyPolicy string

const (
	// AllowConcurrent starts the run beside the old one. The default.
	AllowConcurrent ConcurrencyPolicy = "Allow"
	// ForbidConcurrent skips the run.
	ForbidConcurrent ConcurrencyPolicy = "Forbid"
	// ReplaceConcurrent stops the old run and starts the new one.
	ReplaceConcurrent ConcurrencyPolicy = "Replace"
)

// +kubebuilder:object:root=true

// CronTabClassList is a list of CronTabClasses.
type CronTabClassList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CronTabClass `json:"items"`
}
