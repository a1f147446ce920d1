package crdvalidation_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

// widgets is a definition with a rule in place of RULE.
const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, listKind: WidgetList, singular: widget}
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
              text:
                type: string
                maxLength: 64
                x-kubernetes-validations:
                - rule: RULE
              tags: {type: array, items: {type: string}}
              name: {type: string, format: FORMAT}
`

// definitionWith writes widgets with a rule and a format, and returns the file.
func definitionWith(t *testing.T, rule, format string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "widgets.yaml")
	text := strings.NewReplacer("RULE", fmt.Sprintf("%q", rule), "FORMAT", format).Replace(widgets)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// allReleases are the releases that can be emulated.
func allReleases(t *testing.T) (releases []string) {
	t.Helper()
	for minor := 28; ; minor++ {
		releases = append(releases, fmt.Sprintf("v1.%d", minor))
		if releases[len(releases)-1] == crdvalidation.NewestRelease() {
			return releases
		}
	}
}

func verdicts(t *testing.T, file string, releases []string, places crdtest.Places) []crdtest.Finding {
	t.Helper()
	report, err := crdtest.Verdicts([]string{file}, releases, places)
	must(t, err)
	return report.Findings
}

// TestVerdicts compares verdicts about rules with what the documentation of Kubernetes says about the first release
// whose servers know each library.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct{ library, rule, since string }{
		{"ip", "isIP(self)", "v1.31"},
		{"cidr", "isCIDR(self)", "v1.31"},
		{"format", "!format.dns1123Label().validate(self).hasValue()", "v1.32"},
		{"semver", "isSemver(self)", "v1.34"},
		{"quantity", "isQuantity(self)", "v1.29"},
		{"sets", "sets.contains(['a'], [self])", "v1.30"},
		{"optional", "optional.of(self).hasValue()", "v1.29"},
		{"url", "isURL(self)", "v1.28"},
		{"lists", "[1, 2].isSorted()", "v1.28"},
	} {
		t.Run(test.library, func(t *testing.T) {
			releases := allReleases(t)
			found := verdicts(t, definitionWith(t, test.rule, "date"), releases, nil)
			since := slices.Index(releases, test.since)
			if since < 0 {
				t.Skip("later than " + crdvalidation.NewestRelease())
			}
			if len(found) == 0 || found[0].Severity != "note" || !slices.Equal(found[0].Accepted, releases[since:]) {
				t.Errorf("got %v", found)
			}
			if since == 0 || len(found) == 0 {
				return
			}
			i := slices.IndexFunc(found, func(f crdtest.Finding) bool { return f.Severity == "error" })
			if i < 0 || found[i].Line != 23 || found[i].Column != 25 || !slices.Equal(found[i].Refused, releases[:since]) ||
				!slices.Equal(found[i].Accepted, releases[since:]) || strings.Contains(found[i].String(), "\n") {
				t.Errorf("got %v", found)
			}
		})
	}
}

// TestVerdictOfAll has what servers of all releases refuse, and what they warn about.
func TestVerdictOfAll(t *testing.T) {
	releases := []string{"v1.34", "v1.33", "v1.31"}
	for _, test := range []struct{ rule, format, want string }{
		{"self.startsWith(", "date", ":23:25: spec.validation.openAPIV3Schema.properties[spec].properties[text].x-kubernetes-validations[0].rule: " +
			"Invalid value: compilation failed: ERROR: <input>:1:17: Syntax error"},
		{"self.all(c, true)", "date", "(refused by v1.31, v1.33, v1.34)"},
		{"self.orValue('') == self.nosuch()", "date", "undeclared reference to 'nosuch'"},
		{"self != ''", "datum", `: warning: unrecognized format "datum" (said by v1.31, v1.33, v1.34)`},
	} {
		found := verdicts(t, definitionWith(t, test.rule, test.format), releases, nil)
		if !slices.ContainsFunc(found, func(f crdtest.Finding) bool { return strings.Contains(f.String(), test.want) }) {
			t.Errorf("got %v, want %s", found, test.want)
		}
	}
}

// TestVerdictAtMarker has an error at the marker in kubegen's list.
func TestVerdictAtMarker(t *testing.T) {
	places, err := crdtest.ReadPlaces([]byte(`{"constraints":[{"definition":"widgets.example.com","version":"v1","pointer":` +
		`"/properties/spec/properties/text/x-kubernetes-validations/0/rule","from":{"position":"api/types.go:7:2"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	found := verdicts(t, definitionWith(t, "isIP(self)", "date"), []string{"v1.30"}, places)
	if len(found) != 1 || !strings.HasPrefix(found[0].String(), "api/types.go:7:2: spec.") {
		t.Errorf("got %v", found)
	}
}

// TestEmulate changes the release only during a call, and takes none that it does not know.
func TestEmulate(t *testing.T) {
	file := definitionWith(t, "isIP(self)", "date")
	accepted := func() bool { return crdvalidation.Validate(file) == nil }
	mistake := errors.New("mistake")
	err := crdvalidation.Emulate("v1.30", func() error {
		if accepted() {
			t.Error("v1.30 has no isIP")
		}
		return mistake
	})
	if !errors.Is(err, mistake) || !accepted() {
		t.Errorf("got %v; the release remains: %v", err, !accepted())
	}
	for release, want := range map[string]string{
		"v1.27": "v1.27 is not one of the releases v1.28 to v1.", "v1.99": "v1.99 is not one of",
		"v1.33-v1.35": `"v1.33-v1.35" is not a release`, "latest": `"latest" is not a release of Kubernetes, such as v1.`,
	} {
		if err := crdvalidation.Emulate(release, func() error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", release, err)
		}
	}
}

// TestVerdictOfCosts has rules that together cost too much. Servers name some of them, which no release accepts.
func TestVerdictOfCosts(t *testing.T) {
	text := strings.NewReplacer("RULE", "self != ''", "FORMAT", "date").Replace(widgets)
	for i := range 30 {
		text += fmt.Sprintf("              list%d: {type: array, maxItems: 1000, items: {type: string, maxLength: 2}, "+
			"x-kubernetes-validations: [{rule: \"self.all(a, self.all(b, a == b))\"}]}\n", i)
	}
	file := filepath.Join(t.TempDir(), "widgets.yaml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	found := verdicts(t, file, allReleases(t), nil)
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	places := map[int]bool{}
	for _, f := range found {
		if f.Severity == "error" && (len(f.Accepted) > 0 || places[f.Line]) {
			t.Errorf("got %v", f)
		}
		places[f.Line] = true
	}
}

// TestReleases has the releases from that of client-go in go.mod on, and only the newest without one.
func TestReleases(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	all := allReleases(t)
	if got := crdtest.Releases(); !slices.Equal(got, all[len(all)-1:]) {
		t.Errorf("without a module, got %v", got)
	}
	for clientGo, want := range map[string][]string{"v0.31.2": all[3:], "v0.20.0": all, "v0.99.0": all[len(all)-1:]} {
		text := "module example.com/m\n\ngo 1.25.0\n\nrequire k8s.io/client-go " + clientGo + "\n"
		if err := os.WriteFile("go.mod", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := crdtest.Releases(); !slices.Equal(got, want) {
			t.Errorf("with client-go %s, got %v", clientGo, got)
		}
	}
}
