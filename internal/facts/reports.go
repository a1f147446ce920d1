package facts

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/checks"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// reported returns the list without diagnostics that another command reports: warnings and notes with a position.
func reported(by model.Reports, list diag.List) diag.List {
	if !by.Nothing {
		return list
	}
	return slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error && d.Pos.IsValid() })
}

// check runs the checks with a value of Last, after others have reported. Kinds with errors lose their resources.
func (p *Facts) check(outline *gotypes.Reader, last bool, reported diag.List) diag.List {
	diags := checks.Run(checks.Pass{
		Plan: p.cfg.Plan, Manifests: p.cfg.Manifests,
		Roles: p.FileMarkers(markers.Roles), Webhooks: p.FileMarkers(markers.Webhooks), Applied: p.FileMarkers(markers.Applied),
		Types: outline, Packages: p.checked, Sources: p.all, Imported: p.imported, Unseen: p.unseen, Reported: reported, Harmless: p.harmless,
	}, last)
	for _, pkg := range p.checked {
		for _, k := range pkg.Kinds {
			if k.Refused {
				k.Resource = nil
			}
		}
	}
	return diags
}

// soften turns warnings about packages of other modules into notes, because users cannot edit these packages. It
// removes the ones of checks, and advice to change the types.
func (p *Facts) soften(diags *diag.List) {
	foreign := map[string]bool{}
	for _, src := range p.Known {
		if src != nil && src.Foreign {
			for _, f := range src.Files {
				foreign[f.Name] = true
			}
		}
	}
	*diags = slices.DeleteFunc(*diags, func(d *diag.Diagnostic) bool {
		byCommand := d.ByCommand()
		switch {
		case !foreign[d.Pos.Filename]:
		case d.Severity != diag.Error:
			if d.Severity = diag.Note; !byCommand {
				d.Elsewhere()
				return d.Check != ""
			}
		case byCommand:
		case p.cfg.Import != nil:
			d.Elsewhere(diag.Textf("leave the kind out with %s", diag.Setting("kinds")), diag.Textf("copy the types with %s", diag.Setting("copy")))
		default:
			d.Elsewhere(diag.Textf("leave this package out, which is in another module"))
		}
		return false
	})
}

// passedOver is a package for which nothing is generated, and the reason.
type passedOver struct {
	src       *load.Package
	why       string
	candidate bool // it has types that may have been meant
}

func (p *Facts) passOver(src *load.Package, why string, candidate bool) bool {
	p.passed = append(p.passed, passedOver{src, why, candidate})
	return false
}

// reportNothing reports that no kind was found, with the reason for each package.
func (p *Facts) reportNothing(diags *diag.List) {
	if p.cfg.Import != nil {
		diags.Errorf(token.Position{}, "nothing to import: %s %s", noKinds, strings.Join(p.patterns, " ")).About(p.patterns...).
			Suggest("name the packages of the kinds")
		return
	}
	if p.cfg.Flags.ByMarkers {
		return // the check apply-marker reports the kinds
	}
	packages := "the package"
	if len(p.all) > 1 {
		packages = fmt.Sprintf("any of %d packages", len(p.all))
	}
	diags.Mistakef(p.cfg.Policy.AcceptMistakes, token.Position{}, "", "nothing to generate: no type in %s is marked +genclient", packages).
		Suggest("put // +genclient directly above the types that need a client")
	for _, passed := range p.passed {
		if !passed.candidate && len(p.passed) > 1 {
			continue // of many packages, list only the candidates
		}
		diags.Notef(token.Position{}, "looked at %s: %s", passed.src.Path, passed.why)
	}
}

// notePassed notes packages that were named explicitly, but for which nothing is generated. Packages that are only
// matched by a pattern such as ./... are not noted, because they need not be part of the API.
func (p *Facts) notePassed(apis []*model.API, diags *diag.List) {
	used := map[string]bool{}
	for _, api := range apis {
		for _, pkg := range api.Packages {
			if pkg != nil && pkg.HasFiles() {
				used[pkg.Path] = true
			}
		}
		for v := range api.Versions() {
			for _, pkg := range v.Packages {
				used[pkg.Path] = true
			}
			for _, s := range v.Structs {
				used[s.Package.Path] = true
			}
		}
	}
	named := p.Named(p.patterns)
	for _, passed := range p.passed {
		if used[passed.src.Path] || !named(passed.src.Path, passed.src.Dir()) {
			continue
		}
		pos := p.PackagePos(passed.src)
		if p.cfg.Import.takes(passed.src) {
			pos = token.Position{}
		}
		diags.Notef(pos, "nothing is generated for package %s: %s", passed.src.Path, passed.why)
	}
}

// reportNoPackages reports patterns that match no packages, or only imported ones.
func (p *Facts) reportNoPackages() (diags diag.List) {
	patterns := strings.Join(p.patterns, " ")
	if len(p.imported) > 0 {
		d := diags.Mistakef(p.cfg.MayBeEmpty, token.Position{}, "", "no packages other than imported ones match %s", patterns)
		d.About(p.patterns...).Suggest("%s", load.Advice(p.patterns...))
		p.noteImported(&diags)
		return diags
	}
	d := diags.Mistakef(p.cfg.MayBeEmpty, token.Position{}, "", "no packages match %s", patterns).About(p.patterns...)
	if len(p.patterns) != 1 || !p.Suggest(d, p.patterns[0]) {
		d.Suggest("%s", load.Advice(p.patterns...))
	}
	p.unseen = p.patterns
	return diags
}

// noteImported notes packages that were omitted because they are imported from manifests.
func (p *Facts) noteImported(diags *diag.List) {
	for _, src := range p.imported {
		diags.Notef(p.PackagePos(src), "the types of this package are imported, so that %s generates its clients", diag.Textf("kubegen import")).
			Suggest("list the manifests under imports in kubegen.yaml, or name the package")
	}
}
