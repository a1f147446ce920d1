package crdvalidation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

// TestInit makes a first suite, which tests all constraints: it fails if one is taken out of the definition, with the
// test for it.
func TestInit(t *testing.T) {
	dir := writeSuites(t)
	crds, first := filepath.Join(dir, "crds"), filepath.Join(dir, "first")
	files, untested, err := crdtest.Init([]string{crds}, first)
	must(t, err)
	file := filepath.Join(first, "jobs.example.com_v1.testsuite.yaml")
	if len(files) != 1 || files[0] != file || len(untested) > 0 {
		t.Fatalf("wrote %q, untested %v", files, untested)
	}
	suite, err := os.ReadFile(file)
	must(t, err)
	if !strings.HasPrefix(string(suite), "# A first suite for jobs.example.com v1, made by crdtest -init") {
		t.Errorf("the suite does not say what it is:\n%s", suite)
	}
	report, err := crdtest.Check([]string{crds}, []string{first})
	must(t, err)
	for _, result := range report.Results {
		if result.Err != nil {
			t.Error(result)
		}
	}
	if len(report.Untested) > 0 {
		t.Errorf("no object violates %v", report.Untested)
	}

	definition, err := os.ReadFile(filepath.Join(crds, "jobs.yaml"))
	must(t, err)
	for constraint, test := range map[string]string{
		`, pattern: "^[a-z]+$"`: "refuses spec.image: pattern",
		`minimum: 0, `:          "refuses spec.replicas: minimum",
		`maximum: 9, `:          "refuses spec.replicas: maximum",
		`, maxLength: 6`:        "refuses spec.labels[]: maxLength",
		`required: [image]`:     "refuses spec.image: required",
		`        required: [spec]
`: "refuses spec: required",
		`            x-kubernetes-validations:
            - {rule: "self.image == oldSelf.image", message: image is immutable}
`: "refuses spec: image is immutable",
		`                x-kubernetes-validations:
                - rule: |
                    self.all(port, port.number != 7)
`: "refuses spec.ports: rule self.all(port, port.number != 7)",
		`oneOf: [{required: [name]}, {required: [number]}]`:            "refuses spec.ports[]: oneOf",
		`not: {properties: {number: {enum: [5]}}, required: [number]}`: "refuses spec.ports[]: not",
		`, anyOf: [{maxLength: 3}, {pattern: "^x"}]`:                   "refuses spec.ports[].name: anyOf",
		`{minimum: 1}, `:     "refuses spec.ports[].number: minimum",
		`, enum: [Up, Down]`: "refuses status.phase: enum",
	} {
		changed := strings.Replace(string(definition), constraint, "", 1)
		if changed == string(definition) {
			t.Fatalf("the definition has no %q", constraint)
		}
		weaker := filepath.Join(t.TempDir(), "jobs.yaml")
		must(t, os.WriteFile(weaker, []byte(changed), 0o666))
		report, err := crdtest.Check([]string{weaker}, []string{first})
		must(t, err)
		var failed []string
		for _, result := range report.Results {
			if result.Err != nil {
				failed = append(failed, result.Name)
			}
		}
		if len(failed) != 1 || failed[0] != test {
			t.Errorf("without %s, these tests fail: %q", strings.TrimSpace(constraint), failed)
		}
	}

	second := filepath.Join(dir, "second")
	_, _, err = crdtest.Init([]string{crds}, second, "jobs.example.com")
	must(t, err)
	if again, _ := os.ReadFile(filepath.Join(second, filepath.Base(file))); string(again) != string(suite) {
		t.Errorf("the suite differs:\n%s", again)
	}
}

// TestInitOfOptionalSpec checks that the object with optional fields keeps them although all are in an optional one.
func TestInitOfOptionalSpec(t *testing.T) {
	dir := writeSuites(t)
	crds := filepath.Join(dir, "crds", "jobs.yaml")
	text, err := os.ReadFile(crds)
	must(t, err)
	must(t, os.WriteFile(crds, []byte(strings.Replace(string(text), "        required: [spec]\n", "", 1)), 0o666))
	files, _, err := crdtest.Init([]string{crds}, filepath.Join(dir, "first"))
	must(t, err)
	suite, err := os.ReadFile(files[0])
	must(t, err)
	const want = `    - name: accepts optional fields
      initial: |
        apiVersion: example.com/v1
        kind: Job
        spec:
          image: a
          replicas: 1
`
	if !strings.Contains(string(suite), want) {
		t.Errorf("got\n%s\nwant\n%s", suite, want)
	}
}

