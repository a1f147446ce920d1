package schema

import (
	"math/rand/v2"
	"testing"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
)

// TestCELNames compares the names of fields in rules with the ones of the API server.
func TestCELNames(t *testing.T) {
	names := []string{
		"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
		"namespace", "return", "var", "void", "while", "int", "type", "self", "has", "a-b", "a.b", "a/b", "a__b", "a___b", "_", "__", "in_", "In",
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for range 10000 {
		name := ""
		for range 1 + rng.IntN(6) {
			name += string("ab_-./in"[rng.IntN(8)])
		}
		names = append(names, name)
	}
	for _, name := range names {
		if want, ok := apiservercel.Escape(name); ok && goschema.CELName(name) != want {
			t.Errorf("%s is %s in rules, but %s for the API server", name, goschema.CELName(name), want)
		}
	}
}
