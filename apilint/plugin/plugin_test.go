package plugin

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
)

// TestPlugins checks that a golangci-lint that imports this package has both linters.
func TestPlugins(t *testing.T) {
	for _, name := range []string{"kubegen", "kubeapilinter"} {
		newLinter, err := register.GetPlugin(name)
		if err != nil {
			t.Fatal(err)
		}
		linter, err := newLinter(nil)
		if err != nil {
			t.Fatal(err)
		}
		analyzers, err := linter.BuildAnalyzers()
		if err != nil || len(analyzers) == 0 {
			t.Errorf("%s has the analyzers %v: %v", name, analyzers, err)
		}
	}
}
