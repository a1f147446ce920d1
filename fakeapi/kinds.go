package fakeapi

import (
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A standardKind is what a server does with a kind of Kubernetes itself that differs from most others, and that neither
// discovery nor the schema says.
type standardKind struct {
	generation     bool     // metadata.generation counts changes of the spec
	conditional    bool     // an update must have a resource version
	createOnUpdate bool     // an update creates the object if there is none
	fields         []string // that field selectors may name, besides metadata.name and metadata.namespace
	name           validation.ValidateNameFunc
}

var standardKinds = map[schema.GroupResource]standardKind{
	{Resource: "configmaps"}:             {},
	{Resource: "endpoints"}:              {createOnUpdate: true},
	{Resource: "events"}:                 {createOnUpdate: true, fields: eventFields},
	{Resource: "limitranges"}:            {createOnUpdate: true},
	{Resource: "namespaces"}:             {fields: []string{"status.phase"}, name: validation.NameIsDNSLabel},
	{Resource: "nodes"}:                  {fields: []string{"spec.unschedulable"}},
	{Resource: "persistentvolumeclaims"}: {},
	{Resource: "persistentvolumes"}:      {},
	{Resource: "pods"}:                   {generation: true, fields: podFields},
	{Resource: "podtemplates"}:           {generation: true, createOnUpdate: true},
	{Resource: "replicationcontrollers"}: {generation: true, fields: []string{"status.replicas"}},
	{Resource: "secrets"}:                {fields: []string{"type"}},
	{Resource: "services"}:               {createOnUpdate: true, fields: []string{"spec.clusterIP", "spec.type"}, name: validation.NameIsDNS1035Label},

	{Group: "apps", Resource: "daemonsets"}:   {generation: true},
	{Group: "apps", Resource: "deployments"}:  {generation: true},
	{Group: "apps", Resource: "replicasets"}:  {generation: true, fields: []string{"status.replicas"}},
	{Group: "apps", Resource: "statefulsets"}: {generation: true},

	{Group: "admissionregistration.k8s.io", Resource: "mutatingadmissionpolicies"}:         {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "mutatingadmissionpolicybindings"}:   {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "mutatingwebhookconfigurations"}:     {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies"}:       {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicybindings"}: {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "validatingwebhookconfigurations"}:   {generation: true, conditional: true},

	{Group: "batch", Resource: "cronjobs"}: {generation: true},
	{Group: "batch", Resource: "jobs"}:     {generation: true, fields: []string{"status.successful"}},

	{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}: {fields: []string{"spec.signerName"}},

	{Group: "coordination.k8s.io", Resource: "leases"}: {conditional: true, createOnUpdate: true},

	{Group: "events.k8s.io", Resource: "events"}: {createOnUpdate: true, fields: eventFields},

	{Group: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas"}:                 {generation: true, conditional: true},
	{Group: "flowcontrol.apiserver.k8s.io", Resource: "prioritylevelconfigurations"}: {generation: true, conditional: true},

	{Group: "networking.k8s.io", Resource: "ingressclasses"}:  {generation: true},
	{Group: "networking.k8s.io", Resource: "ingresses"}:       {generation: true},
	{Group: "networking.k8s.io", Resource: "networkpolicies"}: {generation: true},

	{Group: "node.k8s.io", Resource: "runtimeclasses"}: {conditional: true},

	{Group: "policy", Resource: "poddisruptionbudgets"}: {generation: true, conditional: true},

	{Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings"}: {createOnUpdate: true, name: pathSegment},
	{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}:        {createOnUpdate: true, name: pathSegment},
	{Group: "rbac.authorization.k8s.io", Resource: "rolebindings"}:        {createOnUpdate: true, name: pathSegment},
	{Group: "rbac.authorization.k8s.io", Resource: "roles"}:               {createOnUpdate: true, name: pathSegment},

	{Group: "resource.k8s.io", Resource: "deviceclasses"}:  {generation: true},
	{Group: "resource.k8s.io", Resource: "resourceslices"}: {generation: true, fields: []string{"spec.driver", "spec.nodeName"}},

	{Group: "scheduling.k8s.io", Resource: "priorityclasses"}: {generation: true},

	{Group: "storage.k8s.io", Resource: "csidrivers"}:        {conditional: true},
	{Group: "storage.k8s.io", Resource: "csinodes"}:          {conditional: true},
	{Group: "storage.k8s.io", Resource: "volumeattachments"}: {conditional: true},
}

var (
	podFields = []string{
		"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
		"status.phase", "status.podIP", "status.nominatedNodeName",
	}
	eventFields = []string{
		"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
		"involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type",
	}
)

func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}
