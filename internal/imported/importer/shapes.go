package importer

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

const coreV1 = "k8s.io/api/core/v1"

// shapeNames lists the Kubernetes types that are used for fields of custom resources. Of several types with the same
// fields, the first one is used, unless another type has a name closer to the property.
var shapeNames = map[string][]string{
	metaV1: {"Condition", "LabelSelector", "LabelSelectorRequirement", "OwnerReference"},
	coreV1: {
		"Affinity", "Capabilities", "ClaimSource", "ConfigMapEnvSource", "ConfigMapProjection", "ConfigMapVolumeSource", "Container",
		"ContainerPort",
		"ContainerStatus", "EmptyDirVolumeSource", "EnvFromSource", "EnvVar", "EnvVarSource", "EphemeralContainer", "ExecAction", "GRPCAction",
		"HTTPGetAction",
		"HTTPHeader", "HostAlias", "KeyToPath", "Lifecycle", "LifecycleHandler", "LoadBalancerIngress", "LoadBalancerStatus",
		"LocalObjectReference",
		"NodeAffinity", "NodeSelector", "NodeSelectorRequirement", "NodeSelectorTerm", "ObjectFieldSelector", "ObjectReference",
		"PersistentVolumeClaimSpec", "PersistentVolumeClaimStatus", "PersistentVolumeClaimTemplate", "PodAffinity", "PodAffinityTerm",
		"PodAntiAffinity", "PodDNSConfig",
		"PodReadinessGate", "PodSecurityContext", "PodSpec", "PodTemplateSpec", "PreferredSchedulingTerm", "Probe",
		"ProjectedVolumeSource", "ResourceClaim", "ResourceFieldSelector", "ResourceRequirements", "SELinuxOptions", "SeccompProfile",
		"SecretKeySelector",
		"ConfigMapKeySelector", "SecretEnvSource", "SecretProjection", "SecretReference", "SecretVolumeSource", "SecurityContext", "ServicePort",
		"ServiceSpec", "Sysctl",
		"TCPSocketAction", "Taint", "Toleration", "TopologySpreadConstraint", "TypedLocalObjectReference", "TypedObjectReference", "Volume",
		"VolumeDevice",
		"VolumeMount", "VolumeProjection", "VolumeResourceRequirements", "WeightedPodAffinityTerm", "WindowsSecurityContextOptions",
	},
}

// ShapePackages returns the packages that NewShapes reads, and packages they refer to.
func ShapePackages() []string {
	return []string{
		metaV1, coreV1, apiMachinery + "api/resource", apiMachinery + "runtime", apiMachinery + "types", apiMachinery + "util/intstr",
	}
}

// Shapes holds Kubernetes types and their schemas. Types uses them in place of structs of its own.
type Shapes struct{ all []*shape }

type shape struct {
	gofile.Ident
	schema *crdschema.Schema
}

// NewShapes derives the schemas of Kubernetes types from the packages in the module. Types in missing packages are not
// used.
func NewShapes(types *gotypes.Reader) *Shapes {
	reader := goschema.NewReader(goschema.NewMarkers(types, nil), goschema.Options{Floats: true})
	s := &Shapes{}
	for importPath, names := range shapeNames {
		src := types.Known[importPath]
		if src == nil {
			continue
		}
		for _, name := range names {
			if d := types.Declared(src, name); d != nil {
				schema, _ := reader.Schema(d) // users cannot correct mistakes in these
				s.all = append(s.all, &shape{gofile.Ident{Path: importPath, Name: name}, schema})
			}
		}
	}
	slices.SortFunc(s.all, func(a, b *shape) int {
		return cmp.Or(
			len(a.schema.Properties)-len(b.schema.Properties), slices.Index(shapeNames[a.Path], a.Name)-slices.Index(shapeNames[b.Path], b.Name),
			strings.Compare(a.Path, b.Path),
		)
	})
	return s
}

// A schema with fewer than minSharedFields fields must match a type exactly, unless type and property share a prefix of
// minSharedPrefix letters.
const minSharedFields, minSharedPrefix = 4, 8

