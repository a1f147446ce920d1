// Package docs tests that the documentation for users is correct.
package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestPages follows the instructions on pages. It carries out their code blocks in order, in a directory with the files
// of testdata/PAGE.txtar, or in an empty one if there is no such archive. The info string of a block determines what is
// done with it:
//
//	```go file=NAME      is written to the file, which must be named in the text before; also for other languages
//	```diff              is applied as a patch
//	```bash              is run, in the directory in which the previous block ended
//	```bash preview      is run too, if the page is tested with the prerelease of client-go
//	```text              must consist of lines that the last commands printed, in this order
//	```bash cluster      needs a cluster and is not run
//	```diff scaffold     is applied by TestKubebuilder of test/workflow
//
// The section about DeepCopy methods and manifests in kubebuilder.md is optional, so the page is tested with and
// without it. The first steps are also tested with the prerelease of client-go, and the toolchain that goes with it,
// and with an older release, for which the command that generates has --backport.
//
// kubegen is taken from this repository, and other modules have the versions that the repository requires, so that
// nothing needs to be downloaded if those were built before, except for what only projects of kubebuilder require.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds commands and runs them")
	}
	for _, page := range []string{"getting-started.md", "kubebuilder.md", "kubebuilder-hour.md", "import.md", "versions.md",
		"reference/crd-changes.md", "reference/install.md", "reference/loop.md", "reference/openapi.md", "reference/pages.md", "reference/servers.md", "reference/user-roles.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			runPage(t, page, "", model.NewestRelease)
		})
	}
	t.Run("kubebuilder.md with controller-gen", func(t *testing.T) {
		t.Parallel()
		runPage(t, "kubebuilder.md", "## DeepCopy methods and manifests", model.NewestRelease)
	})
	for _, release := range []model.Release{35, model.PreviewRelease} {
		t.Run("getting-started.md with "+release.String(), func(t *testing.T) {
			t.Parallel()
			runPage(t, "getting-started.md", "", release)
		})
	}
}

var block = regexp.MustCompile("(?ms)^```([^\n]+)\n(.*?)^```$")

