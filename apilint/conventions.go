package apilint

import (
	"bytes"
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	linter, err := base.New(c.settings())
	if err == nil {
		var found []*analysis.Analyzer
		if found, err = linter.BuildAnalyzers(); err == nil {
			return found, nil
		}
	}
	if c.file != "" {
		err = fmt.Errorf("%s: linters.settings.custom.%s: %w", c.file, conventionsName, err)
	}
	return nil, err
}

// analyze runs kube-api-linter. It type-checks only packages that may have findings.
func analyze(ctx context.Context, c *config, patterns []string) (*result, error) {
	analyzers, err := c.analyzers()
	if err != nil {
		return nil, err
	}
	alone, withTests, err := c.worthwhile(ctx, patterns)
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
func (c *config) worthwhile(ctx context.Context, patterns []string) (alone, withTests []string, err error) {
	listed, err := packages.Load(&packages.Config{
		Context: ctx, Mode: packages.NeedName | packages.NeedFiles, BuildFlags: c.buildFlags(),
	}, patterns...)
	if err == nil {
		err = errorsOf(listed)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, pkg := range listed {
		var files, tests []string
		files = pkg.GoFiles
		if c.tests() && len(files) > 0 {
			tests, _ = filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(files[0])), "*_test.go"))
		}
		switch {
		case slices.ContainsFunc(tests, c.mayHaveFindings):
			withTests = append(withTests, pkg.PkgPath)
		case slices.ContainsFunc(files, c.mayHaveFindings):
			alone = append(alone, pkg.PkgPath)
		}
	}
	return alone, withTests, nil
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
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, BuildFlags: c.buildFlags(), Tests: tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, paths...)
	if err != nil {
		return nil, err
	}
	return loaded, errorsOf(loaded)
}

// errorsOf returns the errors in packages, each with its position.
func errorsOf(pkgs []*packages.Package) error {
	var list diag.List
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			if e.Kind == packages.ListError && slices.ContainsFunc(pkg.Errors, isInSource) {
				continue // the compiler says the same
			}
			list.Errorf(load.Position(e.Pos), "%s", e.Msg)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &errorList{list}
}

func isInSource(e packages.Error) bool {
	return e.Kind == packages.ParseError || e.Kind == packages.TypeError
}

// errorList is an error that is printed as diagnostics.
type errorList struct{ list diag.List }

func (e *errorList) Error() string { return e.list[0].Message }
