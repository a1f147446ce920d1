package cli

import (
	"fmt"
	"go/token"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/model"
)

// wantedRelease reads --client-go-version; 0 if it is not given.
func (o *options) wantedRelease() (model.Release, error) {
	if o.clientGoVersion == "" {
		return 0, nil
	}
	release, err := model.ParseRelease(o.clientGoVersion)
	if err == nil && release < model.OldestRelease {
		err = fmt.Errorf("%s is older than %s, the oldest to generate for", release, model.OldestRelease)
	}
	if err != nil {
		return 0, fmt.Errorf("--client-go-version: %w", err)
	}
	return release, nil
}

// release returns the release of client-go to generate for: the one that a flag asks for, else the one that the module
// selects, else the newest.
func (r *run) release(selected model.Dependency, diags *diag.List) model.Release {
	wanted := r.wanted
	has, known := model.ReleaseOf(selected.Version)
	switch {
	case wanted == 0 && !known:
		return model.NewestRelease
	case wanted == 0 && has < model.OldestRelease:
		diags.Errorf(selected.Pos, "k8s.io/client-go %s is older than %s, the oldest to generate for", selected.Version, model.OldestRelease).
			Suggest("go get k8s.io/client-go@%s", model.OldestRelease)
	case wanted == 0:
		wanted = has
	case known && has < wanted:
		diags.Warnf(selected.Pos, "k8s.io/client-go %s is too old for what is generated for %s", selected.Version, wanted).
			Suggest("go get k8s.io/client-go@%s", wanted)
	}
	if wanted <= model.NewestRelease {
		return wanted
	}
	pos := selected.Pos
	what := "k8s.io/client-go " + selected.Version
	if r.wanted != 0 {
		pos, what = token.Position{}, "--client-go-version "+r.clientGoVersion
	}
	diags.Warnf(pos, "%s is newer than %s, the newest known: generating for that", what, model.NewestRelease).
		Suggest("update kubegen, or say --client-go-version %s", model.NewestRelease)
	return model.NewestRelease
}
