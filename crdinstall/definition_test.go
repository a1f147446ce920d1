package crdinstall

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const crontabs = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
  creationTimestamp: null
spec:
  group: stable.example.com
  names: {plural: crontabs, kind: CronTab}
  versions: [{name: v1, served: true, storage: true}]
status: {storedVersions: [v1]}
`

// TestPrepare reads files of manifests, and compares the names of the definitions, or the error.
func TestPrepare(t *testing.T) {
	rename := Edit(func(d *unstructured.Unstructured) error { d.SetName("x"); return nil })
	for _, test := range []struct {
		name    string
		files   map[string]string
		options []Option
		want    string
	}{
		{"other kinds and files", map[string]string{
			"a.yaml": "kind: Kustomization\n---\n# nothing\n---\n" + crontabs, "README.md": "{", "below/b.txt": "{",
		}, nil, "[crontabs.stable.example.com]"},
		{"lists", map[string]string{
			"a.yaml": "apiVersion: v1\nkind: List\nitems:\n- {kind: Service}\n- " + strings.ReplaceAll(strings.TrimSpace(crontabs), "\n", "\n  ") + "\n",
		}, nil, "[crontabs.stable.example.com]"},
		{"Windows", map[string]string{"a.yaml": "\ufeff---\r\n" + strings.ReplaceAll(crontabs, "\n", "\r\n") + "--- # ☃\r\nkind: Größe\r\n"}, nil,
			"[crontabs.stable.example.com]"},
		{"anchors", map[string]string{"a.yaml": strings.NewReplacer("{name: v1,", "&a {name: v1,", "true}]", "true}, {<<: *a, name: v2, storage: false}]").Replace(crontabs)},
			nil, "[crontabs.stable.example.com]"},
		{"none", map[string]string{"README.md": "#"}, nil, "the manifests have no CustomResourceDefinition"},
		{"twice", map[string]string{"a.yaml": crontabs, "b.json": crontabs}, nil,
			"crontabs.stable.example.com: the manifests have this definition twice, in a.yaml and b.json; remove one of them"},
		{"a key twice", map[string]string{"a.yaml": crontabs + "kind: CustomResourceDefinition\n"}, nil,
			`a.yaml: yaml: unmarshal errors: line 11: key "kind" already set in map`},
		{"an inner key twice", map[string]string{"a.json": `{"a": {"b": 1, "b": 2}}`}, nil,
			`a.json: yaml: unmarshal errors: line 1: key "b" already set in map`},
		{"no YAML", map[string]string{"a.yaml": "a: [\n"}, nil, "a.yaml: yaml: line 1: did not find expected node content"},
		{"v1beta1", map[string]string{"a.yaml": "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n"}, nil,
			"a.yaml: a: the definition is of apiextensions.k8s.io/v1beta1, not of apiextensions.k8s.io/v1; convert it"},
		{"no name", map[string]string{"a.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"}, nil,
			`a.yaml: the name of definition "" must be spec.names.plural, a dot and spec.group`},
		{"no release", map[string]string{"a.yaml": crontabs}, []Option{Release("latest")}, `release "latest" is not a semantic version, such as v1.4.0`},
		{"renamed", map[string]string{"a.yaml": crontabs}, []Option{rename}, `the name of definition "x" must be spec.names.plural, a dot and spec.group`},
		{"refused", map[string]string{"a.yaml": crontabs}, []Option{Edit(func(*unstructured.Unstructured) error { return errors.New("no") })},
			"crontabs.stable.example.com: no"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := fstest.MapFS{}
			for name, text := range test.files {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			var s settings
			for _, set := range test.options {
				set(&s)
			}
			found, err := s.prepare(files)
			var names []string
			for _, d := range found {
				names = append(names, d.GetName())
				if _, ok := d.Object["status"]; ok {
					t.Errorf("%s has a status", d.GetName())
				}
			}
			got := fmt.Sprint(names)
			if err != nil {
				got = strings.Replace(err.Error(), "error converting YAML to JSON: ", "", 1) // of newer releases
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestChanges compares two states of a definition.
func TestChanges(t *testing.T) {
	before := decode(t, `{"metadata":{"uid":"a","annotations":{"a":"b"}},"spec":{"scope":"Cluster","versions":[
		{"name":"v1","schema":{"required":["x"]},"served":true},{"name":"v2","schema":{}}]},"status":{}}`)
	after := decode(t, `{"metadata":{"uid":"b","annotations":{"a":"c"}},"spec":{"scope":"Cluster","versions":[
		{"name":"v3","schema":{}},{"name":"v1","schema":{"required":["x","y"]},"served":false}]}}`)
	const want = `[metadata.annotations.a: "b" is now "c" spec.versions[v1].schema.required[1]: added "y" ` +
		`spec.versions[v1].served: true is now false spec.versions[v2]: removed {"name":"v2","schema":{}} ` +
		`spec.versions[v3]: added {"name":"v3","schema":{}}]`
	if got := fmt.Sprint(changes(before, after)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := changes(before, before.copy()); got != nil {
		t.Errorf("no change is %v", got)
	}
}

// TestKeepConversion applies a conversion where another owner has fields of it.
func TestKeepConversion(t *testing.T) {
	const ours = `{"strategy":"Webhook","webhook":{"clientConfig":{"caBundle":"ours","service":{"name":"a","port":1}},"conversionReviewVersions":["v1"]}}`
	for _, test := range []struct{ name, theirs, owned, want string }{
		{"nobody", `"Webhook"`, `{}`, ours},
		{"default", `"None"`, `{"f:spec":{"f:conversion":{"f:strategy":{}}}}`, ours},
		{"certificate", `"Webhook"`, `{"f:spec":{"f:conversion":{"f:webhook":{"f:clientConfig":{"f:caBundle":{}}}}}}`,
			`{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"name":"a","port":1}},"conversionReviewVersions":["v1"]}}`},
		{"service", `"Webhook"`, `{"f:spec":{"f:conversion":{"f:webhook":{"f:clientConfig":{"f:service":{"f:name":{},"f:namespace":{}}}}}}}`,
			`{"strategy":"Webhook","webhook":{"clientConfig":{"caBundle":"ours","service":{"port":1}},"conversionReviewVersions":["v1"]}}`},
		{"other conversion", `"Webhook"`, `{"f:spec":{"f:scope":{}}}`, ours},
		{"all", `"Webhook"`, `{"f:spec":{"f:conversion":{"f:strategy":{},"f:webhook":{".":{},"f:clientConfig":{".":{},"f:caBundle":{},"f:service":{".":{},"f:name":{},"f:port":{}}},` +
			`"f:conversionReviewVersions":{}}}}}`, `null`},
	} {
		t.Run(test.name, func(t *testing.T) {
			mine, theirs := decode(t, `{"spec":{"conversion":`+ours+`}}`), decode(t, `{"spec":{"conversion":{"strategy":`+test.theirs+`}},"metadata":{"managedFields":[
				{"manager":"other","fieldsV1":`+test.owned+`},
				{"manager":"`+FieldManager+`","fieldsV1":{"f:spec":{"f:conversion":{"f:strategy":{}}}}}]}}`)
			o := readOwners(theirs, FieldManager)
			o.keepConversion(mine, theirs)
			got, _, _ := unstructured.NestedFieldNoCopy(mine.Object, "spec", "conversion")
			want := any(nil)
			if test.want != "null" {
				want = decode(t, test.want).Object
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}
