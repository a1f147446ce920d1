package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/crd"
)

// TestOrigin checks which kinds in manifests the lines of imported types are about, and the comments above kinds.
func TestOrigin(t *testing.T) {
	manifest := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %ss.stable.example.com}
spec:
  group: stable.example.com
  names: {kind: %s, plural: %[1]ss}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              image: {type: string, description: What runs.}
              ports:
                type: array
                items:
                  type: object
                  properties:
                    number: {type: integer}
`
	var definitions []*crd.Definition
	for _, kind := range []string{"CronTab", "CronRun"} {
		found, diags := crd.ReadComplete(kind+".yaml", fmt.Appendf(nil, manifest, strings.ToLower(kind), kind))
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		definitions = append(definitions, found...)
	}
	packages, diags := Packages(definitions, Options{Path: "example.com/api", Name: func(file string) string { return file }})
	diags = append(diags, Write(packages, nil)...)
	if len(diags) > 0 || len(packages) != 1 {
		t.Fatalf("got %d packages, %v", len(packages), diags)
	}
	p := packages[0]
	got := map[string]string{}
	for i, line := range strings.Split(string(p.Files[TypesFile]), "\n") {
		got[strings.Join(strings.Fields(line), " ")] = p.Origin(TypesFile, i+1).String()
	}
	for line, want := range map[string]string{
		"package v1":                             "CronTab.yaml:6:17",
		"// +kubebuilder:resource:path=cronruns": "CronRun.yaml:6:17",
		"type CronRunSpec struct {":              "CronRun.yaml:6:17",
		"// +kubebuilder:resource:path=crontabs": "CronTab.yaml:6:17",
		"type CronTab struct {":                  "CronTab.yaml:6:17",
		"// What runs.":                          "CronTab.yaml:6:17",
		"type CronTabSpecPorts struct {":         "CronTab.yaml:6:17",
	} {
		if got[line] != want {
			t.Errorf("%s comes from %s, want %s", line, got[line], want)
		}
	}
	if t.Failed() {
		t.Logf("%s", p.Files[TypesFile])
	}
}
