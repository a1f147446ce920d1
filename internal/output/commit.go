package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Commit makes the changes that Plan returned: all of them or, with an error, none.
//
// All new contents are first written to temporary files beside their targets, so that a full disk, missing permissions
// or the end of ctx change nothing. Then each is renamed onto its target, and only after that are files deleted, and
// folders that this left empty, up to Tree.Dir. From the first rename on ctx does not count any more. Should one of
// these steps fail, those before are undone. Whenever the process is killed, each file is the old or the new one;
// temporary files that stay behind are removed by the next Commit that changes something in their folder. Two Commits
// in one folder at one time are not supported.
//
// An updated file keeps its permissions. New files and folders get the usual ones.
func Commit(ctx context.Context, changes []Change) error {
	c := &commit{prepared: map[string]bool{}}
	for _, change := range changes {
		c.steps = append(c.steps, &step{Change: change})
	}
	err := c.stage(ctx)
	if err == nil {
		err = c.apply()
	}
	if err != nil {
		if left := c.undo(); left != nil {
			return errors.Join(fmt.Errorf("%w; undoing what was done failed, check these files", err), left)
		}
		return fmt.Errorf("%w; no file was changed", err)
	}
	for _, s := range c.steps {
		if s.Kind == Delete && s.root != "" {
			// Remove fails for a folder that is not empty, which ends the way up.
			for dir := filepath.Dir(s.Path); dir != s.root && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
			}
		}
	}
	return nil
}

// commit is a Commit under way.
type commit struct {
	steps    []*step
	prepared map[string]bool // folders that exist and hold no strays
	made     []string        // folders created, outer ones first
}

type step struct {
	Change
	was  fs.FileInfo // what is replaced or deleted
	temp string      // the file with the new content until it is renamed
	done bool
}

// stage does all that can be done without changing a file.
func (c *commit) stage(ctx context.Context) error {
	for _, s := range c.steps {
		if err := s.look(); err != nil {
			return err
		}
		if err := c.prepare(filepath.Dir(s.file())); err != nil {
			return fmt.Errorf("cannot write to the folder of %s: %w", s.Path, reason(err))
		}
	}
	// A separate loop: a folder may have several names, and prepare removes files that look like those of write. Making
	// files takes most of a run's time on some file systems, hence all processors.
	writing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	folders := c.byFolder()
	_ = each(len(folders), func(i int) error {
		for _, s := range folders[i] {
			if s.Kind == Delete || ctx.Err() != nil || writing.Err() != nil {
				continue
			}
			if err := s.write(s.New); err != nil {
				stop(fmt.Errorf("cannot write %s: %w", s.Path, reason(err)))
			}
		}
		return nil
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("stopped while writing: %w", err)
	}
	return context.Cause(writing)
}

// byFolder returns the steps of each folder: two processors making files in one folder wait for each other.
func (c *commit) byFolder() [][]*step {
	index := map[string]int{}
	var folders [][]*step
	for _, s := range c.steps {
		dir := filepath.Dir(s.file())
		i, ok := index[dir]
		if !ok {
			i = len(folders)
			index[dir] = i
			folders = append(folders, nil)
		}
		folders[i] = append(folders[i], s)
	}
	return folders
}

// look checks that the file is still what it was planned to be.
func (s *step) look() error {
	info, err := os.Lstat(s.file())
	switch {
	case s.Kind == Create && missing(err):
	case err != nil && !missing(err):
		return fmt.Errorf("cannot look at %s: %w", s.Path, reason(err))
	case s.Kind == Create || err != nil || !info.Mode().IsRegular():
		return fmt.Errorf("cannot %s %s: it has changed meanwhile, run again", s.Kind, s.Path)
	}
	s.was = info
	return nil
}

// stray matches the names that write gives.
var stray = regexp.MustCompile(`^\..+\.kubegen-[0-9]+\.tmp$`)

// prepare makes the folder dir with its parents, or removes the strays of a killed run from it.
func (c *commit) prepare(dir string) error {
	if c.prepared[dir] {
		return nil
	}
	c.prepared[dir] = true
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		if err = c.prepare(filepath.Dir(dir)); err != nil {
			return err
		}
		if err = os.Mkdir(dir, 0o777); err == nil {
			c.made = append(c.made, dir)
		}
	}
	for _, entry := range entries {
		if stray.MatchString(entry.Name()) && entry.Type().IsRegular() {
			_ = os.Remove(filepath.Join(dir, entry.Name())) // one that stays harms nobody
		}
	}
	return err
}

// write puts content into a temporary file with the permissions of the file that it is for.
func (s *step) write(content []byte) error {
	dir, base := filepath.Split(s.file())
	temp := fmt.Sprintf("%s.%s.kubegen-%d.tmp", dir, base, rand.Uint64())
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

// apply renames and deletes, and stops at the first failure.
func (c *commit) apply() error {
	for _, s := range c.steps {
		if s.Kind != Delete {
			if err := os.Rename(s.temp, s.file()); err != nil {
				return fmt.Errorf("cannot %s %s: %w", s.Kind, s.Path, reason(err))
			}
			s.temp, s.done = "", true
		}
	}
	for _, s := range c.steps {
		if s.Kind == Delete {
			if err := os.Remove(s.file()); err != nil {
				return fmt.Errorf("cannot delete %s: %w", s.Path, reason(err))
			}
			s.done = true
		}
	}
	return nil
}

// undo takes back what was done, last first, and returns what it could not.
func (c *commit) undo() error {
	var errs []error
	for _, s := range slices.Backward(c.steps) {
		if err := s.undo(); err != nil {
			errs = append(errs, fmt.Errorf("cannot undo to %s %s: %w", s.Kind, s.Path, reason(err)))
		}
		if s.temp != "" {
			_ = os.Remove(s.temp) // the next Commit removes it otherwise
		}
	}
	for _, dir := range slices.Backward(c.made) {
		_ = os.Remove(dir) // not empty when something else uses it by now
	}
	return errors.Join(errs...)
}

func (s *step) undo() error {
	if !s.done {
		return nil
	}
	if s.Kind == Create {
		return os.Remove(s.file())
	}
	if err := s.write(s.Old); err != nil {
		return err
	}
	if err := os.Chtimes(s.temp, s.was.ModTime(), s.was.ModTime()); err != nil {
		return err
	}
	return os.Rename(s.temp, s.file())
}
