package parser

import (
	"bytes"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// requireAddToScheme checks that the generated scheme will find the registration of the package's types: in the package, or
// written by this run or register-gen.
func (p *parser) requireAddToScheme(u *unit, found []markers.Marker) {
	registerGen := slices.ContainsFunc(found, func(m markers.Marker) bool { return m.Name == model.RegisterSwitch && m.Value != "false" })
	if d, ok := p.Lookup(u.src, "AddToScheme"); ok && d.Type == nil || u.pkg.Registration != nil && !u.src.Foreign || registerGen || u.src.Broken() {
		return
	}
	advice := "declare func AddToScheme(*runtime.Scheme) error in it"
	switch {
	case u.version == "", u.src.Foreign: // no tool writes it
	case p.cfg.Policy.AdviseGenRegister:
		advice = "run gen-register for it with +groupName or +k8s:register-gen=package, or " + advice
	case len(p.cfg.Registration) == 0:
		advice = "add --with-register, or " + advice
	}
	p.Errorf(u.pkg.Pos, "package %s has no AddToScheme function, which the generated scheme calls", u.src.Path).Suggest("%s", advice)
}

// requireInstall checks the packages that register the types of a clientset with unversioned types: a package install
// in the directory of each group.
func (p *parser) requireInstall(units []*unit) {
	if !p.cfg.Clients || p.cfg.Listing || !slices.ContainsFunc(units, func(u *unit) bool { return u.version == "" && !u.pkg.Off(model.ClientSwitch) }) {
		return
	}
	seen := map[string]bool{}
	for _, u := range units {
		install := u.src.Path + "/install"
		if u.version != "" {
			install = path.Dir(u.src.Path) + "/install"
		}
		if seen[install] || u.pkg.Off(model.ClientSwitch) {
			continue
		}
		seen[install] = true
		src := p.Imported(nil, install)
		if src != nil {
			if d, ok := p.Lookup(src, "Install"); ok && d.Type == nil || src.Broken() {
				continue
			}
		}
		p.Errorf(u.pkg.Pos, "package %s has no Install function, which the scheme of a clientset with unversioned types calls", install).
			Suggest("declare func Install(scheme *runtime.Scheme) there; it must call AddToScheme of all versions of the group")
	}
}

// reportRegistration warns about kinds that the package registers only in a group or version other than its own,
// because clients cannot decode them.
func (p *parser) reportRegistration(u *unit) {
	registered := map[*kind][]registration{}
	for _, f := range u.src.Files {
		if u.version == "" || f.Syntax == nil || !bytes.Contains(f.Text, []byte("AddKnownTypes(")) {
			continue
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			if method, ok := call.Fun.(*ast.SelectorExpr); !ok || method.Sel.Name != "AddKnownTypes" {
				return true
			}
			group, version := p.groupVersionOf(u.src, f, call.Args[0], 0)
			for _, arg := range call.Args[1:] {
				if k := u.kind(instantiated(arg)); k != nil {
					registered[k] = append(registered[k], registration{p.Fset.Position(arg.Pos()), group, version})
				}
			}
			return true
		})
	}
	for _, k := range u.kinds {
		found := registered[k]
		if len(found) == 0 || slices.ContainsFunc(found, func(r registration) bool { return r.mayBe(u) }) {
			continue
		}
		first := found[0]
		from := u.pkg.GroupFrom
		if *first.group == u.group {
			from = u.pkg.VersionFrom
		}
		p.Warnf(first.pos, "%s is registered in %s/%s, but belongs to %s/%s", k.spec.Name.Name, *first.group, *first.version, u.group, u.version).
			SaidAt(from.Pos).Suggest("make them the same; otherwise clients cannot decode it")
	}
}

// registration is the position, group and version of a kind's registration; parts that syntax does not determine are
// nil.
type registration struct {
	pos            token.Position
	group, version *string
}

// mayBe reports whether the registration may be in the package's own group and version.
func (r registration) mayBe(u *unit) bool {
	return r.group == nil || r.version == nil || *r.group == u.group && *r.version == u.version
}

// kind returns the kind of a name, or nil.
func (u *unit) kind(name string) *kind {
	for _, k := range u.kinds {
		if k.spec.Name.Name == name {
			return k
		}
	}
	return nil
}

// instantiated returns the name of T in &T{} and new(T).
func instantiated(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.UnaryExpr:
		if lit, ok := expr.X.(*ast.CompositeLit); ok {
			if ident, ok := lit.Type.(*ast.Ident); ok {
				return ident.Name
			}
		}
	case *ast.CallExpr:
		if fn, ok := expr.Fun.(*ast.Ident); ok && fn.Name == "new" && len(expr.Args) == 1 {
			if ident, ok := expr.Args[0].(*ast.Ident); ok {
				return ident.Name
			}
		}
	}
	return ""
}

// groupVersionOf evaluates an expression of type schema.GroupVersion; parts that syntax does not determine are nil.
func (p *parser) groupVersionOf(src *load.Package, f *load.File, expr ast.Expr, depth int) (group, version *string) {
	switch expr := expr.(type) {
	case *ast.CompositeLit:
		return p.literalGroupVersion(src, f, expr)
	case *ast.Ident:
		if d, ok := p.Lookup(src, expr.Name); ok && d.Value != nil && depth < 8 {
			return p.groupVersionOf(src, d.File, d.Value, depth+1)
		}
	}
	return nil, nil
}

// findSchemes finds the packages that register the input and result types of a kind's methods.
func (p *parser) findSchemes(r *model.Resource) {
	for i := range r.Methods {
		m := &r.Methods[i]
		for _, importPath := range []string{m.Input.Path, m.Result.Path} {
			if importPath != r.Package.Path && !slices.Contains(m.Schemes, importPath) && p.addsToScheme(importPath) {
				m.Schemes = append(m.Schemes, importPath)
			}
		}
	}
}

// addsToScheme reports whether a package registers its types. Packages of k8s.io/api do, which is assumed even if they
// cannot be read yet.
func (p *parser) addsToScheme(importPath string) bool {
	src := p.Known[importPath]
	if src == nil {
		return strings.HasPrefix(importPath, "k8s.io/api/")
	}
	if pkg := p.packages[src]; pkg != nil && pkg.Registration != nil && !src.Foreign {
		return true
	}
	d, ok := p.Lookup(src, "AddToScheme")
	return ok && d.Type == nil
}
