package parser

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/lint"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/registration"
	"github.com/kubegen/kubegen/internal/resolve"
)

// kind is a type for which a client may be generated.
type kind struct {
	file     *load.File
	spec     *ast.TypeSpec
	pos      token.Position
	marked   bool // +genclient
	markers  []model.Marker
	fields   gotypes.Fields
	crd      *model.Marker   // +kubebuilder:resource
	resource *model.Resource // nil before readKind, or after an error
	methods  []methodTypes
}

// findKinds returns the types of the package with a +genclient marker, and all types that --included-types-overrides
// may name, in source order.
func (p *Facts) findKinds(src *load.Package) []*kind {
	var found []*kind
	var misplaced diag.List
	var aliases map[string][]alias
	if p.cfg.Policy.MarkersThroughAliases {
		aliases = p.aliases(src)
	}
	for _, f := range src.Files {
		if f.Syntax == nil || f.Err != nil || !mayHoldKinds(f) && len(p.cfg.IncludedTypes) == 0 {
			continue
		}
		comments := gotypes.CommentsOf(p.Fset, f, p.cfg.Policy.CommentsAcrossLines)
		misplaced = append(misplaced, lint.Misplaced(p.Fset, f, comments, p.mode())...)
		for _, d := range f.Syntax.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				t := spec.(*ast.TypeSpec)
				above := comments.Above(p.Fset, f, t.Pos())
				if p.cfg.Policy.MarkersThroughAliases {
					above = p.throughAliases(src, aliases, comments, f, t)
				}
				if k := p.findKind(src, f, t, above); k != nil {
					found = append(found, k)
				}
			}
		}
	}
	if len(found) > 0 || src.Imports("k8s.io/apimachinery/pkg/apis/meta/v1") { // in other packages, markers only occur in prose
		p.List = append(p.List, misplaced...)
	}
	return found
}

// mayHoldKinds reports whether the file has markers of kinds, or types with a possible misspelling of +genclient.
func mayHoldKinds(f *load.File) bool {
	return bytes.Contains(f.Text, []byte(markers.Genclient)) || bytes.Contains(f.Text, []byte("+kubegen:")) || bytes.Contains(f.Text, []byte("ObjectMeta"))
}

// findKind reads the markers of one type. It returns nil if nothing is generated for the type.
func (p *Facts) findKind(src *load.Package, f *load.File, spec *ast.TypeSpec, above []*ast.CommentGroup) *kind {
	relevant := len(p.cfg.IncludedTypes) > 0
	for _, line := range markers.Lines(p.Fset, above...) {
		relevant = relevant || markers.MeansGenclient(line.Text) || markers.OfKinds(line.Text)
	}
	if !relevant {
		return nil
	}
	k := &kind{file: f, spec: spec, pos: p.Fset.Position(spec.Name.Pos())}
	k.markers = markers.Read(p.Fset, markers.Type, p.mode(), &p.List, above...)
	k.marked = slices.ContainsFunc(k.markers, func(m model.Marker) bool { return m.Name == "genclient" })
	if !k.marked && len(p.cfg.IncludedTypes) == 0 {
		for _, m := range k.markers {
			if markers.OfKinds("+" + m.Name) {
				p.Warnf(m.Pos, "+%s has no effect: type %s is not marked +genclient", m.Name, spec.Name.Name).
					Suggest("add +genclient above it, or remove this marker")
				break
			}
		}
		return nil
	}
	k.fields = p.fieldsOf(src, load.Decl{File: f, Type: spec})
	return k
}

// reportUntagged reports kinds that are unversioned because their metadata has no JSON tag, although their package has
// a version, or their other fields have tags.
func (p *Facts) reportUntagged(u *unit, found []model.Marker) {
	declared := registration.Declared(p.Loader, u.src).Version
	_, _, named := p.single(found, "versionName")
	versioned := named || declared != nil && *declared != model.InternalVersion && *declared != "" ||
		declared == nil && kubeVersion.MatchString(path.Base(u.src.Path))
	for _, k := range u.kinds {
		tagged := slices.ContainsFunc(k.fields.List, func(f gotypes.Field) bool { return strings.Contains(string(f.Tag), "json:") })
		meta, ok := k.fields.Meta("ObjectMeta")
		if !ok || strings.Contains(string(meta.Tag), "json") || !versioned && !tagged {
			continue
		}
		d := p.Warnf(meta.Pos, "ObjectMeta of kind %s has no JSON tag, which makes the kind unversioned, but other fields have tags", k.spec.Name.Name)
		if versioned {
			d.Severity = diag.Error
			d.Say("ObjectMeta of kind %s has no JSON tag, which makes the kind unversioned, but its package has a version", k.spec.Name.Name)
		}
		d.Suggest("write metav1.ObjectMeta `json:%q`", objectMeta.json)
	}
}

