package apilint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/kube-api-linter/pkg/plugin/base"
	_ "sigs.k8s.io/kube-api-linter/pkg/registration" // its analyzers

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// analyzers returns the analyzers of kube-api-linter that the configuration enables.
func (c *config) analyzers() ([]*analysis.Analyzer, error) {
	settings, err := c.settings()
	if err == nil {
		var linter register.LinterPlugin
		if linter, err = base.New(settings); err == nil {
			var found []*analysis.Analyzer
			if found, err = linter.BuildAnalyzers(); err == nil {
				return found, nil
			}
		}
	}
	var list diag.List
	n := c.Linters.Settings.Custom[conventionsName].Settings
	list.Errorf(token.Position{Filename: c.file, Line: n.Line, Column: n.Column}, "linters.settings.custom.%s: %w", conventionsName, err)
	return nil, &errorList{list}
}

// analyze runs kube-api-linter. It type-checks only packages that may have findings. The files must be in packages that
// match the patterns.
func analyze(ctx context.Context, c *config, patterns, files []string) (*result, error) {
	analyzers, err := c.analyzers()
	if err != nil {
		return nil, err
	}
	alone, withTests, err := c.worthwhile(ctx, patterns, files)
	if err != nil {
		return nil, err
	}
	loaded, err := c.load(ctx, alone, false)
	if err != nil {
		return nil, err
	}
	tested, err := c.load(ctx, withTests, true)
	if err != nil {
		return nil, err
	}
	all := append(loaded, tested...)
	slices.SortStableFunc(all, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	graph, err := checker.Analyze(analyzers, all, nil)
	if err != nil {
		return nil, err
	}
	found := &result{}
	seen := map[string]bool{} // packages with and without tests have the same files
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, fmt.Errorf("%s: %s: %w", action.Package.PkgPath, action.Analyzer.Name, action.Err)
		}
		for _, d := range action.Diagnostics {
			f := ofAnalyzer(action.Package.Fset, action.Analyzer, d)
			if m := action.Package.Module; m == nil || !m.Main {
				f.fix = nil // the files belong to others, such as the standard library
			}
			if key := f.Pos.String() + f.Message; !seen[key] {
				seen[key] = true
				found.findings = append(found.findings, f)
			}
		}
	}
	return found, nil
}

// ofAnalyzer returns a finding of kube-api-linter. Its message begins with the name of the analyzer, as in
// golangci-lint.
func ofAnalyzer(fset *token.FileSet, a *analysis.Analyzer, d analysis.Diagnostic) finding {
	f := finding{linter: conventionsName, Diagnostic: &diag.Diagnostic{
		Pos: fset.Position(d.Pos), Severity: diag.Warning, Message: a.Name + ": " + d.Message, Check: a.Name,
	}}
	if len(d.SuggestedFixes) > 0 {
		f.fix = editsOf(fset, d.SuggestedFixes[0])
	}
	return f
}

// worthwhile returns the paths of packages with files that declare types and are not excluded: those without test files
// of this kind, and those with.
func (c *config) worthwhile(ctx context.Context, patterns, files []string) (alone, withTests []string, err error) {
	listed, err := c.list(ctx, patterns)
	if err != nil {
		return nil, nil, err
	}
	if err := omitted(files, listed); err != nil {
		return nil, nil, err
	}
	for _, pkg := range listed {
		var tests []string
		if c.tests() {
			tests, _ = filepath.Glob(filepath.Join(escapeGlob(pkg.Dir), "*_test.go"))
		}
		switch {
		case slices.ContainsFunc(tests, c.mayHaveFindings):
			withTests = append(withTests, pkg.PkgPath)
		case slices.ContainsFunc(pkg.GoFiles, c.mayHaveFindings):
			alone = append(alone, pkg.PkgPath)
		}
	}
	return alone, withTests, nil
}

