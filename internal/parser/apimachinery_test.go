package parser

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// TestMetadataMethods checks the list against the interface.
func TestMetadataMethods(t *testing.T) {
	var want []string
	for method := range reflect.TypeFor[metav1.Object]().Methods() {
		want = append(want, method.Name)
	}
	slices.Sort(want)
	if !slices.Equal(metadataMethods, want) {
		t.Errorf("metadataMethods is\n%q\nmetav1.Object has\n%q", metadataMethods, want)
	}
}

// TestNames checks what is a valid name against the rules of the API server.
func TestNames(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"", "a", "v1", "stable.example.com", "-", ".", "a\n", "a..b", "ä", "1", strings.Repeat("a", 63), strings.Repeat("a", 64),
		strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 126) + "ab"}
	for range 10_000 {
		name := make([]byte, 1+random.IntN(6))
		for i := range name {
			name[i] = "ab19-.-._A"[random.IntN(10)]
		}
		names = append(names, string(name))
	}
	for _, name := range names {
		if got, want := isSubdomain(name), len(validation.IsDNS1123Subdomain(name)) == 0; got != want {
			t.Errorf("isSubdomain(%q) = %t, want %t", name, got, want)
		}
		if got, want := isLabel(name), len(validation.IsDNS1035Label(name)) == 0; got != want {
			t.Errorf("isLabel(%q) = %t, want %t", name, got, want)
		}
	}
}
