package plan

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// release parses --client-go-version. It returns 0 if the flag is not set.
func (f *Flags) release() (model.Release, error) {
	if f.ClientGoVersion == "" {
		return 0, nil
	}
	release, err := model.ParseRelease(f.ClientGoVersion)
	if err == nil && release < model.OldestRelease {
		err = fmt.Errorf("%s is older than %s, the oldest supported release", release, model.OldestRelease)
	}
	if err != nil {
		return 0, diag.Errorf("%s: %w", diag.Setting("client-go-version"), err)
	}
	return release, nil
}

// Choice is the client-go to generate for, and the origin of its release.
type Choice struct {
	model.Client
	From model.Source
	// Workspace is the version of client-go selected by the workspace of the output's module if it belongs to another
	// release; otherwise "".
	Workspace string
}

// Choose returns the client-go to generate for: the release of the flag, else the release required by the output's
// module, else the newest release. If the module's workspace selects another release, Choose returns the older one,
// provided that its code compiles with both, and otherwise the release of the module. For a version that is not known,
// the capabilities in the source of client-go decide.
func (p *Plan) Choose(dep model.Dependency) (chosen Choice, diags diag.List) {
	has, known := model.ReleaseOf(dep.Version)
	if dep.Shown != nil {
		has, known = dep.Shown.Release(), true
	}
	chosen = Choice{
		Client: model.Client{Release: p.Wanted},
		From:   model.Source{Kind: model.FromFlag, Text: "--client-go-version=" + p.Flags.ClientGoVersion},
	}
	what, pos := diag.Textf("%s %s", diag.Setting("client-go-version"), p.Flags.ClientGoVersion), token.Position{}
	if p.Wanted == 0 {
		if !known {
			return Choice{Client: model.Client{Release: model.NewestRelease}}, nil
		}
		what, pos = diag.Textf("%s %s", dep.Module, dep.Version), dep.Pos
		chosen = Choice{
			Client: model.Client{Release: has, Shown: dep.Shown}, From: model.Source{Kind: model.FromModule, Text: what.String(), Pos: pos},
		}
		if pos.IsValid() && pos.Column == 0 {
			chosen.From.Text += " (required by other modules)"
		}
		if built, ok := model.ReleaseOf(dep.Workspace); ok && built != has && dep.Shown == nil {
			chosen.Workspace = dep.Workspace
			chosen.Release = p.inWorkspace(has, built, dep, &diags)
		}
	}
	if len(dep.Missing) > 0 {
		var names []string
		for _, missing := range dep.Missing {
			names = append(names, missing.String())
		}
		diags.Errorf(pos, "%s lacks %s, which generated code needs", what, strings.Join(names, " and ")).
			Suggest("update kubegen").Or("go get %s@%s", clientGo, model.NewestRelease)
		return chosen, diags
	}
	switch {
	case chosen.Release < model.OldestRelease:
		diags.Errorf(pos, "%s is older than %s, the oldest supported release", what, model.OldestRelease).
			Suggest("go get k8s.io/client-go@%s", model.OldestRelease)
	case chosen.Release > model.PreviewRelease:
		diags.Warnf(pos, "%s is newer than %s, the newest known release: generating for that release", what, model.PreviewRelease).
			Suggest("update kubegen").Or("use %s %s", diag.Setting("client-go-version"), model.PreviewRelease)
		chosen.Release = model.PreviewRelease
	}
	if known && has < chosen.Release && dep.Module == clientGo { // without client-go, package facts advises which version to add
		diags.Warnf(dep.Pos, "%s %s is too old for code generated for %s", dep.Module, dep.Version, chosen.Release).
			Suggest("go get k8s.io/client-go@%s", chosen.Release)
	}
	return chosen, diags
}

const clientGo = "k8s.io/client-go"

// inWorkspace returns the release to generate for if the module requires one release, alone, and its workspace builds
// with another.
func (p *Plan) inWorkspace(alone, built model.Release, dep model.Dependency, diags *diag.List) model.Release {
	if older := min(alone, built); older.WorksWith(max(alone, built)) {
		return older
	}
	d := diags.Warnf(
		dep.Pos, "the workspace builds with %s %s, but code generated for %s does not compile with it", clientGo, dep.Workspace, alone,
	)
	if d.Suggest("build this module with GOWORK=off"); alone < built {
		d.Run("go get %s@%s in this module, or build it with GOWORK=off", clientGo, dep.Workspace)
	}
	return alone
}
