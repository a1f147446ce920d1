package crdvalidation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

// samples has objects, and what is none, beside the definitions of suites.
const samples = `
-- config/samples/good.yaml --
# A comment.
apiVersion: example.com/v1
kind: Job
metadata: {name: good}
spec: {image: "a", labels: {a.b/c: x}}
status: {phase: Up}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
data:
  script: |
    ...
---
apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Job
  metadata: {name: in-a-list}
  spec:
    image: a
    replicas: many
-- config/samples/bad.yaml --
apiVersion: example.com/v1
kind: Job
metadata:
  name: bad
  label: {a: b}
spec:
  image: A
  imagePolicy: Always
  labels:
    a.b/c: too-long
  ports:
  - number: 7
    name: x1
status:
  phase: Up
  phrase: Down
---
apiVersion: example.com/v1
kind: Job
metadata:
  name: twice
spec:
  image: a
  image: b
---
apiVersion: example.com/v2
kind: Job
metadata: {name: later}
---
apiVersion: example.com/v1
kind: Job
spec: {}
---
apiVersion: example.com/v1
kind: Job
metadata: {name: broken
-- config/samples/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [good.yaml]
patches:
- path: patches/job.yaml
-- config/samples/patches/job.yaml --
apiVersion: example.com/v1
kind: Job
metadata: {name: good}
spec: {replicas: 2}
-- config/samples/directive.yaml --
apiVersion: example.com/v1
kind: Job
metadata: {name: good}
spec:
  ports:
  - $patch: delete
    number: 1
-- chart/Chart.yaml --
name: chart
-- chart/templates/job.yaml --
apiVersion: example.com/v1
kind: Job
metadata: {name: "{{ .Release.Name }}"}
spec: {replicas: "{{ .Values.replicas }}"}
-- chart/templates/if.yaml --
{{- if .Values.job }}
apiVersion: example.com/v1
kind: Job
{{- end }}
-- docs/raw.yaml --
{% raw %}
apiVersion: example.com/v1
kind: Job
{% endraw %}
-- chart/templates/value.yaml --
apiVersion: example.com/v1
kind: Job
spec:
  replicas: {{ .Values.replicas }}
-- chart/templates/variable.yaml --
apiVersion: example.com/v1
kind: Job
spec: {replicas: "1", image: a}
---
apiVersion: example.com/v1
kind: Job
spec:
  image: ${IMAGE}
---
apiVersion: example.com/v1
kind: Job
metadata: {name: <your name>}
-- docs/page.md --
# Jobs

1. Write one:

   ~~~ yaml
   apiVersion: example.com/v1
   kind: Job
   metadata:
     name: indented
   spec:
     image: a
     replicas: 10
   ---
   apiVersion: example.com/v1
   kind: Job
   metadata: {name: second}
   spec: {image: a, x: 1}
   ~~~

A text is no object:

~~~text
apiVersion: example.com/v1
kind: Job
~~~

~~~yaml
apiVersion: example.com/v1
kind: Job
spec:
  # ...
  replicas: 2
~~~

~~~yaml
apiVersion: example.com/v1
kind: Job
spec:
  ...
~~~

~~~yaml
apiVersion: example.com/v1
kind: Job
spec:
  # ...other fields...
~~~

~~~yaml
apiVersion: example.com/v1
kind: Job
...
spec: {replicas: 2}
~~~

~~~yaml title="a mapping"
apiVersion: example.com/v1
kind: Job
spec: ...
~~~
`

