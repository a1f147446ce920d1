package plan

import (
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func TestChoose(t *testing.T) {
	const warned, refused = diag.Warning, diag.Error
	for _, test := range []struct {
		flag, module, version, workspace string
		want                             model.Release
		builds                           string // Choice.Workspace
		said                             diag.Severity
		silent                           bool
	}{
		{"", "", "", "", model.NewestRelease, "", 0, true},
		{"", clientGo, "v0.35.1", "", 35, "", 0, true},
		{"", "k8s.io/apimachinery", "v0.35.1", "", 35, "", 0, true},
		{"v0.34", clientGo, "v0.35.1", "v0.36.0", 34, "", 0, true},
		{"v0.36", clientGo, "v0.35.1", "", 36, "", warned, false},
		{"v0.36", "k8s.io/apimachinery", "v0.35.1", "", 36, "", 0, true}, // package facts says which client-go to get
		{"", clientGo, "v0.32.1", "", 32, "", refused, false},
		{"", clientGo, "v0.99.1", "", model.PreviewRelease, "", warned, false},
		{"", clientGo, "v0.38.0-beta.0", "", 38, "", 0, true},
		{"v0.38", clientGo, "v0.37.2", "", 38, "", warned, false},
		{"", clientGo, "v0.37.2", "v0.38.0-beta.0", 37, "v0.38.0-beta.0", warned, false},
		{"", clientGo, "v0.35.1", "v0.35.2", 35, "", 0, true},
		{"", clientGo, "v0.35.1", "v0.37.2", 35, "v0.37.2", 0, true},
		{"", clientGo, "v0.36.1", "v0.34.1", 34, "v0.34.1", 0, true}, // by a replace directive of go.work
		{"", clientGo, "v0.33.1", "v0.37.2", 33, "v0.37.2", warned, false},
		{"", clientGo, "v0.34.1", "v0.33.2", 34, "v0.33.2", warned, false},
		{"", clientGo, "v0.36.1", "v0.99.0", 36, "v0.99.0", warned, false},
		{"", clientGo, "v0.36.1", "v0.0.0", 36, "", 0, true},
	} {
		p := &Plan{Flags: &Flags{ClientGoVersion: test.flag}}
		var err error
		if p.Wanted, err = p.Flags.release(); err != nil {
			t.Fatal(err)
		}
		got, diags := p.Choose(model.Dependency{Module: test.module, Version: test.version, Workspace: test.workspace})
		if got.Release != test.want || got.Workspace != test.builds {
			t.Errorf("%+v: got %s, and the workspace builds with %q", test, got.Release, got.Workspace)
		}
		if silent := len(diags) == 0; silent != test.silent || !silent && (len(diags) > 1 || diags[0].Severity != test.said) {
			t.Errorf("%+v: %d messages", test, len(diags))
		}
	}
}

// TestChooseBySource chooses by what the source of client-go shows, whatever its version is.
func TestChooseBySource(t *testing.T) {
	like := func(release model.Release) model.Shown {
		shown := model.Shown{}
		for _, c := range model.Capabilities() {
			shown[c] = release.Has(c)
		}
		return shown
	}
	partly := like(36)
	partly[model.TypedInformers] = true
	for _, test := range []struct {
		version string
		shown   model.Shown
		missing []model.Evidence
		want    model.Release
		refused bool
	}{
		{"v0.38.0-alpha.0", like(37), nil, 37, false},
		{"v0.37.0-alpha.1", partly, nil, 36, false},
		{"v0.99.0", like(38), nil, 38, false},
		{"v0.0.0", like(35), nil, 35, false},
		{"v0.99.0", like(38), []model.Evidence{{Package: "k8s.io/client-go/rest", Name: "Gone"}}, 38, true},
	} {
		dep := model.Dependency{Module: clientGo, Version: test.version, Shown: test.shown, Missing: test.missing}
		got, diags := (&Plan{Flags: &Flags{}}).Choose(dep)
		if got.Release != test.want || diags.HasErrors() != test.refused || len(diags) > 1 || !test.refused && len(diags) > 0 {
			t.Errorf("%s: got %s and %d messages", test.version, got.Release, len(diags))
		}
		if got.Has(model.TypedInformers) != test.shown[model.TypedInformers] {
			t.Errorf("%s: typed informers are not those of the source", test.version)
		}
	}
}
