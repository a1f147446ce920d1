package goschema

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Markers reads the markers of manifests above packages and types, each once. It returns no diagnostics about packages
// that users cannot edit.
type Markers struct {
	types    *gotypes.Reader
	gates    *markers.Gates
	packages map[*load.Package]Marked
	byType   map[*gotypes.Declaration]Marked
	respell  map[token.Position]bool
}

// Marked holds the markers of a package or type, and the diagnostics about them.
type Marked struct {
	Markers []model.Marker
	Diags   diag.List
}

// NewMarkers returns Markers. With nil gates, markers of feature gates have no effect.
func NewMarkers(types *gotypes.Reader, gates *markers.Gates) *Markers {
	return &Markers{types: types, gates: gates, packages: map[*load.Package]Marked{}, byType: map[*gotypes.Declaration]Marked{}}
}

// Respell makes the misspelled markers at some positions have the effect of the markers that they misspell.
func (s *Markers) Respell(at map[token.Position]bool) *Markers {
	s.respell = at
	return s
}

// read reads the markers of a declaration in a package.
func (s *Markers) read(src *load.Package, lines []markers.Line, target markers.Target) (found Marked) {
	if len(s.respell) > 0 {
		lines = markers.Respelled(lines, s.respell)
	}
	if found.Markers, found.Diags = markers.ReadManifest(lines, target, s.gatesOf(src)); !isOwn(src) {
		found.Diags = nil
	}
	return found
}

// Types returns the reader of the types.
func (s *Markers) Types() *gotypes.Reader { return s.types }

// OfPackage returns the markers of a package.
func (s *Markers) OfPackage(src *load.Package) Marked {
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

// OfType returns the markers of a type.
func (s *Markers) OfType(d *gotypes.Declaration) Marked {
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
