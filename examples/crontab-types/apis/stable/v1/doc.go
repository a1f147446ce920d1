// Package v1 contains version v1 of the API group stable.example.com: the kinds CronTab, CronRun, which is one run of a
// CronTab, and CronTabClass, which provides defaults for CronTabs.
//
// The manifests in ../../../crds and the packages in ../../../generated are generated from this package. The controller
// is in ../../../../crontab-controller.
//
// +groupName=stable.example.com
// +kubebuilder:object:generate=true
package v1
