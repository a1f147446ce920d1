package crds_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMisusePlaces checks that controller-gen reads the markers of packages at the places in
// internal/commands/cli/testdata/misuse with the target File, and at no others. With a wrong value, it reports each
// marker that it reads.
func TestMisusePlaces(t *testing.T) {
	dir := randomModule(t)
	place := regexp.MustCompile(`\[([a-z ]+)\]((?: [A-Z][a-z]+)*)`)
	wrong := []string{"+kubebuilder:rbac:x=y", "+kubebuilder:webhook:x=y", "+kubebuilder:webhookconfiguration:x=y", "+kubebuilder:ac:output:package"}
	want := map[string]bool{}
	for i, marker := range wrong {
		for _, file := range []string{"types.go", "other.go"} {
			text, err := os.ReadFile(filepath.Join("../../internal/commands/cli/testdata/misuse", file))
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("p%d/%s", i, file)
			lines := strings.Split(string(text), "\n")
			for n, line := range lines {
				if match := place.FindStringSubmatch(line); match != nil && strings.Contains(match[2], "File") {
					want[fmt.Sprintf("%s:%d", name, n+1)] = true
				}
			}
			write(t, filepath.Join(dir, name), []byte(place.ReplaceAllLiteralString(strings.Join(lines, "\n"), marker)))
		}
	}
	cmd := exec.Command(controllerGen(t), "rbac:roleName=a", "webhook", "applyconfiguration", "paths=./...", "output:none")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("controller-gen accepts all markers\n%s", out)
	}
	got := map[string]bool{}
	for _, match := range regexp.MustCompile(`p\d/\w+\.go:\d+`).FindAllString(string(out), -1) {
		got[match] = true
	}
	if !maps.Equal(got, want) || len(want) < 40 {
		t.Errorf("controller-gen reads the markers at\n%s\nwant\n%s\n%s", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), out)
	}
}
