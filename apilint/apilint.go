// Package apilint lints Kubernetes API types: it runs the analyzers of kube-api-linter, with the configuration of
// golangci-lint that projects have for them, and the checks of kubegen, and prints one list of findings.
//
// Nothing of either is written again here. The analyzers come from the registry of kube-api-linter, and the checks from
// a run of kubegen that writes nothing.
package apilint

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// The names of the linters in exclusions and in //nolint directives.
const (
	conventionsName = "kubeapilinter" // kube-api-linter calls itself so in golangci-lint
	checksName      = "kubegen"
)

// finding is a diagnostic of a linter.
type finding struct {
	*diag.Diagnostic // with an absolute file name
	linter           string
	fix              []edit // nil if the linter suggests none
}

// request is what a run is asked for.
type request struct {
	config              *config
	patterns            []string
	conventions, checks bool   // which linters run
	since               string // a git revision; "" for all findings
}

// result is what a run has found.
type result struct {
	findings []finding
	hidden   int       // findings beyond the limits in the configuration
	about    diag.List // why the run is incomplete, or what it passed over
}

// run lints the packages that match the patterns.
func run(ctx context.Context, r request) (*result, error) {
	patterns, files, err := directories(r.patterns)
	if err != nil {
		return nil, err
	}
	var checked, analyzed *result
	var checksErr, conventionsErr error
	var wait sync.WaitGroup
	if r.checks {
		wait.Add(1)
		go func() {
			defer wait.Done()
			checked, checksErr = check(patterns, !r.conventions)
		}()
	}
	if r.conventions {
		analyzed, conventionsErr = analyze(ctx, r.config, patterns, files)
	}
	wait.Wait()
	all := &result{}
	if conventionsErr != nil && checked != nil && checked.about.HasErrors() && !listOf(conventionsErr)[0].Pos.IsValid() {
		conventionsErr = &errorList{checked.about} // says the same, such as that there is no go.mod, with advice
	}
	if err := errors.Join(conventionsErr, checksErr); err != nil {
		return nil, err
	}
	for _, part := range []*result{analyzed, checked} {
		if part != nil {
			all.findings, all.about = append(all.findings, part.findings...), append(all.about, part.about...)
		}
	}
	suppressed := suppressions{}
	all.findings = slices.DeleteFunc(all.findings, func(f finding) bool {
		return len(files) > 0 && filepath.Ext(f.Pos.Filename) == ".go" && !slices.Contains(files, f.Pos.Filename) ||
			r.config.excludes(f.linter, f.Pos, f.Message) || suppressed.covers(f)
	})
	if since := cmp.Or(r.since, r.config.Issues.NewFromRev); since != "" {
		old, err := declarationsAt(ctx, since)
		if err != nil {
			return nil, err
		}
		var errs []error
		all.findings = slices.DeleteFunc(all.findings, func(f finding) bool {
			isNew, err := old.lack(f.Pos)
			errs = append(errs, err)
			return !isNew
		})
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
	}
	all.findings, all.hidden = r.config.Issues.limit(all.findings)
	return all, nil
}

// directories returns patterns of the go command for arguments: directories may lack ./, and Go files stand for their
// directories. files are the absolute names of the latter, which must exist; only their findings are reported.
func directories(args []string) (patterns, files []string, err error) {
	var missing []error
	for _, arg := range args {
		if filepath.Ext(arg) == ".go" && !isDir(arg) {
			if _, err := os.Stat(arg); err != nil {
				missing = append(missing, err)
			}
			files, arg = append(files, absolute(arg)), filepath.Dir(arg)
		}
		dir := strings.TrimSuffix(strings.TrimSuffix(arg, "..."), "/")
		if isDir(dir) && !filepath.IsAbs(arg) && !strings.HasPrefix(arg, ".") {
			arg = "./" + arg
		}
		if !slices.Contains(patterns, arg) {
			patterns = append(patterns, arg)
		}
	}
	return patterns, files, errors.Join(missing...)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// list returns the findings as diagnostics, each on a line of its own even if many have the same text.
func (r *result) list() (list diag.List) {
	for _, f := range r.findings {
		list = append(list, f.Like(f.Pos.String()+f.Message))
	}
	return list
}

// workingDir returns the directory that file names in the output are relative to.
func workingDir() string {
	dir, _ := os.Getwd()
	return dir
}
