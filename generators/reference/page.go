package reference

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Page is the view of the template: a version of an API group.
type Page struct {
	Group, Version string
	Description    Markdown // of the package of the first kind
	Kinds, Types   []*Type  // sorted by name; Types are the other types that the kinds refer to

	reader   *goschema.Reader
	sections map[*gotypes.Declaration]*Type
	titles   map[string]bool        // by target of links
	within   []*gotypes.Declaration // see words
}

// file returns the name of the page's file.
func (p *Page) file() string { return p.Group + "_" + p.Version + ".md" }

// sources returns the packages of the kinds.
func (p *Page) sources() (all []string) {
	for _, t := range p.Kinds {
		all = append(all, t.declared.Package.Path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Kind is what a server knows of a kind, apart from its schema. Of an object of a file, only the name is known.
type Kind struct {
	Name          string // value of the field kind
	Plural, Scope string // the scope is Namespaced or Cluster
	ShortNames    []string
	Categories    []string
	Subresources  []string
	Served        bool
	Stored        string // version that the server stores
	Deprecated    bool
	Warning       Markdown // about a deprecated version
}

// pagesOf returns the pages for definitions that are derived from types, and for objects of files, such as
// configurations of programs, in packages of API groups. Pages are ordered by group and version.
func pagesOf(reader *goschema.Reader, found []*crd.Definition, packages []crd.Member) []*Page {
	pages := map[[2]string]*Page{}
	add := func(group, version string, kind *Kind, d *gotypes.Declaration) {
		p := pages[[2]string{group, version}]
		if p == nil {
			p = &Page{
				Group: group, Version: version, Description: markdown(docOf(d.Package)),
				reader: reader, sections: map[*gotypes.Declaration]*Type{}, titles: map[string]bool{},
			}
			pages[[2]string{group, version}] = p
		}
		t := &Type{Name: kind.Name, Kind: kind, declared: d}
		p.Kinds, p.sections[d] = append(p.Kinds, t), t
	}
	for _, d := range found {
		for _, v := range d.Versions {
			add(d.Group.Text, v.Name.Text, kindOf(d, v), v.Type())
		}
	}
	referred := map[*gotypes.Declaration]bool{} // from kinds, so files have no objects of the types
	for _, p := range pages {
		for _, t := range p.Kinds {
			p.refer(t.declared)
		}
		for d := range p.sections {
			referred[d] = true
		}
	}
	for _, pkg := range packages {
		if v := pkg.Declared.Version; v != nil && *v == model.InternalVersion {
			continue // no file has objects of its types
		}
		for _, d := range objectsOf(reader.Types(), pkg.Source) {
			if !referred[d] {
				add(pkg.Group, pkg.Version, &Kind{Name: d.Name}, d)
			}
		}
	}
	sorted := slices.SortedFunc(maps.Values(pages), func(a, b *Page) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version))
	})
	for _, p := range sorted {
		p.describe()
	}
	return sorted
}

// objectsOf returns the exported structs of a package that embed TypeMeta, but not ObjectMeta. Lists and generic types
// are not among them.
func objectsOf(types *gotypes.Reader, src *load.Package) (found []*gotypes.Declaration) {
	if !src.Mentions("TypeMeta") {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
		d := types.Declared(src, name)
		if d == nil || !token.IsExported(name) || len(d.Params) > 0 {
			continue
		}
		has := func(meta string, embedded bool) bool {
			return slices.ContainsFunc(d.Fields, func(f *gotypes.DeclaredField) bool {
				return f.Type.Name == model.TypeRef{Path: model.MetaV1, Name: meta} && (f.Name == "" || !embedded)
			})
		}
		if has("TypeMeta", true) && !has("ObjectMeta", true) && !has("ListMeta", false) {
			found = append(found, d)
		}
	}
	return found
}

// docOf returns the comment of a package.
func docOf(src *load.Package) string {
	for f := range src.Parsed() {
		if text := goschema.Description(gotypes.DocOf(f.Syntax.Doc)); text != "" {
			return text
		}
	}
	return ""
}

func kindOf(d *crd.Definition, v crd.Version) *Kind {
	k := &Kind{
		Name: d.Kind.Text, Plural: d.Plural.Text, Scope: d.Scope.Text, ShortNames: crd.Texts(d.ShortNames), Categories: crd.Texts(d.Categories),
		Served: v.Served.Text == "true", Deprecated: v.Deprecated,
	}
	if v.Status.Pos.IsValid() {
		k.Subresources = append(k.Subresources, "status")
	}
	if v.Scale != nil {
		k.Subresources = append(k.Subresources, "scale")
	}
	if v.Warning != nil {
		k.Warning = markdown(*v.Warning)
	}
	for _, other := range d.Versions {
		if other.Storage.Text == "true" {
			k.Stored = other.Name.Text
		}
	}
	return k
}

