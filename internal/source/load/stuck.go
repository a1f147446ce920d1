package load

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"
)

// patience is the time after which the go command is suspected to wait for a named pipe or a device among the Go files.
// It opens them like any other file.
const patience = 3 * time.Second

// unstuck returns a context for a go command. It ends, with an *IrregularError as its cause, if the go command
// takes long and the module contains such a file.
func (c *Config) unstuck(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(patience, func() {
		root, _, ok := c.Env.FindModule(".")
		if err := firstIrregular(ctx, root); ok && err != nil {
			cancel(err)
		}
	})
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// firstIrregular returns an error for the first irregular file with the name of a Go file in the directories that match
// "./...".
func firstIrregular(ctx context.Context, root string) (found error) {
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch {
		case err != nil || ctx.Err() != nil:
			return ctx.Err() // the go command reports what it cannot read
		case !entry.IsDir():
			return nil
		case name != root && isIgnored(base):
			return fs.SkipDir
		}
		if found = CheckRegularIn(name, ".go"); found != nil {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// Ignores reports whether the go command ignores a directory of a module, other than the top, when it matches "./...".
func Ignores(dir string) bool {
	return isIgnored(filepath.Base(dir)) || isFile(filepath.Join(dir, "go.mod"))
}

// isIgnored reports whether the go command ignores directories with a name when it matches "./...".
func isIgnored(base string) bool {
	return base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor"
}
