package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/test/conformance"
)

const kubegen = "github.com/kubegen/kubegen"

// step runs a part of the examination, and prints whether it passed. A failure ends nothing else.
func (n *next) step(name string, do func() error) error {
	err := do()
	if err != nil {
		n.news = true
		fmt.Fprintf(n.stdout, "  %s: failed: %s\n", name, strings.ReplaceAll(err.Error(), "\n", "\n    "))
		return err
	}
	fmt.Fprintf(n.stdout, "  %s: passed\n", name)
	return nil
}

// try builds generated code with a version of client-go. If the versions are those of the working tree, it updates the
// tree for the version, and runs tests of test/conformance.
func (n *next) try(c *clientVersion) error {
	_ = n.step("the CronTab example, consistency and fakeapi", func() error { return n.build(c) })
	if n.history {
		return nil
	}
	release := semver.MajorMinor(c.version)
	if err := n.step("test/conformance/releases/"+release+".mod", func() error { return n.updateRelease(c, release) }); err != nil {
		return nil // it was printed
	}
	if err := n.updateConstants(c.version); err != nil {
		return err
	}
	_ = n.step("conformance", func() error {
		in := goCommand{filepath.Join(n.root, "test"), []string{"GOFLAGS=-buildvcs=false", "GOWORK="}}
		out, err := in.run("test", "-count=1", "-timeout", "60m", "-v", "-short",
			"-run", "^Test(ClientGo|CronTab|FirstDay|Hidden)$", "./conformance", "-release", release)
		log := filepath.Join(n.out, c.version+"-conformance.log")
		return errors.Join(err, writeFile(log, string(out)))
	})
	return n.mentions(release, c.version)
}

// build generates the CronTab example by evidence alone, and builds it with the modules of this repository that
// generated code needs.
func (n *next) build(c *clientVersion) error {
	dir := filepath.Join(n.work, c.version+"-build")
	err := conformance.CopyModule(filepath.Join(dir, "apis"), filepath.Join(n.root, "examples", "crontab-types", "apis"))
	if err != nil {
		return err
	}
	goMod, err := os.ReadFile(filepath.Join(c.dir, "go.mod"))
	if err != nil {
		return err
	}
	text := strings.Replace(string(goMod), "module "+scratch, "module "+kubegen+"/examples/crontab-types", 1)
	for _, name := range []string{"consistency", "conversion", "fakeapi"} {
		text += fmt.Sprintf("\nrequire %s/%s v0.0.0\n\nreplace %[1]s/%[2]s => %s\n", kubegen, name, filepath.Join(n.root, name))
	}
	files := map[string]string{
		"go.mod": text, "tests/tests.go": fmt.Sprintf("package tests\n\nimport _ %q\n", kubegen+"/fakeapi"),
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	in := goCommand{dir: dir}
	if _, err := in.run("get", "./apis/..."); err != nil {
		return err
	}
	_, err = in.command(filepath.Join(n.bin, "kubegen"), "--output-dir", "generated", "--with-consistency", "./apis/...")
	if err != nil {
		return err
	}
	if _, err := in.run("mod", "tidy", "-e"); err != nil {
		return err
	}
	_, err = in.run("vet", "./...")
	return err
}

// updateRelease writes the .mod and .sum files of a release for a version of client-go.
func (n *next) updateRelease(c *clientVersion, release string) error {
	dir := filepath.Join(n.root, "test", "conformance", "releases")
	base := filepath.Join(dir, release)
	if _, err := os.Stat(base + ".mod"); err != nil {
		newest, _ := model.ReleaseOf(n.known.newest(clientGo))
		for _, ext := range []string{".mod", ".sum"} {
			text, err := os.ReadFile(filepath.Join(dir, newest.String()+ext))
			if err == nil {
				err = os.WriteFile(base+ext, text, 0o644)
			}
			if err != nil {
				return err
			}
		}
	}
	toolchain := "go" + c.mod.Go.Version
	if c.mod.Toolchain != nil {
		toolchain = c.mod.Toolchain.Name
	}
	in := goCommand{dir, []string{"GOTOOLCHAIN=" + toolchain + "+auto"}} // -modfile chooses none
	text, err := os.ReadFile(base + ".mod")
	if err != nil {
		return err
	}
	file, err := modfile.Parse(base+".mod", text, nil)
	if err != nil {
		return err
	}
	edit := []string{"mod", "edit"}
	for _, r := range file.Replace {
		if r.New.Version != "" { // what is available now needs none
			edit = append(edit, "-dropreplace="+r.Old.Path)
		}
	}
	for _, replaced := range c.standIns {
		edit = append(edit, "-replace="+replaced)
	}
	commands := [][]string{
		{"get", "-modfile=" + release + ".mod", clientGo + "@" + c.version, "k8s.io/api@" + c.version},
		{"mod", "tidy", "-e", "-modfile=" + release + ".mod"},
	}
	if len(edit) > 2 {
		commands = append([][]string{append(edit, release+".mod")}, commands...)
	}
	for _, args := range commands {
		if _, err := in.run(args...); err != nil {
			return err
		}
	}
	return nil
}

var (
	newestConstant  = regexp.MustCompile(`(?m)^(\tNewestRelease Release = )\d+$`)
	previewConstant = regexp.MustCompile(`(?m)^(\tPreviewRelease Release = )\d+$`)
)

// updateConstants sets the releases that kubegen knows, if a version is newer.
func (n *next) updateConstants(version string) error {
	name := filepath.Join(n.root, "internal", "terms", "model", "release.go")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	updated := withRelease(string(text), version)
	if updated == string(text) {
		return nil
	}
	fmt.Fprintf(n.stdout, "  internal/terms/model/release.go: updated\n")
	return os.WriteFile(name, []byte(updated), 0o644)
}

func withRelease(text, version string) string {
	minor := strings.TrimPrefix(semver.MajorMinor(version), "v0.")
	release, err := model.ParseRelease("v0." + minor)
	if err != nil {
		return text
	}
	if release > model.PreviewRelease {
		text = previewConstant.ReplaceAllString(text, "${1}"+minor)
	}
	if release > model.NewestRelease && semver.Prerelease(version) == "" {
		text = newestConstant.ReplaceAllString(text, "${1}"+minor)
	}
	return text
}

// mentions prints the lines that name the version of the release that was known before.
func (n *next) mentions(release, version string) error {
	for _, known := range n.known[clientGo] {
		if semver.MajorMinor(known) != release || known == version {
			continue
		}
		out, err := goCommand{dir: n.root}.command("git", "grep", "-n", "-F", "-w", known, "--",
			":!*.sum", ":!test/conformance/releases", ":!*.txtar", ":!*_test.go")
		if err != nil && len(out) > 0 {
			return err
		}
		if len(out) > 0 {
			fmt.Fprintf(n.stdout, "  these lines name %s:\n    %s\n", known, strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", "\n    "))
		}
	}
	return nil
}
