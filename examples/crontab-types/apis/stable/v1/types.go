package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +kubegen:helpers
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=ct
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="the name is longer than 52 characters, which leaves no room for the time in the names of its runs"
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.labelSelector
// +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.cronSpec
// +kubebuilder:printcolumn:name=Suspend,type=boolean,JSONPath=.spec.suspend
// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Last,type=date,JSONPath=.status.lastScheduleTime
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
	// cronSpec says when to run, in UTC: minute, hour, day of month, month and day of week, as in crontab(5). A field
	// of seconds may stand before them.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^[^\s=]+( +[^\s=]+){4,5}$`
	// +required
	CronSpec string `json:"cronSpec"`
	// image is the container image to run. The defaultImage of the class if left out.
	// +kubebuilder:validation:MinLength=1
	// +kubegen:index
	// +optional
	Image string `json:"image,omitempty"`
	// replicas is how many containers to run at a time. A pointer, because none at all is not the same as left out.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// className names the CronTabClass to take defaults from.
	// +kubebuilder:validation:MinLength=1
	// +kubegen:index:name=ByClass
	// +optional
	ClassName string `json:"className,omitempty"`
	// suspend lets no more runs start while it is true. When it ends, the last time that was missed is made up for.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// historyLimit is how many runs to keep that have ended. At least one: that the last run is there tells that it
	// has been made.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +optional
	HistoryLimit *int32 `json:"historyLimit,omitempty"`
}

// CronTabStatus is the seen state of a CronTab.
type CronTabStatus struct {
	// replicas is how many containers run now.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// labelSelector selects the containers' pods, in the string form that the scale subresource wants.
	// +optional
	LabelSelector string `json:"labelSelector,omitempty"`
	// lastScheduleTime is the last time on the schedule that was dealt with: the image was run, or another run was
	// in the way. Nothing if none was.
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
// +kubegen:index:path=.metadata.ownerReferences[?(@.controller==true)].uid,name=ByController
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=run
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Scheduled,type=string,JSONPath=.spec.scheduledTime
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=.status.phase
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp

// CronRun is one run of a CronTab, which is its controller owner reference. The name of the CronTab and the scheduled
// time make up its own, so that there is one for each time, whoever creates it and however often.
type CronRun struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what to run.
	// +required
	Spec CronRunSpec `json:"spec"`
	// status is how far it is. Whoever runs it changes it, by the status subresource.
	// +optional
	Status CronRunStatus `json:"status,omitzero"`
}

// CronRunSpec is what to run. It does not change: a change of the CronTab is for the runs that come after.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a run does not change"
type CronRunSpec struct {
	// image is the container image to run.
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// replicas is how many containers to run.
	// +kubebuilder:validation:Minimum=0
	// +required
	Replicas int32 `json:"replicas"`
	// scheduledTime is the time on the schedule that the run is for. It may start later.
	// +required
	ScheduledTime metav1.Time `json:"scheduledTime"`
}

// CronRunStatus is the seen state of a CronRun.
type CronRunStatus struct {
	// phase is how far the run is. Nothing is as Pending.
	// +kubegen:index
	// +optional
	Phase CronRunPhase `json:"phase,omitempty"`
	// conditions hold the latest observations, one for each type.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// CronRunPhase is how far a CronRun is.
// +kubebuilder:validation:Enum=Pending;Running;Succeeded;Failed
type CronRunPhase string

const (
	// RunPending is a run that has not started yet.
	RunPending CronRunPhase = "Pending"
	// RunRunning is a run that has started and not ended yet.
	RunRunning CronRunPhase = "Running"
	// RunSucceeded is a run that has ended as it should.
	RunSucceeded CronRunPhase = "Succeeded"
	// RunFailed is a run that has ended otherwise.
	RunFailed CronRunPhase = "Failed"
)

// +kubebuilder:object:root=true

// CronRunList is a list of CronRuns.
type CronRunList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CronRun `json:"items"`
}

// +genclient
// +kubegen:helpers
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
