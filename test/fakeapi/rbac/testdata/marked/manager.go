// Package marked has markers for the roles beside it.
package marked

//+kubebuilder:rbac:groups=core,resources=configmaps;secrets,verbs={list,delete}

// +kubebuilder:rbac:groups="",resources="secrets",verbs=list
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list

// +kubebuilder:rbac:urls=/metrics,verbs=get
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,resourceNames=one,verbs=update,roleName=leader,namespace=system
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=update,roleName=other,namespace=system

// Manager is +kubebuilder:rbac:groups="",resources=secrets,verbs=list
type Manager struct{}
