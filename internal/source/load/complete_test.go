package load

import (
	"bytes"
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
