package apilint

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// exclusions are the findings that a configuration excludes, as in golangci-lint. Its presets are about other linters.
type exclusions struct {
	Generated   string          `json:"generated"` // strict, lax or disable; "" is strict
	Rules       []exclusionRule `json:"rules"`
	Paths       []string        `json:"paths"`
	PathsExcept []string        `json:"paths-except"`

	base               string // the directory to which paths are relative
	paths, pathsExcept []*regexp.Regexp
	generated          sync.Map // by file name, whether the file is generated
	lines              sync.Map // by file name, the lines of the file
}

// exclusionRule excludes the findings for which everything holds that is set.
type exclusionRule struct {
	Linters    []string `json:"linters"`
	Path       string   `json:"path"`
	PathExcept string   `json:"path-except"`
	Text       string   `json:"text"`
	Source     string   `json:"source"`

	path, pathExcept, text, source *regexp.Regexp
}

// compile compiles the regular expressions.
func (e *exclusions) compile() (err error) {
	if !slices.Contains([]string{"", "strict", "lax", "disable"}, e.Generated) {
		return fmt.Errorf("generated: unknown mode %q (known are strict, lax, disable)", e.Generated)
	}
	if e.paths, err = compileAll(e.Paths); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	if e.pathsExcept, err = compileAll(e.PathsExcept); err != nil {
		return fmt.Errorf("paths-except: %w", err)
	}
	for i := range e.Rules {
		if err := e.Rules[i].compile(); err != nil {
			return fmt.Errorf("rules[%d]: %w", i, err)
		}
	}
	return nil
}

func compileAll(texts []string) (all []*regexp.Regexp, err error) {
	for _, text := range texts {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		all = append(all, re)
	}
	return all, nil
}

func (r *exclusionRule) compile() error {
	var errs []error
	set := 0
	compile := func(text string) *regexp.Regexp {
		if text == "" {
			return nil
		}
		set++
		re, err := regexp.Compile(text)
		errs = append(errs, err)
		return re
	}
	r.path, r.pathExcept, r.text, r.source = compile(r.Path), compile(r.PathExcept), compile(r.Text), compile(r.Source)
	if len(r.Linters) > 0 {
		set++
	}
	switch {
	case r.Path != "" && r.PathExcept != "":
		errs = append(errs, errors.New("path and path-except exclude each other"))
	case set < 2:
		errs = append(errs, errors.New("a rule needs two of text, source, path or path-except, and linters"))
	}
	return errors.Join(errs...)
}

// excludes reports whether the configuration excludes a finding of a linter.
func (c *config) excludes(linter string, pos token.Position, text string) bool {
	e := &c.Linters.Exclusions
	if e.excludesFile(linter, pos.Filename) || e.isGenerated(pos.Filename) {
		return true
	}
	path := e.relative(pos.Filename)
	return slices.ContainsFunc(e.Rules, func(r exclusionRule) bool {
		return r.isAbout(linter, path) && (r.text == nil || r.text.MatchString(text)) &&
			(r.source == nil || r.source.MatchString(e.lineOf(pos)))
	})
}

// excludesFile reports whether all findings of a linter in a file are excluded, whatever its contents.
func (e *exclusions) excludesFile(linter, file string) bool {
	path := e.relative(file)
	matches := func(re *regexp.Regexp) bool { return re.MatchString(path) }
	if slices.ContainsFunc(e.paths, matches) || len(e.pathsExcept) > 0 && !slices.ContainsFunc(e.pathsExcept, matches) {
		return true
	}
	return slices.ContainsFunc(e.Rules, func(r exclusionRule) bool {
		return r.text == nil && r.source == nil && r.isAbout(linter, path)
	})
}

func (r exclusionRule) isAbout(linter, path string) bool {
	return (r.path == nil || r.path.MatchString(path)) && (r.pathExcept == nil || !r.pathExcept.MatchString(path)) &&
		(len(r.Linters) == 0 || slices.Contains(r.Linters, linter))
}

func (e *exclusions) relative(file string) string {
	if rel, err := filepath.Rel(e.base, file); err == nil && e.base != "" {
		file = rel
	}
	return filepath.ToSlash(file)
}

// isGenerated reports whether a file is generated, by the rules of the configuration.
func (e *exclusions) isGenerated(file string) bool {
	if e.Generated == "disable" {
		return false
	}
	if known, ok := e.generated.Load(file); ok {
		return known.(bool)
	}
	generated := false
	if f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments); err == nil {
		generated = ast.IsGenerated(f) || e.Generated == "lax" && saysGenerated(f)
	}
	e.generated.Store(file, generated)
	return generated
}

// saysGenerated reports whether comments above the package clause have a text that golangci-lint takes for the mark
// of a generator in the mode lax.
func saysGenerated(f *ast.File) bool {
	return slices.ContainsFunc(f.Comments, func(g *ast.CommentGroup) bool {
		text := strings.ToLower(g.Text())
		return slices.ContainsFunc([]string{"code generated", "do not edit", "autogenerated file", "* generated by: swagger codegen "},
			func(mark string) bool { return strings.Contains(text, mark) })
	})
}

// lineOf returns the line of a position, or "" if it cannot be read.
func (e *exclusions) lineOf(pos token.Position) string {
	known, ok := e.lines.Load(pos.Filename)
	if !ok {
		text, _ := os.ReadFile(pos.Filename)
		known, _ = e.lines.LoadOrStore(pos.Filename, strings.Split(string(text), "\n"))
	}
	lines := known.([]string)
	if pos.Line < 1 || pos.Line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[pos.Line-1], "\r")
}
