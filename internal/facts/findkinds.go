package facts

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// findKinds sets the kinds of a package: the types with a +genclient marker, imported kinds without one, and all types
// that --included-types-overrides may name, in source order. It also sets the types with other markers of kinds.
func (p *Facts) findKinds(pkg *kinds.Package, outline *gotypes.Reader) (diags diag.List) {
	src, cfg := pkg.Source, &p.cfg
	if cfg.Import.takes(src) {
		outline.ParseWhere(src, func(f *load.File) bool { return bytes.Contains(f.Text, []byte("`json:\"metadata")) })
	}
	var named map[string][]alias
	if cfg.Policy.MarkersThroughAliases {
		named = aliases(outline, src)
	}
	texts := []string{markers.Genclient, "+kubegen:", "ObjectMeta"} // markers of kinds, or types with a possible misspelling of +genclient
	if len(cfg.IncludedTypes) > 0 {
		texts = nil
	}
	for f := range src.Parsed(texts...) {
		if f.Err != nil {
			continue
		}
		for _, d := range f.Syntax.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				t := spec.(*ast.TypeSpec)
				above := outline.Above(f, t)
				if cfg.Policy.MarkersThroughAliases {
					reportAlias(outline, src, named, f, t, &diags)
					above = throughAliases(outline, named, f, t)
				}
				if k := p.findKind(pkg, outline, f, t, above, &diags); k != nil {
					pkg.Kinds = append(pkg.Kinds, k)
				}
			}
		}
	}
	return diags
}

// findKind reads the markers of one type. It returns nil if nothing is generated for the type.
func (p *Facts) findKind(
	pkg *kinds.Package, outline *gotypes.Reader, f *load.File, spec *ast.TypeSpec, above []*ast.CommentGroup, diags *diag.List,
) *kinds.Kind {
	cfg, byApply := &p.cfg, p.cfg.Flags.ByMarkers
	implied := cfg.Import.takes(pkg.Source) && cfg.Import.isKind(p.products, outline, pkg.Source, f, spec)
	relevant := len(cfg.IncludedTypes) > 0 || implied
	lines := markers.Lines(outline.Fset, above...)
	for _, line := range lines {
		relevant = relevant || markers.MeansGenclient(line.Text) || markers.OfKinds(line.Text) || byApply && mayRequestApply(line.Text)
	}
	if !relevant {
		return nil
	}
	k := &kinds.Kind{Package: pkg, File: f, Spec: spec, Pos: outline.Fset.Position(spec.Name.Pos()), Defined: definedBy(lines)}
	found, mistakes := markers.Read(outline.Fset, markers.Type, markers.ModeOf(cfg.Policy), above...)
	k.Markers, *diags = found, append(*diags, mistakes...)
	k.Marked = implied || byApply && requestsApply(k.Markers) || model.HasMarker(k.Markers, "genclient")
	if !k.Marked && len(cfg.IncludedTypes) == 0 {
		pkg.Unmarked = append(pkg.Unmarked, k)
		return nil
	}
	k.Fields = outline.AllFieldsOf(pkg.Source, load.Decl{File: f, Type: spec})
	if _, ok := k.Fields.Meta("ObjectMeta"); byApply && k.Marker(markers.ApplyMarker) != nil && k.Marker("genclient") == nil &&
		!ok && !k.Fields.Opaque {
		return nil // the check apply-marker reports it
	}
	if cfg.Import.takes(pkg.Source) && !implied && !hasMetas(k.Fields, "TypeMeta", "ObjectMeta") {
		return nil // other tools have other uses for the marker
	}
	return k
}

// mayRequestApply reports whether the text is one of the markers that requestsApply reads.
func mayRequestApply(text string) bool {
	return strings.HasPrefix(text, "+kubebuilder:resource") || strings.HasPrefix(text, "+"+markers.ApplyMarker)
}

