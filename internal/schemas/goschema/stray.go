package goschema

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Stray warns of markers in packages that cannot influence a manifest, anywhere in the files. kinds are the types with
// manifests. It must be called after all schemas are derived. It skips lines with earlier diagnostics.
//
// It considers only markers that nothing but manifests and kinds depends on, and unknown markers that look like them.
// Other tools, such as k8s.io/kube-openapi, read +optional or +listType as well, for types and fields that are not part
// of manifests.
func (r *Reader) Stray(packages []*load.Package, kinds map[*gotypes.Declaration]bool, earlier diag.List) (diags diag.List) {
	dropped, values, reported := map[*gotypes.Declaration]bool{}, r.values(), diag.LinesOf(&earlier, &diags)
	for _, d := range r.inOrder {
		for _, alias := range r.derive(d).aliases {
			dropped[alias] = true
		}
	}
	for _, src := range packages {
		r.types.ParseMentioning(src, "+kubebuilder:")
		s := strays{
			Reader: r, diags: &diags, src: src, kinds: kinds, values: values, dropped: dropped,
			mentionsGates: src.Mentions("+" + markers.GateMarker), read: map[token.Position]bool{}, reported: reported,
		}
		if r.hasManifestMarkers(src) { // otherwise, the packages that types of controllers refer to need not be listed
			for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
				if d := r.types.Declared(src, name); d != nil {
					s.declaration(d)
				}
			}
		}
		for _, line := range r.types.PackageLines(src) {
			s.inPackage(line)
		}
		for _, line := range markers.Lines(r.types.Fset, src.Comments()...) {
			s.anywhere(line)
			s.unknown(line)
		}
	}
	return diags
}

// hasManifestMarkers reports whether any parsed file of a package has a marker for manifests.
func (r *Reader) hasManifestMarkers(src *load.Package) bool {
	return slices.ContainsFunc(src.Files, func(f *load.File) bool {
		return f.Syntax != nil && slices.ContainsFunc(markers.Lines(r.types.Fset, f.Syntax.Comments...), func(line markers.Line) bool {
			_, ok := markers.OfManifest(line.Text)
			return ok
		})
	})
}

// strays finds markers without effect in a package.
type strays struct {
	*Reader
	diags         *diag.List
	src           *load.Package
	kinds         map[*gotypes.Declaration]bool
	values        map[*gotypes.Declaration]bool // types inside objects
	dropped       map[*gotypes.Declaration]bool // aliases in schemas, whose own markers are ignored
	mentionsGates bool                          // the package has markers of feature gates
	read          map[token.Position]bool       // lines that belong to a type, a field or the package
	reported      *diag.Lines
}

// values returns the types that schemas refer to other than by inlining them.
func (r *Reader) values() map[*gotypes.Declaration]bool {
	types := map[*gotypes.Declaration]bool{}
	for d := range r.used {
		s := r.derive(d).schema
		s.Walk(func(part *crdschema.Schema) bool {
			if value := RefOf(part); value != nil && !slices.Contains(s.AllOf, part) {
				types[value] = true
			}
			return true
		})
	}
	return types
}

// warnf reports a marker, unless its line has been reported for another reason.
func (s *strays) warnf(line markers.Line, advice, format string, args ...any) *diag.Diagnostic {
	if s.reported.Has(line.Pos) {
		return &diag.Diagnostic{}
	}
	return s.diags.Warnf(line.Pos, format, args...).Suggest("%s", advice)
}

// misplaced reports a marker at a place where it has no effect.
func (s *strays) misplaced(line markers.Line, def markers.Definition) {
	s.warnf(line, "it is for "+def.For(), "+%s has no effect here", def.Name)
}

// declaration checks the markers of a type and its fields.
func (s *strays) declaration(d *gotypes.Declaration) {
	isList := embeds(d, "ListMeta") && s.resolved[d] == nil
	s.overridden(d.Markers)
	for _, line := range d.Markers {
		s.read[line.Pos] = true
		def, ok := markers.OfManifest(line.Text)
		switch {
		case !ok:
		case !def.Has(markers.Type) && !def.Has(markers.Package):
			s.misplaced(line, def)
		case (def.OfKinds() || def.LeavesOut()) && !s.kinds[d] && !embeds(d, "ObjectMeta"): // a kind may have a manifest elsewhere
			s.warnf(line, "move it above a kind, or delete it", "+%s has no effect, because %s is not a kind with a manifest", def.Name, d.Name)
		case isList && def.OfSchemas():
			s.warnf(line, "delete it", "+%s has no effect: manifests have no schema for lists", def.Name)
		case s.dropped[d] && def.OfSchemas():
			s.warnf(line, "declare the type without =, or write the marker above the fields of this type",
				"+%s has no effect where this package uses %s, because an alias is only another name", def.Name, d.Name)
		}
	}
	if s.mentionsGates {
		s.constants(d)
	}
	if d.Type.Form != gotypes.StructForm {
		return
	}
	for _, f := range d.Fields {
		s.field(d, f, isList)
	}
}

