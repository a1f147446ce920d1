package parser

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/copies"
	"github.com/kubegen/kubegen/internal/gomod"
	"github.com/kubegen/kubegen/internal/registration"
)

// outputRoot returns the directory of the module that the output of all packages goes to, "" where there is none.
func (p *parser) outputRoot() string {
	dir, _ := filepath.Abs(cmp.Or(p.cfg.Output, p.cfg.Dir))
	return p.Modules.Root(dir)
}

// requireInstall checks what the scheme of a clientset with unversioned types calls.
func (p *parser) requireInstall(units []*unit) {
	if !p.cfg.Clients || p.cfg.Listing {
		return
	}
	var packages []registration.Package
	for _, u := range units {
		packages = append(packages, u.registered())
	}
	registration.RequireInstall(p.Loader, packages)
}

// reportObjects warns about kinds and lists that lack a method of objects.
func (p *parser) reportObjects(units []*unit) {
	if !p.cfg.Clients || p.cfg.Policy.NoAdvice {
		return
	}
	var found []copies.Objects
	for _, u := range units {
		if u.src.Foreign || u.src.Broken() {
			continue
		}
		objects := copies.Objects{Source: u.src, Copies: p.copies[u.src]}
		for _, k := range u.kinds {
			if k.resource != nil {
				objects.Names = append(objects.Names, k.resource.Kind, k.resource.List.Name)
			}
		}
		found = append(found, objects)
	}
	copies.ReportObjects(p.Loader, found, len(p.cfg.DeepCopy) > 0)
}

// reportDependencies says which commands complete the module in the directory root once there is generated code, which imports
// client-go.
func (p *parser) reportDependencies(root string) {
	out := p.Modules.In(root)
	if out == nil || !p.cfg.Clients || p.cfg.Policy.NoAdvice || gomod.IsModule(out, gomod.ClientGo) {
		return
	}
	pos := token.Position{Filename: out.Syntax.Name, Line: 1}
	if !gomod.Requires(out, gomod.ClientGo) {
		in := ""
		if here, _ := filepath.Abs(p.cfg.Dir); p.Modules.Above(here) != out {
			rel, _ := filepath.Rel(here, root)
			in = " in " + filepath.ToSlash(rel)
		}
		p.Warnf(pos, "generated code imports %s, which go.mod does not require", gomod.ClientGo).
			Suggest("run go get %s@%s and then go mod tidy%s", gomod.ClientGo, p.Modules.ToGet(p.Modules.Release(root)), in)
		return
	}
	if _, commands := p.WhyMissing(gomod.ClientGoPackage); commands != "" && slices.Contains(p.Modules.Files, out) {
		p.Warnf(pos, "generated code imports %s, for which go.sum has no checksum", gomod.ClientGo).Suggest("run go mod tidy")
	}
}