// describe completes the page.
func (p *Page) describe() {
	for _, t := range p.Kinds {
		p.refer(t.declared)
	}
	own := p.Kinds[0].declared.Package
	for _, list := range [][]*Type{p.Kinds, p.Types} {
		byName := func(a, b *Type) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.declared.Package.Path, b.declared.Package.Path))
		}
		slices.SortFunc(list, byName)
		for _, isOwn := range []bool{true, false} {
			for _, t := range list {
				if (t.declared.Package == own) == isOwn {
					t.Name = p.title(t)
				}
			}
		}
		slices.SortFunc(list, byName)
	}
	for _, t := range slices.Concat(p.Kinds, p.Types) {
		t.describe(p)
	}
	for _, t := range p.Kinds {
		if len(t.Users) == 0 { // otherwise it is also a part of other objects
			t.fix("kind", t.Kind.Name)
			t.fix("apiVersion", p.Group+"/"+p.Version)
		}
	}
}

// title returns the title of the section of a type: its name, with more before or behind it if another section has the
// name, so that the targets of links differ.
func (p *Page) title(t *Type) string {
	title := t.Name
	for n := 1; p.titles[anchor(title)]; n++ {
		title = path.Base(t.declared.Package.Path) + "." + t.Name
		if n > 1 {
			title = fmt.Sprintf("%s %d", title, n)
		}
	}
	p.titles[anchor(title)] = true
	return title
}

// refer adds sections for the types that the fields of a type refer to.
func (p *Page) refer(d *gotypes.Declaration) {
	visit := func(s *crdschema.Schema) bool {
		to := goschema.RefOf(s)
		if to == nil || p.sections[to] != nil || documentation(to) != "" {
			return true
		}
		t := &Type{Name: to.Name, declared: to}
		p.Types, p.sections[to] = append(p.Types, t), t
		p.refer(to)
		return true
	}
	for _, part := range p.parts(d) {
		part.Walk(visit)
		for _, property := range part.Properties {
			p.values(part.of, part.field(property.Name), property.Schema).Walk(visit)
		}
	}
}

// values returns the schema that says which type the values of a field have. If the schema s of the field allows any
// value, as with +kubebuilder:validation:Schemaless, it follows from the Go type.
func (p *Page) values(in *gotypes.Declaration, f *gotypes.DeclaredField, s *crdschema.Schema) *crdschema.Schema {
	if s.IsAny() || s.Items != nil && s.Items.IsAny() {
		return cmp.Or(p.inGo(in, f.Type), s)
	}
	return s
}

// inGo returns a schema that refers to the declared type of the values of a Go type, or nil.
func (p *Page) inGo(in *gotypes.Declaration, e *gotypes.Expr) *crdschema.Schema {
	if e == nil {
		return nil
	}
	inner := p.inGo(in, e.Elem)
	switch {
	case e.Form == gotypes.NamedForm:
		d := p.reader.Types().Follow(in, e)
		if d == nil {
			return nil
		}
		if json, text := p.reader.Types().Marshals(d); json || text {
			return nil // methods determine what the values are
		}
		return &crdschema.Schema{Ref: d}
	case inner == nil || e.Form == gotypes.PointerForm:
		return inner
	case e.Form == gotypes.MapForm:
		return &crdschema.Schema{Type: "object", AdditionalProperties: inner}
	}
	return &crdschema.Schema{Type: "array", Items: inner}
}

// part is the schema of a struct without the ones that it embeds, which are parts of their own.
type part struct {
	*crdschema.Schema
	of *gotypes.Declaration
}

// field returns a field by its name in JSON, which is empty if the type does not declare it.
func (s part) field(name string) *gotypes.DeclaredField {
	for _, f := range s.of.Fields {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); cmp.Or(tag, f.Name) == name {
			return f
		}
	}
	return &gotypes.DeclaredField{}
}

// parts returns the parts of a type: the structs that it embeds, which may embed others, and lastly its own one. A type
// that is declared as another struct has the parts of that one.
func (p *Page) parts(d *gotypes.Declaration) (all []part) {
	seen := map[*gotypes.Declaration]bool{d: true}
	var add func(d *gotypes.Declaration, embedded bool)
	embed := func(s *crdschema.Schema) *crdschema.Schema {
		of := goschema.RefOf(s)
		if of == nil || seen[of] {
			return s
		}
		seen[of] = true
		add(of, true)
		bare := *s
		bare.Ref = nil
		return &bare
	}
	add = func(d *gotypes.Declaration, embedded bool) {
		s := p.reader.Declared(d)
		own := *s
		if of := goschema.RefOf(s); of != nil && (embedded || documentation(of) == "" && p.isStruct(of)) {
			own = *embed(s)
		}
		own.AllOf = nil
		for _, part := range s.AllOf {
			own.AllOf = append(own.AllOf, embed(part))
		}
		all = append(all, part{&own, d})
	}
	add(d, false)
	return all
}

// isStruct reports whether a type is a struct with fields, or is declared as one.
func (p *Page) isStruct(d *gotypes.Declaration) bool {
	under, _ := p.reader.Types().Underlying(d)
	s := p.reader.Declared(d)
	return under != nil && under.Form == gotypes.StructForm && s.Type != "string" && len(s.Properties)+len(s.AllOf) > 0
}
