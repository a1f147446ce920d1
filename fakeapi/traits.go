package fakeapi

import (
	"encoding/base64"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// traits are properties of a kind that neither discovery nor its schema contains.
type traits struct {
	generation     bool                        // metadata.generation counts changes of the spec
	conditional    bool                        // updates must have a resource version
	createOnUpdate bool                        // updates create the object if it does not exist
	selectable     []selectableField           // fields for field selectors, in addition to metadata.name and metadata.namespace
	validName      validation.ValidateNameFunc // DNS subdomain by default
	normalize      func(object map[string]any) // changes objects that clients send; nil if it is not needed
}

// returnsDeleted has the resources whose deletions return the object, even if it no longer exists.
var returnsDeleted = map[schema.GroupResource]bool{
	{Resource: "namespaces"}:             true,
	{Resource: "persistentvolumeclaims"}: true,
	{Resource: "persistentvolumes"}:      true,
	{Resource: "pods"}:                   true,
	{Resource: "podtemplates"}:           true,
	{Resource: "resourcequotas"}:         true,
	{Resource: "serviceaccounts"}:        true,
	{Resource: "services"}:               true,

	{Group: "resource.k8s.io", Resource: "deviceclasses"}:          true,
	{Group: "resource.k8s.io", Resource: "devicetaintrules"}:       true,
	{Group: "resource.k8s.io", Resource: "resourceclaims"}:         true,
	{Group: "resource.k8s.io", Resource: "resourceclaimtemplates"}: true,
	{Group: "resource.k8s.io", Resource: "resourceslices"}:         true,

	{Group: "storage.k8s.io", Resource: "csidrivers"}:              true,
	{Group: "storage.k8s.io", Resource: "csinodes"}:                true,
	{Group: "storage.k8s.io", Resource: "storageclasses"}:          true,
	{Group: "storage.k8s.io", Resource: "volumeattachments"}:       true,
	{Group: "storage.k8s.io", Resource: "volumeattributesclasses"}: true,
}

// customTraits are the traits of all custom resources.
var customTraits = traits{generation: true, conditional: true}

// standardTraits has the traits of kinds of Kubernetes itself.
var standardTraits = map[schema.GroupResource]traits{
	{Resource: "endpoints"}:              {createOnUpdate: true},
	{Resource: "events"}:                 {createOnUpdate: true, selectable: eventFields},
	{Resource: "limitranges"}:            {createOnUpdate: true},
	{Resource: "namespaces"}:             {selectable: selectable("status.phase"), validName: validation.NameIsDNSLabel},
	{Resource: "nodes"}:                  {selectable: selectable("spec.unschedulable=false")},
	{Resource: "pods"}:                   {generation: true, selectable: podFields},
	{Resource: "podtemplates"}:           {generation: true, createOnUpdate: true},
	{Resource: "replicationcontrollers"}: {generation: true, selectable: selectable("status.replicas=0")},
	{Resource: "secrets"}:                {selectable: selectable("type"), normalize: normalizeSecret},
	{Resource: "services"}: {
		createOnUpdate: true, selectable: selectable("spec.clusterIP", "spec.type"), validName: validation.NameIsDNS1035Label,
	},

	{Group: "apps", Resource: "daemonsets"}:   {generation: true},
	{Group: "apps", Resource: "deployments"}:  {generation: true},
	{Group: "apps", Resource: "replicasets"}:  {generation: true, selectable: selectable("status.replicas=0")},
	{Group: "apps", Resource: "statefulsets"}: {generation: true},

	{Group: "admissionregistration.k8s.io", Resource: "mutatingadmissionpolicies"}:         {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "mutatingadmissionpolicybindings"}:   {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "mutatingwebhookconfigurations"}:     {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies"}:       {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicybindings"}: {generation: true, conditional: true},
	{Group: "admissionregistration.k8s.io", Resource: "validatingwebhookconfigurations"}:   {generation: true, conditional: true},

	{Group: "batch", Resource: "cronjobs"}: {generation: true},
	{Group: "batch", Resource: "jobs"}:     {generation: true, selectable: selectable("status.successful=0")},

	{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}: {selectable: selectable("spec.signerName")},

	{Group: "coordination.k8s.io", Resource: "leases"}: {conditional: true, createOnUpdate: true},

	{Group: "events.k8s.io", Resource: "events"}: {createOnUpdate: true, selectable: eventFields},

	{Group: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas"}:                 {generation: true, conditional: true},
	{Group: "flowcontrol.apiserver.k8s.io", Resource: "prioritylevelconfigurations"}: {generation: true, conditional: true},

	{Group: "networking.k8s.io", Resource: "ingressclasses"}:  {generation: true},
	{Group: "networking.k8s.io", Resource: "ingresses"}:       {generation: true},
	{Group: "networking.k8s.io", Resource: "networkpolicies"}: {generation: true},

	{Group: "node.k8s.io", Resource: "runtimeclasses"}: {conditional: true},

	{Group: "policy", Resource: "poddisruptionbudgets"}: {generation: true, conditional: true},

	{Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings"}: {createOnUpdate: true, validName: pathSegment},
	{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}:        {createOnUpdate: true, validName: pathSegment},
	{Group: "rbac.authorization.k8s.io", Resource: "rolebindings"}:        {createOnUpdate: true, validName: pathSegment},
	{Group: "rbac.authorization.k8s.io", Resource: "roles"}:               {createOnUpdate: true, validName: pathSegment},

	{Group: "resource.k8s.io", Resource: "deviceclasses"}:  {generation: true},
	{Group: "resource.k8s.io", Resource: "resourceslices"}: {generation: true, selectable: selectable("spec.driver", "spec.nodeName")},

	{Group: "scheduling.k8s.io", Resource: "priorityclasses"}: {generation: true},

	{Group: "storage.k8s.io", Resource: "csidrivers"}:        {conditional: true},
	{Group: "storage.k8s.io", Resource: "csinodes"}:          {conditional: true},
	{Group: "storage.k8s.io", Resource: "volumeattachments"}: {conditional: true},
}

var (
	podFields = selectable(
		"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork=false",
		"status.phase", "status.podIP", "status.nominatedNodeName",
	)
	eventFields = append(selectable(
		"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
		"involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "type",
	), selectableField{name: "source", path: []string{"source", "component"}})
)

// normalizeSecret moves the texts of a Secret into its data, where they replace others, and sets its type.
func normalizeSecret(secret map[string]any) {
	if texts, _ := secret["stringData"].(map[string]any); len(texts) > 0 {
		data, _ := secret["data"].(map[string]any)
		if data = maps.Clone(data); data == nil {
			data = map[string]any{}
		}
		for key, v := range texts {
			text, _ := v.(string)
			data[key] = base64.StdEncoding.EncodeToString([]byte(text))
		}
		secret["data"] = data
	}
	delete(secret, "stringData")
	if secret["type"] == nil || secret["type"] == "" {
		secret["type"] = string(corev1.SecretTypeOpaque)
	}
}

// pathSegment is the rule for names that only have to fit into a URL.
//
//lint:ignore SA1019 what replaces it is not in v0.34
var pathSegment validation.ValidateNameFunc = path.ValidatePathSegmentName
