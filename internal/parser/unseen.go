package parser

import (
	"bytes"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/kubegen/kubegen/internal/input"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
)

// reportNoPackages reports patterns that match no packages, or only imported ones.
func (p *Facts) reportNoPackages() {
	if len(p.imported) > 0 {
		p.Errorf(token.Position{}, "no packages other than imported ones match %s", strings.Join(p.patterns, " ")).Suggest("name directories such as ./apis/... or import paths")
		p.noteImported()
		return
	}
	d := p.Errorf(token.Position{}, "no packages match %s", strings.Join(p.patterns, " "))
	if len(p.patterns) != 1 || !p.Suggest(d, p.patterns[0]) {
		d.Suggest("name directories such as ./apis/... or import paths")
	}
	p.noteUnseen(nil)
}

// noteImported notes packages that were omitted because they are imported from manifests.
func (p *Facts) noteImported() {
	for _, src := range p.imported {
		p.Notef(p.PackagePos(src), "the types of this package are imported, so that %s generates its clients", diag.Textf("kubegen import")).
			Suggest("list the manifests under imports in kubegen.yaml, or name the package")
	}
}

// noteUnseen notes files with +genclient in the directories of the patterns that belong to none of the packages.
func (p *Facts) noteUnseen(found []*load.Package) {
	seen := map[string]bool{}
	for _, src := range found {
		for _, f := range src.Files {
			seen[f.Name] = true
		}
		for _, name := range src.Ignored {
			seen[name] = true
		}
	}
	for _, pattern := range p.patterns {
		if !p.IsLocal(pattern) {
			continue
		}
		root, err := filepath.Abs(p.At(load.PatternDir(pattern)))
		if err != nil {
			continue
		}
		nested := "" // the innermost nested module below root that contains the current file
		_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && name != root && p.Modules.In(name) != nil {
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
			if text, err := input.File(name); err == nil && bytes.Contains(text, []byte(markers.Genclient)) {
				if nested != "" && strings.HasPrefix(name, nested+string(filepath.Separator)) {
					p.Notef(token.Position{Filename: filepath.Join(nested, "go.mod"), Line: 1}, "this module has +genclient, but is not part of %s", pattern).
						Suggest("run the command in its directory")
					return nil // Write omits repetitions
				}
				p.Notef(token.Position{Filename: name, Line: 1}, "this file has +genclient, but the go command ignores it").
					Suggest("check its build constraints and the names of the file and its directories")
			}
			return nil
		})
	}
}
