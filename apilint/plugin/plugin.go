// Package plugin adds the checks of kubegen to a golangci-lint that is built with it, as the linter kubegen.
// kube-api-linter has a plugin of its own, kubeapilinter, which this package also adds.
package plugin

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	_ "sigs.k8s.io/kube-api-linter" // adds kubeapilinter

	"github.com/kubegen/kubegen/apilint"
)

func init() {
	register.Plugin(apilint.Checks.Name, func(any) (register.LinterPlugin, error) { return checks{}, nil })
}

// checks is the linter kubegen. It has no settings.
type checks struct{}

// BuildAnalyzers returns the checks.
func (checks) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{apilint.Checks}, nil
}

// GetLoadMode says that the checks need no types.
func (checks) GetLoadMode() string { return register.LoadModeSyntax }
