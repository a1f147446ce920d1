package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kubegen/kubegen/internal/text/parallel"
)

// Commit carries out the changes returned by Plan. It makes all of them, or returns an error and makes none.
//
// First it writes all new contents to temporary files next to their targets, so that a full disk, missing permissions
// or the end of ctx change nothing. Then it renames each one to its target. Finally it deletes files, and directories
// that become empty, up to Tree.Dir. After the first rename it ignores ctx. If a step fails, the steps before it are
// undone. If the process is killed, every file has either its old or its new content, and Clean removes the leftovers
// but for those beside targets of symlinks.
// If two Commits work below the same Tree.Dir, the second one waits for the first, provided that the system can lock
// directories.
//
// It is an error if a file to create exists by now, or a file to update or delete is missing. Other modifications since
// Plan are not noticed.
//
// An updated file keeps its permissions. New files and directories have the default permissions.
func Commit(ctx context.Context, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	c := &commit{}
	for _, change := range changes {
		c.steps = append(c.steps, &step{Change: change})
	}
	defer c.unlock()
	err := c.lock(ctx)
	if err == nil {
		err = c.stage(ctx)
	}
	if err == nil {
		err = c.apply()
	}
	if err != nil {
		if left := c.undo(); left != nil {
			return errors.Join(fmt.Errorf("%w; the changes could not be undone: check these files", err), left)
		}
		return fmt.Errorf("%w; no file was changed", err)
	}
	for _, s := range c.steps {
		if s.Action != Delete {
			continue
		}
		if _ = os.Remove(s.temp); s.keep != "" {
			removeEmpty(filepath.Dir(s.Path), s.keep)
		}
	}
	return nil
}

// commit is the state of a running Commit.
type commit struct {
	steps []*step
	made  []string // directories that were created, outer ones first
	locks []io.Closer
}

// errLocked is the error of lock if another Commit has locked the directory.
var errLocked = errors.New("another run is writing there")

// lockInterval is the time between two attempts to lock.
const lockInterval = 10 * time.Millisecond

// lock locks the output directories against other Commits, and creates them if necessary. It waits until the locks are
// free. Every Commit locks directories in the same order, which prevents deadlocks.
func (c *commit) lock(ctx context.Context) error {
	made, locked := map[string]bool{}, map[string]bool{}
	for _, s := range c.steps {
		if s.root == "" || made[s.root] {
			continue
		}
		made[s.root] = true
		if err := c.makeDir(s.root); err != nil {
			return fmt.Errorf("cannot create directory %s: %w", s.root, Reason(err))
		}
		real, err := filepath.EvalSymlinks(s.root)
		if err != nil {
			return fmt.Errorf("cannot find directory %s: %w", s.root, Reason(err))
		}
		locked[real] = true
	}
	for _, real := range slices.Sorted(maps.Keys(locked)) {
		held, err := lock(real)
		for errors.Is(err, errLocked) && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(lockInterval):
			}
			if err = c.makeDir(real); err == nil { // the other Commit may have removed it
				held, err = lock(real)
			}
		}
		switch {
		case err == nil:
			c.locks = append(c.locks, held)
		case ctx.Err() != nil:
			return fmt.Errorf("stopped while writing: %w", ctx.Err())
		default:
			return fmt.Errorf("cannot write to directory %s: %w", real, Reason(err))
		}
	}
	return nil
}

func (c *commit) unlock() {
	for _, held := range c.locks {
		_ = held.Close()
	}
}

type step struct {
	Change
	was  fs.FileInfo // the file that is replaced or deleted
	temp string      // file with the new content before it is renamed, or the name of a deleted file before it is removed
	done bool
}

// stage does all work that does not change a file.
func (c *commit) stage(ctx context.Context) error {
	for _, s := range c.steps {
		if err := s.look(); err != nil {
			return err
		}
	}
	for _, steps := range c.byDir() {
		if err := c.makeDir(filepath.Dir(steps[0].file())); err != nil {
			return fmt.Errorf("cannot write to the directory of %s: %w", steps[0].Path, Reason(err))
		}
	}
	err := c.inDirectories(func(s *step) error {
		err := ctx.Err()
		if err == nil {
			err = s.write(s.New)
		}
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", s.Path, Reason(err))
		}
		return nil
	})
	if ctx.Err() != nil {
		return fmt.Errorf("stopped while writing: %w", ctx.Err())
	}
	return err
}

