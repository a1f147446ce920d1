package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is the group and version that every type in this package is served under.
var SchemeGroupVersion = schema.GroupVersion{Group: "stable.example.com", Version: "v1"}

var (
	// SchemeBuilder collects what AddToScheme does; append to it to have more registered.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme registers this package's types with a scheme, under SchemeGroupVersion.
	AddToScheme = SchemeBuilder.AddToScheme
)

// Resource qualifies a resource's name with this package's group, as errors and authorizers want it.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion,
		&CronTab{},
		&CronTabList{},
		&CronRun{},
		&CronRunList{},
		&CronTabClass{},
		&CronTabClassList{},
	)
	// ListOptions, WatchEvent and their like, without which no client of this group can list or watch.
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