// match returns the Kubernetes type that has all fields of a schema, with the same types and restrictions, and requires
// the same fields. Of several types, it prefers the longest common prefix with the property, then the fewest fields.
// Many types share a few fields such as name and value, so for small schemas isMeant must hold as well.
func (s *Shapes) match(schema *crdschema.Schema, property string) (id gofile.Ident, ok bool) {
	if s == nil || schema.PreserveUnknownFields || schema.Sliced {
		return id, false
	}
	has, fields, best := len(schema.Properties), 0, 0
	for _, candidate := range s.all { // by number of fields
		n := len(candidate.schema.Properties)
		if n < has || n > 2*has {
			continue
		}
		letters := sharedPrefix(property, candidate.Name)
		switch named := letters >= minSharedPrefix; {
		case n > has && has < minSharedFields && !named, ok && letters <= best, ok && n > fields && !named:
		case covers(candidate.schema, schema) && (has >= minSharedFields || named || candidate.isMeant(schema, property)):
			id, fields, best, ok = candidate.Ident, n, letters, true
		}
	}
	return id, ok
}

// isMeant reports whether a small schema is likely to be this type: a description or the map type is the same, or both
// are references.
func (s *shape) isMeant(schema *crdschema.Schema, property string) bool {
	if schema.MapType != "" && schema.MapType == s.schema.MapType {
		return true
	}
	for _, p := range schema.Properties {
		if of := s.schema.Property(p.Name); of != nil && p.Schema.Description != "" &&
			beginning(p.Schema.Description) == beginning(of.Description) {
			return true
		}
	}
	singular := strings.TrimSuffix(strings.ToLower(property), "s")
	return strings.HasSuffix(s.Name, "Reference") &&
		(strings.HasSuffix(singular, "ref") || strings.HasSuffix(singular, "reference") || strings.HasSuffix(singular, "secret"))
}

// beginning returns the first three words of a description, which seldom change between releases of Kubernetes.
func beginning(description string) string {
	words := strings.Fields(strings.ToLower(description))
	return strings.Join(words[:min(3, len(words))], " ")
}

// sharedPrefix returns the length of the common prefix, ignoring case.
func sharedPrefix(property, name string) (n int) {
	a, b := strings.ToLower(property), strings.ToLower(name)
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// covers reports whether a Go type with schema typ can hold every value that s allows, with the same restrictions and
// required fields.
func covers(typ, s *crdschema.Schema) bool {
	if s == nil || typ == nil {
		return s == typ
	}
	if s.Type != typ.Type || s.Format != typ.Format || s.IntOrString != typ.IntOrString || s.Nullable || s.EmbeddedResource ||
		s.PreserveUnknownFields != typ.PreserveUnknownFields || s.AnyProperties != typ.AnyProperties || s.NoProperties ||
		len(s.Validations) > 0 && !sameRules(s.Validations, typ.Validations) {
		return false
	}
	for _, p := range s.Properties { // before the schemas of properties, because most types lack some
		if typ.Index(p.Name) < 0 || slices.Contains(s.Required, p.Name) != slices.Contains(typ.Required, p.Name) {
			return false
		}
	}
	restrictions := func(s *crdschema.Schema) *crdschema.Schema {
		bare := s.Undescribed()
		bare.Properties, bare.Required, bare.Items, bare.AdditionalProperties = nil, nil, nil, nil
		bare.ListType, bare.MapType, bare.ListMapKeys, bare.Validations, bare.Ref, bare.Origin = "", "", nil, nil, nil, crdschema.Origin{}
		return bare
	}
	a, b := restrictions(s), restrictions(typ)
	if crdschema.IsIntOrString(a.AnyOf) && crdschema.IsIntOrString(b.AnyOf) {
		a.AnyOf, b.AnyOf = nil, nil
	}
	if a.Default == nil {
		b.Default = nil // a field sets its default, not the type
	}
	if !reflect.DeepEqual(a, b) {
		return false
	}
	if s.ListType != "" && s.ListType != typ.ListType || s.MapType != "" && s.MapType != typ.MapType ||
		s.ListMapKeys != nil && !slices.Equal(s.ListMapKeys, typ.ListMapKeys) {
		return false
	}
	for _, p := range s.Properties {
		if !covers(typ.Property(p.Name), p.Schema) {
			return false
		}
	}
	isMissing := func(name string) bool { return s.Property(name) == nil }
	if len(s.Properties) > 0 && slices.ContainsFunc(typ.Required, isMissing) || len(s.Properties) == 0 && len(typ.Properties) > 0 {
		return false
	}
	return covers(typ.Items, s.Items) && covers(typ.AdditionalProperties, s.AdditionalProperties)
}

func sameRules(a, b []crdschema.Rule) bool {
	return slices.EqualFunc(a, b, func(a, b crdschema.Rule) bool { return a.Rule == b.Rule && a.Message == b.Message })
}
