package workflow

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// nextCommands are what users of a new repository run next.
const nextCommands = `
go tool kubegen
go tool kubegen ./apis/...
go tool kubegen verify
go tool kubegen list
go tool kubegen new CronTab.v1.stable.example.com
go tool kubegen --with-deepcopy --with-register --with-crds ./apis/...
`

// TestReadme carries out what the README says about a repository of one's own, in modules that have little or nothing
// of Kubernetes: the result compiles, and what the module had has the version that it had. If kubegen is installed as
// docs/installation.md says, it is compiled once.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds projects for two releases of client-go")
	}
	archive, err := txtar.ParseFile("testdata/install/readme.txtar")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(moduletest.Root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## In your repository\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, section, _ = strings.Cut(section, "```bash\n")
	first, _, found := strings.Cut(section, "```")
	if !found {
		t.Fatal("the README has no commands for a repository")
	}
	proxy := newProxy(t)
	proxy.publish(t, kubegenModule, moduletest.Root)
	installation, err := os.ReadFile(filepath.Join(moduletest.Root, "docs", "installation.md"))
	if err != nil {
		t.Fatal(err)
	}
	getClientGo := regexp.MustCompile(`(?m)^go get k8s\.io/client-go/.*`).FindString(string(installation))
	for _, test := range []struct{ name, module, release, before string }{
		{"apimachinery", "k8s.io/apimachinery", "v0.33", ""},
		{"api", "k8s.io/api", "v0.37", ""},
		{"nothing", "", "", ""},
		{"nothing", "", "", getClientGo},
	} {
		t.Run(test.name+test.release+test.before, func(t *testing.T) {
			p := newProject(t, proxy, archive, test.name)
			version := ""
			if test.module != "" {
				version = releaseVersion(t, test.release)
				p.run("go", "mod", "edit", "-require", test.module+"@"+version)
				p.run("go", "mod", "tidy")
			}
			before := p.modules()
			p.bash(test.before)
			p.bash(first)
			compiled := p.compiled()
			_, next, ok := strings.Cut(p.printed, "\nNext:\n")
			if !ok {
				t.Fatalf("init does not say what to do next: %s", p.printed)
			}
			p.bash(next)
			p.run("go", "vet", "./...")
			p.bash(nextCommands)
			p.run("go", "mod", "tidy")
			p.run("go", "vet", "./...")
			if now := p.compiled(); now != compiled && (test.module != "" || test.before != "") {
				t.Errorf("kubegen is compiled again, with\n%s and first with\n%s", now, compiled)
			}
			after := p.modules()
			for _, module := range []string{"k8s.io/api", "k8s.io/apimachinery"} {
				if was := before[module]; was != "" && after[module] != was {
					t.Errorf("%s %s became %s", module, was, after[module])
				}
			}
			if client := after["k8s.io/client-go"]; version != "" && client != version {
				t.Errorf("client-go is %s, want %s", client, version)
			}
		})
	}
}

// releaseVersion returns the version of client-go with which other tests use a release.
func releaseVersion(t *testing.T, release string) string {
	t.Helper()
	return moduletest.Required(moduletest.ModFile(t, moduletest.Release(release)), "k8s.io/client-go")
}

// compiled returns the modules that kubegen is compiled with.
func (p *project) compiled() string {
	p.Helper()
	return moduletest.Compiled(p.T, p.dir, append(p.env, "GOPROXY="+p.proxy.url+","+p.proxy.next))
}

// bash runs commands of a page, and keeps what they print.
func (p *project) bash(commands string) {
	p.Helper()
	p.printed = p.run("bash", "-e", "-c", commands)
}
