package run

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/templates"
)

// tree renders the files of one generator. It returns nil if there are none. covered reports whether a package would be
// read if it existed.
func (o *Output) tree(t plan.Target, api *model.API, covered func(string) bool, diags *diag.List) ([]output.Tree, error) {
	if t.Only != nil {
		if api = api.Select(t.Only); len(api.Groups) == 0 {
			return nil, nil
		}
	}
	if t.Lacks != "" && len(api.Groups) > 0 {
		return nil, diag.Errorf("%s is required for the unversioned types of %s", diag.Setting(t.Lacks), api.Groups[0].Versions[0].Packages[0].Path)
	}
	snapshot, err := o.disk.Read(t.Dir, t.Info().Marks()...)
	if err != nil {
		return nil, err
	}
	t.Options.HandWritten, t.Options.Existing = snapshot.HandWritten, snapshot.Content
	var files []output.File
	if len(api.Groups) > 0 || t.Options.Bare {
		var wrong diag.List
		files, wrong = render.Files(t.Generator, api, &t.Options)
		*diags = append(*diags, wrong...)
	}
	before := newEarlier(t, snapshot, files, func(pkg string) bool { // other commands generate code for omitted packages
		return covered(pkg) && !slices.Contains(api.LeftOut, pkg)
	})
	before.report(diags)
	o.reportMixed(before, api, diags)
	return []output.Tree{{Dir: t.Dir, Mark: t.Info().GeneratedBy(), Adopt: t.Info().ReplacedBy(), Files: files, Snapshot: snapshot, Stale: before.stale}}, nil
}

// typedClients is the directory of clients inside a clientset.
var typedClients = strings.TrimPrefix(templates.TypedClients, templates.Clientset+"/")
