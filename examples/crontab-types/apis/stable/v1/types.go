package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +kubegen:helpers
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=ct
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="metadata.name must have at most 52 characters, because the names of runs append the time to it"
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.labelSelector
// +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.cronSpec
// +kubebuilder:printcolumn:name=Suspend,type=boolean,JSONPath=.spec.suspend
// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Last,type=date,JSONPath=.status.lastScheduleTime
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp

// CronTab runs a container image on a schedule. Each run is a CronRun.
type CronTab struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the CronTab.
	// +required
	Spec CronTabSpec `json:"spec"`
	// status is the observed state of the CronTab. The controller writes it through the status subresource.
	// +optional
	Status CronTabStatus `json:"status,omitzero"`
}

// CronTabSpec is the desired state of a CronTab.
// +kubebuilder:validation:XValidation:rule="has(self.image) || has(self.className)",message="image or className must be set"
type CronTabSpec struct {
	// cronSpec is the schedule in UTC, with the fields of crontab(5): minute, hour, day of month, month and day of week.
	// An optional field for seconds precedes them.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^[^\s=]+( +[^\s=]+){4,5}$`
	// +required
	CronSpec string `json:"cronSpec"`
	// image is the container image to run. If omitted, the defaultImage of the CronTabClass is used.
	// +kubebuilder:validation:MinLength=1
	// +kubegen:index
	// +optional
	Image string `json:"image,omitempty"`
	// replicas is the number of containers of each run. Defaults to 1. It is a pointer to distinguish 0 from unset.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// className is the name of the CronTabClass that provides defaults.
	// +kubebuilder:validation:MinLength=1
	// +kubegen:index:name=ByClass
	// +optional
	ClassName string `json:"className,omitempty"`
	// suspend stops new runs from starting while it is true. It does not affect runs that have already started. When it
	// becomes false again, a run starts for the latest scheduled time that was missed. Defaults to false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// historyLimit is the number of ended runs to keep. It must be at least 1, because the latest run shows that its
	// scheduled time was processed. Defaults to 3.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +optional
	HistoryLimit *int32 `json:"historyLimit,omitempty"`
}

// CronTabStatus is the observed state of a CronTab.
type CronTabStatus struct {
	// replicas is the number of containers of all active runs.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// labelSelector selects the pods of the runs, in the string form that the scale subresource requires.
	// +optional
	LabelSelector string `json:"labelSelector,omitempty"`
	// lastScheduleTime is the latest scheduled time that the controller has processed, either by creating a run or by
	// skipping it because another run was active. It is unset if there is none.
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`
	// conditions describe the current state of the CronTab, one for each type. The controller sets the type Ready.
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

// CronRun is one run of a CronTab, which is its controlling owner. Its name consists of the name of the CronTab and the
// scheduled time, so that there is at most one run for each time.
type CronRun struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the CronRun. It is immutable.
	// +required
	Spec CronRunSpec `json:"spec"`
	// status is the observed state of the CronRun. The component that runs the containers writes it through the status
	// subresource.
	// +optional
	Status CronRunStatus `json:"status,omitzero"`
}

// CronRunSpec is the desired state of a CronRun. It is immutable: a change of the CronTab affects only later runs.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec is immutable"
type CronRunSpec struct {
	// image is the container image to run.
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// replicas is the number of containers to run.
	// +kubebuilder:validation:Minimum=0
	// +required
	Replicas int32 `json:"replicas"`
	// scheduledTime is the time on the schedule for which the run was created. The run may start later.
	// +required
	ScheduledTime metav1.Time `json:"scheduledTime"`
}

// CronRunStatus is the observed state of a CronRun.
type CronRunStatus struct {
	// phase is the current phase of the run. Empty means Pending.
	// +kubegen:index
	// +optional
	Phase CronRunPhase `json:"phase,omitempty"`
	// conditions describe the current state of the CronRun, one for each type.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// CronRunPhase is a phase in the lifecycle of a CronRun.
// +kubebuilder:validation:Enum=Pending;Running;Succeeded;Failed
type CronRunPhase string

const (
	// RunPending means that the run has not started yet.
	RunPending CronRunPhase = "Pending"
	// RunRunning means that the run has started and has not ended yet.
	RunRunning CronRunPhase = "Running"
	// RunSucceeded means that the run has ended successfully.
	RunSucceeded CronRunPhase = "Succeeded"
	// RunFailed means that the run has ended with a failure.
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
// +kubebuilder:storageversion
// +kubegen:conversion:hub
// +kubegen:conversion:strategy=Webhook,serviceNamespace=crontab-system,serviceName=crontab-conversion
// +kubebuilder:printcolumn:name=Image,type=string,JSONPath=.spec.defaultImage
// +kubebuilder:printcolumn:name=Concurrency,type=string,JSONPath=.spec.concurrencyPolicy
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
	// defaultImage is the container image for CronTabs that do not specify one.
	// +kubebuilder:validation:MinLength=1
	// +required
	DefaultImage string `json:"defaultImage"`
	// concurrencyPolicy determines what happens if a run is due while earlier runs are active: Allow starts it, Forbid
	// skips it, and Replace starts it after deleting the earlier ones. Defaults to Allow.
	// +kubebuilder:default=Allow
	// +kubegen:conversion:restore
	// +optional
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`
}

// ConcurrencyPolicy determines what happens if a run is due while earlier runs are active.
// +kubebuilder:validation:Enum=Allow;Forbid;Replace
type ConcurrencyPolicy string

const (
	// AllowConcurrent starts the new run in addition to the active ones.
	AllowConcurrent ConcurrencyPolicy = "Allow"
	// ForbidConcurrent skips the new run.
	ForbidConcurrent ConcurrencyPolicy = "Forbid"
	// ReplaceConcurrent deletes the active runs and starts the new one.
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
