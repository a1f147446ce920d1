package workflow

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

const (
	kubegenModule  = "github.com/kubegen/kubegen"
	kubegenCommand = kubegenModule + "/cmd/kubegen"
	unpublished    = "v0.0.0" // the version that a replace directive gives a meaning
)

// runtimes are releases of controller-runtime, by the release of client-go that they are for. There is none for the
// one in preview, but that for the release before compiles with it.
var runtimes = map[string]string{
	"v0.33": "v0.21.0", "v0.34": "v0.22.1", "v0.35": "v0.23.3", "v0.36": "v0.24.1", "v0.37": "v0.25.2", "v0.38": "v0.25.2",
}

var allReleases = flag.Bool("releases", false, "install kubegen in projects with all releases of client-go, not only with the oldest and the newest one and the preview")

// TestInstall adds kubegen to projects as docs/installation.md says, and then nothing but kubegen may be new in their
// go.mod: no module that was there, and neither the go nor the toolchain line, may have another version. kubegen
// comes from a proxy, as when it is published, and by a replace directive. What it generates must be the same in each
// way. Kubegen requires what client-go does in the oldest release; what it raises there least of all, it raises in no
// newer one, so that the releases in between are left out without -releases.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds projects for all releases of client-go")
	}
	archive, err := txtar.ParseFile("testdata/install/projects.txtar")
	if err != nil {
		t.Fatal(err)
	}
	proxy := newProxy(t)
	version := proxy.publish(t, kubegenModule, moduletest.Root)
	releases, err := filepath.Glob(moduletest.Release("v*"))
	if err != nil || len(releases) != len(runtimes) {
		t.Fatalf("%d releases, %v", len(releases), err)
	}
	for _, file := range releases {
		release, pinned := strings.TrimSuffix(filepath.Base(file), ".mod"), moduletest.ModFile(t, file)
		number, _ := model.ReleaseOf(release)
		if number > model.OldestRelease && number < model.NewestRelease && !*allReleases {
			continue
		}
		for _, name := range []string{"api", "client", "controller"} {
			t.Run(release+"/"+name, func(t *testing.T) {
				p := newProject(t, proxy, archive, name)
				if pinned.Toolchain != nil {
					p.env = append(p.env, "GOTOOLCHAIN="+pinned.Toolchain.Name)
				}
				client := moduletest.Required(pinned, "k8s.io/client-go")
				for path, version := range map[string]string{
					"k8s.io/apimachinery": client, "k8s.io/client-go": client, "sigs.k8s.io/controller-runtime": runtimes[release],
				} {
					if p.imports(path) {
						p.run("go", "mod", "edit", "-require", path+"@"+version)
					}
				}
				p.run(append([]string{"go", "mod", "edit", "-go", pinned.Go.Version}, moduletest.Replacements(t, file)...)...)
				p.run("go", "mod", "tidy")
				p.run("go", "build", "./...")
				before := p.goMod()
				modules, imported := p.modules(), p.imported()

				// This comes first, since it downloads what the rest needs.
				p.run("go", "mod", "edit", "-require", kubegenModule+"@"+unpublished, "-replace", kubegenModule+"="+moduletest.Root, "-tool", kubegenCommand)
				p.run("go", "mod", "tidy")
				p.unchanged(before, modules, imported)
				p.run("go", "build", "./...")
				want := p.generate("go", "tool", "kubegen")

				p.restore(before)
				p.get("go", "get", "-tool", kubegenCommand+"@"+version)
				p.run("go", "mod", "tidy")
				p.unchanged(before, modules, imported)
				p.sameAs(want, "go", "tool", "kubegen")

				if name != "client" { // one for each release will do for what is outside of go.mod
					return
				}
				p.restore(before)
				if err := os.Mkdir(filepath.Join(p.dir, "tools"), 0o755); err != nil {
					t.Fatal(err)
				}
				p.run("go", "mod", "init", "-modfile=tools/go.mod", "example.com/project/tools")
				p.get("go", "get", "-tool", "-modfile=tools/go.mod", kubegenCommand+"@"+version)
				p.sameAs(want, "go", "tool", "-modfile=tools/go.mod", "kubegen")
				own := p.env
				p.env = append(slices.Clip(own), "GOFLAGS=-modfile=tools/go.mod")
				p.sameAs(want, "go", "tool", "kubegen")
				p.env = own

				p.sameAs(want, "go", "run", kubegenCommand+"@"+version)
				bin := t.TempDir()
				p.env = append(p.env, "GOBIN="+bin)
				p.get("go", "install", kubegenCommand+"@"+version)
				p.sameAs(want, filepath.Join(bin, "kubegen"))
				if got := p.goMod(); !bytes.Equal(got, before) {
					t.Errorf("go.mod has changed from\n%s\nto\n%s", before, got)
				}
			})
		}
	}
}

