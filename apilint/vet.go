package apilint

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/kubegen/kubegen/internal/plan"
)

// isVet reports whether the go command runs this command as go vet -vettool: it asks for the version and for the flags,
// and then names a file for each package, by its absolute path after flags. A flag -c of it has its value in the same
// argument.
func isVet(args []string) bool {
	if len(args) == 1 && (args[0] == askVersion || args[0] == "-flags") {
		return true
	}
	last := len(args) - 1
	return last >= 0 && filepath.IsAbs(args[last]) && filepath.Ext(args[last]) == ".cfg" &&
		!slices.ContainsFunc(args[:last], func(arg string) bool { return !strings.HasPrefix(arg, "-") || arg == "-c" || arg == "-config" })
}

// askVersion is the argument with which the go command asks for the version of a tool.
const askVersion = "-V=full"

// printVersion prints what the go command takes for the version of this tool: a hash of the executable and of the files
// with settings for the current directory. If it changes, the results that the go command has kept are void.
func printVersion(stdout, stderr io.Writer) int {
	self, err := os.Executable()
	if err != nil {
		return (&options{}).refuse(stdout, stderr, err)
	}
	hash := sha256.New()
	files := []string{self}
	for dir := range upward(workingDir()) {
		for _, name := range append(slices.Clone(names), plan.ConfigName) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		fmt.Fprintf(hash, "%s %d\n%s", file, len(text), text)
	}
	fmt.Fprintf(stdout, "apilint version devel buildID=%x\n", hash.Sum(nil))
	return exitDone
}

// vet runs as a tool of go vet, with the configuration of the package's directory. It does not return if that is valid.
func vet(stderr io.Writer) int {
	analyzers, err := Analyzers(workingDir())
	if err != nil {
		return (&options{}).refuse(io.Discard, stderr, err)
	}
	unitchecker.Main(analyzers...)
	return exitDone
}

// Analyzers returns the analyzers of kube-api-linter that the configuration of a directory enables, and Checks, without
// the findings that the configuration or //nolint directives exclude. The configuration is the first file like
// .golangci-kal.yml or .golangci.yml in the directory or above it that enables kube-api-linter.
func Analyzers(dir string) ([]*analysis.Analyzer, error) {
	c, err := findConfig(dir)
	if err != nil {
		return nil, err
	}
	analyzers, err := c.analyzers()
	if err != nil {
		return nil, err
	}
	for i, a := range analyzers {
		analyzers[i] = c.filtered(a, conventionsName)
	}
	return append(analyzers, c.filtered(Checks, checksName)), nil
}

// filtered returns an analyzer without the findings that are excluded.
func (c *config) filtered(a *analysis.Analyzer, linter string) *analysis.Analyzer {
	copied := *a
	copied.Run = func(pass *analysis.Pass) (any, error) {
		filtered, suppressed := *pass, suppressions{}
		filtered.Report = func(d analysis.Diagnostic) {
			f := ofAnalyzer(pass.Fset, a, d)
			f.linter = linter
			if linter == checksName {
				f.Message = d.Message
			}
			if !c.excludes(linter, f.Pos, f.Message) && !suppressed.covers(f) {
				d.Message = f.Message
				pass.Report(d)
			}
		}
		return a.Run(&filtered)
	}
	return &copied
}