// inDirectories calls do for all steps that write files, for several directories at a time, until a call fails. It
// returns one of the errors. On some file systems, creating and renaming files takes most of the time of a run.
func (c *commit) inDirectories(do func(*step) error) error {
	var failed atomic.Pointer[error]
	parallel.Each(c.byDir(), func(steps []*step) {
		for _, s := range steps {
			if s.Action == Delete || failed.Load() != nil {
				continue
			}
			if err := do(s); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		}
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// byDir groups the steps by directory, because file systems serialize the creation of files in one directory.
func (c *commit) byDir() [][]*step {
	index := map[string]int{}
	var directories [][]*step
	for _, s := range c.steps {
		dir := filepath.Dir(s.file())
		i, ok := index[dir]
		if !ok {
			i = len(directories)
			index[dir] = i
			directories = append(directories, nil)
		}
		directories[i] = append(directories[i], s)
	}
	return directories
}

// look checks that the file still exists, or is still missing.
func (s *step) look() error {
	info, err := os.Lstat(s.file())
	switch {
	case s.Action == Create && missing(err):
	case err != nil && !missing(err):
		return fmt.Errorf("cannot access %s: %w", s.Path, Reason(err))
	case s.Action == Create || err != nil || !info.Mode().IsRegular():
		return fmt.Errorf("cannot %s %s: it was changed during the run; run the command again", s.Action, s.Path)
	}
	s.was = info
	return nil
}

// makeDir creates the directory dir and its parents if necessary.
func (c *commit) makeDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
		return err
	}
	if err := c.makeDir(filepath.Dir(dir)); err != nil {
		return err
	}
	switch err = os.Mkdir(dir, 0o777); {
	case err == nil:
		c.made = append(c.made, dir)
	case errors.Is(err, fs.ErrExist): // another run has created it
		return nil
	}
	return err
}

// write writes content to a temporary file with the permissions of its target.
func (s *step) write(content []byte) error {
	temp := strayName(s.file())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	s.temp = temp
	_, err = f.Write(content)
	if err == nil && s.was != nil {
		err = f.Chmod(s.was.Mode().Perm())
	}
	return cmp.Or(err, f.Close())
}

// apply renames and deletes files, and stops at the first failure.
func (c *commit) apply() error {
	err := c.inDirectories(func(s *step) error {
		if err := os.Rename(s.temp, s.file()); err != nil {
			return fmt.Errorf("cannot %s %s: %w", s.Action, s.Path, Reason(err))
		}
		s.temp, s.done = "", true
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range c.steps {
		if s.Action == Delete {
			temp := strayName(s.file())
			if err := os.Rename(s.file(), temp); err != nil {
				return fmt.Errorf("cannot delete %s: %w", s.Path, Reason(err))
			}
			s.temp, s.done = temp, true
		}
	}
	return nil
}

// undo reverts the steps in reverse order and returns the errors.
func (c *commit) undo() error {
	var errs []error
	for _, s := range slices.Backward(c.steps) {
		if err := s.undo(); err != nil {
			errs = append(errs, fmt.Errorf("cannot undo the step to %s %s: %w", s.Action, s.Path, Reason(err)))
		}
		if s.temp != "" && s.Action != Delete {
			_ = os.Remove(s.temp) // if this fails, Clean removes it
		}
	}
	for _, dir := range slices.Backward(c.made) {
		_ = os.Remove(dir) // fails if another process already uses it
	}
	return errors.Join(errs...)
}

func (s *step) undo() error {
	if !s.done {
		return nil
	}
	switch s.Action {
	case Create:
		return os.Remove(s.file())
	case Delete:
		return os.Rename(s.temp, s.file())
	}
	if err := s.write(s.Old); err != nil {
		return err
	}
	if err := os.Chtimes(s.temp, s.was.ModTime(), s.was.ModTime()); err != nil {
		return err
	}
	return os.Rename(s.temp, s.file())
}
