package impact

import (
	"context"
	"sync"

	"github.com/kubegen/kubegen/internal/source/load"
)

// imports caches the packages imported by generated packages, each in both states.
type imports struct {
	read func(importPath string) (before, after *Declarations)

	lock  sync.Mutex
	known map[string][2]*Declarations
}

func (i *imports) get(importPath string) (before, after *Declarations) {
	i.lock.Lock()
	defer i.lock.Unlock()
	both, ok := i.known[importPath]
	if !ok {
		if i.known == nil {
			i.known = map[string][2]*Declarations{}
		}
		both[0], both[1] = i.read(importPath)
		i.known[importPath] = both
	}
	return both[0], both[1]
}

// readImported reads a package that the run does not change. It returns nil if the package is not found.
func readImported(ctx context.Context, found *load.Sources, importPath string) *Declarations {
	names := found.Files(ctx, importPath)
	if len(names) == 0 {
		return nil
	}
	var files []File
	for _, name := range names {
		if content, err := load.ReadFile(name); err == nil {
			files = append(files, File{Name: name, Content: content})
		}
	}
	return Parse(importPath, files)
}