// TestSamples judges objects in files, and tells apart what is no object.
func TestSamples(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range slices.Concat(txtar.Parse([]byte(suites)).Files, txtar.Parse([]byte(samples)).Files) {
		if err := os.MkdirAll(filepath.Dir(file.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(file.Data), "~~~", "```")
		if err := os.WriteFile(file.Name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	report, err := crdtest.Samples([]string{"crds"}, []string{"config/samples", "docs/*.md", "docs/raw.yaml", "chart"})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, f := range slices.Concat(report.Findings, report.Skipped) {
		got = append(got, filepath.ToSlash(f.String()))
	}
	want := []string{
		`chart/templates/variable.yaml:1:1: metadata.name: Required value: name or generateName is required`,
		`chart/templates/variable.yaml:3:8: spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"`,
		`config/samples/bad.yaml:5:3: unknown field "metadata.label"`,
		`config/samples/bad.yaml:7:3: spec.image: Invalid value: "A": spec.image in body should match '^[a-z]+$'`,
		`config/samples/bad.yaml:8:3: unknown field "spec.imagePolicy"`,
		`config/samples/bad.yaml:10:5: spec.labels.a.b/c: Too long: may not be more than 6 bytes`,
		`config/samples/bad.yaml:12:5: "spec.ports[0]" must validate one and only one schema (oneOf). Found 2 valid alternatives`,
		`config/samples/bad.yaml:16:3: unknown field "status.phrase"`,
		`config/samples/bad.yaml:24:3: the key "image" is there twice`,
		`config/samples/bad.yaml:26:1: no matches for kind "Job" in version "example.com/v2"; jobs.example.com serves v1`,
		`config/samples/bad.yaml:30:1: metadata.name: Required value: name or generateName is required`,
		`config/samples/bad.yaml:32:1: spec.image: Required value`,
		`config/samples/bad.yaml:35: this is no YAML: did not find expected ',' or '}'`,
		`config/samples/good.yaml:23:5: spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"`,
		`docs/page.md:12:6: spec.replicas: Invalid value: 10: spec.replicas in body should be less than or equal to 9`,
		`docs/page.md:17:21: unknown field "spec.x"`,
		`chart/templates/if.yaml:1: not judged: a template of Helm`,
		`chart/templates/job.yaml:1: not judged: a template of Helm`,
		`chart/templates/value.yaml:1: not judged: a template of Helm`,
		`chart/templates/variable.yaml:5: not judged: a template with variables such as ${NAME} or <name>`,
		`chart/templates/variable.yaml:10: not judged: a template with variables such as ${NAME} or <name>`,
		`config/samples/directive.yaml:1: not judged: a patch of kustomize`,
		`config/samples/patches/job.yaml:1: not judged: a patch of kustomize`,
		`docs/page.md:28: not judged: an excerpt with "..."`,
		`docs/page.md:36: not judged: an excerpt with "..."`,
		`docs/page.md:43: not judged: an excerpt with "..."`,
		`docs/page.md:50: not judged: an excerpt with "..."`,
		`docs/page.md:57: not judged: an excerpt with "..."`,
		`docs/raw.yaml:1: not judged: a template with {%...%}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if report.Judged != 9 || report.Others != 3 {
		t.Errorf("%d objects were judged, and %d others counted", report.Judged, report.Others)
	}
	for want, samples := range map[string]string{"missing: file does not exist": "missing", "no sample in crds is of a kind": "crds"} {
		if _, err := crdtest.Samples([]string{"crds"}, []string{samples}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestSampleForms judges samples in JSON, in typed lists, in directories that look like patterns, and of kinds with a
// slip, but none of another kind of the group.
func TestSampleForms(t *testing.T) {
	write(t, suites+`
-- a[1]/lines.json --
{"apiVersion":"example.com/v1","kind":"Job","metadata":{"name":"a"},"spec":{"image":"a"}}
{"apiVersion":"example.com/v1","kind":"Job","metadata":{"name":"b"},"spec":{"image":"a","x":1}} {"apiVersion":"example.com/v1","kind":"Job","spec":{"image":"a"}}
-- a[1]/lines.md --
  ~~~json
  {"apiVersion":"example.com/v1","kind":"Job","metadata":{"name":"a"},"spec":{"image":"a"}}
  {"apiVersion":"example.com/v1","kind":"Job","metadata":{"name":"b"},"spec":{"image":"a","x":1}}
  ~~~
-- list.txt --
# comment
apiVersion: example.com/v1
kind: JobList
items:
- metadata: {name: a}
  spec: {image: a, image: b, x: 1}
- {apiVersion: example.com/v1, kind: Job, metadata: {name: b}, spec: {image: 1}}
-- meta.yaml --
apiVersion: example.com/v1
kind: Job
metadata:
  name: a
  annotations:
    a: true
---
apiVersion: example.com/v1
kind: Job
metadata: a
---
apiVersion: example.com/v1
kind: Job
metadata:
spec: {image: a}
-- kinds.yaml --
{apiVersion: example.com/v1, kind: job}
---
{apiVersion: example.com/v1, kind: Jobs}
---
{apiVersion: example.com/v1, kind: Jb}
---
{apiVersion: example.com/v1, kind: Jbo}
---
{apiVersion: example.com/v1, kind: Job2}
---
{apiVersion: example.com/v1, kind: Joy}
---
{apiVersion: example.com/v1, kind: Node}
---
{apiVersion: example.org/v1, kind: job}
`)
	text, err := os.ReadFile("a[1]/lines.md")
	must(t, err)
	must(t, os.WriteFile("a[1]/lines.md", []byte(strings.ReplaceAll(string(text), "~~~", "```")), 0o666))
	report, err := crdtest.Samples([]string{"crds"}, []string{"a[1]/*.json", "a[1]", "list.txt", "kinds.yaml", "meta.yaml"})
	must(t, err)
	var got []string
	for _, f := range report.Findings {
		got = append(got, filepath.ToSlash(f.String()))
	}
	want := []string{
		`a[1]/lines.json:2:89: unknown field "spec.x"`,
		`a[1]/lines.json:2:97: metadata.name: Required value: name or generateName is required`,
		`a[1]/lines.md:3:91: unknown field "spec.x"`,
		`kinds.yaml:1:30: no matches for kind "job" in group "example.com" (did you mean Job?)`,
		`kinds.yaml:3:30: no matches for kind "Jobs" in group "example.com" (did you mean Job?)`,
		`kinds.yaml:5:30: no matches for kind "Jb" in group "example.com" (did you mean Job?)`,
		`kinds.yaml:7:30: no matches for kind "Jbo" in group "example.com" (did you mean Job?)`,
		`list.txt:6:20: the key "image" is there twice`,
		`list.txt:6:30: unknown field "spec.x"`,
		`list.txt:7:71: spec.image: Invalid value: "integer": spec.image in body must be of type string: "integer"`,
		`meta.yaml:5:3: metadata.annotations must be of type string, not bool`,
		`meta.yaml:10:1: metadata must be of type object, not string`,
		`meta.yaml:14:1: metadata.name: Required value: name or generateName is required`,
	}
	if !slices.Equal(got, want) || report.Others != 4 {
		t.Errorf("%d others, got\n%s\nwant\n%s", report.Others, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSamplesOfTwo judges no sample by one of two definitions that differ.
func TestSamplesOfTwo(t *testing.T) {
	write(t, "-- a.yaml --\n"+named("a")+"\n-- b.yaml --\n"+named("a")+"\n-- sample.yaml --\n{apiVersion: example.com/v1, kind: a, metadata: {name: a}}\n")
	check := func(want string) {
		t.Helper()
		report, err := crdtest.Samples([]string{"a.yaml", "b.yaml"}, []string{"sample.yaml"})
		if got := fmt.Sprint(report.Findings); err != nil || report.Judged != 1 || got != want {
			t.Errorf("got %s, %v", got, err)
		}
	}
	check("[]")
	must(t, os.WriteFile("b.yaml", []byte(strings.Replace(named("a"), "Cluster", "Namespaced", 1)), 0o666))
	check("[sample.yaml:1:1: as.example.com is defined differently in a.yaml and b.yaml; name one of them]")
}