// project is a module of somebody who adds kubegen to it.
type project struct {
	*testing.T
	dir   string
	proxy proxy
	env   []string
	files []txtar.File

	printed string // by the last bash
}

// newProject writes the files of the archive that are in the directory name or in all.
func newProject(t *testing.T, proxy proxy, archive *txtar.Archive, name string) *project {
	p := &project{T: t, dir: t.TempDir(), proxy: proxy, env: append(os.Environ(), "GOWORK=off", "GOTOOLCHAIN=local", "GOSUMDB="+proxy.sums, "GONOSUMDB=*")} // the test's proxy has no checksums
	for _, f := range archive.Files {
		for _, from := range []string{name + "/", "all/"} {
			if file, ok := strings.CutPrefix(f.Name, from); ok {
				p.files = append(p.files, txtar.File{Name: file, Data: f.Data})
			}
		}
	}
	p.restore([]byte("module example.com/project\n"))
	return p
}

// restore writes the files of the project anew, with a go.mod.
func (p *project) restore(goMod []byte) {
	p.Helper()
	for _, f := range append(p.files, txtar.File{Name: "go.mod", Data: goMod}) {
		name := filepath.Join(p.dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, 0o644)); err != nil {
			p.Fatal(err)
		}
	}
}

func (p *project) imports(path string) bool {
	return slices.ContainsFunc(p.files, func(f txtar.File) bool { return bytes.Contains(f.Data, []byte(`"`+path+`/`)) })
}

// run runs a command in the project. Modules come from the test's proxy and then from the user's.
func (p *project) run(command ...string) string {
	p.Helper()
	return p.with(p.proxy.url+","+p.proxy.next, command...)
}

// get is run without another proxy than the test's and the module cache. The go command asks for modules below
// kubegen's, of which there are none.
func (p *project) get(command ...string) string {
	p.Helper()
	return p.with(p.proxy.url+","+p.proxy.cache, command...)
}

func (p *project) with(goproxy string, command ...string) string {
	p.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = p.dir, append(p.env, "GOPROXY="+goproxy)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, out, &stderr)
	}
	return string(out)
}

func (p *project) goMod() []byte {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "go.mod"))
	if err != nil {
		p.Fatal(err)
	}
	return text
}

// modules returns the versions of all modules in the module graph.
func (p *project) modules() map[string]string {
	p.Helper()
	return pairs(p.run("go", "list", "-m", "all"))
}

