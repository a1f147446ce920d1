package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// documentation are the pages for users and contributors.
func documentation(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md"} {
		names, err := filepath.Glob(filepath.Join("../../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			pages[name] = string(text)
		}
	}
	return pages
}

// TestReadme checks that all pages name the releases of client-go, and how long the README is.
func TestReadme(t *testing.T) {
	pages := documentation(t)
	releases := fmt.Sprintf("%s to %s", model.OldestRelease, model.NewestRelease)
	for name, text := range pages {
		for _, found := range regexp.MustCompile(`v0\.[0-9]+ to v0\.[0-9]+`).FindAllString(strings.ReplaceAll(text, "`", ""), -1) {
			if found != releases {
				t.Errorf("%s says %q of the releases of client-go, not %q", name, found, releases)
			}
		}
	}
	if words := len(strings.Fields(pages["../../../README.md"])); words > 900 {
		t.Errorf("the README has %d words; more than 900 belong into docs", words)
	}
}

// TestReadmeFlags checks that docs/flags.md has the flags of kubegen in the groups, and with the defaults, of --help,
// all generators, and all commands.
func TestReadmeFlags(t *testing.T) {
	page := documentation(t)["../../../docs/flags.md"]
	var want, got strings.Builder
	_, flags := Kubegen.flags.flagSet()
	groups := grouped(flags)
	for _, h := range headings {
		for i, f := range groups[h] {
			if i == 0 {
				fmt.Fprintf(&want, "### %s\n", h)
			}
			fmt.Fprintf(&want, "`%s` %s\n", flagOf(f), defaultOf(f))
		}
	}
	_, section, _ := strings.Cut(page, "\n## Flags of kubegen\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); strings.HasPrefix(line, "###") {
			got.WriteString(line)
		} else if strings.HasPrefix(line, "| `") {
			fmt.Fprintf(&got, "%s %s\n", strings.TrimSpace(cells[1]), strings.TrimSpace(cells[len(cells)-2]))
		}
	}
	for _, name := range plan.Names(generators.Infos()) {
		if _, row, _ := strings.Cut(section, "| `--only` |"); !strings.Contains(strings.SplitN(row, "|", 2)[0], "`"+name+"`") {
			t.Errorf("docs/flags.md does not have %s among the values of --only", name)
		}
	}
	if got.String() != want.String() {
		t.Errorf("docs/flags.md has these flags, with their defaults:\n%s\nbut --help\n%s", got.String(), want.String())
	}
	for _, name := range Kubegen.commandNames() {
		if !strings.Contains(page, "\n| `kubegen "+name) && !strings.Contains(page, "\n| `"+name+"` |") {
			t.Errorf("docs/flags.md does not have the command %s in its tables", name)
		}
	}
}

// TestReadmeHelp checks that all help fits 80 columns.
func TestReadmeHelp(t *testing.T) {
	for _, args := range append([]string{"--help"}, Kubegen.commandNames()...) {
		var stdout, stderr bytes.Buffer
		if code := execute(t.Context(), Kubegen, []string{args, "--help"}, load.Environment{}, &stdout, &stderr); code != exitDone {
			t.Errorf("kubegen %s --help: exit code %d, %s", args, code, stderr.String())
		}
		for line := range strings.Lines(stdout.String()) {
			if len(line)-1 > helpWidth {
				t.Errorf("kubegen %s --help: this line is %d columns wide: %s", args, len(line)-1, line)
			}
		}
	}
}

// TestReadmeCommands runs the first commands of the README: they generate code into a directory that git ignores, and
// show it.
func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds commands and runs them")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to run the commands with")
	}
	const root, made = "../../..", "../../../examples/crontab-types/_output"
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## Try it\n")
	_, rest, _ := strings.Cut(section, "```bash\n")
	commands, _, _ := strings.Cut(rest, "```")
	clean := func() {
		if err := os.RemoveAll(made); err != nil {
			t.Error(err)
		}
	}
	clean()
	t.Cleanup(clean)
	run := exec.Command(bash, "-e", "-c", commands)
	run.Dir = root
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%s%s%v", commands, out, err)
	}
	for _, want := range []string{
		"examples/crontab-types/_output/listers: 7 files, 7 changed\n    ./internal/indexes/  indexes.go\n    ./stable/v1/  cronrun.go",
		"type CronTabInterface interface {",
		"\tGetScale(ctx context.Context, ",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%sprinted\n%s\nwithout %q", commands, out, want)
		}
	}
	if ignored, err := os.ReadFile(filepath.Join(root, ".gitignore")); err != nil || !strings.Contains(string(ignored), "\n_output/\n") {
		t.Errorf("git does not ignore _output: %v", err)
	}
}

