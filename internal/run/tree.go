package run

import (
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// tree renders the files of one generator. It returns nil if there are none. covered reports whether a package would be
// read if it existed.
func (o *Output) tree(
	disk *output.Disk, t Target, api *model.API, covered func(string) bool,
) (trees []output.Tree, diags diag.List, err error) {
	if t.Only != nil {
		if api = api.Select(t.Only); len(api.Groups) == 0 {
			return nil, nil, nil
		}
	}
	if t.Lacks != "" && len(api.Groups) > 0 {
		return nil, nil, diag.Errorf(
			"%s is required for the unversioned types of %s", diag.Setting(t.Lacks), api.Groups[0].Versions[0].Packages[0].Path,
		)
	}
	adopt := t.Info().ReplacedBy("")
	if o.Plan.Flags.ByMarkers {
		adopt = append(adopt, byControllerGen)
	}
	snapshot, err := disk.Read(t.Dir, append(adopt, gofile.ToolMark{Line: t.Info().GeneratedBy()})...)
	if err != nil {
		return nil, nil, err
	}
	t.Options.HandWritten = func(dir string) map[string][]byte { return snapshot.HandWritten(dir, nil) }
	var files []output.File
	if len(api.Groups) > 0 || t.Options.Bare && !o.removed {
		made, wrong := render.Generate(t.Generator, &render.Input{Dir: t.Dir, API: api, Options: &t.Options})
		diags = wrong
		for _, tree := range made {
			files = append(files, tree.Files...)
		}
	}
	before := newEarlier(t, snapshot, files, func(pkg string) bool { // other commands generate code for omitted packages
		return covered(pkg) && !slices.Contains(api.LeftOut, pkg)
	})
	tree := output.Tree{
		Dir: t.Dir, Generator: t.Info().Name, Mark: t.Info().GeneratedBy(), Adopt: adopt, Files: files, Vanishes: o.removed, Snapshot: snapshot,
	}
	if !o.Plan.KeepStale {
		before.report(&diags)
		tree.Stale = func(rel string, top []byte) bool {
			return before.stale(rel) && before.named(path.Base(rel), top) && !gofile.HasMark(top, byControllerGen.Line, plan.ByMain)
		}
	}
	o.reportMixed(before, api, &diags)
	return []output.Tree{tree}, diags, nil
}

// byControllerGen marks apply configurations by controller-gen, which kubegen replaces if markers request them. They
// are never stale, because DeepCopy methods have the same mark. plan.ByMain is the mark of any tool.
var byControllerGen = gofile.ToolMark{Line: gofile.MarkLine("controller-gen")}

// Directories inside a clientset: the one of clients, and the one of the code that they share.
var (
	typedClients    = strings.TrimPrefix(templates.TypedClients, templates.Clientset+"/")
	sharedByClients = strings.TrimPrefix(path.Dir(templates.SharedFakes), templates.Clientset+"/") + "/"
)
