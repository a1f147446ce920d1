package cli

import (
	"slices"
	"testing"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

// TestControllerGenerators checks that the arguments of controller-gen's options set settings that the generators have.
func TestControllerGenerators(t *testing.T) {
	for _, g := range controllerGenerators {
		for argument, name := range g.settings {
			if !slices.ContainsFunc(g.Arguments, func(a markers.Argument) bool { return a.Name == argument }) {
				t.Errorf("%s has no argument %s", g.Name, argument)
			}
			if !slices.ContainsFunc(g.Info().Flags, func(f plan.Flag) bool { return f.Name == name }) {
				t.Errorf("%s:%s sets %s, which is no setting of %s", g.Name, argument, name, g.Info().Name)
			}
		}
	}
}
