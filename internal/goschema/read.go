package goschema

import (
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// Markers reads the markers of manifests above packages and types, each once.
type Markers struct {
	types    *gotypes.Reader
	diags    *diag.List
	packages map[*load.Package][]model.Marker
	byType   map[*gotypes.Declaration][]model.Marker
}

// NewMarkers returns Markers that add diagnostics to diags.
func NewMarkers(types *gotypes.Reader, diags *diag.List) *Markers {
	return &Markers{types, diags, map[*load.Package][]model.Marker{}, map[*gotypes.Declaration][]model.Marker{}}
}

// Types returns the reader of the types.
func (s *Markers) Types() *gotypes.Reader { return s.types }

// Diagnostics returns the list that diagnostics are added to.
func (s *Markers) Diagnostics() *diag.List { return s.diags }

// PackageMarkers returns the markers of a package.
func (s *Markers) PackageMarkers(src *load.Package) []model.Marker {
	found, ok := s.packages[src]
	if !ok {
		if src.Decls == nil {
			s.types.Read([]*load.Package{src})
		}
		for _, text := range []string{"+groupName", "+versionName", "+kubebuilder:skip", "+kubebuilder:validation:Optional"} {
			s.types.ParseMentioning(src, text)
		}
		found = markers.ReadManifest(s.types.PackageLines(src), markers.Package, s.diagsOf(src))
		s.packages[src] = found
	}
	return found
}

// TypeMarkers returns the markers of a type.
func (s *Markers) TypeMarkers(d *gotypes.Declaration) []model.Marker {
	found, ok := s.byType[d]
	if !ok {
		found = markers.ReadManifest(d.Markers, markers.Type, s.diagsOf(d.Package))
		s.byType[d] = found
	}
	return found
}

// diagsOf returns the list for diagnostics about a package. Diagnostics about packages that users cannot edit are
// discarded.
func (s *Markers) diagsOf(src *load.Package) *diag.List {
	if !isOwn(src) {
		return &diag.List{}
	}
	return s.diags
}