// TestReadmeConfiguration checks that the example of docs/configuration.md is the one that a workflow runs, and that
// the schema of kubegen.yaml is that of the flags; -update writes the latter.
func TestReadmeConfiguration(t *testing.T) {
	workflow, err := txtar.ParseFile("../../../test/workflow/testdata/configuration.txtar")
	if err != nil {
		t.Fatal(err)
	}
	const page = "../../../docs/configuration.md"
	for _, f := range workflow.Files {
		if f.Name == plan.ConfigName && !strings.Contains(documentation(t)[page], "```yaml\n"+string(f.Data)+"```\n") {
			t.Errorf("%s does not have this file:\n%s", page, f.Data)
		}
	}
	const name = "../../../docs/kubegen.schema.json"
	want, err := configSchema(settingsOf(kubegenSettings), settingsOf(importSettings))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		writeFile(t, name, want)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs from the schema of the flags (%v); go test ./internal/commands/cli -run Readme -update writes it", name, err)
	}
}

// TestReadmeLinks checks that relative links of the documentation lead to files, and to headings that these have.
func TestReadmeLinks(t *testing.T) {
	pages := documentation(t)
	for name, text := range pages {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			file, heading, _ := strings.Cut(link[1], "#")
			target := name
			if file != "" {
				target = filepath.Join(filepath.Dir(name), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", name, link[1], err)
			} else if heading != "" && !slices.Contains(anchors(pages[target]), heading) {
				t.Errorf("%s links to %s: there is no such heading", name, link[1])
			}
		}
	}
}

// TestReadmeIndex checks that the README leads to every page of docs.
func TestReadmeIndex(t *testing.T) {
	index := documentation(t)["../../../README.md"]
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(pages) < 2 {
		t.Fatalf("got pages %q, %v", pages, err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); !strings.Contains(index, "](docs/"+name+")") {
			t.Errorf("the README does not link to %s", name)
		}
	}
}

// anchors returns the anchors of the headings of a page, as forges make them.
func anchors(page string) (list []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		anchor := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		list = append(list, strings.ReplaceAll(anchor, " ", "-"))
	}
	return list
}

// TestReadmeMarkers compares the tables of docs/reference/markers.md with markers.Listed. -update writes them.
func TestReadmeMarkers(t *testing.T) {
	const name, begin, end = "../../../docs/reference/markers.md", "<!-- markers -->\n", "<!-- /markers -->"
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
		t.Errorf("the tables of docs/reference/markers.md are\n%s\nbut should be\n%s\n(go test ./internal/commands/cli -run Readme -update accepts it)", was, tables)
	}
}

// markerTables returns these tables, one for each target and origin.
func markerTables() string {
	var b strings.Builder
	title := ""
	for _, def := range markers.Listed() {
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

// TestReadmeArchives checks that the archives of TestGolden use each command, each generator other than the default
// ones, and each marker but those that only determine how server-side apply merges.
func TestReadmeArchives(t *testing.T) {
	names, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var commands, inputs strings.Builder
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(archive.Comment)) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				commands.WriteString(strings.TrimPrefix(command, "kubegen "))
			}
		}
		for _, f := range archive.Files {
			if !slices.Contains([]string{"stdout", "stderr"}, f.Name) && !strings.HasPrefix(f.Name, "want/") {
				inputs.Write(f.Data)
			}
		}
	}
	expect := func(what, pattern string, in *strings.Builder) {
		if !regexp.MustCompile("(?m)" + pattern).MatchString(in.String()) {
			t.Errorf("no archive of testdata/golden has %s", what)
		}
	}
	for _, name := range Kubegen.commandNames() {
		expect("the command "+name, "^"+name+`\b`, &commands)
	}
	inputs.WriteString(commands.String())
	for _, g := range generators.All {
		if info := g.Info(); !info.ByDefault() {
			expect("the generator "+info.Name, `--only\b.*\b`+info.Name+`\b|\b`+info.EnableFlag.Name+`\b`, &inputs)
		}
	}
	for _, def := range markers.All {
		if def.Effect != markers.Merging && !strings.HasPrefix(def.Name, markers.Items) {
			expect("the marker +"+def.Name, `\+`+regexp.QuoteMeta(def.Name)+`\b`, &inputs)
		}
	}
}