// TestInitFails checks that nothing is written if there is an error.
func TestInitFails(t *testing.T) {
	dir := writeSuites(t)
	crds := filepath.Join(dir, "crds")
	text, err := os.ReadFile(filepath.Join(crds, "jobs.yaml"))
	must(t, err)
	task := strings.NewReplacer("jobs", "tasks", "JobList", "TaskList", "kind: Job", "kind: Task", "singular: job", "singular: task").Replace(string(text))
	write := func(name, text string) {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("never.yaml", strings.Replace(task, "self.image == oldSelf.image", "self.image != self.image", 1))
	write("twice.yaml", string(text))
	write("unserved.yaml", strings.Replace(task, "served: true", "served: false", 1))
	write("rule.yaml", strings.Replace(task, "self.image == oldSelf.image", "self.images == ''", 1))
	write("name.yaml", strings.Replace(task, "{name: tasks.example.com}", "{name: ../tasks}", 1))
	existing := filepath.Join(dir, "existing", "jobs.example.com_v1.testsuite.yaml")
	must(t, os.MkdirAll(filepath.Dir(existing), 0o777))
	must(t, os.WriteFile(existing, []byte("mine"), 0o666))
	for _, test := range []struct {
		definitions []string
		dir         string
		names       []string
		want        string
	}{
		{[]string{"crds", "never.yaml"}, "new", nil, "never.yaml:9: tasks.example.com v1: no valid object is found, so write its suite by hand; " +
			"one of those tried is refused: spec: Invalid value"},
		{[]string{"crds", "twice.yaml"}, "new", nil, "twice.yaml:9: jobs.example.com v1: it is also defined in "},
		{[]string{"crds"}, "new", []string{"tasks.example.com"}, "no definition of tasks.example.com in "},
		{[]string{"crds"}, "existing", nil, "existing/jobs.example.com_v1.testsuite.yaml exists; name other definitions, or remove it"},
		{[]string{"unserved.yaml"}, "new", nil, "no version in "},
		{[]string{"crds", "rule.yaml"}, "new", nil, "rule.yaml:22:22: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: " +
			"Invalid value: compilation failed"},
		{[]string{"name.yaml"}, "new", nil, "name.yaml:3:18: metadata.name: Invalid value"},
		{[]string{"crds"}, "new/valid", nil, "new/valid is for objects, not for suites; name another directory"},
		{[]string{"suites"}, "new", nil, "no CustomResourceDefinition of "},
	} {
		for i, name := range test.definitions {
			test.definitions[i] = filepath.Join(dir, name)
		}
		files, _, err := crdtest.Init(test.definitions, filepath.Join(dir, test.dir), test.names...)
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), test.want) || len(files) > 0 {
			t.Errorf("wrote %q, error %v\nwant %s", files, err, test.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
			t.Errorf("after the error %s, the directory is there", test.want)
		}
		if text, _ := os.ReadFile(existing); string(text) != "mine" {
			t.Errorf("the existing file is replaced by %s", text)
		}
	}
}

// unions has constraints of values that are valid only together with others: of a union with six members, and of an
// object with a condition.
const unions = `
spec:
  type: object
  required: [class]
  properties:
    class: {type: string}
    labels:
      type: object
      additionalProperties: {type: string}
      x-kubernetes-validations: [{rule: "self.all(key, key.size() != 0)"}]
    filters:
      type: array
      maxItems: 4
      x-kubernetes-validations:
      - {rule: "!(self.exists(f, f.type == 'Rewrite') && self.exists(f, f.type == 'Redirect'))"}
      items:
        type: object
        required: [type]
        x-kubernetes-validations: [MEMBERS]
        properties:
          type: {type: string, enum: [Rewrite, Redirect, Mirror, Add, Set, Remove]}
          Rewrite: MEMBER
          Redirect: MEMBER
          Mirror: MEMBER
          Add: MEMBER
          Set: MEMBER
          Remove: MEMBER
status:
  type: object
  properties:
    conditions:
      type: array
      maxItems: 4
      items:
        type: object
        required: [type, status]
        properties:
          type: {type: string, maxLength: 20}
          status: {type: string, enum: ["True", "False", Unknown]}
`

// TestInitOfUnions makes a first suite for constraints of values that are valid only together with others. All are
// tested, and with no other error.
func TestInitOfUnions(t *testing.T) {
	member := `{type: object, required: [to], properties: {to: {type: object, required: [host], properties: {host: {type: string, maxLength: 9, pattern: "^[a-z]+$"}}}}}`
	var members []string
	for _, name := range []string{"Rewrite", "Redirect", "Mirror", "Add", "Set", "Remove"} {
		members = append(members, fmt.Sprintf(`{rule: "has(self.%s) == (self.type == '%[1]s')", message: %[1]s is for its type}`, name))
	}
	schema := strings.NewReplacer("MEMBERS", strings.Join(members, ", "), "MEMBER", member, "\n", "\n          ").Replace(unions)
	dir := t.TempDir()
	crds := filepath.Join(dir, "jobs.yaml")
	must(t, os.WriteFile(crds, []byte(`apiVersion: apiextensions.k8s.io/v1
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
        x-kubernetes-validations:
        - rule: "!has(oldSelf.status) || !has(oldSelf.status.conditions) ||
            !oldSelf.status.conditions.exists(c, c.type == 'Admitted' && c.status == 'True') || self.spec.class == oldSelf.spec.class"
        properties:`+schema), 0o666))
	_, untested, err := crdtest.Init([]string{crds}, filepath.Join(dir, "first"))
	must(t, err)
	if len(untested) > 0 {
		t.Errorf("no object violates %v", untested)
	}
	report, err := crdtest.Check([]string{crds}, []string{filepath.Join(dir, "first")})
	must(t, err)
	for _, result := range report.Results {
		if others, _, _ := strings.Cut(result.Got, ", <nil>: "); result.Err != nil || strings.Contains(others, "is invalid: [") && strings.Contains(others, ", spec") {
			t.Errorf("%s\n%s", result, result.Got)
		}
	}
}

// TestInitOfExamples makes first suites for the manifests of the examples. All constraints are tested but those for
// which an object would be too large.
func TestInitOfExamples(t *testing.T) {
	const crds = "../../../examples/crontab-types/crds"
	dir := t.TempDir()
	files, untested, err := crdtest.Init([]string{crds}, dir)
	must(t, err)
	var left []string
	for _, c := range untested {
		left = append(left, c.Path+": "+c.Keyword)
	}
	const want = "status.conditions[].message: maxLength status.conditions[].message: maxLength"
	if got := strings.Join(left, " "); len(files) != 4 || got != want {
		t.Errorf("wrote %q, untested %s\nwant %s", files, got, want)
	}
	crdtest.Run(t, crds, dir)
}
