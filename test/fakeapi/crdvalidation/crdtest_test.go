package crdvalidation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

// suites has suites of each form for a definition, tests that pass and tests that fail.
const suites = `
-- crds/jobs.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobs.example.com}
spec:
  group: example.com
  names: {kind: Job, plural: jobs, listKind: JobList, singular: job}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [image]
            x-kubernetes-validations:
            - {rule: "self.image == oldSelf.image", message: image is immutable}
            properties:
              image: {type: string, pattern: "^[a-z]+$"}
              replicas: {type: integer, minimum: 0, maximum: 9, default: 1}
              labels: {type: object, additionalProperties: {type: string, maxLength: 6}}
              ports:
                type: array
                x-kubernetes-validations:
                - rule: |
                    self.all(port, port.number != 7)
                items:
                  type: object
                  oneOf: [{required: [name]}, {required: [number]}]
                  not: {properties: {number: {enum: [5]}}, required: [number]}
                  properties:
                    name: {type: string, anyOf: [{maxLength: 3}, {pattern: "^x"}]}
                    number: {type: integer, allOf: [{minimum: 1}, {maximum: 8}]}
          status:
            type: object
            properties:
              phase: {type: string, enum: [Up, Down]}
-- suites/jobs.yaml --
name: Jobs
crdName: jobs.example.com
tests:
  onCreate:
  - name: has defaults
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a}
    expected: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a, replicas: 1}
  - name: needs an image
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {}
    expectedError: "spec.image: Required value"
  onUpdate:
  - name: keeps its image
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a}
    updated: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: b}
    expectedError: 'spec: Invalid value: "object": image is immutable'
  - name: keeps what was valid
    initialCRDPatches:
    - {op: remove, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/image/pattern}
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: "A"}
    updated: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: "A", replicas: 2}
    expected: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: "A", replicas: 2}
  - name: has a status
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a}
      status: {phase: Up}
    updated: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a}
      status: {phase: Sideways}
    expectedStatusError: 'status.phase: Unsupported value: "Sideways"'
-- suites/valid/small.yaml --
apiVersion: example.com/v1
kind: Job
spec: {image: a}
---
apiVersion: example.com/v1
kind: Job
spec: {image: b, replicas: 9}
-- suites/invalid/large.yaml --
apiVersion: example.com/v1
kind: Job
spec: {image: a, replicas: 10}
---
apiVersion: example.com/v1
kind: Job
spec: {image: a, labels: {key: too-long}}
---
apiVersion: example.com/v1
kind: Job
spec: {image: a, ports: [{name: long}, {number: 0}, {}, {number: 5}]}
---
apiVersion: example.com/v1
kind: Job
spec: {image: a, ports: [{number: 7}]}
---
-- suites/other.yaml --
kind: ConfigMap
-- failing/jobs.yaml --
# A comment stays.
name: Jobs
crdName: jobs.example.com
tests:
  onCreate:
  - name: another default
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a}
    expected: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a, replicas: 2}
  - name: is accepted
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a}
    expectedError: Required value
  - name: is refused
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: "1"}
  - name: has another error
    initial: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: "1"}
    expectedError: Required value
  - name: is of another kind
    initial: |
      apiVersion: example.com/v2
      kind: Job
      spec: {image: a}
-- failing/invalid/small.yaml --
apiVersion: example.com/v1
kind: Job
spec: {image: a}
-- misspelled/jobs.yaml --
crdName: jobs.example.com
tests:
  onCreates: []
-- unknownkey/jobs.yaml --
crdName: jobs.example.com
tests:
  onCreate:
  - name: a
    expectError: Required value
-- documents/jobs.yaml --
crdName: jobs.example.com
tests:
  onCreate:
  - initial: ""
---
crdName: jobs.example.com
-- mapping/jobs.yaml --
crdName: jobs.example.com
tests:
  onCreate:
  - initial: {kind: Job}
-- updated/jobs.yaml --
crdName: jobs.example.com
tests:
  onCreate:
  - updated: "{}"
-- merged/jobs.yaml --
crdName: jobs.example.com
tests:
  <<: {onCreate: [{name: a}]}
-- list/valid/jobs.yaml --
- kind: Job
-- malformed/jobs.yaml --
crdName: jobs.example.com
 tests: {}
-- nameless/jobs.yaml --
crdname: jobs.example.com
tests:
  onCreate:
  - name: a
-- empty/jobs.yaml --
crdName: jobs.example.com
tests:
  onCreate:
  -
-- status/jobs.yaml --
crdName: jobs.example.com
tests:
  onUpdate:
  - name: has a status
    initial: "{apiVersion: example.com/v1, kind: Job, spec: {image: a, labels: {a: longer}}}"
    updated: |
      apiVersion: example.com/v1
      kind: Job
      spec: {image: a}
      status: {phase: Sideways}
-- unknown/jobs.yaml --
crdName: tasks.example.com
tests:
  onCreate:
  - initial: ""
`

