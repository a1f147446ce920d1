package conformance

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestSchemaData derives the schema of all of k8s.io/api from the Go types, and wants it to be the one that client-go
// embeds, which comes from the OpenAPI document of the API server.
func TestSchemaData(t *testing.T) {
	pinned := releaseDir(t, *release)
	reference, err := ModuleDir(pinned, "k8s.io/client-go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := EmbeddedSchema(filepath.Join(reference, "applyconfigurations"))
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	generator := filepath.Join(work, "gen-applyconfiguration")
	if _, err := output(goCommand(filepath.Join("..", ".."), "build", "-o", generator, "./cmd/gen-applyconfiguration")); err != nil {
		t.Fatal(err)
	}
	packages, err := GenclientPackages(pinned)
	if err != nil {
		t.Fatal(err)
	}
	ours := filepath.Join(work, "applyconfigurations")
	cmd := goCommand(pinned, append([]string{"--output-dir", ours, "--output-pkg", "example.com/applyconfigurations"}, packages...)...)
	cmd.Path = generator
	if _, err := output(cmd); err != nil {
		t.Fatal(err)
	}
	got, err := EmbeddedSchema(ours)
	if err != nil {
		t.Fatal(err)
	}
	report, err := CompareSchemas(want, got)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("conformance %s: schema: %s\n", *release, report)
	if report.Types < 800 || report.Fields < 3000 {
		t.Errorf("that is less than there was to compare once: look for what got lost")
	}
	if len(report.Differences) > 0 {
		t.Errorf("%d differences\n%s", len(report.Differences), head(strings.Join(report.Differences, "\n")))
	}
}