// runPage carries out a page with a release of client-go, except for the section with the heading without; "" for all
// sections.
func runPage(t *testing.T, page, without string, release model.Release) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no bash, with paths as Go has them, to run the commands with")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if without != "" {
		before, rest, found := strings.Cut(string(text), "\n"+without+"\n")
		_, after, next := strings.Cut(rest, "\n## ")
		if !found || !next {
			t.Fatalf("%s has no section %q with another one after it", page, without)
		}
		lines := strings.Count(string(text), "\n") - strings.Count(before, "\n") - strings.Count(after, "\n")
		text = []byte(before + strings.Repeat("\n", lines) + "## " + after) // keep the line numbers
	}
	bin := commands(t, root)
	toolchain, preview := "local", release == model.PreviewRelease
	if needed := moduletest.ModFile(t, previewFile).Toolchain; preview && needed != nil {
		toolchain = needed.Name
	}
	env := append(os.Environ(), "KUBEGEN="+root, "CONTROLLER_GEN="+filepath.Join(bin, "controller-gen"), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN="+toolchain, "KUBECONFIG="+cluster(t))
	dir, printed, before := t.TempDir(), "", 0
	if project, err := txtar.ParseFile("testdata/" + strings.TrimSuffix(page, ".md") + ".txtar"); err == nil {
		for _, file := range append(project.Files, controllerRuntime(t, root)...) {
			write(t, filepath.Join(dir, file.Name), file.Data)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	previewed, compiled := false, []string{}
	for _, at := range block.FindAllSubmatchIndex(text, -1) {
		prose, info, code := string(text[before:at[0]]), string(text[at[2]:at[3]]), string(text[at[4]:at[5]])
		before = at[1]
		where := fmt.Sprintf("%s:%d", page, 1+strings.Count(string(text[:at[0]]), "\n"))
		language, rest, _ := strings.Cut(info, " ")
		file, isFile := strings.CutPrefix(rest, "file=")
		switch {
		case isFile:
			if !strings.Contains(prose, "`"+file+"`") {
				t.Errorf("%s: the text before does not name the file %s", where, file)
			}
			write(t, filepath.Join(dir, file), []byte(code))
		case info == "bash", info == "diff", info == "bash preview" && preview:
			previewed = previewed || info == "bash preview"
			ended := filepath.Join(t.TempDir(), "ended")
			if release < model.NewestRelease {
				code = forRelease(t, code, release)
			}
			if info == "bash preview" {
				for _, replace := range moduletest.Replacements(t, previewFile) {
					code = fmt.Sprintf("go mod edit '%s'\n%s", replace, code)
				}
			}
			run := exec.Command(bash, "-e", "-c", withThisModule(code)+"\npwd >'"+ended+"'")
			if info == "diff" {
				run.Args[3] = "git apply - && pwd >'" + ended + "'"
				run.Stdin = strings.NewReader(code)
			}
			run.Dir, run.Env = dir, env
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%s:\n%s%s%v", where, code, out, err)
			}
			t.Logf("%s:\n%s%s", where, code, out)
			now, err := os.ReadFile(ended)
			if err != nil {
				t.Fatal(err)
			}
			dir, printed = strings.TrimSpace(string(now)), string(out)
			if strings.Contains(code, "go tool kubegen") {
				compiled = append(compiled, moduletest.Compiled(t, dir, env))
			}
		case language == "text" && release < model.NewestRelease: // more files are generated
		case language == "text":
			rest := "\n" + printed
			for line := range strings.Lines(code) {
				_, after, found := strings.Cut(rest, "\n"+line)
				if !found {
					t.Errorf("%s: the commands did not print %q, or not in this order, but\n%s", where, line, printed)
				}
				rest = "\n" + after
			}
		case info != "bash cluster" && info != "bash preview" && info != "diff scaffold":
			t.Errorf("%s: %q is none of the blocks that the test knows", where, info)
		}
	}
	if compiled = slices.Compact(compiled); len(compiled) > 1 {
		t.Errorf("%s: kubegen is compiled again, with other modules:\n%s", page, strings.Join(compiled, "\n"))
	}
	if preview && !previewed {
		t.Errorf("%s selects no prerelease of client-go", page)
	}
}

// commands returns a directory with the commands that pages run: kubegen as it is installed, controller-gen, and
// kubebuilder.
func commands(t *testing.T, root string) string {
	t.Helper()
	bin := moduletest.Build(t, "kubegen")
	for name, script := range map[string]string{
		"controller-gen": "exec go tool -modfile='" + root + "/hack/tools/go.mod' controller-gen \"$@\"",
		"kubebuilder":    "exec go run " + moduletest.Kubebuilder + " \"$@\"",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// previewFile is the go.mod file of a module that requires the prerelease of client-go.
var previewFile = moduletest.Release(model.PreviewRelease.String())

// cluster returns the name of a kubeconfig file for a server with the certificates of import.md, one of them without a
// spec.
func cluster(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/apis/cert-manager.io/v1/certificates" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"apiVersion": "cert-manager.io/v1", "kind": "CertificateList", "metadata": {}, "items": [
			{"metadata": {"name": "empty", "namespace": "default"}},
			{"metadata": {"name": "web", "namespace": "default"}, "spec": {"secretName": "web-tls", "dnsNames": ["example.com", "www.example.com"]}}]}`)
	}))
	t.Cleanup(server.Close)
	name := filepath.Join(t.TempDir(), "kubeconfig")
	write(t, name, fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": [{"name": "test", "cluster": {"server": %q}}], "contexts": [{"name": "test", "context": {"cluster": "test"}}]}`, server.URL))
	return name
}

// forRelease returns commands for an older release of client-go.
func forRelease(t *testing.T, commands string, release model.Release) string {
	t.Helper()
	version := func(of model.Release) string {
		return "@" + moduletest.Required(moduletest.ModFile(t, moduletest.Release(of.String())), "k8s.io/client-go")
	}
	return strings.NewReplacer(version(model.NewestRelease), version(release), " --with-crds", " --with-crds --backport").Replace(commands)
}

