// Package v1 is version v1 of the stable.example.com API: CronTab, the CronRuns that are made of it, and the CronTabClass
// that holds defaults for many.
//
// It is the Go side of the API alone. The manifests in ../../../crds and the clients in ../../../generated are made
// from it; the controller is in ../../../../crontab-controller.
//
// +groupName=stable.example.com
// +kubebuilder:object:generate=true
package v1
