package impact

import (
	"context"
	"sync"

	"github.com/kubegen/kubegen/internal/commands/apidiff"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/environment"
)

// imports caches the packages imported by generated packages, each in both states.
type imports struct {
	read func(importPath string) (before, after *apidiff.Declarations)

	lock  sync.Mutex
	known map[string][2]*apidiff.Declarations
}

func (i *imports) get(importPath string) (before, after *apidiff.Declarations) {
	i.lock.Lock()
	defer i.lock.Unlock()
	both, ok := i.known[importPath]
	if !ok {
		if i.known == nil {
			i.known = map[string][2]*apidiff.Declarations{}
		}
		both[0], both[1] = i.read(importPath)
		i.known[importPath] = both
	}
	return both[0], both[1]
}

// readImported reads a package that the run does not change. It returns nil if the package is not found.
func readImported(ctx context.Context, found *load.Sources, importPath string) *apidiff.Declarations {
	names := found.Files(ctx, importPath)
	if len(names) == 0 {
		return nil
	}
	var files []apidiff.File
	for _, name := range names {
		if content, err := environment.ReadFile(name); err == nil {
			files = append(files, apidiff.File{Name: name, Content: content})
		}
	}
	return apidiff.Parse(importPath, files)
}
