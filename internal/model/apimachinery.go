package model

import (
	"regexp"
	"strings"
)

// What follows repeats definitions of apimachinery, because importing its packages would add the modules that they
// depend on. Tests in test/libraries compare both.

// MetadataMethods are the methods of metav1.Object.
var MetadataMethods = []string{
	"GetAnnotations", "GetCreationTimestamp", "GetDeletionGracePeriodSeconds", "GetDeletionTimestamp", "GetFinalizers",
	"GetGenerateName", "GetGeneration", "GetLabels", "GetManagedFields", "GetName", "GetNamespace", "GetOwnerReferences",
	"GetResourceVersion", "GetSelfLink", "GetUID",
	"SetAnnotations", "SetCreationTimestamp", "SetDeletionGracePeriodSeconds", "SetDeletionTimestamp", "SetFinalizers",
	"SetGenerateName", "SetGeneration", "SetLabels", "SetManagedFields", "SetName", "SetNamespace", "SetOwnerReferences",
	"SetResourceVersion", "SetSelfLink", "SetUID",
}

var (
	dnsSubdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	dnsLabel     = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
)

// IsSubdomain reports whether an API server accepts name as the name of a group: a subdomain as defined in RFC 1123.
func IsSubdomain(name string) bool { return len(name) <= 253 && dnsSubdomain.MatchString(name) }

// IsLabel reports whether an API server accepts name as the name of a version or resource: a label as defined in RFC
// 1035.
func IsLabel(name string) bool { return len(name) <= 63 && dnsLabel.MatchString(name) }

// GuessResource returns the resource that meta.UnsafeGuessKindToResource of apimachinery derives from a kind.
func GuessResource(kind string) string {
	name := strings.ToLower(kind)
	stem, endsInY := strings.CutSuffix(name, "y")
	switch {
	case strings.HasSuffix(name, "endpoints"):
		return name
	case strings.HasSuffix(name, "s"):
		return name + "es"
	case endsInY:
		return stem + "ies"
	}
	return name + "s"
}