// withThisModule replaces "go get" of kubegen's commands with commands that use this repository. Like it, they add
// requirements and remove none.
func withThisModule(commands string) string {
	const kubegen = "github.com/kubegen/kubegen"
	for _, module := range []string{"conversion", "crdinstall"} {
		commands = strings.ReplaceAll(commands, "go get "+kubegen+"/"+module+"\n", fmt.Sprintf(
			"cat \"$KUBEGEN/%s/go.sum\" >>go.sum; go mod edit -replace \"%s/%[1]s=$KUBEGEN/%[1]s\" -require %s/%[1]s@v0.0.0\n", module, kubegen, kubegen))
	}
	commands = regexp.MustCompile("go get -modfile=(\\S+) -tool ("+kubegen+"/fakeapi/crdvalidation)(/cmd/crdtest) (\\S+)").ReplaceAllString(commands,
		`cat "$$KUBEGEN/test/go.sum" "$$KUBEGEN/fakeapi/crdvalidation/go.sum" >>tools.sum; go mod edit -replace "`+kubegen+`/fakeapi=$$KUBEGEN/fakeapi" `+
			`-replace "$2=$$KUBEGEN/fakeapi/crdvalidation" -require $2@v0.0.0 -require $4 -tool $2$3 $1; go list -modfile=$1 -mod=mod -deps $2$3 >/dev/null`)
	commands = regexp.MustCompile("go get -modfile=(\\S+) -tool "+kubegen+"/apilint(/cmd/apilint)").ReplaceAllString(commands,
		`cat "$$KUBEGEN/apilint/go.sum" >>tools.sum; go mod edit -replace "`+kubegen+`=$$KUBEGEN" -replace "`+kubegen+`/apilint=$$KUBEGEN/apilint" `+
			`-require `+kubegen+`/apilint@v0.0.0 -tool `+kubegen+`/apilint$2 $1; go list -modfile=$1 -mod=mod -deps `+kubegen+`/apilint$2 >/dev/null`)
	return regexp.MustCompile("go get -tool "+kubegen+"(/cmd/[a-z-]+)").ReplaceAllString(commands, `cat "$$KUBEGEN/go.sum" >>go.sum; `+
		`go mod edit -replace "`+kubegen+`=$$KUBEGEN" -replace "`+kubegen+`/fakeapi=$$KUBEGEN/fakeapi" `+
		`-replace "`+kubegen+`/fakeapi/crdvalidation=$$KUBEGEN/fakeapi/crdvalidation" -require `+kubegen+`@v0.0.0 -tool `+kubegen+`$1; `+
		`go list -mod=mod -deps `+kubegen+`$1 >/dev/null`)
}

// controllerRuntime returns the go.mod and go.sum files of a project that uses controller-runtime.
func controllerRuntime(t *testing.T, root string) (files []txtar.File) {
	t.Helper()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "examples/crontab-controller", name))
		if err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`(?ms)^module [^\n]*|^replace \(.*?^\)|^\tgithub.com/kubegen[^\n]*\n`).ReplaceAllFunc(text, func(part []byte) []byte {
			if strings.HasPrefix(string(part), "module") {
				return []byte("module example.com/project")
			}
			return nil
		})
		files = append(files, txtar.File{Name: name, Data: text})
	}
	return files
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestVersions checks that pages name the release of Kubernetes' modules that the example requires, and the
// prerelease that is tested, with what that needs.
func TestVersions(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages: ", err)
	}
	release := moduletest.Required(moduletest.ModFile(t, "../examples/crontab-types/go.mod"), "k8s.io/client-go") // that of other modules of Kubernetes, too
	preview, prerelease := moduletest.ModFile(t, previewFile), regexp.MustCompile(regexp.QuoteMeta(model.PreviewRelease.String())+`\.0-[a-z]+\.[0-9]+`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, named := range regexp.MustCompile(`(k8s\.io/[a-z-]+)[a-z/]*@(v[\w.-]*\w)`).FindAllStringSubmatch(string(text), -1) {
			want := release
			if strings.Contains(named[2], "-") {
				want = moduletest.Required(preview, named[1])
			}
			if named[2] != want {
				t.Errorf("%s: %s is not the tested version, %s", page, named[0], want)
			}
		}
		for _, named := range prerelease.FindAllString(string(text), -1) {
			if want := moduletest.Required(preview, "k8s.io/client-go"); named != want {
				t.Errorf("%s: %s is not the tested prerelease, %s", page, named, want)
			}
		}
	}
}

