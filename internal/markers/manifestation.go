package markers

import (
	"slices"
	"strings"
)

// Manifestation is a marker that affects only kinds and their manifests.
type Manifestation struct {
	Name    string // without arguments
	OfKinds bool   // only for kinds
	targets []Target
}

// ManifestationOf returns the marker in a line. ok is false if there is none, or one that other tools read as well.
func ManifestationOf(line string) (m Manifestation, ok bool) {
	name, ok := strings.CutPrefix(line, "+")
	if !ok {
		return m, false
	}
	name, _, _ = strings.Cut(name, "=")
	name = strings.TrimSuffix(name, ":")
	if target, ok := elsewhere[name]; ok {
		return Manifestation{Name: name, targets: target}, true
	}
	if !strings.HasPrefix(name, "kubebuilder:") && !strings.HasPrefix(name, "kubegen:schema") {
		return m, false
	}
	def := manifestByName[name]
	if def == nil {
		if at := strings.LastIndexByte(name, ':'); at >= 0 {
			def = manifestByName[name[:at]]
		}
		if def == nil || def.Kind != Named {
			return m, false
		}
	}
	ofKinds := slices.Equal(def.Targets, onTypes) && !strings.HasPrefix(def.Name, Validation)
	return Manifestation{Name: def.Name, OfKinds: ofKinds, targets: def.Targets}, true
}

// elsewhere lists markers of types and packages without values and arguments that other parts of a run read.
var elsewhere = map[string][]Target{
	"groupName": forPackages, "versionName": forPackages,
	"kubebuilder:object:root": onTypes, "kubebuilder:object:generate": {Type, Package},
}

// Has reports whether the marker is for a target.
func (m Manifestation) Has(target Target) bool { return slices.Contains(m.targets, target) }

// OfSchemas reports whether the marker determines the schema of a type.
func (m Manifestation) OfSchemas() bool {
	return manifestByName[m.Name] != nil && m.Has(Type) && !m.OfKinds
}

// For returns the targets of the marker for a message, such as "types and fields".
func (m Manifestation) For() string { return strings.Join(targetNames(m.targets), " and ") }

// Above returns the place of the marker for a message, such as "a type or a field".
func (m Manifestation) Above() string {
	var places []string
	for _, target := range m.targets {
		places = append(places, map[Target]string{Package: "the package clause", Type: "a type", Field: "a field"}[target])
	}
	return strings.Join(places, " or ")
}

// Adds reports whether several markers of this name have an effect together, or are equal.
func (m Manifestation) Adds() bool {
	def := manifestByName[m.Name]
	if def == nil || def.Kind == NoValue {
		return true
	}
	switch strings.TrimPrefix(strings.TrimPrefix(m.Name, Items), Validation) {
	case "XValidation", "AtMostOneOf", "ExactlyOneOf", "AtLeastOneOf", "kubegen:schema",
		"kubebuilder:printcolumn", "kubebuilder:selectablefield", "kubebuilder:metadata", "kubebuilder:resource":
		return true
	}
	return false
}

// Describes reports whether the marker documents a field or type, and validates nothing.
func (m Manifestation) Describes() bool {
	return m.Name == "kubebuilder:title" || m.Name == "kubebuilder:example" || m.Name == "kubebuilder:externalDocs"
}

// SetsPresence reports whether the marker determines whether a field may be absent.
func (m Manifestation) SetsPresence() bool {
	return m.Name == Validation+"Optional" || m.Name == Validation+"Required"
}