// imported returns the versions of the modules whose packages the project imports, directly or not, in its tests too.
func (p *project) imported() map[string]string {
	p.Helper()
	return pairs(p.run("go", "list", "-deps", "-test", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./..."))
}

func pairs(lines string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(lines) {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			found[path] = version
		}
	}
	return found
}

// unchanged checks that a go.mod has what it had before, and kubegen with what it needs, and that neither a module of
// Kubernetes in the module graph nor one that the project imports has another version.
func (p *project) unchanged(goMod []byte, modules, imported map[string]string) {
	p.Helper()
	before, after := moduletest.ParseModFile(p, goMod), moduletest.ParseModFile(p, p.goMod())
	if before.Go.Version != after.Go.Version || after.Toolchain != nil {
		p.Errorf("go %s became %s, toolchain %v", before.Go.Version, after.Go.Version, after.Toolchain)
	}
	for _, r := range before.Require {
		if got := moduletest.Required(after, r.Mod.Path); got != r.Mod.Version {
			p.Errorf("%s became %q in go.mod", r.Mod, got)
		}
	}
	if added := len(after.Require) - len(before.Require); added > 8 {
		p.Errorf("%d modules were added:\n%s", added, p.goMod())
	}
	all := p.modules()
	for path, version := range modules {
		if strings.Contains(path, "k8s.io/") && all[path] != version {
			p.Errorf("%s@%s became %q in the module graph", path, version, all[path])
		}
	}
	now := p.imported()
	for path, version := range imported {
		if now[path] != version {
			p.Errorf("%s@%s, which the project imports, became %q", path, version, now[path])
		}
	}
}

// generate runs kubegen and returns what it writes, by name, which it removes again.
func (p *project) generate(kubegen ...string) map[string]string {
	p.Helper()
	p.run(append(kubegen, "--with-deepcopy", "--with-register", "./apis/...")...)
	found := map[string]string{}
	err := filepath.WalkDir(p.dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(name, "generated") {
			return err
		}
		text, err := os.ReadFile(name)
		found[name] = string(text)
		return errors.Join(err, os.Remove(name))
	})
	if err != nil || len(found) == 0 {
		p.Fatalf("%d generated files, %v", len(found), err)
	}
	return found
}

// sameAs checks that a command generates what another has.
func (p *project) sameAs(want map[string]string, kubegen ...string) {
	p.Helper()
	got := p.generate(kubegen...)
	for name, text := range want {
		if got[name] != text {
			p.Errorf("%s: %s differs from what go tool kubegen generates:\n%s", strings.Join(kubegen, " "), name, got[name])
		}
	}
	if len(got) != len(want) {
		p.Errorf("%s: %d files, go tool kubegen generates %d", strings.Join(kubegen, " "), len(got), len(want))
	}
}

// proxy is a module proxy in a directory; see https://go.dev/ref/mod#goproxy-protocol.
type proxy struct {
	dir, url string
	cache    string // proxy with what has been downloaded before
	next     string // proxies of the user
	modules  string // module cache
	sums     string // checksum database, which the go command needs for toolchains
}

func newProxy(t *testing.T) proxy {
	t.Helper()
	out, err := exec.Command("go", "env", "GOPROXY", "GOMODCACHE", "GOSUMDB").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Split(string(out), "\n")
	dir := t.TempDir()
	url := func(dir string) string { return "file://" + filepath.ToSlash(dir) }
	return proxy{dir: dir, url: url(dir), next: env[0], cache: url(filepath.Join(env[1], "cache", "download")), modules: env[1], sums: env[2]}
}

// publish adds the module in dir, and returns its version, which follows from the content: the go command keeps what
// it downloads. After the test that is removed.
func (p proxy) publish(t *testing.T, path, dir string) (version string) {
	t.Helper()
	var content bytes.Buffer
	if err := zip.CreateFromDir(&content, module.Version{Path: path, Version: unpublished}, dir); err != nil {
		t.Fatal(err)
	}
	version = fmt.Sprintf("%s-test.%x", unpublished, sha256.Sum256(content.Bytes()))[:40]
	content.Reset()
	goMod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err := errors.Join(err, zip.CreateFromDir(&content, module.Version{Path: path, Version: version}, dir)); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(p.dir, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": fmt.Appendf(nil, `{"Version": %q}`, version), version + ".mod": goMod, version + ".zip": content.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		unpacked := filepath.Join(p.modules, filepath.FromSlash(path)+"@"+version)
		_ = filepath.WalkDir(unpacked, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				return os.Chmod(name, 0o755)
			}
			return err
		})
		downloads, err := filepath.Glob(filepath.Join(p.modules, "cache", "download", filepath.FromSlash(path), "@v", version+".*"))
		for _, name := range append(downloads, unpacked) {
			err = errors.Join(err, os.RemoveAll(name))
		}
		if err != nil {
			t.Error(err)
		}
	})
	return version
}
