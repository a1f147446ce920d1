package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// TestReadme checks that the README has every flag of kubegen, and the releases of client-go.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	releases := fmt.Sprintf("%s to %s", model.OldestRelease, model.NewestRelease)
	for _, found := range regexp.MustCompile(`v0\.[0-9]+ to v0\.[0-9]+`).FindAllString(strings.ReplaceAll(readme, "`", ""), -1) {
		if found != releases {
			t.Errorf("the README says %q of the releases of client-go, not %q", found, releases)
		}
	}
	flags := Kubegen.flagSet(newOptions(Kubegen))
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !strings.Contains(readme, "`--"+f.Name+"`") && !strings.Contains(readme, "`-"+f.Name+"`") {
			t.Errorf("the README does not mention --%s", f.Name)
		}
	})
}

// TestReadmeMarkers checks that the README's tables of markers are those of markers.Definitions; -update writes them.
func TestReadmeMarkers(t *testing.T) {
	const name, begin, end = "../../README.md", "<!-- markers -->\n", "<!-- /markers -->"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	was, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no %s ... %s", name, strings.TrimSpace(begin), end)
	}
	tables := markerTables()
	switch {
	case was == tables:
	case *update:
		if err := os.WriteFile(name, []byte(before+begin+tables+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README's markers are\n%s\nbut should be\n%s\n(go test ./internal/cli -run Readme -update accepts it)", was, tables)
	}
}

// markerTables returns the README's tables, one for each target and origin.
func markerTables() string {
	var b strings.Builder
	title := ""
	for _, def := range markers.Definitions {
		if t := def.Where(); t != title {
			if title != "" {
				b.WriteString("\n")
			}
			title = t
			fmt.Fprintf(&b, "| %s | meaning |\n|---|---|\n", title)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", def.Example(), def.Help)
	}
	return b.String()
}
