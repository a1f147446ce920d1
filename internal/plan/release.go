package plan

import (
	"fmt"
	"go/token"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
)

// release parses --client-go-version; it returns 0 if the flag is not set.
func (f *Flags) release() (model.Release, error) {
	if f.ClientGoVersion == "" {
		return 0, nil
	}
	release, err := model.ParseRelease(f.ClientGoVersion)
	if err == nil && release < model.OldestRelease {
		err = fmt.Errorf("%s is older than %s, the oldest supported release", release, model.OldestRelease)
	}
	if err != nil {
		return 0, fmt.Errorf("--client-go-version: %w", err)
	}
	return release, nil
}

// ReleaseSource says which release of client-go the code is for, and what determines it: the flag, or a module that the module of the
// output requires. For neither it is the newest.
func (p *Plan) ReleaseSource(selected model.Dependency, name func(file string) string) string {
	release := p.Release(selected, &diag.List{})
	switch _, known := model.ReleaseOf(selected.Version); {
	case p.wanted != 0:
		return fmt.Sprintf("client-go %s, of --client-go-version", release)
	case !known:
		return fmt.Sprintf("client-go %s, the newest known release: no go.mod requires k8s.io/client-go, apimachinery or api", release)
	case selected.Pos.IsValid():
		return fmt.Sprintf("client-go %s, of %s %s in %s", release, selected.Path, selected.Version, name(selected.Pos.Filename))
	}
	return fmt.Sprintf("client-go %s, of %s %s", release, selected.Path, selected.Version)
}

// Release returns the release of client-go to generate for: that of the flag, or else that of the module which determines it, or
// else the newest.
func (p *Plan) Release(selected model.Dependency, diags *diag.List) model.Release {
	release, pos, what := p.wanted, token.Position{}, "--client-go-version "+p.flags.ClientGoVersion
	has, known := model.ReleaseOf(selected.Version)
	if release == 0 {
		if !known {
			return model.NewestRelease
		}
		release, pos, what = has, selected.Pos, selected.Path+" "+selected.Version
	}
	switch {
	case release < model.OldestRelease:
		diags.Errorf(pos, "%s is older than %s, the oldest supported release", what, model.OldestRelease).
			Suggest("go get k8s.io/client-go@%s", model.OldestRelease)
	case release > model.NewestRelease:
		diags.Warnf(pos, "%s is newer than %s, the newest known release: generating for that release", what, model.NewestRelease).
			Suggest("update kubegen, or use --client-go-version %s", model.NewestRelease)
		release = model.NewestRelease
	}
	if known && has < release {
		diags.Warnf(selected.Pos, "%s %s is too old for code generated for %s", selected.Path, selected.Version, release).
			Suggest("go get k8s.io/client-go@%s", release)
	}
	return release
}
