package plan

import (
	"slices"
	"testing"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/render"
)

// TestProducts compares the list of products with the generators that write into packages of types.
func TestProducts(t *testing.T) {
	var names, writing []string
	for _, p := range products.All {
		names = append(names, p.Generator)
	}
	for _, g := range generators.All {
		if render.InPackages(g) {
			writing = append(writing, g.Info().Name)
		}
	}
	slices.Sort(names)
	slices.Sort(writing)
	if !slices.Equal(names, writing) {
		t.Errorf("facts knows the products %q, but %q write into packages of types", names, writing)
	}
}
