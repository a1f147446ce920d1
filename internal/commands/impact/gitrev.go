// This file reads the files of a revision of a git repository. It runs git, which must be in PATH, and changes
// nothing.

package impact

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/files/crd"
)

// Revision is a commit of a git repository.
type Revision struct {
	ctx    context.Context
	dir    string // an existing directory at or above every directory that is read
	prefix string // path of dir in git: slash-separated, with a slash at the end; "" for the top
	commit string // hash of the commit
}

// OpenRevision resolves rev, any git name of a commit, in the repository that contains dir. dir need not exist. Errors
// have one line and include advice.
func OpenRevision(ctx context.Context, dir, rev string) (*Revision, error) {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("%q is not a revision; name a commit, branch or tag, such as origin/main", rev)
	}
	dir, err := filepath.Abs(dir)
	for err == nil && !isDir(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	if err != nil {
		return nil, err
	}
	r := &Revision{ctx: ctx, dir: dir}
	prefix, err := r.git("rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	r.prefix = strings.TrimSuffix(prefix, "\n")
	commit, err := r.git("rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		var failed *failure
		if !errors.As(err, &failed) || failed.stderr != "" {
			return nil, err
		}
		if shallow, _ := r.git("rev-parse", "--is-shallow-repository"); strings.TrimSpace(shallow) == "true" {
			return nil, fmt.Errorf(
				"revision %q is not in this shallow clone; fetch it with git fetch --unshallow, or with fetch-depth: 0 in actions/checkout", rev,
			)
		}
		return nil, fmt.Errorf("revision %q is not in the repository; fetch it, or name a commit, branch or tag that git log shows", rev)
	}
	r.commit = strings.TrimSpace(commit)
	return r, nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Files calls yield for each file below dir whose name has one of the extensions, with its slash-separated path
// relative to dir and its content. It skips symlinks and files that "./..." of the go command does not match. If dir is
// not in the revision, there are no files. dir must be the directory given to Open, or below it.
func (r *Revision) Files(dir string, extensions []string, yield func(rel string, content []byte)) error {
	root, err := r.path(dir)
	if err != nil {
		return err
	}
	listed, err := r.git("ls-tree", "-r", "-z", "--full-tree", r.commit, "--", root)
	if err != nil {
		return err
	}
	type blob struct{ rel, hash string }
	var blobs []blob
	modules := map[string]bool{} // directories of nested modules
	for entry := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		info, name, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(info) // mode, type and hash
		rel, below := strings.CutPrefix(name, strings.TrimPrefix(root+"/", "./"))
		if !ok || len(fields) != 3 || !below {
			continue
		}
		if path.Base(rel) == "go.mod" && rel != "go.mod" {
			modules[path.Dir(rel)] = true
		}
		if strings.HasPrefix(fields[0], "100") && slices.Contains(extensions, path.Ext(rel)) && !skipped(rel) {
			blobs = append(blobs, blob{rel, fields[2]})
		}
	}
	blobs = slices.DeleteFunc(blobs, func(b blob) bool {
		nested := false
		for up := path.Dir(b.rel); up != "."; up = path.Dir(up) {
			nested = nested || modules[up]
		}
		return nested
	})
	if len(blobs) == 0 {
		return nil
	}
	var hashes strings.Builder
	for _, b := range blobs {
		hashes.WriteString(b.hash + "\n")
	}
	out, printed := io.Pipe()
	defer out.Close()
	go func() {
		_ = printed.CloseWithError(r.run(strings.NewReader(hashes.String()), printed, "cat-file", "--batch"))
	}()
	in := bufio.NewReader(out)
	for _, b := range blobs {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		fields := strings.Fields(line) // hash, type and size, or hash and "missing"
		if len(fields) != 3 {
			return fmt.Errorf("git has no content for %s; fetch it, for example with git fetch --refetch", b.rel)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			return fmt.Errorf("git cat-file says %q", strings.TrimSpace(line))
		}
		content := make([]byte, size+1) // including the newline after the content
		if _, err := io.ReadFull(in, content); err != nil {
			return fmt.Errorf("git cat-file: %w", err)
		}
		yield(b.rel, content[:size])
	}
	return nil
}

// Containing returns the Go files of the whole revision that contain one of the lines. Paths are relative to the top of
// the repository.
func (r *Revision) Containing(lines ...string) ([]string, error) {
	args := []string{"grep", "-l", "-z", "-F", "--full-name"}
	for _, line := range lines {
		args = append(args, "-e", line)
	}
	found, err := r.git(append(args, r.commit, "--", ":(top)*.go")...)
	var failed *failure
	if errors.As(err, &failed) && failed.stderr == "" { // nothing found
		return nil, nil
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimSuffix(found, "\x00"), "\x00") {
		files = append(files, strings.TrimPrefix(name, r.commit+":"))
	}
	return files, err
}

// At returns the OS path of a file whose path is relative to the top of the repository.
func (r *Revision) At(name string) string {
	top := filepath.FromSlash(strings.Repeat("../", strings.Count(r.prefix, "/")))
	return filepath.Join(r.dir, top, filepath.FromSlash(name))
}

// In returns the files of a directory, which also may be above the one given to Open.
func (r *Revision) In(dir string) crd.Files {
	return func(file string) (name string, text []byte) {
		name = filepath.Join(dir, file)
		rel, err := filepath.Rel(r.dir, name)
		inside := path.Join(r.prefix, filepath.ToSlash(rel))
		if err != nil || !filepath.IsLocal(filepath.FromSlash(inside)) {
			return name, nil
		}
		if content, err := r.git("cat-file", "blob", r.commit+":"+inside); err == nil {
			text = []byte(content)
		}
		return name, text
	}
}

// path returns the path of dir relative to the top of the repository.
func (r *Revision) path(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(r.dir, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is outside the repository", dir)
	}
	return cmp.Or(path.Join(r.prefix, filepath.ToSlash(rel)), "."), nil
}

// skipped reports whether "./..." of the go command does not match a file.
func skipped(rel string) bool {
	elements := strings.Split(rel, "/")
	for i, name := range elements {
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
			i < len(elements)-1 && (name == "testdata" || name == "vendor" || name == "node_modules") {
			return true
		}
	}
	return false
}

// failure is the error of a git command with a nonzero exit code.
type failure struct{ command, stderr string }

func (f *failure) Error() string {
	line, _, _ := strings.Cut(f.stderr, "\n")
	return "git " + f.command + ": " + cmp.Or(strings.TrimPrefix(line, "fatal: "), "failed without a message")
}

func (r *Revision) git(args ...string) (string, error) {
	var out strings.Builder
	err := r.run(nil, &out, args...)
	return out.String(), err
}

func (r *Revision) run(stdin io.Reader, stdout io.Writer, args ...string) error {
	cmd := exec.CommandContext(r.ctx, "git", args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.dir, stdin, stdout, &stderr
	for _, entry := range os.Environ() {
		// In hooks, git sets variables that apply to its own directory. The messages are parsed below and must be in
		// English.
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "LC_ALL", "LANGUAGE":
		default:
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C")
	err := cmd.Run()
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not in PATH; install it to read revisions")
	case errors.As(err, &exit) && strings.Contains(stderr.String(), "not a git repository"):
		return fmt.Errorf("%s is not in a git repository; run the command where the generated code is committed", filepath.ToSlash(r.dir))
	case errors.As(err, &exit):
		return &failure{args[0], strings.TrimSpace(stderr.String())}
	case err != nil:
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	return nil
}
