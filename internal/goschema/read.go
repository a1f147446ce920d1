package goschema

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// Markers reads the markers of manifests above packages and types, each once.
type Markers struct {
	types    *gotypes.Reader
	gates    *markers.Gates
	diags    *diag.List
	packages map[*load.Package][]model.Marker
	byType   map[*gotypes.Declaration][]model.Marker
	respell  map[token.Position]bool
}

// NewMarkers returns Markers that add diagnostics to diags. With nil gates, markers of feature gates have no effect.
func NewMarkers(types *gotypes.Reader, gates *markers.Gates, diags *diag.List) *Markers {
	return &Markers{
		types: types, gates: gates, diags: diags,
		packages: map[*load.Package][]model.Marker{}, byType: map[*gotypes.Declaration][]model.Marker{},
	}
}

// Respell makes the misspelled markers at some positions have the effect of the markers that they misspell.
func (s *Markers) Respell(at map[token.Position]bool) *Markers {
	s.respell = at
	return s
}

// read reads the markers of a declaration in a package.
func (s *Markers) read(src *load.Package, lines []markers.Line, target markers.Target) []model.Marker {
	if len(s.respell) > 0 {
		lines = markers.Respelled(lines, s.respell)
	}
	found, mistakes := markers.ReadManifest(lines, target, s.gatesOf(src))
	diags := s.diagsOf(src)
	*diags = append(*diags, mistakes...)
	return found
}

// Types returns the reader of the types.
func (s *Markers) Types() *gotypes.Reader { return s.types }

// Diagnostics returns the list that diagnostics are added to.
func (s *Markers) Diagnostics() *diag.List { return s.diags }

// PackageMarkers returns the markers of a package.
func (s *Markers) PackageMarkers(src *load.Package) []model.Marker {
	found, ok := s.packages[src]
	if !ok {
		s.types.ReadOnce(src)
		s.types.ParseMentioning(src, "+groupName", "+versionName", "+kubebuilder:skip", "+kubebuilder:validation:Optional")
		lines := slices.DeleteFunc(s.types.PackageLines(src), func(line markers.Line) bool {
			return strings.HasPrefix(line.Text, "+"+markers.GateMarker) && !s.aboveClause(src, line)
		})
		found = s.read(src, lines, markers.Package)
		s.packages[src] = found
	}
	return found
}

// TypeMarkers returns the markers of a type.
func (s *Markers) TypeMarkers(d *gotypes.Declaration) []model.Marker {
	found, ok := s.byType[d]
	if !ok {
		found = s.read(d.Package, d.Markers, markers.Type)
		s.byType[d] = found
	}
	return found
}

// aboveClause reports whether a line is above the package clause of its file. A comment farther below that is apart
// from declarations also belongs to a package by the rules of controller-gen, but a feature gate there is meant for the
// type below.
func (s *Markers) aboveClause(src *load.Package, line markers.Line) bool {
	return slices.ContainsFunc(src.Files, func(f *load.File) bool {
		return f.Name == line.Pos.Filename && f.Syntax != nil && line.Pos.Line <= s.types.Fset.Position(f.Syntax.Package).Line
	})
}

// gatesOf returns the feature gates that markers in a package depend on, or nil if these have no effect.
func (s *Markers) gatesOf(src *load.Package) *markers.Gates {
	if s.gates == nil || !isOwn(src) && !s.gates.Foreign {
		return nil
	}
	return s.gates
}

// diagsOf returns the list for diagnostics about a package. Diagnostics about packages that users cannot edit are
// discarded.
func (s *Markers) diagsOf(src *load.Package) *diag.List {
	if !isOwn(src) {
		return &diag.List{}
	}
	return s.diags
}