// isInternal reports whether the kinds are the unversioned form of a group, whose metadata has no JSON tag.
func isInternal(kinds []*kind) bool {
	for _, k := range kinds {
		if meta, ok := k.fields.Meta("ObjectMeta"); ok {
			return !strings.Contains(string(meta.Tag), "json")
		}
	}
	return false
}

// readKind checks one kind and converts it to a resource.
func (p *Facts) readKind(u *unit, k *kind) {
	name := k.spec.Name.Name
	switch {
	case !token.IsExported(name):
		p.Errorf(k.pos, "type %s is marked +genclient but is not exported", name).Suggest("start its name with a capital letter")
		return
	case k.spec.Assign.IsValid():
		p.Errorf(k.pos, "%s is marked +genclient but is an alias", name).Suggest("mark the aliased type")
		return
	case k.spec.TypeParams != nil:
		p.Errorf(k.pos, "%s is marked +genclient but is generic", name).Suggest("mark a plain struct type")
		return
	case !k.fields.IsStruct:
		p.Errorf(k.pos, "%s is marked +genclient but is not a struct", name).Suggest("API kinds are structs with TypeMeta and ObjectMeta")
		return
	}
	if items, isList := k.fields.ByName("Items"); isList {
		if _, found := k.fields.Meta("ListMeta"); found {
			d := p.Errorf(k.pos, "%s is marked +genclient but is a list", name)
			if element, _, _ := gotypes.ElementOf(u.src, items.Type); element != "" {
				d.Suggest("mark %s", element)
			}
			return
		}
	}
	ok := p.embeds(k.pos, k.fields, "kind "+name, typeMeta, objectMeta)
	if u.version != "" {
		p.reportTags(k.fields, "kind "+name, typeMeta, objectMeta)
	}
	ok = p.promotes(k.fields, name) && ok
	r := resolve.NewResource(u.pkg, name, k.pos, p.plurals)
	r.MetaApart = k.fields.MetaApart()
	if !token.IsIdentifier(r.Plural) {
		p.Errorf(k.pos, "the plural %q of %s is not a Go identifier", r.Plural, name).Suggest("correct %s", diag.Setting("plural-exceptions"))
		ok = false
	}
	p.readOwn(k)
	r.Markers = k.markers
	p.readResource(k)
	ok = p.readNames(u, k, r) && ok
	p.readServed(k, r)
	p.readSelectable(k, r)
	p.readScope(k, r)
	ok = p.readName(k, r) && ok
	p.readVerbs(k, r)
	p.readHelpers(u, k, r)
	if p.cfg.Needs.ListTypes && p.cfg.Purpose != ToList && !u.pkg.Off(model.ClientSwitch) && !r.NoVerbs && r.Verbs.Has(model.VerbList) {
		ok = p.readList(u, k, r) && ok
	}
	p.readMethods(k, r)
	p.readScale(k, r)
	if ok {
		k.resource = r
	}
}

// meta is a struct of metav1 embedded in API types, with its usual JSON tag.
type meta struct{ name, json string }

var (
	typeMeta   = meta{"TypeMeta", ",inline"}
	objectMeta = meta{"ObjectMeta", "metadata,omitempty"}
	listMeta   = meta{"ListMeta", "metadata,omitempty"}
)

// embeds checks that a type embeds the metadata of an API type by value and inlines it in JSON.
func (p *Facts) embeds(pos token.Position, in gotypes.Fields, what string, wanted ...meta) bool {
	var missing, lines []string
	reported := map[token.Position]bool{} // fields; both kinds of metadata may be in the same one
	ok := true
	for _, m := range wanted {
		f, found := in.Meta(m.name)
		other, named := in.ByName(m.name)
		switch {
		case found:
			ok = p.holds(f, what, m, wanted, reported) && ok
		case named && !other.Embedded:
			p.Errorf(other.Pos, "%s of %s is not embedded", m.name, what).Suggest("remove the name of the field")
			ok = false
		case named && other.Type.Deref().Kind != model.Unknown:
			p.Errorf(other.Pos, "%s of %s is not the one of metav1", m.name, what).Suggest("write metav1.%s `json:%q`", m.name, m.json)
			ok = false
		case !in.Opaque && !named:
			missing = append(missing, "metav1."+m.name)
			lines = append(lines, fmt.Sprintf("metav1.%s `json:%q`", m.name, m.json))
		}
	}
	if len(missing) > 0 {
		p.Errorf(pos, "%s does not embed %s", what, strings.Join(missing, " and ")).Suggest("add %s", strings.Join(lines, " and "))
	}
	return ok && len(missing) == 0
}

