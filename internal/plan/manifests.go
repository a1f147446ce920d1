package plan

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Configured returns the generator of manifests of a type that a plan executes, or nil if there is none.
func Configured[G render.Generator](p *Plan) *G {
	for _, t := range p.ManifestTargets {
		if g, ok := t.Generator.(G); ok {
			return &g
		}
	}
	return nil
}

// Defines reports whether the plan executes a generator of CustomResourceDefinitions.
func (p *Plan) Defines() bool { return len(p.definers()) > 0 }

// definers returns the generators of CustomResourceDefinitions that the plan executes.
func (p *Plan) definers() (found []render.Definer) {
	for _, t := range p.ManifestTargets {
		if g, ok := t.Generator.(render.Definer); ok {
			found = append(found, g)
		}
	}
	return found
}

// manifestsDir returns the directory for the manifests of a generator, or "" if none are written.
func (p *Plan) manifestsDir(info *render.Info) (string, error) {
	flag := info.EnableFlag.Name
	dir := p.Flags.Settings.Text(flag)
	if dir == "" && len(p.Flags.Only) > 0 && p.Flags.selects(info.Name) {
		dir = "true"
	}
	switch {
	case dir == "" || dir == "false" || !p.Flags.selects(info.Name):
		return "", nil
	case dir == "true" && info.Manifests.Dir == "":
		return "", diag.Errorf("%s=DIRECTORY is required", diag.Setting(flag))
	case strings.Contains(dir, "..."):
		return "", diag.Errorf("%s: %s is a pattern of packages, not a directory", diag.Setting(flag), diag.Value(dir))
	case dir != "true":
		return p.At(dir), nil
	}
	if err := p.CheckModule(); err != nil {
		return "", err
	}
	root, _, ok := p.FindModule(".")
	if !ok {
		return "", diag.Errorf(
			"no go.mod with a module path here or in a directory above: choose the directory of the manifests with %s=DIRECTORY",
			diag.Setting(flag),
		)
	}
	return filepath.Join(root, filepath.FromSlash(info.Manifests.Dir)), nil
}

// manifestHeader returns the text above each manifest of a generator.
func (p *Plan) manifestHeader(info *render.Info) (string, error) {
	flag := render.HeaderFlag(info.Name)
	file := p.Flags.Settings.Text(flag)
	if file == "" {
		return "", nil
	}
	text, err := load.ReadNamed(p.At(file), maxHeader)
	if err != nil {
		return "", diag.Errorf("%s: %w", diag.Setting(flag), err)
	}
	year := p.Flags.Year
	if p.OwnYears {
		year = p.Flags.Settings.Text(render.YearFlag(info.Name))
	}
	return strings.ReplaceAll(string(text), " YEAR", " "+year), nil
}

// manifests decides which manifests the run writes. It adds errors in existing ones to diags.
func (p *Plan) manifests(overlay *render.Overlay, diags *diag.List) error {
	var errs []error
	for _, g := range p.all {
		if g.Info().Manifests == nil {
			continue
		}
		dir, err := p.manifestsDir(g.Info())
		if err == nil && dir != "" {
			err = p.addManifests(Target{Generator: g, Dir: dir}, overlay, diags)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// addManifests adds a target with a generator of manifests, which it configures.
func (p *Plan) addManifests(t Target, overlay *render.Overlay, diags *diag.List) (err error) {
	if t.Header, err = p.manifestHeader(t.Info()); err != nil {
		return err
	}
	if err := p.CheckOutput(t.Dir, t.Info().EnableFlag.Name); err != nil {
		return err
	}
	if g, ok := t.Generator.(render.Configurable); ok {
		t.Generator, err = g.Configure(render.Setup{
			Environment: p.Environment, Settings: p.Flags.Settings, Dir: t.Dir, Imported: len(p.Flags.Import.Manifests) > 0,
			AnyManifest: p.AnyManifest, NoGates: p.NoGates, Overlay: overlay,
		}, diags)
	}
	if t.Generator != nil {
		p.ManifestTargets = append(p.ManifestTargets, t)
	}
	return err
}
