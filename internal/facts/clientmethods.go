package facts

import (
	"go/token"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// reservedMethods are the names of methods and fields embedded in clients. A client method of the same name would hide
// them.
var reservedMethods = []string{"GetClient", "GetNamespace", "Fake", "Invokes", "InvokesWatch", "Kind", "Namespace", "Resource"}

// readMethods reads the +genclient:method markers.
func readMethods(k *kinds.Kind, r *model.Resource, mode markers.Mode) (diags diag.List) {
	seen := map[string]token.Position{}
	for _, m := range k.Markers {
		if m.Name != "genclient:method" {
			continue
		}
		spec, wrong := markers.ParseMethod(m, mode)
		if diags = append(diags, wrong...); wrong.HasErrors() {
			continue
		}
		usual := model.Verb(strings.ToLower(spec.Name[:1]) + spec.Name[1:])
		first, twice := seen[spec.Name]
		switch {
		case twice:
			diags.Errorf(m.Pos, "method %s of %s is declared twice", spec.Name, r.Kind).WithRelated(first).Suggest("rename one of them")
			continue
		case !r.NoVerbs && r.Verbs.Has(usual) && usual != model.VerbDeleteWithResult:
			diags.Errorf(m.Pos, "method %s of %s has the name of a standard method", spec.Name, r.Kind).
				Suggest("rename it, or write +genclient:skipVerbs=%s", usual)
			continue
		case slices.Contains(reservedMethods, spec.Name):
			diags.Errorf(m.Pos, "method %s of %s has a name that clients use themselves", spec.Name, r.Kind).Suggest("rename it")
			continue
		}
		seen[spec.Name] = m.Pos
		if usual == model.VerbDeleteWithResult { // such methods were valid before clients had one, and take its place
			r.Verbs = r.Verbs.Without(usual)
		}
		self := model.TypeRef{Path: r.Package.Path, Name: r.Kind}
		k.Methods = append(k.Methods, kinds.MethodTypes{Index: len(r.Methods), Pos: m.Pos, Input: spec.Input, Result: spec.Result})
		r.Methods = append(r.Methods, model.Method{
			Pos: m.Pos, From: marked(m), Name: spec.Name, Verb: spec.Verb, Subresource: spec.Subresource, Input: self, Result: self,
		})
	}
	return diags
}

// resolveMethodTypes resolves the input and result types of all methods. It loads all other packages of these types at
// once.
func (p *Facts) resolveMethodTypes(outline *gotypes.Reader) (diags diag.List) {
	var named []string
	each := func(visit func(k *kinds.Kind, m kinds.MethodTypes)) {
		for _, pkg := range p.units {
			for _, k := range pkg.Included {
				for _, m := range k.Methods {
					visit(k, m)
				}
			}
		}
	}
	each(func(k *kinds.Kind, m kinds.MethodTypes) {
		for _, ref := range []string{m.Input, m.Result} {
			importPath := typeRef(k.Package, ref).Path
			if module.CheckImportPath(importPath) == nil {
				named = append(named, importPath)
			}
		}
	})
	p.Preload(named...)
	resolve := func(k *kinds.Kind, m kinds.MethodTypes, key, ref, suffix string) model.TypeRef {
		found, mistakes := resolveType(outline, k, m, key, ref, suffix)
		diags = append(diags, mistakes...)
		return found
	}
	each(func(k *kinds.Kind, m kinds.MethodTypes) {
		if k.Resource == nil {
			return
		}
		method := &k.Resource.Methods[m.Index]
		if m.Input != "" {
			method.Input = resolve(k, m, "input", m.Input, "")
		}
		suffix := ""
		if method.Verb == model.VerbList {
			suffix = "List"
		}
		if m.Result != "" {
			method.Result = resolve(k, m, "result", m.Result, suffix)
		}
	})
	for _, pkg := range p.units {
		for k := range pkg.Readable() {
			p.findSchemes(outline, k.Resource)
		}
	}
	return diags
}

// typeRef parses "Scale" or "k8s.io/api/autoscaling/v1.Scale".
func typeRef(pkg *kinds.Package, ref string) model.TypeRef {
	t := model.ParseTypeRef(ref)
	if !strings.Contains(ref, ".") {
		t.Path = pkg.Source.Path
	}
	return t
}

// requireObject reports a type that clients cannot send or receive. It must be an object, and have a name if the
// request has none.
func requireObject(
	outline *gotypes.Reader, src *load.Package, d load.Decl, method model.Method, pos token.Position, marker string, diags *diag.List,
) {
	in := outline.AllFieldsOf(src, d)
	if in.Opaque {
		return
	}
	name := d.Type.Name.Name
	if method.Verb == model.VerbApply && strings.HasPrefix(marker, "input=") {
		if _, found := in.Meta("ObjectMeta"); !found && method.Subresource == "" {
			diags.Errorf(pos, "%s: %s has no metav1.ObjectMeta, and therefore no name for the request", marker, name).
				Suggest("embed it, or add subresource=")
		}
		return
	}
	if _, found := in.Meta("TypeMeta"); found || src.HasMethod(name, "GetObjectKind") {
		return
	}
	diags.Errorf(pos, "%s: %s is not a runtime.Object, which clients send and receive", marker, name).
		Suggest("embed metav1.TypeMeta in it, and generate its DeepCopyObject method")
}

func resolveType(outline *gotypes.Reader, k *kinds.Kind, m kinds.MethodTypes, key, ref, suffix string) (_ model.TypeRef, diags diag.List) {
	t := typeRef(k.Package, ref)
	name := t.Name + suffix
	src := outline.Known[t.Path]
	if src == nil || !token.IsIdentifier(name) {
		why, commands := outline.WhyMissing(t.Path)
		switch {
		case why == "":
			why = "this is not a type"
		case strings.Contains(why, "go.sum"): // as in new modules, whose only imports of it are in generated code
			diags.Warnf(m.Pos, "%s=%s cannot be checked: go.sum does not have its module yet", key, ref).
				Run("go mod tidy after the code is generated")
			return t, diags
		}
		d := diags.Errorf(m.Pos, "%s=%s: %s", key, ref, why)
		before, after := path.Split(ref)
		switch full := outline.ImportPath(k.File, t.Path); {
		case commands != "":
			d.Run("%s", commands).CausedBy(why)
		case full != "":
			d.Suggest("did you mean %s.%s?", full, t.Name)
		case src == nil && token.IsIdentifier(after) && outline.Known[path.Clean(before)] != nil:
			d.Suggest("did you mean %s.%s?", path.Clean(before), after)
		case strings.Contains(why, "no required module provides"):
			d.Suggest("or correct the marker")
		default:
			d.Suggest("write TYPE for a type of this package, or PATH.TYPE with the import path of a package that this module requires")
		}
		return t, diags
	}
	if d, ok := outline.Lookup(src, name); src.Broken() && !ok || ok && d.Type != nil && token.IsExported(name) {
		if ok {
			requireObject(outline, src, d, k.Resource.Methods[m.Index], m.Pos, key+"="+ref, &diags)
		}
		return t, diags
	}
	d := diags.Errorf(m.Pos, "%s=%s: package %s has no exported type %s", key, ref, t.Path, name)
	var names []string
	for name, d := range src.Decls {
		if d.Type != nil && token.IsExported(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if suffix != "" && strings.HasSuffix(t.Name, suffix) {
		d.Suggest("write %s=%s: verb=list adds %s", key, strings.TrimSuffix(ref, suffix), suffix)
	} else {
		d.Meant(name, names, "declare it, or correct the marker")
	}
	return t, diags
}

// findSchemes finds the packages that register the input and result types of a kind's methods.
func (p *Facts) findSchemes(outline *gotypes.Reader, r *model.Resource) {
	for i := range r.Methods {
		m := &r.Methods[i]
		for _, importPath := range []string{m.Input.Path, m.Result.Path} {
			if importPath != r.Package.Path && !slices.Contains(m.Schemes, importPath) && p.addsToScheme(outline, importPath) {
				m.Schemes = append(m.Schemes, importPath)
			}
		}
	}
}

// addsToScheme reports whether a package registers its types. Packages of k8s.io/api do, and are not read for this if
// they are missing.
func (p *Facts) addsToScheme(outline *gotypes.Reader, importPath string) bool {
	src := p.Known[importPath]
	if src == nil {
		return strings.HasPrefix(importPath, "k8s.io/api/")
	}
	if pkg := p.models[src]; pkg != nil && pkg.Registration != nil && !src.Foreign {
		return true
	}
	return products.AddsToScheme(p.Loader, src) || p.registers(outline, src)
}
