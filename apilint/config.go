package apilint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// config is what a run needs of a configuration of golangci-lint, version 2. Other settings are about linters and
// outputs of golangci-lint.
type config struct {
	Version string  `json:"version"`
	Run     running `json:"run"`
	Linters struct {
		Default  string   `json:"default"`
		Enable   []string `json:"enable"`
		Disable  []string `json:"disable"`
		Settings struct {
			Custom map[string]struct {
				Settings any `json:"settings"`
			} `json:"custom"`
		} `json:"settings"`
		Exclusions exclusions `json:"exclusions"`
	} `json:"linters"`
	Issues limits `json:"issues"`

	file string // absolute; "" for the defaults
}

// running is how packages are read.
type running struct {
	BuildTags        []string `json:"build-tags"`
	DownloadMode     string   `json:"modules-download-mode"`
	RelativePathMode string   `json:"relative-path-mode"`
	Tests            *bool    `json:"tests"` // nil for true
}

// names are the configurations, in the order of the search: first the one that projects have for kube-api-linter
// alone.
var names = []string{
	".golangci-kal.yml", ".golangci-kal.yaml", ".golangci.yml", ".golangci.yaml", ".golangci.json",
}

// readConfig reads a configuration.
func readConfig(file string) (*config, error) {
	c, err := parseConfig(file)
	if err != nil {
		return nil, err
	}
	return c, c.check(file)
}

// parseConfig reads a configuration, whose settings may be wrong.
func parseConfig(file string) (*config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := &config{}
	if filepath.Ext(file) == ".toml" {
		return nil, fmt.Errorf("%s:1:1: TOML is not read (convert it to YAML)", file)
	}
	if err := yaml.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if c.Version != "2" {
		return nil, fmt.Errorf("%s:1:1: not a configuration of version 2 (run golangci-lint migrate)", file)
	}
	c.file, err = filepath.Abs(file)
	return c, err
}

// check checks the settings, and prepares them for use. Errors name the file as arguments do.
func (c *config) check(file string) (err error) {
	if err := c.Issues.check(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := c.Linters.Exclusions.compile(); err != nil {
		return fmt.Errorf("%s: linters.exclusions: %w", file, err)
	}
	c.Linters.Exclusions.base, err = c.base()
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
	for {
		for _, name := range names {
			file := filepath.Join(dir, name)
			if _, err := os.Stat(file); err != nil {
				continue
			}
			c, err := parseConfig(file)
			if err != nil {
				if strings.HasPrefix(name, ".golangci.") {
					continue // it may belong to an older golangci-lint, and need not be about API types
				}
				return nil, err
			}
			if c.enabled() {
				return c, c.check(file)
			}
		}
		above := filepath.Dir(dir)
		if above == dir {
			return &config{}, nil
		}
		dir = above
	}
}

// settings returns the settings of kube-api-linter, which it decodes itself.
func (c *config) settings() any { return c.Linters.Settings.Custom[conventionsName].Settings }

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
		for dir := workingDir(); ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				return "", fmt.Errorf("%s: run.relative-path-mode is %s, but no %s is above the current directory", c.file, mode, file)
			}
		}
	default:
		return "", fmt.Errorf("%s: run.relative-path-mode: unknown mode %q (known are gomod, gitroot, cfg, wd)", c.file, mode)
	}
}
