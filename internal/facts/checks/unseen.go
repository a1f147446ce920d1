package checks

import (
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

func unseenFile(p *Pass) {
	seen := map[string]bool{}
	for _, src := range slices.Concat(p.Sources, p.Imported) {
		for _, f := range src.Files {
			seen[f.Name] = true
		}
		for _, name := range src.Ignored {
			seen[name] = true
		}
	}
	for _, pattern := range p.Unseen {
		if !p.Types.IsLocal(pattern) {
			continue
		}
		root := p.Types.At(load.PatternDir(pattern))
		nested := "" // the innermost nested module below root that contains the current file
		_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && name != root && p.Types.Modules.In(name) != nil {
				nested = name
			}
			switch {
			case err != nil:
				return nil // nothing could be reported for its files
			case entry.IsDir() && name != root && (!strings.Contains(pattern, "...") || entry.Name()[0] == '.' || entry.Name() == "vendor"):
				return fs.SkipDir
			case filepath.Ext(name) != ".go" || seen[name]:
				return nil
			}
			if text, err := load.ReadFile(name); err == nil && markers.HasGenclient(text) {
				if nested != "" && strings.HasPrefix(name, nested+string(filepath.Separator)) {
					p.diags.Notef(
						token.Position{Filename: filepath.Join(nested, "go.mod"), Line: 1}, "this module has +genclient, but is not part of %s", pattern,
					).Suggest("run the command in its directory")
					return nil // Write omits repetitions
				}
				p.diags.Notef(token.Position{Filename: name, Line: 1}, "this file has +genclient, but the go command ignores it").
					Suggest("check its build constraints and the names of the file and its directories")
			}
			return nil
		})
	}
}
