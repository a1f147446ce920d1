// This file reads what API servers do to the kinds that are converted to hubs: their defaults, their stored version,
// the rules that they do not apply to kept fields, and the zero values that they replace.

package products

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// servers reads what API servers know of kinds.
type servers struct {
	types   *gotypes.Reader
	schemas *goschema.Reader
	stored  map[groupKind]string // version
}

// newServers returns servers for kinds in packages.
func (r *conversionReader) newServers(packages []*load.Package) *servers {
	types := gotypes.NewReader(r.Loader, r.by.Policy)
	s := &servers{types, goschema.NewReader(goschema.NewMarkers(types, nil), goschema.Options{Floats: true}), map[groupKind]string{}}
	for _, src := range packages {
		gv := r.groupVersion(src)
		for _, name := range gotypes.DeclaredTypes(src) {
			if d := src.Decls[name]; slices.ContainsFunc(markers.Lines(r.Fset, r.Above(d.File, d.Type)...), isStorageVersion) {
				s.stored[groupKind{gv.Group, name}] = gv.Version
			}
		}
	}
	return s
}

func isStorageVersion(line markers.Line) bool { return line.Text == "+kubebuilder:storageversion" }

// schema returns the schema of a kind. Mistakes in it are reported where its manifest is written.
func (s *servers) schema(src *load.Package, kind string) *crdschema.Schema {
	d := s.types.Declared(src, kind)
	if d == nil {
		return &crdschema.Schema{}
	}
	found, _ := s.schemas.Schema(d)
	return found
}

// unprotected finds the fields of a kind that another version lacks and that are kept in an annotation, which clients
// of this version can change, although API servers protect them: in status, and by rules that compare with the former
// value.
type unprotected struct {
	*conversionReader
	hasStatus bool // the kind has a subresource for it
	seen      map[string]bool
}

func (r *conversionReader) reportUnprotected(src *load.Package, kind string, pair model.TypePair, s *crdschema.Schema) {
	hasStatus := r.HasMarker(src.Decls[kind], func(line string) bool { return line == "+kubebuilder:subresource:status" })
	(&unprotected{r, hasStatus, map[string]bool{}}).below(pair, s, "")
}

// below looks at the fields of a struct that is converted to another one. s is its schema, and why the reason for which
// the struct is protected, or "".
func (u *unprotected) below(pair model.TypePair, s *crdschema.Schema, why string) {
	in, out := pair.In.Underlying(), pair.Out.Underlying()
	id := pair.Identity() + why
	if in == out || in.Kind != out.Kind || s == nil || u.seen[id] {
		return
	}
	switch in.Kind {
	case model.Pointer:
		u.below(pair.Elems(), s, why)
	case model.Slice, model.Array:
		u.below(pair.Elems(), s.Items, why)
	case model.Map:
		u.below(pair.Elems(), s.AdditionalProperties, why)
	case model.Struct:
		u.seen[id] = true
		others := model.Counterparts(u.StructFields(in), u.StructFields(out))
		for _, f := range u.StructFields(in) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			of := s.Property(name)
			if name == "" && f.Embedded {
				of = s
			}
			reason := why
			switch {
			case reason != "":
			case comparesFormer(s, name), others[f] == nil && of != nil && comparesFormer(of, ""):
				reason = "rules with oldSelf do not hold"
			case name == "status" && u.hasStatus:
				reason = "clients without access to the status subresource can change it"
			}
			switch other := others[f]; {
			case other != nil:
				u.below(model.TypePair{In: f.Type, Out: other.Type}, of, reason)
			case reason != "" && model.HasMarker(f.Markers, model.RestoreMarker):
				u.diags.Warnf(f.Pos, "field %s is kept in an annotation of the versions that lack it, where %s", f.Name, reason).
					Suggest("refuse changes of the annotation by the policy in docs/versions.md").Once("unprotected " + f.Pos.String())
			}
		}
	}
}

// reportReplaced finds the fields of a type with a schema whose zero value a conversion leaves out, because of their
// JSON tag, and whose default API servers set in the next request. An empty string counts as unset anyway. It skips the
// structs that it has seen.
func (r *conversionReader) reportReplaced(t *model.Type, s *crdschema.Schema, seen map[string]bool) {
	of, home := t.Underlying(), r.Known[t.Name.Path]
	if s == nil || home != nil && home.Foreign || seen[t.Identity()] {
		return
	}
	switch of.Kind {
	case model.Pointer:
		r.reportReplaced(of.Elem, s, seen)
	case model.Slice, model.Array:
		r.reportReplaced(of.Elem, s.Items, seen)
	case model.Map:
		r.reportReplaced(of.Elem, s.AdditionalProperties, seen)
	case model.Struct:
		seen[t.Identity()] = true
		for _, f := range r.StructFields(of) {
			switch {
			case f.Inline():
				r.reportReplaced(f.Type, s, seen)
			case f.InJSON():
				r.checkReplaced(f, s.Property(f.JSON()))
				r.reportReplaced(f.Type, s.Property(f.JSON()), seen)
			}
		}
	}
}

func (r *conversionReader) checkReplaced(f *model.Field, s *crdschema.Schema) {
	methods, option := f.Type.Methods, "omitempty"
	if s == nil || s.Default == nil || methods.JSON || methods.Text {
		return
	}
	of := f.Type.Underlying()
	if of.Kind == model.Basic && f.OmitZero() {
		option = "omitzero"
	} else if !f.OmitEmpty() {
		return
	}
	var zero any
	switch {
	case of.Kind == model.Slice && s.Type == "array":
		zero = []any{}
	case of.Kind == model.Map:
		zero = map[string]any{}
	case of.Kind != model.Basic, s.Type == "string":
		return
	case s.Type == "boolean":
		zero = false
	default:
		zero = int64(0)
	}
	if reflect.DeepEqual(s.Default.JSON, zero) || !s.Accepts(zero) {
		return
	}
	text, _ := json.Marshal(zero)
	const message = "field %s loses %s in conversions, because %s leaves it out, and API servers then set the default"
	r.diags.Warnf(f.Pos, message, f.Name, text, option).
		Suggest("make the field a pointer, or replace %s by +optional", option).Once("replaced " + f.Pos.String())
}

var whole = regexp.MustCompile(`\bself == oldSelf($|[^.\w])|\boldSelf == self($|[^.\w])`)

// comparesFormer reports whether a rule of a schema compares a field with its former value. "" means any rule with the
// former value.
func comparesFormer(s *crdschema.Schema, field string) bool {
	return slices.ContainsFunc(s.Validations, func(rule crdschema.Rule) bool {
		if !strings.Contains(rule.Rule, "oldSelf") {
			return false
		}
		return field == "" || whole.MatchString(rule.Rule) || regexp.MustCompile(`\.`+regexp.QuoteMeta(field)+`\b`).MatchString(rule.Rule)
	})
}