// holds checks the metadata of an API type: it must be embedded by value, because promoted fields of a nil pointer
// panic, and inlined in JSON. Lists must embed ListMeta under its own name, which generated code uses.
func (p *Facts) holds(f gotypes.Field, what string, m meta, wanted []meta, reported map[token.Position]bool) bool {
	advice := fmt.Sprintf("metav1.%s `json:%q`", m.name, m.json)
	pointer, inPointer := f.InPointer()
	outer, nested := f.Nested()
	var d *diag.Diagnostic
	switch {
	case inPointer && reported[pointer.Pos], nested && reported[outer.Pos]:
		return true
	case inPointer:
		reported[pointer.Pos] = true
		d = p.mistakef(pointer.Pos, "where it is nil, clients panic", "%s embeds a pointer to %s, but kinds and lists embed metav1.%s and metav1.%s by value",
			what, pointer.Name, wanted[0].name, wanted[1].name).Suggest("remove the asterisk")
	case nested:
		reported[outer.Pos] = true
		tag, _ := outer.Tag.Lookup("json")
		d = p.mistakef(outer.Pos, "no API server finds it there", "the metadata of %s is in %s, which is tagged json:%q", what, outer.Name, tag).
			Suggest("write `json:\",inline\"`")
	case m == listMeta && f.Name != m.name:
		d = p.Errorf(f.Pos, "%s embeds ListMeta under the name %s", what, f.Name).Suggest("write %s", advice)
	}
	return d == nil || d.Severity != diag.Error
}

// promotes checks that no field of a kind hides a method of its metadata. A kind is not a runtime.Object without these
// methods.
func (p *Facts) promotes(in gotypes.Fields, name string) bool {
	for _, method := range model.MetadataMethods {
		f, found := in.ByName(method)
		if found && len(f.Within) <= 1 && (p.cfg.Needs.ListTypes || p.cfg.Needs.FieldTypes) {
			p.Errorf(f.Pos, "the field %s hides the method of that name, which clients need of kind %s", f.Name, name).
				Suggest("rename the field; its JSON tag can stay")
			return false
		}
	}
	return true
}

// reportTags reports metadata whose JSON tags do not follow the API conventions
// (https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#types-kinds).
func (p *Facts) reportTags(in gotypes.Fields, what string, wanted ...meta) {
	for _, m := range wanted {
		f, found := in.Meta(m.name)
		if !found {
			continue
		}
		tag, tagged := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		wantedName, _, _ := strings.Cut(m.json, ",")
		if !tagged {
			p.Warnf(f.Pos, "%s of %s has no JSON tag", m.name, what).Suggest("write metav1.%s `json:%q`", m.name, m.json)
		} else if name != wantedName {
			p.mistakef(f.Pos, "", "%s of %s is tagged json:%q, but API servers use json:%q", m.name, what, tag, m.json).
				Suggest("write metav1.%s `json:%q`", m.name, m.json)
		}
	}
}

// readList checks the list type of a kind.
func (p *Facts) readList(u *unit, k *kind, r *model.Resource) bool {
	d, found := p.Lookup(u.src, r.List.Name)
	if !found && u.src.Broken() {
		return true
	}
	if !found || d.Type == nil {
		p.Errorf(k.pos, "kind %s has no list type %s", r.Kind, r.List.Name).
			Suggest("declare it with metav1.TypeMeta, metav1.ListMeta and Items []%s, or write +genclient:skipVerbs=list,watch,deleteCollection", r.Kind)
		return false
	}
	pos := p.Fset.Position(d.Type.Name.Pos())
	list := p.fieldsOf(u.src, d)
	items, hasItems := list.ByName("Items")
	switch {
	case list.Opaque:
		return true
	case !list.IsStruct:
		p.Errorf(pos, "list type %s is not a struct", r.List.Name).Suggest("declare it with metav1.TypeMeta, metav1.ListMeta and Items []%s", r.Kind)
		return false
	case !hasItems:
		p.Errorf(pos, "list type %s has no Items", r.List.Name).Suggest("add Items []%s `json:\"items\"`", r.Kind)
		return false
	case !p.embeds(pos, list, "list type "+r.List.Name, typeMeta, listMeta):
		return false
	case u.version != "":
		p.reportTags(list, "list type "+r.List.Name, typeMeta, listMeta)
	}
	element, pointers, known := gotypes.ElementOf(u.src, items.Type)
	if known && element != r.Kind {
		what := "not a slice"
		if element != "" {
			what = "a list of " + element + ", not of " + r.Kind
		}
		p.Errorf(items.Pos, "Items of %s is %s", r.List.Name, what).Suggest("write Items []%s", r.Kind)
		return false
	}
	r.List.Pointers = pointers
	return true
}