// constants checks the feature gates above the constants of a type.
func (s *strays) constants(d *gotypes.Declaration) {
	above := s.OfType(d)
	*s.diags = append(*s.diags, above.Diags...)
	isEnum := model.HasMarker(above.Markers, "k8s:enum") || model.HasMarker(above.Markers, markers.Validation+"Enum")
	for _, c := range s.types.Constants(d) {
		for _, line := range c.Markers {
			def, ok := markers.OfManifest(line.Text)
			if !ok || !def.LeavesOut() || !def.Has(markers.Constant) {
				continue
			}
			switch s.read[line.Pos] = true; {
			case !isEnum:
				s.warnf(line, "write +k8s:enum above the type, or delete it", "+%s has no effect, because %s is not an enum", def.Name, d.Name)
			case c.Value == nil:
				s.warnf(line, "declare "+c.Name+" with a literal", "+%s has no effect, because kubegen does not know the value of %s", def.Name, c.Name)
			}
		}
	}
}

// embeds reports whether a struct embeds a type with a given name.
func embeds(d *gotypes.Declaration, name string) bool {
	return d.Type.Form == gotypes.StructForm && slices.ContainsFunc(d.Fields, func(f *gotypes.DeclaredField) bool {
		return f.Name == "" && f.Type.Name.Name == name
	})
}

// field checks the markers of a field.
func (s *strays) field(d *gotypes.Declaration, f *gotypes.DeclaredField, ofList bool) {
	s.overridden(f.Markers)
	for _, line := range f.Markers {
		s.read[line.Pos] = true
		def, ok := markers.OfManifest(line.Text)
		if !ok {
			continue
		}
		unread := ""
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("json") == "-":
			unread = "the field is not part of the JSON form"
		case f.Name != "" && s.IgnoreUnexported && !token.IsExported(f.Name):
			unread = "the field is not exported"
		case ofList:
			unread = "manifests have no schema for lists"
		case s.used[d] && !s.derive(d).ofFields:
			unread = "the schema of " + d.Name + " does not depend on its fields"
		case name == "metadata" && s.kinds[d] && !s.values[d] && !setsPresence(def.Name):
			unread = "manifests have no schema for the metadata of kinds"
		case setsPresence(def.Name) && name == "" && s.inlines(d, f):
			unread = "manifests have no schema for the field, only for the fields of its type"
		}
		switch {
		case !def.Has(markers.Field):
			s.misplaced(line, def)
		case unread != "":
			s.warnf(line, "delete it", "+%s has no effect: %s", def.Name, unread)
		}
	}
}

// setsPresence reports whether a marker determines whether a field may be absent.
func setsPresence(name string) bool {
	return name == markers.Validation+"Optional" || name == markers.Validation+"Required"
}

// inPackage checks a marker outside declarations, which may belong to a type below.
func (s *strays) inPackage(line markers.Line) {
	if s.read[line.Pos] {
		return
	}
	s.read[line.Pos] = true
	def, ok := markers.OfManifest(line.Text)
	if ok && (!def.Has(markers.Package) || def.Name == markers.GateMarker && !s.aboveClause(s.src, line)) {
		s.misplaced(line, def)
	}
}

// anywhere checks a line of any comment.
func (s *strays) anywhere(line markers.Line) {
	if s.read[line.Pos] {
		return
	}
	if def, ok := markers.OfManifest(line.Text); ok {
		s.warnf(line, "write it in a line of its own with //, directly above "+def.Above(), "+%s has no effect here", def.Name)
	}
}

// unknown reports a marker that no tool knows, even where no tool would read it.
func (s *strays) unknown(line markers.Line) {
	if found := markers.ReportUnknown(line); len(found) > 0 && !s.reported.Has(line.Pos) {
		*s.diags = append(*s.diags, found...)
	}
}

// overridden reports markers that a later one of the same name overrides.
func (s *strays) overridden(lines []markers.Line) {
	last := map[string]markers.Line{}
	for _, line := range slices.Backward(lines) {
		def, ok := markers.OfManifest(line.Text)
		if !ok || !def.Overrides() || markers.IsGated(line.Text) {
			continue
		}
		if later, again := last[def.Name]; !again {
			last[def.Name] = line
		} else if strings.TrimSpace(later.Text) != strings.TrimSpace(line.Text) {
			s.warnf(line, "delete one of them", "+%s has no effect, because a later one overrides it", def.Name).WithRelated(later.Pos)
		}
	}
}
