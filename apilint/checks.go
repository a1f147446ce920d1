package apilint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/kubegen/kubegen/internal/commands/cli"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Checks reports what kubegen finds in API types: markers that are misspelled, misplaced, without effect or contradict
// each other, and schemas that an API server refuses.
var Checks = &analysis.Analyzer{
	Name: checksName,
	Doc:  "finds markers without effect and schemas that API servers refuse, as a run of kubegen --only crd does",
	Run:  checkPass,
}

// kubegen runs one at a time: it sets up signals and the garbage collector for its process.
var kubegen sync.Mutex

// check runs the checks. If they are required, it is an error that no package has kinds, and without findings, warnings
// about the run are returned. If kube-api-linter also runs, packages need not have kinds.
func check(patterns []string, required bool) (*result, error) {
	kubegen.Lock()
	defer kubegen.Unlock()
	var stderr bytes.Buffer
	args := []string{"--dry-run", "--only", "crd", "--format", "json"}
	if env, err := load.Current(); err == nil && env.Getenv("GOWORK") != "off" {
		if _, _, inModule := env.FindModule("."); !inModule && holding("go.work") != "" {
			args = append(args, "--with-crds="+filepath.Join(workingDir(), "config", "crd", "bases")) // the default is in the module here
		}
	}
	args = append(append(args, "--"), patterns...)
	code := cli.Main(cli.Checks(required), args, io.Discard, &stderr)
	found, err := resultOf(&stderr, required)
	if err == nil && code != 0 && len(found.findings)+len(found.about) == 0 {
		err = fmt.Errorf("kubegen ended with exit code %d", code)
	}
	return found, err
}

// resultOf returns what messages of kubegen say. Errors about the run, such as those in kubegen.yaml and those of the
// parser, always count, because they prevent checks.
func resultOf(messages io.Reader, required bool) (*result, error) {
	list, err := diag.ReadJSON(messages)
	if err != nil {
		return nil, fmt.Errorf("kubegen: %w", err)
	}
	found := &result{}
	var warnings diag.List // about the run
	for _, d := range list {
		if d.Pos.IsValid() {
			d.Pos.Filename = absolute(d.Pos.Filename)
		}
		switch {
		case d.Severity == diag.Note:
		case filepath.Ext(d.Pos.Filename) == ".go" && (d.Severity != diag.Error || isGo(d.Pos.Filename)):
			found.findings = append(found.findings, finding{Diagnostic: d, linter: checksName})
		case d.Severity == diag.Error || d.Pos.IsValid():
			found.about = append(found.about, d)
		default:
			warnings = append(warnings, d)
		}
	}
	if required && len(found.findings) == 0 {
		found.about = append(found.about, warnings...)
	}
	return found, nil
}

// isGo reports whether the parser takes a file.
func isGo(file string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	return err == nil
}

func absolute(file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(workingDir(), filepath.FromSlash(file))
}

// checkPass runs the checks for the package of a pass.
func checkPass(pass *analysis.Pass) (any, error) {
	at := slices.IndexFunc(pass.Files, declaresKind)
	if at < 0 {
		return nil, nil
	}
	dir := filepath.Dir(pass.Fset.Position(pass.Files[at].Package).Filename)
	found, err := check([]string{dir}, false)
	if err != nil {
		return nil, err
	}
	if found.about.HasErrors() {
		return nil, &errorList{found.about}
	}
	for _, f := range found.findings {
		if pos := posOf(pass, f.Pos); pos.IsValid() {
			text := f.Message
			if f.Hint != "" {
				text += " (" + f.Hint + ")"
			}
			pass.Report(analysis.Diagnostic{Pos: pos, Category: f.Check, Message: text})
		}
	}
	return nil, nil
}

// declaresKind reports whether a file has a struct that embeds TypeMeta.
func declaresKind(file *ast.File) (found bool) {
	if strings.HasSuffix(file.Name.Name, "_test") {
		return false
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && len(field.Names) == 0 {
			switch t := field.Type.(type) {
			case *ast.SelectorExpr:
				found = found || t.Sel.Name == "TypeMeta"
			case *ast.Ident:
				found = found || t.Name == "TypeMeta"
			}
		}
		return !found
	})
	return found
}

// posOf returns a position in the files of a pass.
func posOf(pass *analysis.Pass, pos token.Position) token.Pos {
	for _, file := range pass.Files {
		f := pass.Fset.File(file.Package)
		if f.Name() == pos.Filename && pos.Line <= f.LineCount() {
			return f.LineStart(pos.Line) + token.Pos(max(pos.Column, 1)-1)
		}
	}
	return token.NoPos
}
