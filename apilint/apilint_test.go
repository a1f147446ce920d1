package apilint

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/text/diag"
)

var update = flag.Bool("update", false, "write the output into the archives")

// TestMain also is the command, which tests run as a tool of go vet.
func TestMain(m *testing.M) {
	if os.Getenv("APILINT_MAIN") != "" {
		os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestArchives runs the commands in archives of testdata, and compares what they print with the archives. The comment
// of an archive consists of a text and lines of commands: "apilint ARGUMENTS" runs Main, "edit FILE OLD NEW" replaces
// a word in a file, and other commands are those of git. The file "output" has for each run its exit code and what it
// printed, and "left" files are those that must be on disk at the end.
func TestArchives(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			name, _ := filepath.Abs(name)
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := unpack(t, archive)
			got := script(t, dir, string(archive.Comment))
			changed := false
			for i, f := range archive.Files {
				have := []byte(got)
				if want, ok := strings.CutPrefix(f.Name, "left/"); ok {
					have, _ = os.ReadFile(filepath.Join(dir, want))
				} else if f.Name != "output" {
					continue
				}
				if *update {
					archive.Files[i].Data = have
					changed = true
				} else if !bytes.Equal(have, f.Data) {
					t.Errorf("%s: got\n%s\nwant\n%s", f.Name, have, f.Data)
				}
			}
			if changed {
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// unpack writes the files of an archive into a directory, with a go.mod that requires apimachinery, and goes there.
func unpack(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	requirements, err := os.ReadFile("../conversion/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../conversion/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(requirements, []byte("\n"))
	files := append([]txtar.File{
		{Name: "go.mod", Data: append([]byte("module example.com/cron\n"), rest...)}, {Name: "go.sum", Data: sums},
	}, archive.Files...)
	for _, f := range files {
		if f.Name == "output" || strings.HasPrefix(f.Name, "left/") {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	for _, name := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+name+"_NAME", "test")
		t.Setenv("GIT_"+name+"_EMAIL", "test@example.com")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	return dir
}

// script runs the commands in a text.
func script(t *testing.T, dir, text string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "apilint":
			var stdout, stderr bytes.Buffer
			code := Main(words[1:], &stdout, &stderr)
			fmt.Fprintf(&out, "> %s\n%s%sexit code %d\n", strings.Join(words, " "), stdout.String(), stderr.String(), code)
		case "edit":
			content, err := os.ReadFile(words[1])
			if err != nil || !bytes.Contains(content, []byte(words[2])) {
				t.Fatal(line, err)
			}
			content = bytes.Replace(content, []byte(words[2]), []byte(words[3]), 1)
			if err := os.WriteFile(words[1], content, 0o644); err != nil {
				t.Fatal(err)
			}
		case "git":
			if text, err := exec.Command("git", words[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", line, err, text)
			}
		}
	}
	return strings.ReplaceAll(out.String(), dir, "DIR")
}

// TestVet runs the command as a tool of go vet, which also reads the configuration.
func TestVet(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/exclusions.txtar")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	unpack(t, archive)
	t.Setenv("APILINT_MAIN", "1")
	text, err := exec.Command("go", "vet", "-vettool="+self, "./api/...").CombinedOutput()
	if err == nil {
		t.Errorf("go vet finds nothing:\n%s", text)
	}
	for _, want := range []string{"nobools: field CronTabSpec.Suspended", "+kubebuilder:validation:MinLenght"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("go vet does not report %s:\n%s", want, text)
		}
	}
	for _, excluded := range []string{"Paused", "Quiet", "old.go", "generated.go"} {
		if strings.Contains(string(text), excluded) {
			t.Errorf("go vet reports the excluded %s:\n%s", excluded, text)
		}
	}
}

// TestVetAgain runs go vet once more after a change of the configuration, which go vet itself does not read.
func TestVetAgain(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config := func(rule string) txtar.File {
		return txtar.File{Name: ".golangci-kal.yml", Data: []byte("version: \"2\"\nlinters:\n  enable: [kubeapilinter]\n  settings:\n    custom:\n" +
			"      kubeapilinter:\n        settings:\n          linters:\n            enable: [" + rule + "]\n            disable: [\"*\"]\n")}
	}
	types := txtar.File{Name: "api/types.go", Data: []byte("package api\n\ntype A struct {\n\tB bool `json:\"b\"`\n}\n")}
	unpack(t, &txtar.Archive{Files: []txtar.File{config("nofloats"), types}})
	t.Setenv("APILINT_MAIN", "1")
	vet := func() (string, error) {
		text, err := exec.Command("go", "vet", "-vettool="+self, "./api").CombinedOutput()
		return string(text), err
	}
	if text, err := vet(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	changed := config("nobools")
	if err := os.WriteFile(changed.Name, changed.Data, 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := vet(); err == nil || !strings.Contains(text, "nobools: field A.B") {
		t.Errorf("go vet with another configuration: %v\n%s", err, text)
	}
}

// TestWorkspace lints a module from the directory of go.work, which is in no module.
func TestWorkspace(t *testing.T) {
	unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "go.work", Data: []byte("go 1.26.0\n\nuse ./a\n")},
		{Name: "a/api/v1/types.go", Data: []byte("// +groupName=stable.example.com\npackage v1\n\n" +
			"import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:object:root=true\ntype A struct {\n" +
			"\tmetav1.TypeMeta\n\tmetav1.ObjectMeta\n\t// +kubebuilder:validation:MinLenght=1\n\tB string `json:\"b\"`\n}\n")},
	}})
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := os.Rename(name, filepath.Join("a", name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
	var stdout, stderr bytes.Buffer
	code := Main([]string{"-checks", "./a/..."}, &stdout, &stderr)
	if code != exitFound || !strings.Contains(stdout.String(), "a/api/v1/types.go:10:5: error: unknown marker") {
		t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
}

// TestSARIF decodes the output as the format that code scanning reads.
func TestSARIF(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/exclusions.txtar")
	if err != nil {
		t.Fatal(err)
	}
	unpack(t, archive)
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"-format", "sarif"}, &stdout, &stderr); code != exitFound {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) == 0 {
		t.Fatalf("got %s", stdout.String())
	}
	for _, r := range log.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		if at.ArtifactLocation.URI != "api/v1/types.go" || at.Region.StartLine == 0 {
			t.Errorf("%s is at %+v", r.RuleID, at)
		}
		if !slices.ContainsFunc(log.Runs[0].Tool.Driver.Rules, func(rule struct{ ID string }) bool { return rule.ID == r.RuleID }) {
			t.Errorf("the rule %s is not declared", r.RuleID)
		}
	}
}

// TestSARIFFixes checks the regions of edits in a file whose characters have one to four bytes.
func TestSARIFFixes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a b.go")
	const text = "package a\r\n\r\n// é𝄞 old\r\n// end\r\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(word string) int { return strings.Index(text, word) }
	f := finding{linter: checksName, Diagnostic: &diag.Diagnostic{
		Pos: token.Position{Filename: file, Line: 3, Column: len("// é𝄞 ") + 1}, Severity: diag.Warning, Message: "m",
	}}
	f.fix = []edit{
		{file, at("old"), at("old") + 3, "new\nand"}, {file, at("// end"), at("// end"), "// last\n"}, {file, at(" end"), len(text), ""},
	}
	var out bytes.Buffer
	if err := writeSARIF(&out, dir, &result{findings: []finding{f}}); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	got := log.Runs[0].Results[0]
	want := sarifResult{
		RuleID: checksName, Level: "warning", Message: sarifText{"m"},
		Locations: []sarifLocation{{sarifPhysical{sarifArtifact{"a%20b.go"}, sarifRegion{StartLine: 3, StartColumn: 8}}}},
		Fixes: []sarifFix{{[]sarifChange{{sarifArtifact{"a%20b.go"}, []sarifReplacement{
			{sarifRegion{3, 8, 3, 11}, &sarifText{"new\r\nand"}},
			{sarifRegion{4, 1, 4, 1}, &sarifText{"// last\r\n"}},
			{sarifRegion{4, 3, 5, 1}, nil},
		}}}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %s\nwant %+v", out.String(), want)
	}
}

// TestFixKeeps fixes files: nothing changes but the words that the fix replaces, whatever the line breaks are, and
// whether or not the file is formatted.
func TestFixKeeps(t *testing.T) {
	const formatted = "package v1\n\n// A is a type.\ntype A struct {\n\t// B is a field.\n\tB string `json:\"b\"`\n\n" +
		"\t// c is a field.\n\tC string `json:\"c\"`\n}\n\nconst text = `first\nsecond`\n"
	windows := strings.ReplaceAll(formatted, "\n", "\r\n")
	for name, text := range map[string]string{
		"formatted":        formatted,
		"carriage returns": windows,
		"mixed":            strings.Replace(windows, "\r\n\r\n\t// c", "\n\n\t// c", 1),
		"not formatted":    strings.ReplaceAll(formatted, "\tC", " C"),
		"both":             strings.ReplaceAll(windows, "\tC", " C"),
		"byte order mark":  "\ufeff" + windows,
	} {
		t.Run(name, func(t *testing.T) {
			unpack(t, &txtar.Archive{Files: []txtar.File{{Name: "api/v1/types.go", Data: []byte(text)}}})
			var stdout, stderr bytes.Buffer
			Main([]string{"-conventions", "-fix", "./api/v1"}, &stdout, &stderr)
			got, err := os.ReadFile("api/v1/types.go")
			if want := strings.Replace(text, "// B is", "// b is", 1); err != nil || string(got) != want {
				t.Errorf("got\n%q\nwant\n%q\n%s", got, want, stderr.String())
			}
		})
	}
}

// TestFixDoesNotParse checks that no file is written if one would not parse, although its declarations alone do.
func TestFixDoesNotParse(t *testing.T) {
	dir := t.TempDir()
	var findings []finding
	for _, name := range []string{"a.go", "b.go"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("package a\n\ntype A int\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		edits := []edit{{file, 0, 7, "package"}}
		if name == "b.go" {
			edits[0] = edit{file, 0, 9, ""}
		}
		findings = append(findings, finding{fix: edits})
	}
	if changes, _, err := fixed(findings); err == nil {
		t.Errorf("the changes are %v", changes)
	}
}

// TestIsVet tells the arguments of go vet from those of users.
func TestIsVet(t *testing.T) {
	cfg := filepath.Join(t.TempDir(), "vet.cfg")
	for _, test := range []struct {
		args []string
		want bool
	}{
		{[]string{"-V=full"}, true}, {[]string{"-flags"}, true}, {[]string{cfg}, true}, {[]string{"-json", "-c=1", "-nobools=true", cfg}, true},
		{nil, false}, {[]string{"-V=full", "./..."}, false}, {[]string{"-checks", "-flags"}, false}, {[]string{"-V=short"}, false},
		{[]string{"vet.cfg"}, false}, {[]string{"./vet.cfg"}, false}, {[]string{cfg, "./..."}, false}, {[]string{"./...", cfg}, false},
		{[]string{"-c", cfg}, false}, {[]string{"-config", cfg}, false}, {[]string{"-c=" + cfg}, false}, {[]string{cfg, cfg}, false},
	} {
		if got := isVet(test.args); got != test.want {
			t.Errorf("isVet(%q) = %t", test.args, got)
		}
	}
}

// TestErrorsAboutRun reads messages of kubegen: errors without a position count beside findings and kube-api-linter.
func TestErrorsAboutRun(t *testing.T) {
	const text = `{"severity":"note","message":"a"}
{"severity":"warning","message":"b"}
{"severity":"error","message":"c"}
`
	const finding = `{"severity":"warning","file":"types.go","line":1,"column":1,"message":"d"}`
	for _, test := range []struct {
		text     string
		required bool
		want     string
	}{{text, false, "c"}, {text, true, "c b"}, {text + finding, false, "c"}, {text + finding, true, "c"}} {
		found, err := resultOf(strings.NewReader(test.text), test.required)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range found.about {
			got = append(got, d.Message)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("required %t, messages\n%s\nmessages about the run are %q, want %s", test.required, test.text, got, test.want)
		}
	}
}

// TestPage carries out docs/linting.md: its types and its configuration give the output on the page.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/linting.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) []byte {
		_, rest, ok := bytes.Cut(page, []byte("\n```"+language+"\n"))
		text, _, closed := bytes.Cut(rest, []byte("```\n"))
		if !ok || !closed {
			t.Fatalf("the page has no block %q", language)
		}
		return text
	}
	_, printed, _ := strings.Cut(string(page), "it prints\n\n```\n")
	printed, _, _ = strings.Cut(printed, "```\n")
	unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "api/v1/types.go", Data: block("go")}, {Name: ".golangci-kal.yml", Data: block("yaml")},
	}})
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"-c", ".golangci-kal.yml", "./..."}, &stdout, &stderr); code != exitFound || stdout.String() != printed {
		t.Errorf("exit code %d, got\n%s%s\nwant\n%s", code, stdout.String(), stderr.String(), printed)
	}
}