// list returns the packages that match patterns. It is an error if a pattern matches none.
func (c *config) list(ctx context.Context, patterns []string) (all []*packages.Package, err error) {
	env, err := load.Current()
	if err != nil {
		return nil, err
	}
	var plain []string
	var list diag.List
	groups := [][]string{nil} // patterns that may match nothing are alone, because packages do not say what they match
	for _, pattern := range patterns {
		if strings.Contains(pattern, "...") {
			groups = append(groups, []string{pattern})
		} else {
			plain = append(plain, pattern)
		}
	}
	if groups[0] = plain; len(plain) == 0 { // packages.Load would list the current directory
		groups = groups[1:]
	}
	for _, group := range groups {
		listed, err := packages.Load(&packages.Config{
			Context: ctx, Env: env.GoList(), Mode: packages.NeedName | packages.NeedFiles, BuildFlags: c.buildFlags(),
		}, group...)
		if err != nil {
			return nil, err
		}
		if len(listed) == 0 {
			list.Errorf(token.Position{}, "no packages match %s", strings.Join(group, " ")).Suggest("%s", load.Advice(group...))
		}
		all = append(all, listed...)
	}
	slices.SortStableFunc(all, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	all = slices.CompactFunc(all, func(a, b *packages.Package) bool { return a.ID == b.ID })
	if list = append(list, errorsIn(all)...); len(list) > 0 {
		return nil, &errorList{list}
	}
	return all, nil
}

// omitted returns an error if packages lack one of their files, other than test files.
func omitted(files []string, pkgs []*packages.Package) error {
	var list diag.List
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") ||
			slices.ContainsFunc(pkgs, func(pkg *packages.Package) bool { return slices.Contains(pkg.GoFiles, file) }) {
			continue
		}
		list.Errorf(token.Position{Filename: file, Line: 1}, "build constraints exclude this file").
			Suggest("add its tags to run.build-tags of the configuration")
	}
	if len(list) > 0 {
		return &errorList{list}
	}
	return nil
}

func escapeGlob(dir string) string {
	return strings.NewReplacer(`[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(dir)
}

// mayHaveFindings reports whether kube-api-linter may find something in a file: it looks only at declared types.
func (c *config) mayHaveFindings(file string) bool {
	if c.Linters.Exclusions.excludesFile(conventionsName, file) {
		return false
	}
	text, err := os.ReadFile(file)
	return err != nil || bytes.Contains(text, []byte("type"))
}

// load type-checks packages. The packages that they import are read from export data.
func (c *config) load(ctx context.Context, paths []string, tests bool) ([]*packages.Package, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	env, err := load.Current()
	if err != nil {
		return nil, err
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Env: env.GoList(), BuildFlags: c.buildFlags(), Tests: tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, paths...)
	if list := errorsIn(loaded); err == nil && len(list) > 0 {
		err = &errorList{list}
	}
	return loaded, err
}

// errorsIn returns the errors in packages, each with its position.
func errorsIn(pkgs []*packages.Package) (list diag.List) {
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			if e.Kind == packages.ListError && slices.ContainsFunc(pkg.Errors, isInSource) {
				continue // the compiler says the same
			}
			list.Errorf(load.Position(e.Pos), "%s", e.Msg)
		}
	}
	return list
}

func isInSource(e packages.Error) bool {
	return e.Kind == packages.ParseError || e.Kind == packages.TypeError
}

// errorList is an error that is printed as diagnostics.
type errorList struct{ list diag.List }

func (e *errorList) Error() string {
	var text strings.Builder
	_ = e.list.Write(&text, diag.Style{Dir: workingDir()})
	return strings.TrimSpace(text.String())
}

// listOf returns the diagnostics of an error, which may join others.
func listOf(err error) (list diag.List) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			list = append(list, listOf(one)...)
		}
		return list
	}
	var located *errorList
	if errors.As(err, &located) {
		return located.list
	}
	list.AddError(err)
	return list
}
