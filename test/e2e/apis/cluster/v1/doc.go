// Package v1 is version v1 of the cluster.example.com API: ClusterCronTab, the cluster-scoped counterpart of the
// CronTab of examples/crontab-types, for tests of what depends on the scope of a kind.
//
// +groupName=cluster.example.com
package v1
