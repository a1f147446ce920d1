package facts

import (
	"cmp"
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
		r.Methods = append(r.Methods, model.Method{
			Pos: m.Pos, From: marked(m), Name: spec.Name, Verb: spec.Verb, Subresource: spec.Subresource, Input: typeRef(k, spec.Input),
			Result: typeRef(k, spec.Result),
		})
	}
	return diags
}

// checkMethodTypes reports input and result types of methods that clients cannot use. It loads all other packages of
// these types at once.
func (p *Facts) checkMethodTypes(outline *gotypes.Reader) (diags diag.List) {
	var all []methodType
	var paths []string
	for _, pkg := range p.units {
		for k := range pkg.Readable() {
			for _, m := range k.Resource.Methods {
				for _, t := range []methodType{{k, m, "input", m.Input}, {k, m, "result", m.Result}} {
					if t.TypeRef == k.Resource.Type() || m.Implied {
						continue
					}
					if all = append(all, t); module.CheckImportPath(t.Path) == nil {
						paths = append(paths, t.Path)
					}
				}
			}
		}
	}
	p.Preload(paths...)
	for _, t := range all {
		diags = append(diags, t.check(outline)...)
	}
	for _, pkg := range p.units {
		for k := range pkg.Readable() {
			p.findSchemes(outline, k.Resource)
		}
	}
	return diags
}

// typeRef parses "Scale" or "k8s.io/api/autoscaling/v1.Scale". The default is the kind.
func typeRef(k *kinds.Kind, ref string) model.TypeRef {
	t := model.ParseTypeRef(cmp.Or(ref, k.Name()))
	if !strings.Contains(ref, ".") {
		t.Path = k.Source.Path
	}
	return t
}

// methodType is the input or result type of a method.
type methodType struct {
	kind   *kinds.Kind
	method model.Method
	key    string // of the argument in the marker
	model.TypeRef
}

// ref returns the type as in the marker, and String the whole argument.
func (t methodType) ref() string {
	if t.Path == t.kind.Source.Path {
		return t.Name
	}
	return t.Path + "." + t.Name
}

func (t methodType) String() string { return t.key + "=" + t.ref() }

// requireObject reports a type that clients cannot send or receive. It must be an object, and have a name if the
// request has none.
func (t methodType) requireObject(outline *gotypes.Reader, src *load.Package, d load.Decl, diags *diag.List) {
	in := outline.AllFieldsOf(src, d)
	if in.Opaque {
		return
	}
	name := d.Type.Name.Name
	if t.method.Verb == model.VerbApply && t.key == "input" {
		if _, found := in.Meta("ObjectMeta"); !found && t.method.Subresource == "" {
			diags.Errorf(t.method.Pos, "%s: %s has no metav1.ObjectMeta, and therefore no name for the request", t, name).
				Suggest("embed it, or add subresource=")
		}
		return
	}
	if _, found := in.Meta("TypeMeta"); found || src.HasMethod(name, "GetObjectKind") {
		return
	}
	diags.Errorf(t.method.Pos, "%s: %s is not a runtime.Object, which clients send and receive", t, name).
		Suggest("embed metav1.TypeMeta in it, and generate its DeepCopyObject method")
}

// check reports a type that does not exist, or cannot be used. Its name is the name of elements in a list.
func (t methodType) check(outline *gotypes.Reader) (diags diag.List) {
	name, suffix := t.Name, ""
	if t.method.Verb == model.VerbList && t.key == "result" {
		suffix = "List"
		name += suffix
	}
	src := outline.Known[t.Path]
	if src == nil || !token.IsIdentifier(name) {
		why, commands := outline.WhyMissing(t.Path)
		switch {
		case why == "":
			why = "this is not a type"
		case strings.Contains(why, "go.sum"): // as in new modules, whose only imports of it are in generated code
			diags.Warnf(t.method.Pos, "%s cannot be checked: go.sum does not have its module yet", t).
				Run("go mod tidy after the code is generated")
			return diags
		}
		d := diags.Errorf(t.method.Pos, "%s: %s", t, why)
		before, after := path.Split(t.ref())
		switch full := outline.ImportPath(t.kind.File, t.Path); {
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
		return diags
	}
	if d, ok := outline.Lookup(src, name); src.Broken() && !ok || ok && d.Type != nil && token.IsExported(name) {
		if ok {
			t.requireObject(outline, src, d, &diags)
		}
		return diags
	}
	d := diags.Errorf(t.method.Pos, "%s: package %s has no exported type %s", t, t.Path, name)
	var names []string
	for name, d := range src.Decls {
		if d.Type != nil && token.IsExported(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if suffix != "" && strings.HasSuffix(t.Name, suffix) {
		d.Suggest("write %s: verb=list adds %s", strings.TrimSuffix(t.String(), suffix), suffix)
	} else {
		d.Meant(name, names, "declare it, or correct the marker")
	}
	return diags
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
