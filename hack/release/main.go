// Command release builds the files of a release from the tagged commit that is checked out. Usage:
//
//	go run ./hack/release [-output DIR] [-platforms GOOS/GOARCH,...] VERSION
//
// For each platform it writes an archive with all commands of cmd. It also writes SHA256SUMS, and NOTES.md with the
// section of the version in CHANGELOG.md. The modules that users require must also be tagged, and require each other in
// that version. The same commit and Go release produce the same bytes, on any machine and in any directory.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/kubegen/kubegen/hack/modules"
)

const allPlatforms = "darwin/amd64,darwin/arm64,linux/amd64,linux/arm64,windows/amd64,windows/arm64"

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./hack/release [flags] VERSION")
		flag.PrintDefaults()
	}
	output := flag.String("output", "dist", "directory for the files, which must not exist")
	platforms := flag.String("platforms", allPlatforms, "what to build for")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	r := release{dir: ".", version: flag.Arg(0), output: *output, platforms: strings.Split(*platforms, ",")}
	if err := r.build(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

type release struct {
	dir       string // root of the repository
	version   string // name of the tag, such as v1.2.3
	output    string
	platforms []string // GOOS/GOARCH
	env       []string // added to the environment of the process
}

var versionPattern = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// build writes all files of the release.
func (r release) build() error {
	if !versionPattern.MatchString(r.version) {
		return fmt.Errorf("%q is not a version such as v1.2.3", r.version)
	}
	changed, err := r.run("git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("the working tree differs from the commit; commit or remove\n%s", changed)
	}
	tags, err := r.run("git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	published, err := modules.Published(r.dir)
	if err != nil {
		return err
	}
	for _, module := range published { // the name of a module's tag begins with its directory
		if tag := path.Join(module, r.version); !slices.Contains(strings.Fields(tags), tag) {
			return fmt.Errorf("the commit that is checked out is not tagged %s", tag)
		}
		if err := r.checkRequirements(module, published); err != nil {
			return err
		}
	}
	notes, err := r.notes()
	if err != nil {
		return err
	}
	committed, err := r.run("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(committed), 10, 64)
	if err != nil {
		return err
	}
	var files []file // written at the end, because untracked files would change the stamps of the go command
	var sums strings.Builder
	for _, platform := range slices.Sorted(slices.Values(r.platforms)) {
		name, content, err := r.archive(platform, time.Unix(seconds, 0).UTC())
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		files = append(files, file{name, 0o644, content})
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
	}
	files = append(files, file{"SHA256SUMS", 0o644, []byte(sums.String())}, file{"NOTES.md", 0o644, []byte(notes)})
	if err := os.Mkdir(r.output, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(r.output, file.name), file.content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// checkRequirements returns an error if a module requires another published one in a different version. The replace
// lines of its go.mod file have no effect for users.
func (r release) checkRequirements(module string, published []string) error {
	name := path.Join(module, "go.mod")
	text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	for _, required := range f.Require {
		sibling, ok := strings.CutPrefix(required.Mod.Path, "github.com/kubegen/kubegen")
		if ok && slices.Contains(published, path.Clean("."+sibling)) && required.Mod.Version != r.version {
			return fmt.Errorf(
				"%s:%d: requires %s; run go mod edit -require=%s@%s %s", name, required.Syntax.Start.Line, required.Mod, required.Mod.Path, r.version,
				name,
			)
		}
	}
	return nil
}

// notes returns the section of the version in CHANGELOG.md, without its heading.
func (r release) notes() (string, error) {
	changes, err := os.ReadFile(filepath.Join(r.dir, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	for section := range strings.SplitSeq(string(changes), "\n## ") {
		if heading, text, _ := strings.Cut(section, "\n"); cmp.Or(strings.Fields(heading)...) == r.version {
			return strings.TrimSpace(text) + "\n", nil
		}
	}
	return "", fmt.Errorf("CHANGELOG.md has no section %s; rename the section Unreleased", r.version)
}

// A file is a file of the release, or an entry of an archive.
type file struct {
	name    string
	mode    os.FileMode
	content []byte
}

// archive builds the commands for a platform and returns the name and content of an archive.
func (r release) archive(platform string, modified time.Time) (name string, content []byte, err error) {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return "", nil, errors.New("not of the form GOOS/GOARCH")
	}
	bin, err := os.MkdirTemp("", "release-")
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(bin)) }()
	// Everything that could differ between machines is set or omitted.
	r.env = append(
		slices.Clone(r.env), "GOOS="+goos, "GOARCH="+goarch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off",
		"GOEXPERIMENT=", "GOFIPS140=off",
	)
	if _, err := r.run(
		"go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", bin+string(filepath.Separator), "./cmd/...",
	); err != nil {
		return "", nil, err
	}
	var files []file
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		content, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{name, 0o644, content})
	}
	commands, err := os.ReadDir(bin)
	if err != nil {
		return "", nil, err
	}
	for _, command := range commands {
		binary := filepath.Join(bin, command.Name())
		info, err := buildinfo.ReadFile(binary)
		if err != nil {
			return "", nil, err
		}
		if info.Main.Version != r.version { // --version prints this
			return "", nil, fmt.Errorf("%s is stamped %s, not %s", command.Name(), info.Main.Version, r.version)
		}
		content, err := os.ReadFile(binary)
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{command.Name(), 0o755, content})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	dir := fmt.Sprintf("kubegen_%s_%s_%s", r.version, goos, goarch)
	for i := range files {
		files[i].name = path.Join(dir, files[i].name)
	}
	var archive bytes.Buffer
	if goos == "windows" {
		err = writeZip(&archive, files, modified)
		return dir + ".zip", archive.Bytes(), err
	}
	err = writeTar(&archive, files, modified)
	return dir + ".tar.gz", archive.Bytes(), err
}

func writeTar(w io.Writer, files []file, modified time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, file := range files {
		header := &tar.Header{Name: file.name, Mode: int64(file.mode), Size: int64(len(file.content)), ModTime: modified, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(file.content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}

func writeZip(w io.Writer, files []file, modified time.Time) error {
	archive := zip.NewWriter(w)
	for _, file := range files {
		header := &zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(file.mode)
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(file.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// run runs a command in the repository and returns its standard output.
func (r release) run(name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = r.dir
	command.Env = append(os.Environ(), r.env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, &stderr)
	}
	return string(out), nil
}
