package crd_test

import (
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestJudge misspells markers of random packages, and compares the judgement on each with the manifests that result if
// it is spelled correctly.
func TestJudge(t *testing.T) {
	judged := map[bool]int{}
	for seed := range uint64(25) {
		source := gatedSource{rand: rand.New(rand.NewPCG(seed, 1)), on: map[string]bool{}, evaluated: true}
		files := source.packages()
		for _, name := range []string{"example.com/v1/types.go", "example.com/v2/types.go"} {
			files[name] = misspelled(source.rand, files[name])
		}
		files["k8s.io/apimachinery/pkg/apis/meta/v1/types.go"] = metadata
		l := loadtest.Read(t, files, "example.com/v1", "example.com/v2")
		types := gotypes.NewReader(l, model.Policy{})
		packages := facts.ReadObjects(types, l.Input)
		generate := func(respelled map[token.Position]bool) string {
			m, diags := crd.Generate(goschema.NewMarkers(types, nil).Respell(respelled), packages, crd.Options{SkipValidation: true})
			if diags.HasErrors() {
				return "errors"
			}
			var all strings.Builder
			for _, f := range m.Files {
				all.Write(f.Content)
			}
			return all.String()
		}
		suspects := crd.Misspelled(l.Fset, packages)
		before := generate(nil)
		same := func(respelled map[token.Position]bool) bool {
			return before != "errors" && generate(respelled) == before
		}
		found := crd.NewFound()
		found.Judge(suspects, same)
		for _, pos := range suspects {
			together := map[token.Position]bool{pos: true}
			if len(suspects) > 16 { // all or none of them are harmless
				for _, other := range suspects {
					together[other] = true
				}
			}
			if judged[found.Harmless[pos]]++; found.Harmless[pos] != same(together) {
				t.Errorf("seed %d, %s: harmless is %v\n%s", seed, pos, found.Harmless[pos], files)
			}
		}
	}
	if judged[true] < 20 || judged[false] < 20 {
		t.Errorf("few judgements: %v", judged)
	}
}

// misspelled repeats some markers, and misspells some.
func misspelled(random *rand.Rand, source string) string {
	var text strings.Builder
	for line := range strings.Lines(source) {
		name, _, _ := strings.Cut(line, "=")
		if strings.Contains(line, "// +") && len(strings.TrimSpace(name)) > 10 && !strings.Contains(line, "groupName") {
			if random.IntN(3) == 0 {
				text.WriteString(line)
			}
			if random.IntN(2) == 0 {
				name = strings.TrimRight(name, "\n")
				i := len(name) - 3
				line = name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:] + strings.TrimPrefix(line, name)
			}
		}
		text.WriteString(line)
	}
	return text.String()
}

// Many misspelled markers are judged at once.
func TestJudgeMany(t *testing.T) {
	for _, test := range []struct{ markers, asked int }{{1, 1}, {16, 17}, {17, 1}, {1000, 1}} {
		var suspects []token.Position
		for line := range test.markers {
			suspects = append(suspects, token.Position{Filename: "types.go", Line: line + 1})
		}
		asked := 0
		found := crd.NewFound()
		found.Judge(suspects, func(respelled map[token.Position]bool) bool { // the first has an effect
			asked++
			return !respelled[suspects[0]]
		})
		if asked != test.asked {
			t.Errorf("%d markers: %d derivations, want %d", test.markers, asked, test.asked)
		}
		if found.Harmless[suspects[0]] || test.markers == 16 && !found.Harmless[suspects[15]] {
			t.Errorf("%d markers: %v", test.markers, found.Harmless)
		}
	}
}
