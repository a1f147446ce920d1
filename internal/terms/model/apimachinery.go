package model

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// The definitions below are copied from apimachinery, because an import of its packages would add their dependencies to
// go.mod. Tests in test/libraries compare the copies with the originals.

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
	kubeVersion  = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)
	dnsLabel     = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
)

// IsSubdomain reports whether name is a subdomain as defined in RFC 1123. API servers require this of the names of
// groups.
func IsSubdomain(name string) bool { return len(name) <= 253 && dnsSubdomain.MatchString(name) }

// IsLabel reports whether name is a label as defined in RFC 1035. API servers require this of the names of versions and
// resources.
func IsLabel(name string) bool { return len(name) <= 63 && dnsLabel.MatchString(name) }

// IsWebhookURL reports whether API servers accept a text as the URL of a webhook.
func IsWebhookURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && u.Fragment == "" && u.RawQuery == ""
}

// IsWebhookPath reports whether API servers accept a text as the path of a webhook behind a service.
func IsWebhookPath(path string) bool {
	segments := strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
	invalid := func(segment string) bool { return !IsSubdomain(segment) }
	return path == "" || path == "/" || path[0] == '/' && !slices.ContainsFunc(segments, invalid)
}

// IsVersion reports whether name is like the versions of Kubernetes, such as v1beta1.
func IsVersion(name string) bool { return kubeVersion.MatchString(name) }

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
