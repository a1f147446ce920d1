package project

import (
	"bytes"
	"cmp"
	"fmt"
	"go/build"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
)

const (
	toolPath = "github.com/kubegen/kubegen/cmd/kubegen" // import path of the kubegen command
	migrate  = "github.com/kubegen/kubegen/migrate"     // of the command that replaces generators in scripts
)

// File is a file that init writes, or an existing one that it keeps.
type File struct {
	Path string // absolute
	Text string // content; "" if the file is kept
	Kept string // reason to keep the file, as a relative clause
}

// Files returns kubegen.yaml, the file with the go:generate line, and the workflow. Where the Makefile passes a year to
// controller-gen, there is no go:generate line, which could not do so.
func (p *Project) Files() []File {
	files := []File{p.configuration()}
	if p.option(yearOption) == "" || p.generate != "" {
		files = append(files, p.generateLine())
	}
	return append(files, p.workflow())
}

// configuration returns kubegen.yaml.
func (p *Project) configuration() File {
	f := File{Path: filepath.Join(p.Root, plan.ConfigName), Kept: "which exists"}
	if exists(f.Path) {
		return f
	}
	f.Text = "# yaml-language-server: $schema=" + plan.SchemaID + "\nversion: " + plan.ConfigVersion + "\n"
	for _, header := range append([]string{p.option(headerOption)}, boilerplates...) {
		text, err := load.ReadFile(filepath.Join(p.Root, filepath.FromSlash(header)))
		if header == "" || err != nil {
			continue
		}
		f.Text += "boilerplate: " + Scalar(path.Clean(header)) + "\n"
		if variable := p.option(yearOption); variable != "" {
			f.Text += "# The Makefile passes the year to controller-gen: run kubegen there, with --year " + variable + ".\n"
		} else if year := p.year(string(text)); year != "" {
			f.Text += "year: " + Scalar(year) + "\n"
		}
		break
	}
	for _, s := range p.settings() {
		f.Text += s.Name + ": " + Scalar(s.Value)
		if s.reason != "" {
			f.Text += " # " + s.reason
		}
		f.Text += "\n"
	}
	return f
}

// boilerplates are the usual names of the header file in Kubernetes and kubebuilder projects.
var boilerplates = []string{
	"hack/boilerplate.go.txt", "hack/boilerplate/boilerplate.generatego.txt", "hack/boilerplate/boilerplate.go.txt",
	"hack/boilerplate/boilerplate.txt", "hack/boilerplate.txt", "hack/custom-boilerplate.go.txt", "hack/license-header.txt",
}

// year returns the latest year in the headers of the module's files, at the place of YEAR in header. It returns "" if
// header has no YEAR or no file has a year.
func (p *Project) year(header string) (latest string) {
	lines := strings.ReplaceAll(header, "\r\n", "\n")
	before, after, ok := strings.Cut(strings.TrimSpace(lines), "YEAR")
	if !ok || before == "" {
		return ""
	}
	after, _, _ = strings.Cut(after, "\n")
	in := regexp.MustCompile(`^\s*(?://go:build .*\s+)?` + regexp.QuoteMeta(before) + `([0-9]{4})` + regexp.QuoteMeta(after))
	_ = p.Walk(func(_ string, text []byte) { // read has reported unreadable files
		if m := in.FindSubmatch(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))); m != nil {
			latest = max(latest, string(m[1]))
		}
	})
	return latest
}

// generateLine returns the Go file with the go:generate line.
func (p *Project) generateLine() File {
	if p.generate != "" {
		return File{Path: p.generate, Kept: "which has a go:generate line for kubegen"}
	}
	f := File{Path: filepath.Join(p.Root, "generate.go")}
	if exists(f.Path) {
		f.Path = filepath.Join(p.Root, "generate_kubegen.go")
	}
	if exists(f.Path) {
		f.Kept = "which exists"
		return f
	}
	f.Text = fmt.Sprintf("package %s\n\n//go:generate %s\n", p.packageName(), p.Command)
	return f
}

// packageName returns the name of the package in the module's root directory, or for a new package a name derived from
// the module path.
func (p *Project) packageName() string {
	if pkg, err := build.ImportDir(p.Root, 0); pkg.Name != "" && err == nil {
		return pkg.Name
	}
	prefix, _, _ := module.SplitPathVersion(p.Path)
	name := regexp.MustCompile(`[^a-z0-9_]+`).ReplaceAllString(strings.ToLower(path.Base(prefix)), "")
	name = strings.TrimSuffix(strings.TrimLeft(name, "0123456789_"), "_test")
	if !token.IsIdentifier(name) || name == "main" {
		return "generate"
	}
	return name
}

