package products

import (
	"go/ast"
	"go/token"
	"path"
	"slices"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// AddsToScheme reports whether a package declares AddToScheme.
func AddsToScheme(l *load.Loader, src *load.Package) bool { return declares(l, src, "AddToScheme") }

// declares reports whether a package declares a name other than a type.
func declares(l *load.Loader, src *load.Package, name string) bool {
	d, ok := l.Lookup(src, name)
	return ok && d.Type == nil
}

// isFunction reports whether a package declares a function. A variable may have a function of another package.
func isFunction(l *load.Loader, src *load.Package, name string) bool {
	d, _ := l.Lookup(src, name)
	_, is := d.Node.(*ast.FuncDecl)
	return is
}

// RequireAddToScheme reports an error if the generated scheme would not find the registration of the package's types,
// which is in the package, or written by this run or register-gen. For a package that users cannot change, it
// determines whether it has a SchemeBuilder instead, or the clientset registers its kinds, also if the package's
// AddToScheme returns something else than Go's error.
func (o *Output) RequireAddToScheme(l *load.Loader, pkg *kinds.Package, diags *diag.List) {
	at, hidden := pkg.Types.Hides["error"]
	hidden = hidden && isFunction(l, pkg.Source, "AddToScheme")
	if hidden && !pkg.Source.Foreign {
		diags.Errorf(at, "package %s declares error as something else, but the generated scheme calls its AddToScheme, which must return Go's",
			pkg.Source.Path).Suggest("rename error")
		return
	}
	registerGen := slices.ContainsFunc(pkg.Markers, func(m model.Marker) bool { return m.Name == model.RegisterSwitch && m.Text != "false" })
	if !hidden && (AddsToScheme(l, pkg.Source) || registerGen) || pkg.Types.Registration != nil && !pkg.Source.Foreign || pkg.Source.Broken() {
		return
	}
	if pkg.Source.Foreign {
		if pkg.Types.Unregistered = !declares(l, pkg.Source, "SchemeBuilder"); !pkg.Types.Unregistered {
			pkg.Types.SchemeBuilder = "SchemeBuilder"
		}
		return
	}
	d := diags.Errorf(pkg.Types.Pos, "package %s has no AddToScheme function, which the generated scheme calls", pkg.Source.Path)
	switch {
	case pkg.Clients.Version == "": // no tool writes it
	case o.Policy.AdviseGenRegister:
		d.Or("run gen-register for it with +groupName or +k8s:register-gen=package")
	case !o.Writes(Registration):
		d.Or("add %s", diag.Setting("with-register"))
	}
	d.Or("declare func AddToScheme(*runtime.Scheme) error in it")
}

// RequireInstall checks the packages that register the types of a clientset with unversioned types: the package install
// in the directory of each group.
func RequireInstall(l *load.Loader, packages []*kinds.Package, diags *diag.List) {
	if !slices.ContainsFunc(packages, func(pkg *kinds.Package) bool {
		return pkg.Clients.Version == "" && !pkg.Types.Off(model.ClientSwitch)
	}) {
		return
	}
	seen := map[string]bool{}
	for _, pkg := range packages {
		install := pkg.Source.Path + "/install"
		if pkg.Clients.Version != "" {
			install = path.Dir(pkg.Source.Path) + "/install"
		}
		if seen[install] || pkg.Types.Off(model.ClientSwitch) {
			continue
		}
		seen[install] = true
		if src := l.Imported(nil, install); src != nil && (declares(l, src, "Install") || src.Broken()) {
			continue
		}
		diags.Errorf(pkg.Types.Pos, "package %s has no Install function, which the scheme of a clientset with unversioned types calls", install).
			Suggest("declare func Install(scheme *runtime.Scheme) there; it must call AddToScheme of all versions of the group")
	}
}

// ReportMismatches warns about kinds that the package only registers in a group or version other than its own. Clients
// cannot decode them. It is an error if the package's own group is a guess.
func (o *Output) ReportMismatches(l *load.Loader, pkg *kinds.Package) (diags diag.List) {
	if pkg.Clients.Version == "" {
		return nil
	}
	var names []string
	for _, k := range pkg.Included {
		names = append(names, k.Name())
	}
	places := map[string][]place{}
	for f := range pkg.Source.Parsed("AddKnownTypes(") {
		for call := range load.Nodes[*ast.CallExpr](f.Syntax) {
			if method, ok := call.Fun.(*ast.SelectorExpr); !ok || method.Sel.Name != "AddKnownTypes" || len(call.Args) < 2 {
				continue
			}
			group, version := kinds.Evaluate(l, pkg.Source, f, call.Args[0], 0)
			for _, arg := range call.Args[1:] {
				if kind, ok := newType(arg).(*ast.Ident); ok && slices.Contains(names, kind.Name) {
					places[kind.Name] = append(places[kind.Name], place{l.Fset.Position(arg.Pos()), group, version})
				}
			}
		}
	}
	for _, kind := range names {
		found := places[kind]
		delete(places, kind) // it may be declared again
		if len(found) == 0 || slices.ContainsFunc(found, func(at place) bool { return at.mayBe(pkg) }) {
			continue
		}
		first := found[0]
		from := pkg.Types.GroupFrom
		if from.Kind == model.FromPath && !pkg.Types.Foreign && *first.group != pkg.Clients.Group {
			kinds.ReportLostGroup(o.Policy, pkg.Types, pkg.Clients.Group, *first.group, first.pos, &diags)
			return diags
		}
		if *first.group == pkg.Clients.Group {
			from = pkg.Types.VersionFrom
		}
		diags.Warnf(
			first.pos, "%s is registered in %s/%s, but belongs to %s/%s", kind, *first.group, *first.version, pkg.Clients.Group,
			pkg.Clients.Version,
		).WithRelated(from.Pos).Suggest("make them the same; otherwise clients cannot decode it")
	}
	return diags
}

// place is the position, group and version of a kind's registration. group or version is nil if syntax does not
// determine it.
type place struct {
	pos            token.Position
	group, version *string
}

// mayBe reports whether the registration may be in the package's own group and version.
func (at place) mayBe(pkg *kinds.Package) bool {
	return at.group == nil || at.version == nil || *at.group == pkg.Clients.Group && *at.version == pkg.Clients.Version
}

// newType returns T in &T{} and new(T), or nil.
func newType(expr ast.Expr) ast.Expr {
	switch expr := expr.(type) {
	case *ast.UnaryExpr:
		if lit, ok := expr.X.(*ast.CompositeLit); ok && expr.Op == token.AND {
			return lit.Type
		}
	case *ast.CallExpr:
		if fn, ok := expr.Fun.(*ast.Ident); ok && fn.Name == "new" && len(expr.Args) == 1 {
			return expr.Args[0]
		}
	}
	return nil
}
