// Package v1beta1 contains version v1beta1 of the API group stable.example.com: the kind CronTabClass as it was before
// v1. Objects are stored in v1, and converted from one version to the other. See docs/versions.md of kubegen.
//
// +groupName=stable.example.com
// +kubebuilder:object:generate=true
package v1beta1
