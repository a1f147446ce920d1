package run

import (
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// reportTwice reports outputs that write the same files.
func reportTwice(outputs []*Output, diags *diag.List) {
	first := map[string]*Output{}
	for _, t := range outputs {
		type clash struct {
			with  *Output
			files []string
			own   string // the generator, if it writes into packages of types
		}
		var clashes []*clash
		own := map[string]bool{}
		for _, tree := range t.Trees {
			for _, file := range tree.Files {
				name := filepath.Join(tree.Dir, filepath.FromSlash(file.Path))
				other := first[name]
				if other == nil || own[name] {
					first[name], own[name] = t, true
					continue
				}
				i := slices.IndexFunc(clashes, func(c *clash) bool { return c.with == other })
				if i < 0 {
					i = len(clashes)
					clashes = append(clashes, &clash{with: other})
				}
				clashes[i].files = append(clashes[i].files, name)
				if slices.ContainsFunc(generators.Infos(), func(info *plan.Info) bool { return info.InPackages() && info.Name == tree.Generator }) {
					clashes[i].own = tree.Generator
				}
			}
		}
		for _, c := range clashes {
			what := slices.Min(c.files)
			if n := len(c.files) - 1; n > 0 {
				what += " and " + diag.Count(n, "other file")
			}
			remedy := "give each output its own output-dir, or make it one output with the packages of both"
			if c.own != "" {
				remedy = "let one of them generate " + c.own + " for the packages of both"
			}
			diags.Errorf(t.From.Pos, "another output writes %s as well", what).WithRelated(c.with.From.Pos).Suggest(remedy)
		}
	}
}
