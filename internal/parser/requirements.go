package parser

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/gomod"
)

// outputRoot returns the directory of the module that the output of all packages goes to, "" where there is none.
func (p *parser) outputRoot() string {
	dir, _ := filepath.Abs(cmp.Or(p.cfg.Output, p.cfg.Dir))
	return p.Modules.Root(dir)
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
