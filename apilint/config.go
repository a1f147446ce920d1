package apilint

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// config is what a run needs of a configuration of golangci-lint, version 2. Other settings are about linters and
// outputs of golangci-lint.
type config struct {
	Version string  `yaml:"version"`
	Run     running `yaml:"run"`
	Linters struct {
		Default  string   `yaml:"default"`
		Enable   []string `yaml:"enable"`
		Disable  []string `yaml:"disable"`
		Settings struct {
			Custom map[string]struct {
				Settings yaml.Node `yaml:"settings"`
			} `yaml:"custom"`
		} `yaml:"settings"`
		Exclusions exclusions `yaml:"exclusions"`
	} `yaml:"linters"`
	Issues limits `yaml:"issues"`

	file string // absolute; "" for the defaults
}

// running is how packages are read.
type running struct {
	BuildTags        []string `yaml:"build-tags"`
	DownloadMode     string   `yaml:"modules-download-mode"`
	RelativePathMode string   `yaml:"relative-path-mode"`
	Tests            *bool    `yaml:"tests"` // nil for true
}

// names are the configurations, in the order of the search: first the one that projects have for kube-api-linter
// alone.
var names = []string{
	".golangci-kal.yml", ".golangci-kal.yaml", ".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json",
}

// readConfig reads a configuration.
func readConfig(file string) (*config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(file, text)
	if err != nil {
		return nil, err
	}
	return c, c.check(file)
}

// parseConfig reads a configuration, whose settings may be wrong.
func parseConfig(file string, text []byte) (*config, error) {
	c := &config{}
	var list diag.List
	if filepath.Ext(file) == ".toml" {
		list.Errorf(token.Position{Filename: file, Line: 1}, "TOML is not read").Suggest("convert it to YAML")
		return nil, &errorList{list}
	}
	documents, err := yamltext.Read(text)
	if err == nil && len(documents) > 0 {
		for _, m := range documents[0].Mistakes {
			list.Errorf(token.Position{Filename: file, Line: m.Line, Column: m.Column}, "%s", m.Message)
		}
		lowerKeys(documents[0].Node)
		err = documents[0].Decode(c)
	}
	for _, m := range yamltext.MistakesOf(err) {
		list.Errorf(token.Position{Filename: file, Line: m.Line, Column: m.Column}, "%s", m.Message)
	}
	if len(list) == 0 && c.Version != "2" {
		list.Errorf(token.Position{Filename: file, Line: 1}, "not a configuration of version 2").Suggest("run golangci-lint migrate")
	}
	if len(list) > 0 {
		return nil, &errorList{list}
	}
	c.file, err = filepath.Abs(file)
	return c, err
}

// lowerKeys makes keys lower-case, as golangci-lint does.
func lowerKeys(n *yaml.Node) {
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			inner.Value = strings.ToLower(inner.Value)
		}
		lowerKeys(inner)
	}
}

// check checks the settings, and prepares them for use. Errors name the file as arguments do.
func (c *config) check(file string) (err error) {
	if err := c.Issues.check(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	e := &c.Linters.Exclusions
	if !slices.Contains([]string{"", "strict", "lax", "disable"}, e.Generated) {
		return fmt.Errorf("%s: linters.exclusions.generated: unknown mode %q (known are strict, lax, disable)", file, e.Generated)
	}
	e.base, err = c.base()
	return err
}

// enabled reports whether the configuration enables kube-api-linter.
func (c *config) enabled() bool {
	if slices.Contains(c.Linters.Disable, conventionsName) {
		return false
	}
	return c.Linters.Default == "all" || slices.Contains(c.Linters.Enable, conventionsName)
}

// errNotEnabled is the error for a file that has no configuration of kube-api-linter.
var errNotEnabled = errors.New("linters.enable lacks " + conventionsName + " (add it, or leave out -c for the default rules)")

// findConfig returns the configuration of a directory: the first file in it or in a directory above it that enables
// kube-api-linter, or else the defaults.
func findConfig(dir string) (*config, error) {
	for dir := range upward(dir) {
		for _, name := range names {
			file := filepath.Join(dir, name)
			text, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) || isDir(file) {
				continue
			}
			var c *config
			if err == nil {
				c, err = parseConfig(file, text)
			}
			if err != nil {
				if strings.HasPrefix(name, ".golangci.") && text != nil && !bytes.Contains(text, []byte(conventionsName)) {
					continue // it may belong to an older golangci-lint, and is not about API types
				}
				return nil, err
			}
			if c.enabled() {
				return c, c.check(file)
			}
		}
	}
	return &config{}, nil
}

// upward iterates over a directory and the ones above it.
func upward(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for above := ""; dir != above && yield(dir); dir, above = filepath.Dir(dir), dir {
		}
	}
}

// holding returns the directory of a file of a name at or above the current directory, or "".
func holding(name string) string {
	for dir := range upward(workingDir()) {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
	}
	return ""
}

// settings returns the settings of kube-api-linter, which it decodes itself.
func (c *config) settings() (settings any, err error) {
	n := c.Linters.Settings.Custom[conventionsName].Settings
	if n.Kind != 0 {
		err = n.Decode(&settings)
	}
	return settings, err
}

// tests reports whether test files are linted.
func (c *config) tests() bool { return c.Run.Tests == nil || *c.Run.Tests }

// buildFlags returns the flags of the go command.
func (c *config) buildFlags() (flags []string) {
	if len(c.Run.BuildTags) > 0 {
		flags = append(flags, "-tags="+strings.Join(c.Run.BuildTags, ","))
	}
	if c.Run.DownloadMode != "" {
		flags = append(flags, "-mod="+c.Run.DownloadMode)
	}
	return flags
}

// base returns the directory that the paths in exclusions are relative to.
func (c *config) base() (string, error) {
	switch mode := c.Run.RelativePathMode; mode {
	case "", "cfg":
		return filepath.Dir(c.file), nil
	case "wd":
		return os.Getwd()
	case "gitroot", "gomod":
		file := map[string]string{"gitroot": ".git", "gomod": "go.mod"}[mode]
		dir := holding(file)
		if dir == "" {
			return "", fmt.Errorf("%s: run.relative-path-mode is %s, but no %s is above the current directory", c.file, mode, file)
		}
		return dir, nil
	default:
		return "", fmt.Errorf("%s: run.relative-path-mode: unknown mode %q (known are gomod, gitroot, cfg, wd)", c.file, mode)
	}
}
