package repository

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

var update = flag.Bool("update", false, "write the table of VERSIONING.md")

// support is the file hack/support.yaml.
type support struct {
	ClientGo      map[string]string `yaml:"client-go"`
	Months        int
	ControllerGen string `yaml:"controller-gen"`
}

// TestSupport compares hack/support.yaml with what CI tests, and VERSIONING.md with hack/support.yaml.
func TestSupport(t *testing.T) {
	var s support
	parse(t, "hack/support.yaml", &s)
	releases := slices.Sorted(maps.Keys(s.ClientGo))
	mods, err := filepath.Glob(filepath.Join(moduletest.Releases, "v*.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var tested, known []string
	for _, name := range mods {
		tested = append(tested, strings.TrimSuffix(filepath.Base(name), ".mod"))
	}
	for r := model.OldestRelease; r <= model.PreviewRelease; r++ {
		known = append(known, r.String())
		if published := s.ClientGo[r.String()] != ""; published != (r <= model.NewestRelease) {
			t.Errorf("hack/support.yaml has the date %q for %s, but %s is the newest release", s.ClientGo[r.String()], r, model.NewestRelease)
		}
	}
	if !slices.Equal(releases, tested) || !slices.Equal(releases, known) {
		t.Errorf("hack/support.yaml has %s, test/conformance/releases %s, and internal/terms/model %s", releases, tested, known)
	}
	tools := moduletest.Required(moduletest.ModFile(t, "../tools/go.mod"), "sigs.k8s.io/controller-tools")
	if semver.MajorMinor(tools) != s.ControllerGen {
		t.Errorf("hack/support.yaml has controller-gen %s, but hack/tools/go.mod requires %s", s.ControllerGen, tools)
	}

	const begin, end = "<!-- support -->\n", "<!-- /support -->"
	page := read(t, "VERSIONING.md")
	before, rest, ok := strings.Cut(page, begin)
	table, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("VERSIONING.md has no %s and %s", strings.TrimSpace(begin), end)
	}
	want := supportTable(t, s, releases)
	if *update {
		if err := os.WriteFile("../../VERSIONING.md", []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if table != want {
		t.Errorf("VERSIONING.md has the table\n%s\nwant\n%s\n(go test ./hack/repository -run Support -update writes it)", table, want)
	}
}

// supportTable returns the table in VERSIONING.md.
func supportTable(t *testing.T, s support, releases []string) string {
	t.Helper()
	table := "\n| supported | since | at least until |\n|---|---|---|\n"
	for _, release := range releases {
		if s.ClientGo[release] == "" {
			table += fmt.Sprintf("| client-go %s, its known prereleases | as a preview | it is out |\n", release)
			continue
		}
		out, err := time.Parse(time.DateOnly, s.ClientGo[release])
		if err != nil {
			t.Fatal(err)
		}
		first := time.Date(out.Year(), out.Month(), 1, 0, 0, 0, 0, time.UTC)
		table += fmt.Sprintf("| client-go %s | %s | %s |\n", release, s.ClientGo[release], first.AddDate(0, s.Months, 0).Format("January 2006"))
	}
	table += fmt.Sprintf("| options, markers and manifests of controller-gen %s | | kubegen takes them from a later version |\n", s.ControllerGen)
	for _, module := range moduletest.Published(t, "../..") {
		file := moduletest.ModFile(t, filepath.Join("..", "..", filepath.FromSlash(module), "go.mod"))
		needs := "Go " + semver.MajorMinor("v" + file.Go.Version)[1:]
		if module == "." {
			table += fmt.Sprintf("| the commands, with %s or later | | the next release of kubegen |\n", needs)
			continue
		}
		if moduletest.Required(file, "github.com/kubegen/kubegen") != "" {
			table += fmt.Sprintf("| module `%s`, with %s or later | | the next release of kubegen |\n", module, needs)
			continue
		}
		machinery := moduletest.Required(file, "k8s.io/apimachinery")
		table += fmt.Sprintf("| module `%s`, with %s and client-go %s or later | | the next release of kubegen |\n",
			path.Clean(module), needs, semver.MajorMinor(machinery))
	}
	return table + "\n"
}
