package facts

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Import describes an import: its packages are read-only, except for those that the run writes, and their kinds need no
// +genclient.
type Import struct {
	Path            string                          // import path of the output directory, below which the run writes packages
	Kinds, Versions []string                        // the only kinds, as in Certificate or Certificate.cert-manager.io, and versions to import; empty for all
	Fields          map[string]string               // the kinds of fields of slices that no manifest defines, by field
	Defined         []string                        // the kinds and versions among these that manifests define
	Served          map[kinds.Version]*kinds.Served // by manifests
}

// takes reports whether a package is imported as it is. Without an import, none is.
func (i *Import) takes(src *load.Package) bool {
	return i != nil && !strings.HasPrefix(src.Path, i.Path+"/")
}

// markImports makes the imported packages read-only, also in workspaces and directories that replace modules. It
// reports packages of the module with the output, whose directory is own.
func markImports(found []*load.Package, i *Import, own string, diags *diag.List) {
	for _, src := range found {
		if !i.takes(src) {
			continue
		}
		if src.Module != "" && filepath.Clean(src.Module) == own {
			diags.Errorf(token.Position{}, "package %s is in the module of the output, and cannot be imported", diag.Value(src.Path)).
				Suggest("generate its clients with %s", diag.Textf("kubegen %s", src.Path))
		}
		src.Foreign = true
	}
}

// isKind reports whether an imported type without +genclient is a kind: a struct that embeds TypeMeta and ObjectMeta of
// metav1 and has a list type. Both must be runtime.Objects, unless the import names the kind.
func (i *Import) isKind(written *products.Reading, outline *gotypes.Reader, src *load.Package, f *load.File, spec *ast.TypeSpec) bool {
	name := spec.Name.Name
	if !token.IsExported(name) || spec.Assign.IsValid() || spec.TypeParams != nil {
		return false
	}
	list, ok := outline.Lookup(src, name+"List")
	if !ok || list.Type == nil {
		return false
	}
	isNamed := slices.ContainsFunc(i.Kinds, func(wanted string) bool { return strings.HasPrefix(wanted+".", name+".") })
	if !isNamed && !(written.IsObject(src, name) && written.IsObject(src, name+"List")) {
		return false
	}
	return hasMetas(outline.AllFieldsOf(src, load.Decl{File: f, Type: spec}), "TypeMeta", "ObjectMeta") &&
		hasMetas(outline.AllFieldsOf(src, list), "TypeMeta", "ListMeta")
}

// hasMetas reports whether a struct embeds structs of metav1 by value, with their fields at the top level in JSON.
func hasMetas(fields gotypes.Fields, names ...string) bool {
	return fields.IsStruct && !slices.ContainsFunc(names, func(name string) bool {
		meta, ok := fields.Meta(name)
		if !ok {
			return true
		}
		_, pointer := meta.InPointer()
		_, nested := meta.Nested()
		return pointer || nested
	})
}

// reportUnknown reports kinds and versions to import, and kinds of fields, that no package has.
func (i *Import) reportUnknown(packages []*kinds.Package, diags *diag.List) {
	known, versions := map[string]bool{}, map[string]bool{}
	for _, pkg := range packages {
		versions[pkg.Clients.Version] = true
		for _, k := range pkg.Kinds {
			known[k.Name()], known[k.Name()+"."+pkg.Clients.Group] = true, true
		}
	}
	report := func(flag, what, text, name string, known map[string]bool, form string) {
		if !known[name] && !slices.Contains(i.Defined, name) {
			diags.Errorf(token.Position{}, "%s: no package has the %s %s", diag.Setting(flag), what, diag.Value(text)).
				Meant(name, slices.Sorted(maps.Keys(known)), "%s", form)
		}
	}
	for _, name := range i.Kinds {
		report("kinds", "kind", name, name, known, "write a kind as in Certificate, or Certificate.cert-manager.io")
	}
	for _, name := range i.Versions {
		report("versions", "version", name, name, versions, "name versions such as v1")
	}
	for _, text := range slices.Sorted(maps.Keys(i.Fields)) {
		report("fields", "kind of", text, i.Fields[text], known, "write a kind as in Certificate:spec.secretName")
	}
}

