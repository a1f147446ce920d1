package cli

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/model"
)

// reportNothing reports the reasons if no family has files for any kind.
func (t *task) reportNothing(diags *diag.List) {
	if len(t.Patterns) == 0 && t.flags.Classic {
		return // which was reported already
	}
	var names, asked []string
	for _, j := range t.jobs {
		for _, family := range j.targets {
			if family.Has(j.api) {
				return
			}
			if !slices.Contains(names, family.Name) {
				names = append(names, family.Name)
				if family.Asked != "" {
					asked = append(asked, family.Asked)
				}
			}
		}
	}
	if len(asked) == len(names) {
		d := diags.Errorf(token.Position{}, "nothing to generate: no package gets any %s code", strings.Join(names, " or "))
		d.Suggest("%s", strings.Join(asked, ", or "))
		if t.flags.Classic {
			d.Severity = diag.Warning
		}
		return
	}
	if len(t.jobs) == 1 && len(t.jobs[0].api.Groups) == 0 && t.flags.Classic {
		return // likewise, by the parser
	}
	d := diags.Errorf(token.Position{}, "nothing to generate: no type marked +genclient gets any %s", strings.Join(names, " or "))
	d.Suggest("correct the markers, or do not name these packages")
	if t.flags.Classic {
		d.Severity = diag.Warning
	}
	for _, j := range t.jobs {
		for _, g := range j.api.Groups {
			for _, v := range g.Versions {
				for _, pkg := range v.Packages {
					diags.Notef(token.Position{}, "looked at %s: %s", pkg.Path, whyNothing(j.targets, pkg))
				}
			}
		}
	}
}

// whyNothing returns the markers that switch all families off for a package.
func whyNothing(targets []target, pkg *model.Package) string {
	var off []string
	for _, t := range targets {
		if pkg.Off(t.Switch) {
			off = append(off, "+"+t.Switch+"=false")
		}
	}
	if len(off) == 0 {
		return "its kinds cannot be listed or watched"
	}
	return strings.Join(off, ", ")
}
