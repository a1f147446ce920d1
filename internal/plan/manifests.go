package plan

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// manifestsDir returns the directory for the manifests of a generator, or "" if none are written.
func (p *Plan) manifestsDir(info *Info) (string, error) {
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
func (p *Plan) manifestHeader(info *Info) (string, error) {
	flag, file, year := ManifestHeader, p.Flags.ManifestHeader, p.Flags.Year
	if p.OwnHeaders {
		flag = HeaderFlag(info.Name)
		file, year = p.Flags.Settings.Text(flag), p.Flags.Settings.Text(YearFlag(info.Name))
	}
	if file == "" || !info.hasHeader() {
		return "", nil
	}
	text, err := load.ReadNamed(p.At(file), maxHeader)
	if err != nil {
		return "", diag.Errorf("%s: %w", diag.Setting(flag), err)
	}
	return strings.ReplaceAll(string(text), " YEAR", " "+year), nil
}

// manifests decides which manifests the run writes.
func (p *Plan) manifests() error {
	var errs []error
	for _, info := range p.all {
		if info.Manifests == nil {
			continue
		}
		dir, err := p.manifestsDir(info)
		if err == nil && dir != "" {
			t := Target{Of: info, Dir: dir}
			if t.Header, err = p.manifestHeader(info); err == nil {
				err = p.CheckOutput(dir, info.EnableFlag.Name)
			}
			if err == nil {
				p.ManifestTargets = append(p.ManifestTargets, t)
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Writes reports whether the plan executes the generator of manifests with a name.
func (p *Plan) Writes(generator string) bool {
	return slices.ContainsFunc(p.ManifestTargets, func(t Target) bool { return t.Info().Name == generator })
}
