package fakeapi

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// kubernetesResources returns the resources of client-go's own clientset.
func kubernetesResources() []*metav1.APIResourceList {
	verbs := metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	group := func(gv string, namespaced bool, kinds ...string) *metav1.APIResourceList {
		list := &metav1.APIResourceList{GroupVersion: gv}
		for i := 0; i < len(kinds); i += 2 {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: kinds[i], Namespaced: namespaced, Kind: kinds[i+1], Verbs: verbs})
		}
		return list
	}
	status := metav1.Verbs{"get", "patch", "update"}
	lists := []*metav1.APIResourceList{
		group("v1", true, "configmaps", "ConfigMap", "secrets", "Secret", "pods", "Pod", "services", "Service", "events", "Event", "serviceaccounts", "ServiceAccount", "endpoints", "Endpoints"),
		group("v1", false, "namespaces", "Namespace", "nodes", "Node"),
		group("apps/v1", true, "deployments", "Deployment", "replicasets", "ReplicaSet", "statefulsets", "StatefulSet", "daemonsets", "DaemonSet"),
		group("batch/v1", true, "jobs", "Job", "cronjobs", "CronJob"),
		group("coordination.k8s.io/v1", true, "leases", "Lease"),
		group("events.k8s.io/v1", true, "events", "Event"),
	}
	lists[0].APIResources = append(lists[0].APIResources, lists[1].APIResources...)
	lists = append(lists[:1], lists[2:]...)
	for _, list := range lists {
		for _, r := range list.APIResources {
			switch r.Name {
			case "pods", "services", "namespaces", "nodes", "deployments", "replicasets", "statefulsets", "daemonsets", "jobs", "cronjobs":
				list.APIResources = append(list.APIResources, metav1.APIResource{Name: r.Name + "/status", Namespaced: r.Namespaced, Kind: r.Kind, Verbs: status})
			}
		}
	}
	return lists
}