// TestMessages checks that kubegen or its generated code can print the messages in docs/troubleshooting.md: they must
// be in a golden archive or in the code.
func TestMessages(t *testing.T) {
	page, err := os.ReadFile("troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	var known []string // lines
	for _, dir := range []string{"../internal", "../generators", "../templates", "../consistency", "../fakeapi"} {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
				return err
			}
			switch filepath.Ext(name) {
			case ".txtar", ".tmpl", ".go":
				text, err := os.ReadFile(name)
				known = append(known, strings.Split(string(text), "\n")...)
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	messages := regexp.MustCompile("\\*\\*`([^`]+)`\\*\\*").FindAllSubmatch(page, -1)
	if len(messages) == 0 {
		t.Fatal("the page has no messages")
	}
	for _, message := range messages {
		parts := strings.Split(string(message[1]), "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		is := regexp.MustCompile(strings.Join(parts, ".*"))
		if !slices.ContainsFunc(known, is.MatchString) {
			t.Errorf("nothing prints %q", message[1])
		}
	}
}

// TestScripts checks that a test carries out each row of the tables about other tools: a file has the text. The archive
// of channels has the example.
func TestScripts(t *testing.T) {
	const golden, workflow = "internal/commands/cli/testdata/golden/", "test/workflow/testdata/"
	section := carriedOut(t, "migrating.md", "What a script has", [][3]string{
		{"`models-schema`", golden + "apply-openapi.txtar", "$ gen-applyconfiguration --output-dir gen --openapi-schema missing.json"},
		{"yq, jq", golden + "edits.txtar", "\nedits:\n"},
		{"`rm` of a manifest", golden + "userroles.txtar", "// +kubebuilder:skipversion\ntype Hidden struct"},
		{"a header and a footer", golden + "chart.txtar", "--chart chart"},
		{"a program for channels", golden + "gate-channels.txtar", "$ kubegen\n"},
		{"`omitToolVersion`", golden + "controller-outputs.txtar", "$ gen-controller object crd:omitToolVersion=true"},
		{"crdify", workflow + "breaking-manifests.txtar", "exec kubegen breaking v1:config/crd config/crd"},
		{"crd-ref-docs", golden + "reference.txtar", "--with-reference docs"},
		{"`hack/swagger/main.go`", golden + "openapi-documents.txtar", "--with-openapi"},
		{"kube-api-linter", "apilint/apilint_test.go", "linting.md"},
		{"a temporary directory", workflow + "script.txtar", "exec kubegen --with-crds"},
		{"a fake GOPATH", workflow + "script.txtar", "! exists gopath"},
		{"generators required", workflow + "tools-module.txtar", "exec go tool -modfile=tools/go.mod kubegen"},
		{"`go mod tidy`", workflow + "script.txtar", "cmp go.mod go.mod.before"},
	})
	carriedOut(t, "troubleshooting.md", "Questions about other tools", [][3]string{
		{"`schema error: no type found matching", "examples/crontab-types/apply_test.go", "crontabs := fake.NewClientset().StableV1()"},
		{"apply configurations without", golden + "apply-openapi.txtar", "--openapi-schema missing.json"},
		{"kubebuilder with client-gen", "docs/kubebuilder.md", "+// +genclient"}, // TestPages carries it out
		{"client-gen and `generate-groups.sh`", workflow + "script.txtar", "! exists gopath"},
		{"openapi-gen", golden + "openapi.txtar", "--with-openapi-definitions"},
		{"find markers", golden + "markers-without-effect.txtar", "$ kubegen verify --only crd --with-crds ./..."},
		{"`metadata.annotations: Too long", golden + "apply-prefixed-markers.txtar", "--crd-max-description-length 0"},
		{"`found float", golden + "mistake-with-crds.txtar", "or set --crd-allow-dangerous-types"},
	})
	script, err := os.ReadFile("../" + workflow + "migrate.txtar")
	if err != nil || !strings.Contains(string(script), "exec migrate hack/update-codegen.sh") {
		t.Errorf("no test replaces a script: %v", err)
	}
	channels, err := os.ReadFile("../" + golden + "gate-channels.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range block.FindAllStringSubmatch(section, -1) {
		if code := regexp.MustCompile(` # .*`).ReplaceAllString(found[2], ""); found[1] != "bash" && !strings.Contains(string(channels), code) {
			t.Errorf("no test has\n%s", code)
		}
	}
}

// carriedOut returns a section of a page. Each row of its table must begin like one of the given ones: with the first
// text. Their other texts are a file and what it has.
func carriedOut(t *testing.T, page, heading string, rows [][3]string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	found := 0
	for _, row := range rows {
		found += strings.Count(section, "\n| "+row[0])
		if archive, err := os.ReadFile("../" + row[1]); err != nil || !strings.Contains(string(archive), row[2]) {
			t.Errorf("%s does not carry out the row about %s: %v", row[1], row[0], err)
		}
	}
	if all := strings.Count(section, "\n| ") - 1; found != all {
		t.Errorf("%d of %d rows of %s have a test", found, all, page)
	}
	return section
}

// TestLength limits the words of the pages for users: the README and the pages in docs, but not in its folders, which
// are for contributors or lists to look things up. A page for a task of its own, such as versions.md, raises the limit.
func TestLength(t *testing.T) {
	const limit = 30000
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		words += len(strings.Fields(string(text)))
	}
	if words > limit {
		t.Errorf("the pages for users have %d words, more than %d", words, limit)
	}
}
