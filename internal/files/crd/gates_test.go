package crd_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

var gatedPackages = flag.Int("gated", 60, "number of random packages with feature gates")

// TestRandomGates compares the manifests of random packages for random feature gates with the manifests of the same
// packages without markers of gates: what the gates leave out is deleted from them, and the rest has no gate.
func TestRandomGates(t *testing.T) {
	compared := map[string]int{}
	for seed := range uint64(*gatedPackages) {
		for _, on := range [][]string{nil, {"A", "B", "C", "D"}, {"A"}, {"B", "C"}, {"A", "B", "D"}} {
			gated := gatedSource{rand: rand.New(rand.NewPCG(seed, 0))}
			plain := gatedSource{rand: rand.New(rand.NewPCG(seed, 0)), on: map[string]bool{}, evaluated: true}
			gates := markers.Gates{On: map[string]bool{}}
			for _, name := range on {
				gates.On[name], plain.on[name] = true, true
			}
			source, expected := gated.packages(), plain.packages()
			got, want := manifestsOf(t, source, &gates), manifestsOf(t, expected, nil)
			compared[strings.Join(slices.Sorted(maps.Keys(got)), " ")]++
			for _, name := range []string{"example.com_geese.yaml", "example.com_nests.yaml"} {
				if got[name] != want[name] {
					t.Fatalf("seed %d, gates %v: %s is\n%s\nand not\n%s\nof\n%s\n%s", seed, on, name, got[name], want[name], source["example.com/v1/types.go"], source["example.com/v2/types.go"])
				}
			}
		}
	}
	if len(compared) < 3 {
		t.Errorf("all packages have the same kinds: %v", compared)
	}
}

const metadata = "package v1\ntype Time struct{}\ntype TypeMeta struct {\n\tKind string `json:\"kind,omitempty\"`\n}\ntype ObjectMeta struct{}\n"

// manifestsOf returns the manifests of packages by name, with their contents.
func manifestsOf(t *testing.T, files map[string]string, gates *markers.Gates) map[string]string {
	t.Helper()
	files["k8s.io/apimachinery/pkg/apis/meta/v1/types.go"] = metadata
	l := loadtest.Read(t, files, "example.com/v1", "example.com/v2")
	read := goschema.NewMarkers(gotypes.NewReader(l, model.Policy{}), gates)
	found := map[string]string{}
	manifests, diags := crd.Generate(read, facts.ReadObjects(read.Types(), l.Input), crd.Options{SkipValidation: true})
	for _, f := range manifests.Files {
		found[f.Name] = string(f.Content)
	}
	for _, d := range append(diags, l.Mistakes()...) {
		t.Fatalf("%s: %s\n%s\n%s", d.Pos, d.Message, files["example.com/v1/types.go"], files["example.com/v2/types.go"])
	}
	return found
}

// gatedSource writes random packages, with markers of feature gates or as evaluated for the gates that are on. Both
// consume the same random numbers.
type gatedSource struct {
	strings.Builder
	rand      *rand.Rand
	on        map[string]bool
	evaluated bool
}

func (s *gatedSource) packages() map[string]string {
	files := map[string]string{}
	for _, version := range []string{"v1", "v2"} {
		s.Reset()
		fmt.Fprintf(s, "// +groupName=example.com\n")
		off := version == "v2" && s.gate("")
		fmt.Fprintf(s, "package %s\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n", version)
		for _, kind := range []string{"Goose", "Nest"} {
			s.kind(kind, version)
		}
		text := s.String()
		if off && s.evaluated {
			text = "// +kubebuilder:skip\npackage v2\n"
		}
		files["example.com/"+version+"/types.go"] = text
	}
	return files
}

// gate writes a random expression as a marker above a declaration, or nothing. It reports whether the expression leaves
// the declaration out.
func (s *gatedSource) gate(indent string) (off bool) {
	text, on := s.expression()
	if text == "" {
		return false
	}
	if !s.evaluated {
		fmt.Fprintf(s, "%s// +kubegen:gate=%s\n", indent, text)
	}
	return !on
}

