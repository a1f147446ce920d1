// Package crdtest tests the schemas of CustomResourceDefinitions with objects in files: objects that are valid, objects
// that are refused with an error, updates, and defaults. It needs no cluster: it uses the code of the API server, as
// package crdvalidation does.
//
//	func TestSchemas(t *testing.T) {
//		crdtest.Run(t, "config/crd/bases", "testdata/schemas")
//	}
//
// A suite is a YAML file in the form of OpenShift's API tests:
//
//	name: CronTab
//	crdName: crontabs.stable.example.com
//	version: v1                     # or the apiVersion of the objects
//	tests:
//	  onCreate:
//	  - name: has defaults
//	    initial: |                  # an object; metadata may be missing
//	      apiVersion: stable.example.com/v1
//	      kind: CronTab
//	      spec: {cronSpec: "* * * * *"}
//	    expected: |                 # the stored object; without it, the object must only be accepted
//	      ...
//	  - name: needs a schedule
//	    initial: ...
//	    expectedError: "spec.cronSpec: Required value"    # a part of the server's message
//	  onUpdate:
//	  - name: keeps what was valid before
//	    initialCRDPatches:          # of RFC 6902, for the definition when the object is created
//	    - {op: remove, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/cronSpec/pattern}
//	    initial: ...
//	    updated: ...
//	    expected: ...               # or expectedError, or expectedStatusError for an update of the status
//
// Files in directories named valid and invalid have objects that must be accepted or refused. [Init] writes first
// suites.
package crdtest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// Run runs the suites in files and directories as subtests, for the definitions in a file or directory. It is an error
// if there are none. With -v, it lists the constraints that no object violates, with their lines.
func Run(t *testing.T, definitions string, suites ...string) {
	t.Helper()
	report, err := Check([]string{definitions}, suites)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range report.Results {
		t.Run(result.Suite+"/"+result.Name, func(t *testing.T) {
			if result.Err != nil {
				t.Error(result)
			}
		})
	}
	for _, c := range report.Untested {
		t.Logf("%s: no object violates it", c)
	}
}

// A Report has the results of suites.
type Report struct {
	Results []Result
	// Untested are the constraints of the schemas of the suites that no object violates.
	Untested []Constraint
}

// A Result is the result of a test in a suite.
type Result struct {
	File        string
	Line        int
	Suite, Name string
	Got         string // the server's message, or the stored object as YAML
	Err         error  // nil if the test has passed

	of         *test
	suite      *suite
	definition string
	refusal    string // key of the message in Got, or "" if it is an object
}

// String returns the place, the name and the error.
func (r Result) String() string {
	if r.Err == nil {
		return fmt.Sprintf("%s:%d: %s: ok", r.File, r.Line, r.Name)
	}
	return fmt.Sprintf("%s:%d: %s: %v", r.File, r.Line, r.Name, r.Err)
}

// Check runs the suites in files and directories, for the definitions in files and directories. The error is about
// these files, and says why a server refuses a definition of the suites, whose tests do not run; errors of tests are in
// the report.
func Check(definitions, suites []string) (*Report, error) {
	all, err := crdvalidation.Definitions(definitions...)
	if err != nil {
		return nil, err
	}
	read, err := readSuites(suites)
	if err != nil {
		return nil, err
	}
	report, used := &Report{}, map[*crdvalidation.Definition]*schemas{}
	var errs []error
	for _, s := range read {
		found, what, err := s.definitions(all)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("no definition of %s in %q", what, definitions)
		}
		if err != nil {
			report.Results = append(report.Results, Result{File: s.file, Line: s.line, Suite: s.Name, Name: "definition", suite: s, Err: err})
		}
		for _, definition := range found {
			on, known := used[definition]
			if !known {
				on, err = validSchemas(definition)
				used[definition], errs = on, append(errs, err)
			}
			if on != nil {
				report.Results = append(report.Results, s.run(on)...)
			}
		}
	}
	for _, definition := range all {
		if used[definition] != nil {
			report.Untested = append(report.Untested, used[definition].untested()...)
		}
	}
	return report, errors.Join(errs...)
}
