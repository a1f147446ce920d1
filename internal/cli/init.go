package cli

import (
	"bytes"
	"context"
	"errors"
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

	"github.com/kubegen/kubegen/internal/config"
	"github.com/kubegen/kubegen/internal/output"
)

var initCommand = subcommand{
	name: "init", short: "Write kubegen.yaml, the go:generate line and the CI step of this module.",
	about: `What exists already is kept. The files fit the module: its boilerplate, its
generated clientset and its DeepCopy methods, if there are any. All files are
written, or none.

`,
	run: func(ctx context.Context, in *invocation, _ []string) int {
		p, err := survey(in.env)
		if err != nil {
			return in.misused(in.tool.Name, "text", err.Error(), "see kubegen init --help")
		}
		files := []projectFile{p.configuration(), p.generateLine(), p.workflow()}
		var changes []output.Change
		for _, f := range files {
			if f.text != "" {
				changes = append(changes, output.Change{Kind: output.Create, Path: f.path, New: output.TextOf([]byte(f.text))})
			}
		}
		err = in.writing.do(func() error { return output.Commit(ctx, changes, output.Basis{}) })
		if errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		if err != nil {
			fmt.Fprintf(in.stderr, "%s: %s\n", in.tool.Name, in.env.Shorten(err.Error()))
			return exitError
		}
		for _, f := range files {
			if f.text != "" {
				fmt.Fprintf(in.stdout, "wrote %s\n", in.env.Name(f.path))
			} else {
				fmt.Fprintf(in.stdout, "kept %s, %s\n", in.env.Name(f.path), f.kept)
			}
		}
		fmt.Fprintf(in.stdout, "\nNext:\n%s", p.next())
		return exitDone
	},
}

// toolPath is the import path of the command.
const toolPath = "github.com/kubegen/kubegen/cmd/kubegen"

// projectFile is a file that init writes, or one that it keeps because it has what init would write.
type projectFile struct {
	path string // absolute
	text string // "" if it is kept
	kept string // why
}

// configuration returns kubegen.yaml.
func (p *project) configuration() projectFile {
	f := projectFile{path: filepath.Join(p.root, config.Name), kept: "which exists"}
	if exists(f.path) {
		return f
	}
	f.text = "# yaml-language-server: $schema=" + config.SchemaID + "\nversion: " + config.Version + "\n"
	if name := "hack/boilerplate.go.txt"; exists(filepath.Join(p.root, filepath.FromSlash(name))) {
		f.text += "boilerplate: " + name + "\n"
	}
	if p.generated != "" && p.generated != "pkg/generated" {
		f.text += "output-dir: " + scalar(p.generated) + "\n"
	}
	if p.copies {
		f.text += "with-deepcopy: true\n"
	}
	if p.registers {
		f.text += "with-register: true\n"
	}
	return f
}

// generateLine returns the Go file with the go:generate line.
func (p *project) generateLine() projectFile {
	if p.generate != "" {
		return projectFile{path: p.generate, kept: "which has a go:generate line for kubegen"}
	}
	f := projectFile{path: filepath.Join(p.root, "generate.go")}
	if exists(f.path) {
		f.path = filepath.Join(p.root, "generate_kubegen.go")
	}
	if exists(f.path) {
		f.kept = "which exists"
		return f
	}
	f.text = fmt.Sprintf("package %s\n\n//go:generate %s\n", p.packageName(), p.command)
	return f
}

// packageName returns the name of the package in the directory of the module: what it is, or follows from the path of the module.
func (p *project) packageName() string {
	if pkg, err := build.ImportDir(p.root, 0); pkg.Name != "" && err == nil {
		return pkg.Name
	}
	prefix, _, _ := module.SplitPathVersion(p.path)
	name := regexp.MustCompile(`[^a-z0-9_]+`).ReplaceAllString(strings.ToLower(path.Base(prefix)), "")
	name = strings.TrimSuffix(strings.TrimLeft(name, "0123456789_"), "_test")
	if !token.IsIdentifier(name) || name == "main" {
		return "generate"
	}
	return name
}

// workflow returns the workflow for GitHub Actions with the step that verifies the generated code.
func (p *project) workflow() projectFile {
	below, _ := filepath.Rel(p.repository, p.root)
	below = filepath.ToSlash(below)
	dir := filepath.Join(p.repository, ".github", "workflows")
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err == nil && bytes.Contains(text, []byte("kubegen")) && (below == "." || bytes.Contains(text, []byte(below))) {
			return projectFile{path: filepath.Join(dir, entry.Name()), kept: "which mentions kubegen"}
		}
	}
	name, goMod, directory := "kubegen", "go.mod", ""
	if below != "." {
		name, goMod = "kubegen-"+regexp.MustCompile(`[^A-Za-z0-9_.]+`).ReplaceAllString(below, "-"), scalar(below+"/go.mod")
		directory = "\n        working-directory: " + scalar(below)
	}
	f := projectFile{path: filepath.Join(dir, name+".yaml")}
	if exists(f.path) {
		f.kept = "which exists"
		return f
	}
	f.text = fmt.Sprintf(`name: %s
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
      - run: %s verify --format github%s
`, name, goMod, p.command, directory)
	return f
}

// scalar returns a text as a value in YAML.
func scalar(text string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*[A-Za-z_/-]$`).MatchString(text) {
		return text
	}
	return strconv.Quote(text) // YAML takes the escapes of Go
}

// next returns what to run after init, a line each.
func (p *project) next() string {
	var lines []string
	if p.root != p.env.Dir {
		lines = append(lines, "cd "+p.env.Name(p.root))
	}
	if !p.installed {
		get := "go get -tool " + toolPath
		if v := version(); strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
			get += "@" + v
		}
		lines = append(lines, get)
	}
	if !p.apis {
		lines = append(lines, "# write types and mark kinds with +genclient, for example in apis/stable/v1/types.go")
	}
	at := "."
	if rel, err := filepath.Rel(p.root, filepath.Dir(p.generate)); err == nil && p.generate != "" && rel != "." {
		at = "./" + filepath.ToSlash(rel)
	}
	return "  " + strings.Join(append(lines, "go generate "+at, "go mod tidy"), "\n  ") + "\n"
}
