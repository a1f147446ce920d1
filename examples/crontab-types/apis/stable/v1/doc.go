// Package v1 is version v1 of the stable.example.com API: CronTab, and the CronTabClass that holds defaults for many
// of them.
//
// It is the Go side of the API alone. The manifests in ../../../crds and the clients in ../../../generated are made
// from it, and the controller that would run the CronTabs is not part of the example.
//
// +groupName=stable.example.com
// +kubebuilder:object:generate=true
package v1
