package facts

import (
	"cmp"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// outputRoot returns the module directory of the output for all packages, or "".
func (p *Facts) outputRoot() string { return p.Modules.Root(cmp.Or(p.cfg.Plan.Output, p.At("."))) }

// requireModules reports Kubernetes modules that the types import but that cannot be read. There is one error for each
// reason, whatever the number of fields, with one command for all modules.
func requireModules(l *load.Loader, found []*load.Package, withClientGo bool) (diags diag.List) {
	missing := map[string]token.Position{} // position of an import by module path
	reasons := map[string]string{}         // commands by reason
	for _, src := range found {
		if src.Foreign || !src.Mentions(markers.Genclient) && !src.Mentions("TypeMeta") {
			continue
		}
		for f := range src.Parsed() {
			if gofile.MarkOf(f.Text) != "" {
				continue
			}
			for _, spec := range f.Syntax.Imports {
				importPath, _ := strconv.Unquote(spec.Path.Value)
				module := load.KubernetesModule(importPath)
				if module == "" || missing[module] != (token.Position{}) || l.Imported(f, importPath) != nil {
					continue
				}
				switch why, command := l.WhyMissing(importPath); {
				case command == "":
				case !l.Modules.Requires(module):
					missing[module] = l.Fset.Position(spec.Pos())
				case reasons[why] == "":
					reasons[why] = command
					diags.Errorf(l.Fset.Position(spec.Pos()), "cannot read %s, which the types import: %s", module, why).Run("%s", command)
				}
			}
		}
	}
	reportMissing(l, missing, withClientGo, &diags)
	return diags
}

// reportMissing reports modules that no go.mod file requires, at their first import.
func reportMissing(l *load.Loader, missing map[string]token.Position, withClientGo bool, diags *diag.List) {
	if len(missing) == 0 {
		return
	}
	needed := slices.Sorted(maps.Keys(missing))
	first := slices.MinFunc(slices.Collect(maps.Values(missing)), func(a, b token.Position) int {
		return cmp.Or(strings.Compare(a.Filename, b.Filename), a.Offset-b.Offset)
	})
	what := strings.Join(needed, " and ")
	if needed = append(needed, "k8s.io/apimachinery"); withClientGo {
		needed = append(needed, load.ClientGo)
	}
	diags.Errorf(first, "go.mod does not require %s, which the types import", what).Run("%s", l.Modules.Get(needed...))
}

// requireAddToScheme checks that the generated scheme finds the registration of a package's types. If it does not, and
// a kind embeds a type that cannot be read, it only reports this: perhaps the type would make the kind one to register.
func requireAddToScheme(l *load.Loader, pkg *kinds.Package, by *products.Output, diags *diag.List) {
	var missing diag.List
	by.RequireAddToScheme(l, pkg, &missing)
	if len(missing) == 0 {
		return
	}
	for _, k := range pkg.Included {
		for _, f := range k.Fields.List {
			t := f.Type.Deref()
			if !f.Embedded || l.Imported(k.File, t.Name.Path) != nil {
				continue
			}
			why, commands := l.WhyMissing(t.Name.Path)
			if why == "" {
				continue
			}
			d := diags.Errorf(f.Pos, "cannot read %s, which kind %s embeds: %s", t.Name.Path, k.Name(), why).Once(t.Name.Missing())
			if commands == "" {
				d.Suggest("correct the import path, or run go mod tidy")
			} else {
				d.Run("%s", commands)
			}
			return
		}
	}
	*diags = append(*diags, missing...)
}

// reportObjects warns about kinds and lists, and other types with functions that set defaults, without DeepCopyObject.
func (p *Facts) reportObjects(outline *gotypes.Reader) (diags diag.List) {
	if p.cfg.Policy.NoAdvice {
		return diags
	}
	var found []products.CopiedObjects
	for _, src := range p.found {
		objects := p.objects(src)
		if of := p.models[src].Defaults; of != nil && !src.Broken() {
			for _, t := range of.Types {
				if t.Object && t.Path == src.Path {
					objects.Names = append(objects.Names, t.Name)
				}
			}
			found = append(found, objects)
		}
	}
	for _, pkg := range p.units {
		if !p.cfg.Needs.Scheme {
			break
		}
		if p.cfg.Import.takes(pkg.Source) {
			p.requireObjects(pkg, &diags)
		}
		if pkg.Source.Foreign || pkg.Source.Broken() {
			continue
		}
		objects := p.objects(pkg.Source)
		for k := range pkg.Readable() {
			objects.Names = append(objects.Names, k.Resource.Kind, k.Resource.List.Name)
		}
		found = append(found, objects)
	}
	products.ReportObjects(outline, found, p.cfg.Output.Writes(products.Copies), &diags)
	return diags
}

// reportTypes advises how the module in the directory root can import packages of other main modules without a
// workspace.
func (p *Facts) reportTypes(root string, packages []*load.Package, diags *diag.List) {
	out := p.Modules.In(root)
	if out == nil || !p.cfg.Needs.Kinds || p.cfg.Policy.NoAdvice || len(p.Modules.Workspace) > 0 {
		return
	}
	reported := map[string]bool{}
	for _, src := range packages {
		types := p.Modules.In(src.Module)
		if types == nil || types == out || types.Module == nil || reported[src.Module] || load.Requires(out, types.Module.Mod.Path) {
			continue
		}
		reported[src.Module] = true
		path := types.Module.Mod.Path
		from, _ := filepath.Rel(root, src.Module)
		dir := filepath.ToSlash(from)
		if filepath.IsLocal(from) {
			dir = "./" + dir
		}
		diags.Warnf(token.Position{Filename: out.Syntax.Name, Line: 1}, "generated code imports %s, which go.mod does not require", path).
			Run("go mod edit -require=%s@%s -replace=%s=%s", path, unreleased(path), path, dir)
	}
}

// unreleased returns a version for a module that is replaced with a directory.
func unreleased(path string) string {
	_, major, _ := module.SplitPathVersion(path)
	return cmp.Or(module.PathMajorPrefix(major), "v0") + ".0.0"
}

// reportDependencies advises how to complete go.mod and go.sum of the module in the directory root for generated code,
// which imports client-go and perhaps the store of own writes.
func (p *Facts) reportDependencies(root string) (diags diag.List) {
	out := p.Modules.In(root)
	if out == nil || !p.cfg.Needs.Scheme || p.cfg.Policy.NoAdvice || load.IsModule(out, load.ClientGo) {
		return diags
	}
	pos := token.Position{Filename: out.Syntax.Name, Line: 1}
	var missing, get []string
	if !load.Requires(out, load.ClientGo) {
		missing, get = append(missing, load.ClientGo), append(get, load.ClientGo+"@"+p.Modules.GetClientGo(root))
	}
	if p.cfg.Needs.OwnWrites && !load.Requires(out, load.Consistency) {
		missing, get = append(missing, load.Consistency), append(get, load.Consistency)
	}
	if len(missing) > 0 {
		in := ""
		if here := p.At("."); p.Modules.Above(here) != out {
			rel, _ := filepath.Rel(here, root)
			in = " in " + filepath.ToSlash(rel)
		}
		vendor := ""
		if _, err := os.Stat(filepath.Join(root, "vendor", "modules.txt")); err == nil {
			vendor = " and then go mod vendor"
		}
		diags.Warnf(pos, "generated code imports %s, which go.mod does not require", strings.Join(missing, " and ")).
			Run("go get %s and then go mod tidy%s%s", strings.Join(get, " "), vendor, in)
		return diags
	}
	if _, commands := p.WhyMissing(load.ClientGoPackage); commands != "" && slices.Contains(p.Modules.Files, out) {
		diags.Warnf(pos, "generated code imports %s, for which go.sum has no checksum", load.ClientGo).Run("go mod tidy")
	} else if modules := p.Unsummed(); len(modules) > 0 {
		diags.Warnf(pos, "generated code needs %s, for which go.sum has no checksum", strings.Join(modules, " and ")).Run("go mod tidy")
	}
	return diags
}

// reportMixed reports that client-go has another release than the modules released together with it, for generated code
// in the module in the directory root. It is an error if the code would not compile, unless the release is given.
func (p *Facts) reportMixed(root string, diags *diag.List) {
	mixed := p.Modules.Mixed(root)
	if mixed == nil || !p.cfg.Needs.Kinds || !mixed.Breaks && (p.cfg.Policy.NoAdvice || mixed.InWorkspace) {
		return
	}
	accepted := !mixed.Breaks || mixed.InWorkspace || p.cfg.Purpose == ToList || p.cfg.Policy.NoAdvice || p.Modules.Given()
	diags.Mistakef(accepted, mixed.Pos(), "", "%s", mixed).Suggest("%s", mixed.Remedy())
}