// reportAliases reports packages whose types have moved to another one, which must be imported instead.
func (p *Facts) reportAliases(diags *diag.List) {
	named := p.Named(p.patterns)
	for _, src := range p.all {
		if to := p.aliasesOf(src); to != "" && named(src.Path, src.Dir()) {
			diags.Errorf(token.Position{}, "nothing to import: the types of %s are aliases of those in %s", src.Path, to).About(src.Path).
				Suggest("import %s", to)
		}
	}
}

// aliasesOf returns the path of the package that declares the types of a package with nothing but aliases, or "".
func (p *Facts) aliasesOf(src *load.Package) (importPath string) {
	for _, d := range src.Decls {
		if d.Type == nil {
			continue
		}
		selector, _ := d.Type.Type.(*ast.SelectorExpr)
		if !d.Type.Assign.IsValid() || selector == nil {
			return ""
		}
		qualifier, _ := selector.X.(*ast.Ident)
		to := p.ImportPath(d.File, qualifier.Name)
		if importPath != "" && to != importPath {
			return ""
		}
		importPath = to
	}
	return importPath
}

// requireObjects reports imported kinds and lists without DeepCopyObject, which generated code needs to compile.
func (p *Facts) requireObjects(pkg *kinds.Package, diags *diag.List) {
	for k := range pkg.Readable() {
		for _, name := range []string{k.Resource.Kind, k.Resource.List.Name} {
			if d, ok := p.Lookup(pkg.Source, name); ok && d.Type != nil && !d.Type.Assign.IsValid() && !p.products.IsObject(pkg.Source, name) {
				diags.Errorf(p.Fset.Position(d.Node.Pos()), "%s has no DeepCopyObject method, which generated code needs to compile", name)
			}
		}
	}
}

const noKinds = "no runtime.Object with metav1.TypeMeta, metav1.ObjectMeta and a list type is declared in"

// follow makes the client of an imported kind follow its manifest, whatever markers say.
func follow(k *kinds.Kind, r *model.Resource) {
	s := k.Served
	if s == nil {
		return
	}
	r.Name, r.NameFrom, r.Namespaced, r.ScopeFrom = s.Plural, s.From, s.Namespaced, s.From
	r.Singular, r.ShortNames, r.Categories = s.Singular, s.ShortNames, s.Categories
	if r.Scale = s.Scale; s.Scale != nil {
		AddScale(r, s.From)
	} else {
		r.Methods = slices.DeleteFunc(r.Methods, func(m model.Method) bool { return m.Implied && m.Subresource == "scale" })
	}
}

// reportGuesses warns about imported kinds for which neither a marker nor a manifest says how a server serves them.
func (p *Facts) reportGuesses(diags *diag.List) {
	for _, pkg := range p.units {
		if !p.cfg.Import.takes(pkg.Source) {
			continue
		}
		guessed := false
		for k := range pkg.Readable() {
			if k.Served != nil {
				continue
			}
			if guessed = true; k.Marker("genclient") != nil || k.Defined != (model.Source{}) {
				continue
			}
			status := "and without a status subresource"
			if k.Resource.HasStatus {
				status = "with a status subresource"
			}
			diags.Warnf(
				k.Pos, "neither markers nor manifests say how servers serve %s: clients assume namespaced objects, named %s in URLs, %s",
				k.Resource.Kind, k.Resource.Name, status,
			).Suggest("name the module or directory of its manifest with %s", diag.Setting("crds")).Like("guess")
		}
		if guessed && pkg.Types.GroupFrom.Kind == model.FromPath {
			diags.Warnf(
				pkg.Types.Pos, "neither a marker nor a variable names the API group of package %s: clients assume %s, from its path", pkg.Source.Path,
				pkg.Clients.Group,
			).Suggest("copy the types with %s", diag.Setting("copy"))
		}
	}
}