// expression returns an expression and its value, or in half of the cases "" and true.
func (s *gatedSource) expression() (text string, on bool) {
	names := []string{"A", "B", "C", "D"}
	a, b := names[s.rand.IntN(4)], names[s.rand.IntN(4)]
	switch s.rand.IntN(10) {
	case 0, 1:
		return a, s.on[a]
	case 2:
		return "!" + a, !s.on[a]
	case 3:
		return a + " && " + b, s.on[a] && s.on[b]
	case 4:
		return "(" + a + " || !" + b + ")", s.on[a] || !s.on[b]
	}
	return "", true
}

// markers writes markers, each with or without a gate. A marker with a gate overrides others of its name, and +required
// and +optional override each other.
func (s *gatedSource) markers(indent string, all ...string) {
	var last, plain, gated []string // plain and gated are +required or +optional
	for _, m := range all {
		text, on := s.expression()
		isPresence := m == "required" || m == "optional"
		switch {
		case s.rand.IntN(3) == 0:
		case text == "" && isPresence && s.evaluated:
			plain = append(plain, m)
		case on && isPresence && s.evaluated:
			gated = []string{m}
		case text == "":
			fmt.Fprintf(s, "%s// +%s\n", indent, m)
		case !s.evaluated:
			fmt.Fprintf(s, "%s// +kubegen:gate(%s)=+%s\n", indent, text, m)
		case on && strings.Contains(m, "rule="):
			fmt.Fprintf(s, "%s// +%s\n", indent, m)
		case on:
			last = append(last, m)
		}
	}
	if gated != nil {
		plain = gated
	}
	for _, m := range append(plain, last...) {
		fmt.Fprintf(s, "%s// +%s\n", indent, m)
	}
}

// without returns a declaration, or "" if it is left out.
func (s *gatedSource) without(write func() (off bool)) {
	outer := s.String()
	s.Reset()
	off := write()
	text := s.String()
	s.Reset()
	s.WriteString(outer)
	if !off || !s.evaluated {
		s.WriteString(text)
	}
}

func (s *gatedSource) kind(name, version string) {
	const validation = "kubebuilder:validation:"
	s.without(func() bool {
		if version == "v1" {
			fmt.Fprintf(s, "// +kubebuilder:storageversion\n")
		}
		off := s.gate("")
		s.markers("", "kubebuilder:deprecatedversion", "kubebuilder:deprecatedversion:warning=\"old\"")
		fmt.Fprintf(s, "type %s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tSpec %[1]sSpec `json:\"spec\"`\n}\n\n", name)
		return off
	})
	s.markers("", validation+"XValidation:rule=\"true\"", validation+`XValidation:rule="self.a0 != \"\\n\"",message="a, b"`, validation+"MinProperties=1", validation+"MinProperties=2")
	fmt.Fprintf(s, "type %sSpec struct {\n", name)
	for i := range 1 + s.rand.IntN(6) {
		s.without(func() bool {
			off := i > 0 && s.gate("\t")
			s.markers("\t", "required", "optional")
			switch s.rand.IntN(4) {
			case 0:
				s.markers("\t", validation+"MaxLength=10", validation+"MaxLength=20", validation+"Pattern=`^a$`", validation+"Enum=a;b", validation+"Enum=c")
				fmt.Fprintf(s, "\tA%d string `json:\"a%[1]d\"`\n", i)
			case 1:
				s.markers("\t", validation+"Maximum=10", validation+"Maximum=20", "kubebuilder:default=5")
				fmt.Fprintf(s, "\tA%d int32 `json:\"a%[1]d,omitempty\"`\n", i)
			case 2:
				s.markers("\t", validation+"MaxItems=10", validation+"items:MaxLength=3", validation+"items:MaxLength=4")
				fmt.Fprintf(s, "\tA%d []string `json:\"a%[1]d,omitempty\"`\n", i)
			default:
				fmt.Fprintf(s, "\tA%d %sColor `json:\"a%[1]d,omitempty\"`\n", i, name)
			}
			return off
		})
	}
	fmt.Fprintf(s, "}\n\n// +k8s:enum\ntype %sColor string\n\nconst (\n\t%[1]sWhite %[1]sColor = \"white\"\n", name)
	for i := range 2 {
		s.without(func() bool {
			off := s.gate("\t")
			fmt.Fprintf(s, "\t%sColor%d %[1]sColor = \"c%[2]d\"\n", name, i)
			return off
		})
	}
	fmt.Fprintf(s, ")\n\n")
}
