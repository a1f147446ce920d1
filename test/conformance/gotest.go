package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// TestRun is the result of a package's tests.
type TestRun struct {
	Passed bool
	Cached bool                // the go command had the result from an earlier run
	Failed map[string][]string // output of every top-level test that failed
	Output []string            // what the package printed apart from its tests; what the compiler said
}

// DependentTests returns the packages of the client-go in dir whose tests, or what these import, include
// a package of Trees. Other tests do not depend on generated code.
func DependentTests(dir string) ([]string, error) {
	out, err := output(goCommand(dir, "list", "-test", "-f",
		`{{if eq .Name "main"}}{{.ImportPath}} {{join .Deps " "}}{{end}}`, "./..."))
	if err != nil {
		return nil, err
	}
	dependsOn := regexp.MustCompile(` k8s\.io/client-go/(` + strings.Join(Trees, "|") + `)(/|\s)`)
	var found []string
	for line := range strings.Lines(string(out)) {
		binary, _, _ := strings.Cut(line, " ")
		if pkg, isTest := strings.CutSuffix(binary, ".test"); isTest && dependsOn.MatchString(line) {
			found = append(found, pkg)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no test in %s depends on generated code", dir)
	}
	return found, nil
}

// RunTests runs go test in dir and returns what happened, by package. An error means that it did not run
// at all; failed tests are no error.
func RunTests(dir string, args ...string) (map[string]*TestRun, error) {
	cmd := goCommand(dir, append([]string{"test", "-json"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()

	runs := map[string]*TestRun{}
	building := map[string][]string{} // what the compiler said, by what was to be built
	tests := map[[2]string][]string{}
	for decoder := json.NewDecoder(&stdout); decoder.More(); {
		// The fields are described by "go doc test2json" and "go help buildjson".
		var event struct{ Action, Package, Test, Output, ImportPath, FailedBuild string }
		if err := decoder.Decode(&event); err != nil {
			return nil, fmt.Errorf("reading the output of go test: %w", err)
		}
		if event.Action == "build-output" {
			building[event.ImportPath] = append(building[event.ImportPath], event.Output)
			continue
		}
		if event.Package == "" {
			continue
		}
		run := runs[event.Package]
		if run == nil {
			run = &TestRun{Failed: map[string][]string{}}
			runs[event.Package] = run
		}
		test, _, _ := strings.Cut(event.Test, "/")
		key := [2]string{event.Package, test}
		switch {
		case event.Action == "output" && test == "":
			run.Output = append(run.Output, event.Output)
			run.Cached = run.Cached || strings.Contains(event.Output, "\t(cached)")
		case event.Action == "output":
			tests[key] = append(tests[key], event.Output)
		case event.Action == "fail" && test == "":
			run.Output = slices.Concat(building[event.FailedBuild], run.Output)
		case event.Action == "fail":
			run.Failed[test] = tests[key]
		case event.Action == "pass" && test == "":
			run.Passed = true
		case event.Action == "skip" && test == "":
			run.Passed = true
		}
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("go test %s: %w\n%s", strings.Join(args, " "), runErr, head(stderr.String()))
	}
	return runs, nil
}

// Failures returns the packages of runs that failed, sorted.
func Failures(runs map[string]*TestRun) []string {
	var found []string
	for _, pkg := range slices.Sorted(maps.Keys(runs)) {
		if !runs[pkg].Passed {
			found = append(found, pkg)
		}
	}
	return found
}
