// Package workflow runs kubegen as its users do.
package workflow

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubegen/kubegen/internal/moduletest"
)

var update = flag.Bool("update", false, "rewrite the scripts' expectations")

// TestWorkflow runs the scripts of testdata: each is one way in which people use kubegen, with the real binary.
// The commands are those of https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript, and
//
//	api DIR KIND...    writes a package of API types into DIR, whose last two elements are the group and the version
//	edit FILE OLD NEW  replaces OLD in FILE by NEW; \n stands for the end of a line
//
// A go.mod without requirements gets those of a client of the newest release, and a go.sum; nothing is downloaded.
// $MODULE is the directory of this repository.
func TestWorkflow(t *testing.T) {
	bin := moduletest.Build(t, "kubegen", "gen-lister")
	if out, err := exec.Command("go", "build", "-C", filepath.Join(moduletest.Root, "migrate"), "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	goEnv, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache := strings.Fields(string(goEnv))
	download(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			for name, value := range map[string]string{
				"MODULE": moduletest.Root, "GOCACHE": cache[0], "GOMODCACHE": cache[1], "GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local",
				"GOFLAGS": "", "GOWORK": "", "TERM": "dumb", "GOCOVERDIR": os.Getenv("GOCOVERDIR"),
				// Otherwise git goes on after a commit, in the background, while the test removes its directory.
				"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false",
			} {
				env.Setenv(name, value)
			}
			moduletest.Complete(t, env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"api": writeAPI, "edit": edit},
	})
}

// download fills the module cache with what a project needs that adds kubegen as a tool.
func download(t *testing.T) {
	dir := t.TempDir()
	moduletest.Write(t, dir, []byte("module example.com/project"))
	for _, command := range [][]string{
		{"mod", "edit", "-require", "github.com/kubegen/kubegen@v0.0.0", "-replace", "github.com/kubegen/kubegen=" + moduletest.Root},
		{"list", "-mod=mod", "-deps", "github.com/kubegen/kubegen/cmd/kubegen"},
		{"mod", "download"},
	} {
		cmd := exec.Command("go", command...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(command, " "), err, out)
		}
	}
}

func writeAPI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: api DIR KIND...")
	}
	dir := args[0]
	var b strings.Builder
	fmt.Fprintf(&b, `// Package %s has API types.
// +groupName=%s.example.com
package %[1]s

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "%[2]s.example.com", Version: "%[1]s"}

func AddToScheme(scheme *runtime.Scheme) error {
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
`, path.Base(dir), path.Base(path.Dir(dir)))
	ts.Check(os.MkdirAll(ts.MkAbs(dir), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(path.Join(dir, "register.go")), []byte(b.String()), 0o644))
	for _, kind := range args[1:] {
		text := strings.NewReplacer("V1", path.Base(dir), "CronTab", kind).Replace(`package V1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +genclient

// CronTab has a spec.
type CronTab struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	Spec              CronTabSpec ` + "`json:\"spec\"`" + `
}

// CronTabSpec is what is wanted.
type CronTabSpec struct {
	Replicas int32 ` + "`json:\"replicas\"`" + `
}

type CronTabList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items           []CronTab ` + "`json:\"items\"`" + `
}

func (in *CronTab) DeepCopyObject() runtime.Object     { out := *in; return &out }
func (in *CronTabList) DeepCopyObject() runtime.Object { out := *in; return &out }
`)
		ts.Check(os.WriteFile(ts.MkAbs(path.Join(dir, strings.ToLower(kind)+".go")), []byte(text), 0o644))
	}
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	lines := func(s string) []byte { return []byte(strings.ReplaceAll(s, `\n`, "\n")) }
	text := []byte(ts.ReadFile(args[0]))
	if !bytes.Contains(text, lines(args[1])) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.ReplaceAll(text, lines(args[1]), lines(args[2])), 0o644))
}
