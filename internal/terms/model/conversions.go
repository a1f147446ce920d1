package model

import (
	"go/token"
	"path"
	"slices"
	"strings"
)

// Markers of conversion-gen.
const (
	ConversionMarker     = "k8s:conversion-gen"
	ExternalTypesMarker  = ConversionMarker + "-external-types"
	ConvertedFromMarker  = ConversionMarker + ":explicit-from"
	ConversionFuncMarker = "k8s:conversion-fn"
)

// Markers of hubs. HubMarker is above the kind to and from which the other versions of the kind are converted, and
// RestoreMarker above fields that another version lacks.
const (
	HubMarker     = "kubegen:conversion:hub"
	RestoreMarker = "kubegen:conversion:restore"
)

// Conversion is the import path of the package that declares the Scope of conversion functions.
const Conversion = "k8s.io/apimachinery/pkg/conversion"

// RegisterConversions is the name of the generated function that registers all functions.
const RegisterConversions = "RegisterConversions"

// LocalSchemeBuilder is the name of the variable with which generated code registers its functions.
const LocalSchemeBuilder = "localSchemeBuilder"

// Conversions describes the conversion functions of a package.
type Conversions struct {
	Pos token.Position // of the marker that requests them
	// Pairs are types and their peers, ordered by name, for each of which functions in both directions are
	// generated.
	Pairs []TypePair
	// FromValues are the types that are converted from net/url.Values, which is Values.
	FromValues []*Type
	Values     *Type
	// Functions are all hand-written functions, first the ones of the package itself.
	Functions []*ConversionFunc
	// Declared has the positions of declarations of the package whose names generated functions may have.
	Declared map[string]token.Position
	// Registers means that the package declares LocalSchemeBuilder, with which RegisterConversions is registered.
	Registers bool
	// OnlyHubs means that the package has functions because of kinds with HubMarker, and not because of its own marker.
	OnlyHubs bool
	// Hubs are the kinds of the package with HubMarker that need a method Hub.
	Hubs []string
	// Spokes are the kinds of the package that are converted to and from a hub in another package.
	Spokes []*Spoke
	// Fillers are functions of the package's tests that return functions for filling random objects.
	Fillers []string
}

// Converts reports whether the package has functions, and not only hubs.
func (c *Conversions) Converts() bool { return !c.OnlyHubs || len(c.Pairs) > 0 }

// Spoke is a kind that is converted to and from a hub: the same kind in another version.
type Spoke struct {
	TypePair          // the kind and its hub
	Group      string // of both
	Version    string // of the kind
	HubVersion string
	Stored     string // the version in which API servers store objects
	// Defaults and HubDefaults are the parts of the schemas of the kind and of its hub with defaults, in JSON; "" if
	// there are none.
	Defaults, HubDefaults string

	Partial     bool // not all spokes of the hub are in the API
	ConvertTo   bool // the kind needs a method ConvertTo, and the module requires controller-runtime
	ConvertFrom bool
}

// TypePair is a pair of types: the first is converted to the second.
type TypePair struct{ In, Out *Type }

// Reversed returns the pair for the opposite direction.
func (p TypePair) Reversed() TypePair { return TypePair{p.Out, p.In} }

// Elems returns the pair of the types of elements.
func (p TypePair) Elems() TypePair { return TypePair{p.In.Underlying().Elem, p.Out.Underlying().Elem} }

// Counterparts returns the fields of another struct that fields are converted to: the ones with their names, or else,
// for fields renamed in Go alone, with the names in their JSON tags.
func Counterparts(fields, others []*Field) map[*Field]*Field {
	named := map[string]*Field{}
	for _, f := range fields {
		named[f.Name] = f
	}
	found, tagged := map[*Field]*Field{}, map[string]*Field{}
	for _, other := range slices.Backward(others) {
		if f := named[other.Name]; f != nil {
			found[f] = other
		} else if name := other.tagName(); name != "" {
			tagged[name] = other // the first of several
		}
	}
	for _, f := range fields {
		if other := tagged[f.tagName()]; other != nil && found[f] == nil {
			found[f] = other
			delete(tagged, f.tagName())
		}
	}
	return found
}

// tagName returns the name of an exported field in its JSON tag, or "" if there is none.
func (f *Field) tagName() string {
	if !f.InJSON() || f.Untagged() || f.Unnamed() {
		return ""
	}
	return f.JSON()
}

// Identity returns a text that identifies the pair.
func (p TypePair) Identity() string { return p.In.Identity() + " " + p.Out.Identity() }

// FuncName returns the name of the function that converts the first type of the pair to the second.
func (p TypePair) FuncName() string {
	return "Convert_" + p.In.conversionName() + "_To_" + p.Out.conversionName()
}

// ConversionFunc is a hand-written conversion function.
type ConversionFunc struct {
	TypeRef
	TypePair
	Pos token.Position
	// CopyOnly means that the function does what an assignment does, by +k8s:conversion-fn=copy-only, and Drop that
	// fields of its types are not converted, by +k8s:conversion-fn=drop.
	CopyOnly, Drop bool
}

// conversionName returns the name of a type in the names of conversion functions, as in conversion-gen: the last
// element of its import path, and its name.
func (t *Type) conversionName() string {
	if t.Name.Path != "" {
		return strings.ReplaceAll(strings.ReplaceAll(path.Base(t.Name.Path), "-", "_"), ".", "") + "_" + t.Name.Name
	}
	switch t.Kind {
	case Pointer:
		return "Pointer_" + t.Elem.conversionName()
	case Slice:
		return "Slice_" + t.Elem.conversionName()
	case Array:
		return "Array_" + t.Len + "_" + t.Elem.conversionName()
	case Map:
		return "Map_" + t.Key.conversionName() + "_To_" + t.Elem.conversionName()
	case Interface:
		if t.Name.Name == "" {
			return "Interface"
		}
	case Struct:
		name := "Struct"
		for _, f := range t.Fields {
			name += "_" + f.Type.conversionName()
		}
		return name
	}
	return t.Name.Name
}

// Same reports whether two types are identical. It is false for unnamed functions, channels and interfaces with
// methods, whose parts are not read, and for arrays of unknown length.
func (t *Type) Same(other *Type) bool {
	return t == other || !t.opaque() && t.Identity() == other.Identity()
}

// opaque reports whether Identity does not identify the type.
func (t *Type) opaque() bool {
	unread := t.Kind == Func || t.Kind == Unknown || t.Kind == Interface && t.Why != "" || t.Kind == Array && t.Len == ""
	return t.Name.Name == "" && unread || slices.ContainsFunc(t.Inner(), (*Type).opaque)
}

// Identity returns a text that identifies the type. Unnamed functions, channels and interfaces are not distinguished.
func (t *Type) Identity() string {
	switch t.Kind {
	case Slice:
		return "[]" + t.Elem.Identity()
	case Array:
		return "[" + t.Len + "]" + t.Elem.Identity()
	case Map:
		return "map[" + t.Key.Identity() + "]" + t.Elem.Identity()
	case Pointer:
		return "*" + t.Elem.Identity()
	}
	text := t.Name.Path + "." + t.Name.Name
	if t.Name.Name == "" {
		for _, f := range t.Fields {
			text += f.Name + " " + f.Type.Identity() + string(f.Tag) + ";"
		}
	}
	for _, arg := range t.Args {
		text += "[" + arg.Identity() + "]"
	}
	return text
}
