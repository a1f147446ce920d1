// Package kinds holds facts about packages of Kubernetes API types and the kinds in them, as values. It reads group and
// version, which other facts depend on. Package facts reads the others, and names kinds by them; package checks finds
// mistakes in them.
package kinds

import (
	"go/ast"
	"go/token"
	"iter"
	"slices"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Package holds the facts about a package of types.
type Package struct {
	Source        *load.Package
	Types         *model.Package
	Markers       []model.Marker // in the package comment
	Declared      Declared
	Clients       GroupVersion   // see ForClients; the zero GroupVersion if nothing depends on it
	GoName        string         // Go name of the group in the markers, or ""
	GoNamePos     token.Position // of the marker
	Helpers       token.Position // of the marker for helpers of all kinds; invalid if there is none
	Internal      bool           // the metadata of kinds has no JSON tag
	Skipped       bool           // +kubebuilder:skip: controller-gen writes no manifests for the kinds
	OnlyInPackage bool           // kinds are not read
	Converted     bool           // an output of the run writes conversions into the package
	Shared        bool           // has no kinds, but structs that kinds of other packages contain
	Kinds         []*Kind        // in source order, also those that are not included
	Included      []*Kind        // the ones among Kinds for which something is generated
	Unmarked      []*Kind        // types with markers of kinds but without +genclient
	// Objects are the types that are kinds by the rules of controller-gen, ordered by name. There are none if nothing
	// depends on them, or if the package is skipped.
	Objects []*gotypes.Declaration
}

// Kind holds the facts about one version of a kind: a type in a package.
type Kind struct {
	*Package
	File       *load.File
	Spec       *ast.TypeSpec
	Pos        token.Position
	Markers    []model.Marker
	Marked     bool // by +genclient, or an imported kind
	Fields     gotypes.Fields
	CRD        *model.Marker   // +kubebuilder:resource; with several, the last one and the names in the earlier ones
	Resource   *model.Resource // nil if the kind is not included or cannot be read
	Listed     bool            // clients need a list type
	List       *ast.TypeSpec   // the list type; nil if the package does not declare it
	ListFields gotypes.Fields
	Refused    bool         // an error prevents code for the kind
	Defined    model.Source // a marker which shows that controller-gen writes the CustomResourceDefinition, or the zero Source
	Given      bool         // the run reads the CustomResourceDefinition from a manifest
	HasStatus  bool         // with a status subresource there
	Served     *Served      // by the manifest of an imported kind; or nil
}

// Marker returns the last marker with a name, as controller-gen counts them, or nil.
func (k *Kind) Marker(name string) *model.Marker {
	for _, m := range slices.Backward(k.Markers) {
		if m.Name == name {
			return &m
		}
	}
	return nil
}

// Name returns the name of the type.
func (k *Kind) Name() string { return k.Spec.Name.Name }

// Readable returns the kinds whose resources could be read, for which something is generated.
func (p *Package) Readable() iter.Seq[*Kind] {
	return func(yield func(*Kind) bool) {
		for _, k := range p.Kinds {
			if k.Resource != nil && !yield(k) {
				return
			}
		}
	}
}

// NamedBy returns a marker which shows that controller-gen names the resource, or the zero Source. There is none if a
// manifest says how it is named.
func (k *Kind) NamedBy() model.Source {
	if k.Skipped || k.Given {
		return model.Source{}
	}
	return k.Defined
}

// Stored returns the position of the marker for the storage version, which is invalid if there is none.
func (k *Kind) Stored() token.Position {
	if m := k.Marker("kubebuilder:storageversion"); m != nil {
		return m.Pos
	}
	return token.Position{}
}