// requestsApply reports whether markers request an apply configuration from controller-gen.
func requestsApply(found []model.Marker) (requested bool) {
	for _, m := range found {
		switch m.Name {
		case "kubebuilder:resource":
			requested = true
		case markers.ApplyMarker:
			return m.Text != "false"
		}
	}
	return requested
}

// isInternal reports whether the kinds are the unversioned form of a group, whose metadata has no JSON tag.
func isInternal(found []*kinds.Kind) bool {
	for _, k := range found {
		if meta, ok := k.Fields.Meta("ObjectMeta"); ok {
			return !strings.Contains(string(meta.Tag), "json")
		}
	}
	return false
}

// readKind reads the resource of a kind, unless its type cannot be a kind.
func (p *Facts) readKind(k *kinds.Kind) (diags diag.List) {
	cfg := &p.cfg
	name := k.Name()
	k.Refused = true
	switch {
	case !token.IsExported(name):
		diags.Errorf(k.Pos, "type %s is marked +genclient but is not exported", name).Suggest("start its name with a capital letter")
	case k.Spec.Assign.IsValid():
		diags.Errorf(k.Pos, "%s is marked +genclient but is an alias", name).Suggest("mark the aliased type")
	case k.Spec.TypeParams != nil:
		diags.Errorf(k.Pos, "%s is marked +genclient but is generic", name).Suggest("mark a plain struct type")
	case !k.Fields.IsStruct:
		diags.Errorf(k.Pos, "%s is marked +genclient but is not a struct", name).Suggest("API kinds are structs with TypeMeta and ObjectMeta")
	}
	if len(diags) > 0 {
		return diags
	}
	if items, isList := k.Fields.ByName("Items"); isList {
		if _, found := k.Fields.Meta("ListMeta"); found {
			d := diags.Errorf(k.Pos, "%s is marked +genclient but is a list", name)
			if element, _, _ := gotypes.ElementOf(k.Source, items.Type); element != "" {
				d.Suggest("mark %s", element)
			}
			return diags
		}
	}
	r := NewResource(k.Types, name, k.Pos, cfg.PluralExceptions)
	r.MetaApart = k.Fields.MetaApart()
	readOwn(k, cfg.Policy, &diags)
	r.Markers = k.Markers
	readResource(k)
	k.Resource, k.Refused = r, !readNames(p.Loader, k, r, &diags)
	readSelectable(k, r)
	readScope(k, r, cfg.Policy)
	diags = append(diags, readName(k, r, markers.ModeOf(cfg.Policy))...)
	diags = append(diags, readVerbs(k, r, cfg.Policy, cfg.Import.takes(k.Source))...)
	readHelpers(k, r, cfg.Policy)
	diags = append(diags, readMethods(k, r, markers.ModeOf(cfg.Policy))...)
	readScale(k, r, cfg.Policy)
	follow(k, r)
	k.Given = slices.Contains(cfg.Definitions, r.Name+"."+k.Clients.Group)
	k.HasStatus = slices.Contains(cfg.Statuses, r.Kind+"."+k.Clients.Group+"/"+k.Clients.Version)
	return diags
}

// readList reads the list type of a kind, if its client needs one.
func readList(k *kinds.Kind, outline *gotypes.Reader) {
	if r := k.Resource; r == nil || k.Types.Off(model.ClientSwitch) || r.NoVerbs || !r.Verbs.Has(model.VerbList) {
		return
	}
	d, found := outline.Lookup(k.Source, k.Resource.List.Name)
	if !found && k.Source.Broken() {
		return
	}
	k.Listed, k.List = true, d.Type
	if d.Type != nil {
		k.ListFields = outline.AllFieldsOf(k.Source, d)
	}
	if items, ok := k.ListFields.ByName("Items"); ok && !k.ListFields.Opaque {
		_, k.Resource.List.Pointers, _ = gotypes.ElementOf(k.Source, items.Type)
	}
}
