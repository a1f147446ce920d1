package loadtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// result is what a go command printed, and the contents of its modfiles after it.
type result struct {
	out   []byte
	err   error
	files [][]byte
}

var results sync.Map // of *result, by question

// output runs a go command, or returns what the same command has printed when it saw the same files.
func output(cmd *exec.Cmd) ([]byte, error) {
	key, ok := question(cmd)
	if !ok {
		return cmd.Output()
	}
	if known, ok := results.Load(key); ok {
		for i, name := range modfiles(cmd) {
			if text := known.(*result).files[i]; text != nil {
				if err := os.WriteFile(name, text, 0o644); err != nil {
					return nil, err
				}
			}
		}
		return known.(*result).out, known.(*result).err
	}
	r := &result{}
	r.out, r.err = cmd.Output()
	if !errors.As(r.err, new(*exec.ExitError)) && r.err != nil { // it was interrupted, or there is none
		return r.out, r.err
	}
	for _, name := range modfiles(cmd) {
		text, _ := os.ReadFile(name) // nil if there is none
		r.files = append(r.files, text)
	}
	results.Store(key, r)
	return r.out, r.err
}

// modfiles returns the names of the files of a command that are not in its module.
func modfiles(cmd *exec.Cmd) (names []string) {
	for _, arg := range cmd.Args {
		if name, ok := strings.CutPrefix(arg, "-modfile="); ok && name != "" {
			names = append(names, name, strings.TrimSuffix(name, ".mod")+".sum")
		}
	}
	return names
}

// question returns a sum of all on which the output of a command depends. ok is false for a command outside the
// temporary directory of a test.
func question(cmd *exec.Cmd) (key [sha256.Size]byte, ok bool) {
	rel, err := filepath.Rel(os.TempDir(), cmd.Dir)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return key, false
	}
	h := sha256.New()
	for _, arg := range cmd.Args {
		if strings.HasPrefix(arg, "-modfile=") {
			arg = "-modfile="
		}
		fmt.Fprintf(h, "%q\n", arg)
	}
	fmt.Fprintf(h, "%q %q\n", cmd.Dir, cmd.Env)
	for _, name := range modfiles(cmd) {
		text, err := os.ReadFile(name)
		fmt.Fprintf(h, "%q %t\n", text, err == nil)
	}
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	if err := sumTree(h, filepath.Join(os.TempDir(), first), cmd.Args); err != nil {
		return key, false
	}
	return [sha256.Size]byte(h.Sum(nil)), true
}

// sumTree writes the files of a tree that a command reads: those about modules and, if it lists packages of the tree,
// all others. Of these, the sizes and times are enough, because a command takes longer than the resolution of times.
func sumTree(w io.Writer, root string, args []string) error {
	var paths []string
	vendored := false
	var others strings.Builder
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch base := entry.Name(); {
		case base == "go.mod", base == "go.sum", base == "go.work", base == "go.work.sum", base == "modules.txt":
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				if modulePath, ok := strings.CutPrefix(line, "module "); ok {
					paths = append(paths, strings.Trim(modulePath, " \"\r\n"))
				}
			}
			fmt.Fprintf(w, "%q %q\n", name, text)
		case entry.IsDir():
			fmt.Fprintf(&others, "%q\n", name)
			vendored = vendored || base == "vendor"
		default:
			fmt.Fprintf(&others, "%q %s %d %d\n", name, entry.Type(), info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	elsewhere := func(pattern string) bool {
		return path.IsAbs(pattern) || strings.HasPrefix(pattern, ".") || strings.Contains(pattern, "=") || strings.Contains(pattern, "...") ||
			slices.ContainsFunc(paths, func(modulePath string) bool { return strings.HasPrefix(pattern+"/", modulePath+"/") })
	}
	if end := slices.Index(args, "--"); end >= 0 && (vendored || slices.ContainsFunc(args[end+1:], elsewhere)) {
		_, err2 := io.WriteString(w, others.String())
		err = errors.Join(err, err2)
	}
	return err
}