func writeSuites(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, file := range txtar.Parse([]byte(suites)).Files {
		name := filepath.Join(dir, file.Name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		must(t, os.WriteFile(name, file.Data, 0o666))
	}
	return dir
}

// TestSuites runs suites that pass. Most constraints are violated.
func TestSuites(t *testing.T) {
	dir := writeSuites(t)
	crdtest.Run(t, filepath.Join(dir, "crds"), filepath.Join(dir, "suites"))
	report, err := crdtest.Check([]string{filepath.Join(dir, "crds")}, []string{filepath.Join(dir, "suites")})
	must(t, err)
	got := fmt.Sprintln(len(report.Results))
	for _, c := range report.Untested {
		got += strings.TrimPrefix(c.String(), dir+string(filepath.Separator)) + "\n"
	}
	const want = `11
crds/jobs.yaml:16: jobs.example.com v1 spec: required
crds/jobs.yaml:24: jobs.example.com v1 spec.image: pattern
crds/jobs.yaml:38: jobs.example.com v1 spec.ports[].number: maximum
crds/jobs.yaml:25: jobs.example.com v1 spec.replicas: minimum
`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestFailingSuites runs suites that fail, compares the messages, and updates the suites, which pass then.
func TestFailingSuites(t *testing.T) {
	dir := writeSuites(t)
	check := func(suites string) (string, *crdtest.Report) {
		report, err := crdtest.Check([]string{filepath.Join(dir, "crds")}, []string{filepath.Join(dir, suites)})
		text := ""
		if err != nil {
			text = err.Error()
		} else {
			for _, result := range report.Results {
				if result.Err != nil {
					text += result.String() + "\n"
				}
			}
		}
		return strings.ReplaceAll(text, dir+string(filepath.Separator), ""), report
	}
	const want = `failing/invalid/small.yaml:1: small: the object is accepted, but is in a directory named invalid
failing/jobs.yaml:6: another default: spec.replicas is 1, not 2
failing/jobs.yaml:15: is accepted: the object is accepted, but the error "Required value" is expected
failing/jobs.yaml:21: is refused: the object is refused: Job.example.com "test" is invalid: spec.image: Invalid value: "1": spec.image in body should match '^[a-z]+$'
failing/jobs.yaml:26: has another error: the error is "Job.example.com \"test\" is invalid: spec.image: Invalid value: \"1\": spec.image in body should match '^[a-z]+$'", which does not contain "Required value"
failing/jobs.yaml:32: is of another kind: the object is a Job of example.com/v2, which definition jobs.example.com does not serve
`
	got, report := check("failing")
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	file := filepath.Join(dir, "failing/jobs.yaml")
	before, err := os.ReadFile(file)
	must(t, err)
	_, err = report.Update()
	if after, _ := os.ReadFile(file); err == nil || !strings.Contains(err.Error(), "it cannot be updated") || string(after) != string(before) {
		t.Errorf("Update returned %v and wrote %s", err, after)
	}
	must(t, os.WriteFile(file, before[:strings.Index(string(before), "  - name: is of another kind")], 0o666))
	for _, file := range []string{"failing/jobs.yaml", "status/jobs.yaml"} {
		_, report := check(file)
		files, err := report.Update()
		updated, _ := os.ReadFile(filepath.Join(dir, file))
		if got, _ := check(file); err != nil || len(files) != 1 || got != "" || strings.Contains(string(before), "#") != strings.Contains(string(updated), "#") && file != "status/jobs.yaml" {
			t.Errorf("after the update (%v): %s\n%s", err, got, updated)
		}
	}
	for suites, want := range map[string]string{
		"misspelled": "misspelled/jobs.yaml:3: field onCreates not found",
		"unknownkey": "unknownkey/jobs.yaml:5: field expectError not found",
		"documents":  "documents/jobs.yaml:6: a suite is one document",
		"mapping":    "mapping/jobs.yaml:4: cannot unmarshal !!map; write the object as text, after |",
		"updated":    "updated/jobs.yaml:4: a test of onCreate has updated or expectedStatusError; move it to onUpdate",
		"merged":     "merged/jobs.yaml:1: the tests of onCreate are merged by <<",
		"list":       "list/valid/jobs.yaml:1: definition: json: cannot unmarshal array",
		"unknown":    "unknown/jobs.yaml:1: definition: no definition of tasks.example.com in ",
		"malformed":  "malformed/jobs.yaml:2: mapping values are not allowed",
		"nameless":   "nameless/jobs.yaml:1: field crdname not found",
		"empty":      "empty/jobs.yaml:4: a test of the suite is empty",
		"crds":       "no suites in ",
		"missing":    "missing: file does not exist",
	} {
		if got, _ := check(suites); !strings.Contains(got, want) {
			t.Errorf("%s: got %s\nwant %s", suites, got, want)
		}
	}
}

// TestOrder checks that the errors of a field are in the order of its schema, as on a server.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	definition := strings.NewReplacer("minimum: 0, ", `x-kubernetes-validations: [{rule: "self < 7", message: b}, {rule: "self < 8", message: a}], `, "maximum: 9, ", "").Replace(suites)
	crds, _, _ := strings.Cut(strings.TrimPrefix(definition, "\n-- crds/jobs.yaml --\n"), "-- suites")
	must(t, os.WriteFile(filepath.Join(dir, "jobs.yaml"), []byte(crds), 0o666))
	must(t, os.MkdirAll(filepath.Join(dir, "invalid"), 0o777))
	must(t, os.WriteFile(filepath.Join(dir, "invalid", "large.yaml"), []byte("{apiVersion: example.com/v1, kind: Job, spec: {image: a, replicas: 9}}"), 0o666))
	for range 20 {
		report, err := crdtest.Check([]string{filepath.Join(dir, "jobs.yaml")}, []string{filepath.Join(dir, "invalid")})
		must(t, err)
		const want = `Job.example.com "test" is invalid: [spec.replicas: Invalid value: 9: b, spec.replicas: Invalid value: 9: a]`
		if got := report.Results[0].Got; got != want {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
}

// TestMessageExpressions checks that an error counts only for the rule whose expression can have made its message.
func TestMessageExpressions(t *testing.T) {
	dir := t.TempDir()
	definition := strings.Replace(suites, `pattern: "^[a-z]+$"`, `pattern: "^[a-z]+$", maxLength: 9, x-kubernetes-validations: [`+
		`{rule: "self != 'b'", messageExpression: "'no ' + self"}, {rule: "self != 'c'", messageExpression: "'it isn\\'t ' + self"}]`, 1)
	crds, _, _ := strings.Cut(strings.TrimPrefix(definition, "\n-- crds/jobs.yaml --\n"), "-- suites")
	must(t, os.WriteFile(filepath.Join(dir, "jobs.yaml"), []byte(crds), 0o666))
	must(t, os.MkdirAll(filepath.Join(dir, "invalid"), 0o777))
	for _, test := range []struct{ image, untested string }{
		{`"1"`, "self != 'b'; self != 'c'"}, {"b", "self != 'c'"}, {"c", "self != 'b'"},
	} {
		object := "{apiVersion: example.com/v1, kind: Job, spec: {image: " + test.image + "}}"
		must(t, os.WriteFile(filepath.Join(dir, "invalid", "image.yaml"), []byte(object), 0o666))
		report, err := crdtest.Check([]string{filepath.Join(dir, "jobs.yaml")}, []string{filepath.Join(dir, "invalid")})
		must(t, err)
		var untested []string
		for _, c := range report.Untested {
			if rule, ok := strings.CutPrefix(c.Keyword, "rule "); ok && c.Path == "spec.image" {
				untested = append(untested, rule)
			}
		}
		if got := strings.Join(untested, "; "); got != test.untested {
			t.Errorf("%s: untested are %s, want %s", test.image, got, test.untested)
		}
	}
}

// TestUpdateKeepsLayout updates a suite in an uncommon layout: only the lines that say what is expected change.
func TestUpdateKeepsLayout(t *testing.T) {
	const before = `# Jobs have images.

"crdName":   jobs.example.com   # the plural
tests:
    onCreate:

    # The default.
    - expected: |
          apiVersion: example.com/v1

          kind: Job
          spec: {image: a, replicas: 2}

      # The object.
      initial: &a "{apiVersion: example.com/v1, kind: Job,

          spec: {image: a}}"
      name: 'has another default'

    - name:   is refused
      initial: |
          apiVersion: example.com/v1
          kind: Job
          spec: {image: "1"}

    # The last one.
    - {name: in flow style, initial: *a}
    - name: has another error
      expectedError: "Required
        value" # not so
      initial: "{apiVersion: example.com/v1, kind: Job, spec: {image: '1'}}"
      expected: ""
    - name: is accepted
      expectedError: Required value
      initial: *a`
	const after = `# Jobs have images.

"crdName":   jobs.example.com   # the plural
tests:
    onCreate:

    # The default.
    - expected: |
        apiVersion: example.com/v1
        kind: Job
        spec:
          image: a
          replicas: 1

      # The object.
      initial: &a "{apiVersion: example.com/v1, kind: Job,

          spec: {image: a}}"
      name: 'has another default'

    - name:   is refused
      initial: |
          apiVersion: example.com/v1
          kind: Job
          spec: {image: "1"}
      expectedError: 'Job.example.com "test" is invalid: spec.image: Invalid value: "1": spec.image in body should match ''^[a-z]+$'''

    # The last one.
    - {name: in flow style, initial: *a}
    - name: has another error
      expectedError: 'Job.example.com "test" is invalid: spec.image: Invalid value: "1": spec.image in body should match ''^[a-z]+$'''
      initial: "{apiVersion: example.com/v1, kind: Job, spec: {image: '1'}}"
    - name: is accepted
      expected: |
        apiVersion: example.com/v1
        kind: Job
        spec:
          image: a
          replicas: 1
      initial: *a`
	crlf := strings.NewReplacer("\n", "\r\n")
	for name, texts := range map[string][2]string{
		"unix": {before, after}, "windows": {crlf.Replace(before), crlf.Replace(after)},
		"end": {strings.TrimSuffix(before, "\n      expectedError: Required value\n      initial: *a") + "\n      initial: \"{apiVersion: example.com/v1, kind: Job, spec: {image: '2'}}\"", ""},
	} {
		dir := writeSuites(t)
		file := filepath.Join(dir, "suite.yaml")
		must(t, os.WriteFile(file, []byte(texts[0]), 0o666))
		report, err := crdtest.Check([]string{filepath.Join(dir, "crds")}, []string{file})
		must(t, err)
		_, err = report.Update()
		must(t, err)
		got, err := os.ReadFile(file)
		must(t, err)
		if want := texts[1]; want != "" && string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		report, err = crdtest.Check([]string{filepath.Join(dir, "crds")}, []string{file})
		must(t, err)
		for _, result := range report.Results {
			if result.Err != nil {
				t.Errorf("%s: after the update: %v", name, result)
			}
		}
		if !strings.Contains(string(got), `"crdName":   jobs`) {
			t.Errorf("%s: the layout is another one:\n%s", name, got)
		}
	}
}

// TestRefusedDefinition runs suites for definitions that servers refuse, and a test whose patches make it one.
func TestRefusedDefinition(t *testing.T) {
	dir := writeSuites(t)
	manifest := filepath.Join(dir, "crds/jobs.yaml")
	text, err := os.ReadFile(manifest)
	must(t, err)
	check := func(suite string) (*crdtest.Report, string) {
		report, err := crdtest.Check([]string{manifest}, []string{filepath.Join(dir, suite)})
		return report, strings.ReplaceAll(fmt.Sprint(err), dir+string(filepath.Separator), "")
	}
	for _, test := range []struct{ before, after, want string }{
		{"{type: string, enum: [Up, Down]}", "{enum: [Up, Down]}", "crds/jobs.yaml:42:22: spec.validation.openAPIV3Schema.properties[status].properties[phase].type: Required value"},
		{"self.all(port, port.number != 7)", "self.al(port, true)", "undeclared reference to 'port'"},
		{`"self.image == oldSelf.image"`, `"self.ports.all(p, self.ports.all(q, self.ports.all(r, p == q || q == r)))"`, "estimated rule cost exceeds budget"},
	} {
		must(t, os.WriteFile(manifest, []byte(strings.Replace(string(text), test.before, test.after, 1)), 0o666))
		if report, got := check("suites"); !strings.Contains(got, test.want) || len(report.Results) > 0 {
			t.Errorf("%s: %s", test.after, got)
		}
	}
	must(t, os.WriteFile(manifest, text, 0o666))
	must(t, os.WriteFile(filepath.Join(dir, "patched.yaml"), []byte(`name: Job
crdName: jobs.example.com
tests:
  onCreate:
  - name: refused
    initialCRDPatches: [{op: remove, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/type}]
    initial: |
      {apiVersion: example.com/v1, kind: Job, spec: {image: a}}
`), 0o666))
	if report, got := check("patched.yaml"); got != "<nil>" || len(report.Results) != 1 || !strings.Contains(fmt.Sprint(report.Results[0].Err), "initialCRDPatches: crds/jobs.yaml:") &&
		!strings.Contains(fmt.Sprint(report.Results[0].Err), "Required value") {
		t.Errorf("%s: %v", got, report.Results)
	}
}
