package goschema

import (
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
)

// Settings reads the markers of manifests above packages and types, each once.
type Settings struct {
	types    *gotypes.Reader
	diags    *diag.List
	packages map[*load.Package][]markers.Setting
	byType   map[*gotypes.Declaration][]markers.Setting
}

// NewSettings returns Settings that add diagnostics to diags.
func NewSettings(types *gotypes.Reader, diags *diag.List) *Settings {
	return &Settings{types, diags, map[*load.Package][]markers.Setting{}, map[*gotypes.Declaration][]markers.Setting{}}
}

// Types returns the reader of the types.
func (s *Settings) Types() *gotypes.Reader { return s.types }

// Diagnostics returns the list that diagnostics are added to.
func (s *Settings) Diagnostics() *diag.List { return s.diags }

// PackageSettings returns the markers of a package.
func (s *Settings) PackageSettings(src *load.Package) []markers.Setting {
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

// TypeSettings returns the markers of a type.
func (s *Settings) TypeSettings(d *gotypes.Declaration) []markers.Setting {
	found, ok := s.byType[d]
	if !ok {
		found = markers.ReadManifest(d.Markers, markers.Type, s.diagsOf(d.Package))
		s.byType[d] = found
	}
	return found
}

// diagsOf returns the list for diagnostics about a package. Diagnostics about packages that users cannot edit are
// discarded.
func (s *Settings) diagsOf(src *load.Package) *diag.List {
	if !isOwn(src) {
		return &diag.List{}
	}
	return s.diags
}