// workflow returns the workflow for GitHub Actions with a step that verifies the generated code.
func (p *Project) workflow() File {
	below, _ := filepath.Rel(p.Repository, p.Root)
	below = filepath.ToSlash(below)
	dir := filepath.Join(p.Repository, ".github", "workflows")
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		text, err := load.ReadFile(filepath.Join(dir, entry.Name()))
		if err == nil && bytes.Contains(text, []byte("kubegen")) && (below == "." || bytes.Contains(text, []byte(below))) {
			return File{Path: filepath.Join(dir, entry.Name()), Kept: "which mentions kubegen"}
		}
	}
	name, goMod, directory := "kubegen", "go.mod", ""
	if below != "." {
		name, goMod = "kubegen-"+regexp.MustCompile(`[^A-Za-z0-9_.]+`).ReplaceAllString(below, "-"), Scalar(below+"/go.mod")
		directory = "\n        working-directory: " + Scalar(below)
	}
	f := File{Path: filepath.Join(dir, name+".yaml")}
	if exists(f.Path) {
		f.Kept = "which exists"
		return f
	}
	f.Text = fmt.Sprintf(`name: %s
on: [push, pull_request]
permissions:
  contents: read
jobs:
  verify:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-go@v6
        with:
          go-version-file: %s
      - run: %s verify --format github%s%s
`, name, goMod, p.Command, p.yearFlag(), directory)
	return f
}

// Scalar returns a text as a YAML scalar.
func Scalar(text string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*[A-Za-z_/-]$`).MatchString(text) {
		return text
	}
	return strconv.Quote(text) // YAML supports the escapes that Go writes
}

// Next returns the commands to run after init, one on each line. version is the version of kubegen to install if the
// project lacks it.
func (p *Project) Next(version string) string {
	lines := p.before(version)
	if len(p.scripts) > 0 {
		lines = append(lines, fmt.Sprintf("# %s: for a kubegen.yaml that replaces the generators there, run", strings.Join(p.scripts, ", ")),
			fmt.Sprintf("#   rm %s; go run %s@latest %s | git apply", plan.ConfigName, migrate, strings.Join(p.scripts, " ")))
	}
	switch {
	case p.apis && !p.marked:
		lines = append(lines, "# write // +genclient above the types of the kinds that get clients")
	case !p.apis:
		lines = append(lines, p.Command+" new CronTab   # or write types by hand, and mark kinds with +genclient")
	}
	at := "go generate ."
	if rel, err := filepath.Rel(p.Root, filepath.Dir(p.generate)); err == nil && p.generate != "" && rel != "." {
		at = "go generate ./" + filepath.ToSlash(rel)
	}
	if year := p.yearFlag(); year != "" && p.generate == "" {
		at = p.Command + year
	}
	return "  " + strings.Join(append(lines, at, "go mod tidy"), "\n  ") + "\n"
}

// yearFlag returns the flag with the current year, in a shell, if the Makefile passes a year that it determines.
func (p *Project) yearFlag() string {
	if p.option(yearOption) == "" {
		return ""
	}
	return ` --year "$(date +%Y)"`
}

// before returns the commands to run before kubegen. They install kubegen and the modules imported by generated code if
// these are missing.
func (p *Project) before(version string) (lines []string) {
	if p.Root != p.env.Dir {
		lines = append(lines, "cd "+p.env.Name(p.Root))
	}
	if !p.installed {
		get := "go get -tool " + toolPath
		if v := version; strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
			get += "@" + v
		}
		lines = append(lines, get)
	}
	needed := []string{load.ClientGo, "k8s.io/apimachinery"}
	if p.core || !p.apis { // future types may import it
		needed = append(needed, "k8s.io/api")
	}
	get := p.modules.Get(needed...)
	for _, own := range []struct {
		module string
		needed bool
	}{{load.Consistency, p.ownWrites}, {load.Conversion, p.hubs}} {
		if own.needed && !p.modules.Requires(own.module) {
			get = cmp.Or(get, "go get") + " " + own.module
		}
	}
	if get != "" {
		lines = append(lines, get)
	}
	return lines
}
