package fakeapi

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
)

// otherResources lists resources, by group and version, that client-go's clientset has in v0.34 or later, but not in
// the newest release: it has them no longer, or only in a prerelease.
var otherResources = map[string][]metav1.APIResource{
	"autoscaling/v2beta1":          withStatus("horizontalpodautoscalers", "HorizontalPodAutoscaler", true),
	"autoscaling/v2beta2":          withStatus("horizontalpodautoscalers", "HorizontalPodAutoscaler", true),
	"certificates.k8s.io/v1alpha1": withStatus("podcertificaterequests", "PodCertificateRequest", true),
	"scheduling.k8s.io/v1alpha1": slices.Concat(
		withStatus("priorityclasses", "PriorityClass", false)[:1], withStatus("workloads", "Workload", true)[:1],
	),
	"scheduling.k8s.io/v1alpha2": slices.Concat(
		withStatus("workloads", "Workload", true)[:1], withStatus("podgroups", "PodGroup", true),
	),
	"scheduling.k8s.io/v1beta1":        withStatus("compositepodgroups", "CompositePodGroup", true),
	"storagemigration.k8s.io/v1alpha1": withStatus("storageversionmigrations", "StorageVersionMigration", false),
}

// withStatus returns a resource and its status subresource, as discovery lists them.
func withStatus(name, kind string, namespaced bool) []metav1.APIResource {
	return []metav1.APIResource{
		{
			Name: name, SingularName: strings.ToLower(kind), Kind: kind, Namespaced: namespaced,
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		},
		{Name: name + "/status", Kind: kind, Namespaced: namespaced, Verbs: metav1.Verbs{"get", "patch", "update"}},
	}
}

// standardResources returns discovery documents for the kinds in the program's release of client-go.
func standardResources() []*metav1.APIResourceList {
	all := kubernetesResources()
	for groupVersion, resources := range otherResources {
		i := slices.IndexFunc(all, func(l *metav1.APIResourceList) bool { return l.GroupVersion == groupVersion })
		if i < 0 {
			i = len(all)
			all = append(all, &metav1.APIResourceList{GroupVersion: groupVersion})
		}
		all[i].APIResources = append(all[i].APIResources, resources...)
	}
	for _, list := range all {
		known := map[string]bool{}
		for _, r := range list.APIResources {
			gv, err := schema.ParseGroupVersion(list.GroupVersion)
			known[r.Name] = err == nil && kubernetesscheme.Scheme.Recognizes(gv.WithKind(r.Kind))
		}
		list.APIResources = slices.DeleteFunc(list.APIResources, func(r metav1.APIResource) bool {
			name, _, _ := strings.Cut(r.Name, "/")
			return !known[name]
		})
	}
	return slices.DeleteFunc(all, func(l *metav1.APIResourceList) bool { return len(l.APIResources) == 0 })
}
