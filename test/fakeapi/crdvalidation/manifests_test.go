package crdvalidation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

// definition is one without errors, for lists and other forms.
const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"NAMEs.example.com"},"spec":{` +
	`"group":"example.com","names":{"kind":"NAME","plural":"NAMEs","listKind":"NAMEList","singular":"NAME"},"scope":"Cluster","versions":[{"name":"v1",` +
	`"served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

const kindFields = `"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",`

func named(name string) string { return strings.ReplaceAll(definition, "NAME", name) }

// write writes the files of an archive to a new directory, which becomes the current one.
func write(t *testing.T, archive string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, file := range txtar.Parse([]byte(archive)).Files {
		must(t, os.MkdirAll(filepath.Dir(file.Name), 0o777))
		must(t, os.WriteFile(file.Name, file.Data, 0o666))
	}
}

// TestManifests reads definitions in all forms that kubectl reads, and counts what is none.
func TestManifests(t *testing.T) {
	write(t, `
-- crds/list.yaml --
# of kubectl get
apiVersion: v1
kind: List
items:
- `+named("a")+`
- `+named("b")+`
- {apiVersion: v1, kind: ConfigMap}
-- crds/typed.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinitionList
items:
- `+strings.Replace(named("c"), kindFields, "", 1)+`
-- crds/lines.json --
`+named("d")+`
`+named("e")+` `+named("f")+`
-- crds/cycle.yaml --
&list {apiVersion: v1, kind: List, items: [*list]} # CustomResourceDefinition
-- crds/chart/values.yaml --
image: {{ .Values.image }}
-- crds/kustomization.yaml --
patches:
- target: {kind: CustomResourceDefinition}
  path: patches/named.yaml
-- crds/patches/named.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec: {group: other.com}
-- crds/patches/other.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com, annotations: {a: b}}
-- crds/old.yaml --
---
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
`)
	must(t, os.Symlink("list.yaml", "crds/link.txt"))
	must(t, os.Symlink("..", "crds/loop"))
	must(t, os.Symlink("missing", "crds/.#a.yaml"))
	must(t, os.Symlink("crds", "linked"))
	for _, paths := range [][]string{{"crds"}, {"linked"}, {"crds", "./crds/list.yaml"}} {
		read, err := crdvalidation.ReadManifests(paths...)
		must(t, err)
		var names []string
		for _, d := range read.Definitions {
			line, column := d.Locate("spec.group")
			names = append(names, fmt.Sprintf("%s:%d:%d", d.Name, line, column))
		}
		slices.Sort(names)
		group := strings.Index(named("a"), `"example.com"`) + 1
		want := fmt.Sprintf("as.example.com:5:%[1]d bs.example.com:6:%[1]d cs.example.com:4:%d ds.example.com:1:%d es.example.com:2:%[3]d fs.example.com:2:%d",
			group+2, group+2-len(kindFields), group, group+len(named("e"))+1)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: got\n%s, want\n%s", paths, got, want)
		}
		if read.Others != 6 || len(read.Outdated) != 1 || !strings.HasSuffix(read.Outdated[0].Error(), filepath.Join(paths[0], "old.yaml")+":2:1: servers have no "+
			"apiextensions.k8s.io/v1beta1 since Kubernetes v1.22; write the definition for apiextensions.k8s.io/v1") {
			t.Errorf("%s: %d others, %v", paths, read.Others, read.Outdated)
		}
	}
}

// TestManifestErrors has the places of what "kubectl apply --validate=strict" refuses before a server validates.
func TestManifestErrors(t *testing.T) {
	write(t, `
-- crds/list.yaml --
apiVersion: v1
kind: List
items:
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata:
    name: a
    name: b
  spec:
    Group: example.com
    scope: Cluster
    scope: Namespaced
    versions:
    - name: v1
      served: "yes"
-- crds/broken.yaml --
a: b
---
kind: CustomResourceDefinition
spec: [
-- crds/helm.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: "CustomResourceDefinition"
spec: {group: {{ .Values.group }}}
-- crds/unknown.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  Group: example.com
  names: {kinds: A}
  versions:
  - schema:
      openAPIV3Schema:
        properties: {a.b: {typ: string}, c: {typ: string}}
`)
	_, err := crdvalidation.Definitions("crds")
	found, other := crdtest.Problems(err)
	var got []string
	for _, f := range found {
		got = append(got, filepath.ToSlash(f.String()))
	}
	want := []string{
		`crds/broken.yaml:4: this is no YAML: did not find expected node content`,
		`crds/helm.yaml:1:1: this is a template of Helm; render it first, such as with helm template`,
		`crds/list.yaml:8:5: the key "name" is there twice`,
		`crds/list.yaml:12:5: the key "scope" is there twice`,
		`crds/list.yaml:13:5: spec.versions.served must be of type bool, not string`,
		`crds/unknown.yaml:4:3: unknown field "spec.Group"`,
		`crds/unknown.yaml:5:11: unknown field "spec.names.kinds"`,
		`crds/unknown.yaml:9:28: unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.b.typ"`,
		`crds/unknown.yaml:9:46: unknown field "spec.versions[0].schema.openAPIV3Schema.properties.c.typ"`,
	}
	if !slices.Equal(got, want) || other != nil {
		t.Errorf("got\n%s\n%v\nwant\n%s", strings.Join(got, "\n"), other, strings.Join(want, "\n"))
	}
}
