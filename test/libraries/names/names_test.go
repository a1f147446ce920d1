// Package names compares what kubegen says of names with what apimachinery says.
package names

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestMetadataMethods checks the list against the interface.
func TestMetadataMethods(t *testing.T) {
	var want []string
	for method := range reflect.TypeFor[metav1.Object]().Methods() {
		want = append(want, method.Name)
	}
	slices.Sort(want)
	if !slices.Equal(model.MetadataMethods, want) {
		t.Errorf("MetadataMethods is\n%q\nmetav1.Object has\n%q", model.MetadataMethods, want)
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
		if got, want := model.IsSubdomain(name), len(validation.IsDNS1123Subdomain(name)) == 0; got != want {
			t.Errorf("IsSubdomain(%q) = %t, want %t", name, got, want)
		}
		if got, want := model.IsLabel(name), len(validation.IsDNS1035Label(name)) == 0; got != want {
			t.Errorf("IsLabel(%q) = %t, want %t", name, got, want)
		}
	}
}

func TestGuessResource(t *testing.T) {
	for _, kind := range []string{"CronTab", "Ingress", "NetworkPolicy", "Gateway", "Y", "S", "Endpoints", "MyEndpoints", "Endpoint", "Ä", "Sys", "ſ"} {
		want, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
		if got := model.GuessResource(kind); got != want.Resource {
			t.Errorf("GuessResource(%q) = %q, want %q", kind, got, want.Resource)
		}
	}
}
