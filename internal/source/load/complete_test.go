package load

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestCompleted reads packages of modules that go.mod and go.sum lack. Neither changes.
func TestCompleted(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the go command may download client-go")
	}
	const machinery, clientGo = "k8s.io/apimachinery", "k8s.io/client-go"
	version := moduletest.Required(moduletest.ModFile(t, moduletest.Client), clientGo)
	all, err := os.ReadFile(strings.TrimSuffix(moduletest.Client, ".mod") + ".sum")
	if err != nil {
		t.Fatal(err)
	}
	var own []byte
	for line := range bytes.Lines(all) {
		if bytes.HasPrefix(line, []byte(clientGo+" ")) {
			own = append(own, line...)
		}
	}
	for _, test := range []struct {
		name, require, flags string
		found                bool
	}{
		{"in the graph", clientGo + " " + version, "", true},
		{"in the graph, -mod=readonly", clientGo + " " + version, "-mod=readonly", true},
		{"older than in the graph, -mod=mod", "(\n" + clientGo + " " + version + "\n" + machinery + " v0.33.0\n)", "-mod=mod", true},
		{"elsewhere", "golang.org/x/mod v0.17.0", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string][]byte{"go.mod": []byte("module example.com/m\n\ngo 1.26.0\n\nrequire " + test.require + "\n"), "go.sum": own}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			env := Environment{Dir: dir, Vars: append(os.Environ(), "GOWORK=off", "GONOSUMDB=*", "GOFLAGS="+test.flags)}
			l := NewLoader(t.Context(), Config{Env: env})
			l.Modules.Find()
			l.Preload(machinery+"/pkg/runtime/schema", machinery+"/pkg/missing")
			if found := l.Known[machinery+"/pkg/runtime/schema"] != nil; found != test.found || found && test.flags == "" && !slices.Contains(l.Unsummed(), machinery) {
				t.Errorf("found is %t, and go.sum lacks %v; %s", found, l.Unsummed(), l.Remedy(machinery+"/pkg/runtime/schema"))
			}
			if l.Known[machinery+"/pkg/missing"] != nil {
				t.Error("a package that does not exist is found")
			}
			for name, text := range files {
				if now, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(now, text) {
					t.Errorf("%s is\n%s", name, now)
				}
			}
		})
	}
}

// TestUnvendored reads a package that the vendor directory lacks, because nothing imports it yet, and none of a module
// that go.mod does not require.
func TestUnvendored(t *testing.T) {
	for _, flags := range []string{"", "-mod=vendor"} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":        "module example.com/m\n\ngo 1.26.0\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ./dep\n",
			"dep/go.mod":    "module example.com/dep\n\ngo 1.26.0\n",
			"dep/used/a.go": "package used\n", "dep/later/a.go": "package later\n", "vendor/example.com/dep/used/a.go": "package used\n",
			"vendor/modules.txt": "# example.com/dep v0.0.0 => ./dep\n## explicit; go 1.26.0\nexample.com/dep/used\n# example.com/dep => ./dep\n",
		} {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		l := NewLoader(t.Context(), Config{Env: Environment{Dir: dir, Vars: append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS="+flags)}})
		l.Modules.Find()
		l.Preload("example.com/dep/used", "example.com/dep/later", ClientGoPackage)
		for name, want := range map[string]string{"used": "vendor/example.com/dep/used", "later": "dep/later"} {
			src := l.Known["example.com/dep/"+name]
			if src == nil || filepath.Dir(src.Files[0].Name) != filepath.Join(dir, filepath.FromSlash(want)) {
				t.Errorf("GOFLAGS=%s: %s is %v, not in %s; %s", flags, name, src, want, l.Remedy("example.com/dep/"+name))
			}
		}
		if why, commands := l.WhyMissing(ClientGoPackage); why != "go.mod does not require "+ClientGo || !strings.HasPrefix(commands, "go get ") {
			t.Errorf("GOFLAGS=%s: %s (run %s)", flags, why, commands)
		}
	}
}
