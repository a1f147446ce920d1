package crds_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

var mistakes = flag.Int("mistakes", 1000, "number of random packages with mistakes")

// verdict is what kubegen and a server say of a package.
type verdict struct {
	seed     uint64
	manifest []byte   // with all versions of the only kind
	derived  int      // number of errors of kubegen before its checks; the markers concerned are not in the manifest
	checked  []string // errors of its checks
	server   []string // errors of a server, except for those about CEL
}

// onlyHere are parts of errors of kubegen for what servers accept, with the reasons for which it does not.
var onlyHere = map[string]string{}

// onlyThere are parts of errors of servers that kubegen does not report, with the reasons.
var onlyThere = map[string]string{
	"protected groups must have approval annotation": "a warning: the annotation may be added before the manifest is applied",
}

// TestRefused compares what kubegen refuses with what a server does: random packages with mistakes, one kind each.
func TestRefused(t *testing.T) {
	verdicts := randomVerdicts(t, *mistakes)
	counts := map[string]int{}
	for _, v := range verdicts {
		if v.derived > 0 {
			counts["of all: some markers have no effect"]++
		}
		if refused := refusedRead(v.manifest); (len(refused) > 0) != (len(v.server) > 0) && excused(v.server, onlyThere) == "" {
			t.Errorf("seed %d: as a manifest that is read, kubegen refuses %q, a server %q", v.seed, refused, v.server)
		}
		switch {
		case len(v.server) > 0 && len(v.checked) > 0:
			counts["both refuse"]++
		case len(v.server) == 0 && len(v.checked) == 0:
			counts["both accept"]++
		case len(v.server) == 0:
			if reason := excused(v.checked, onlyHere); reason != "" {
				counts["only kubegen refuses: "+reason]++
				continue
			}
			counts["only kubegen refuses"]++
			t.Errorf("seed %d: kubegen refuses what a server accepts:\n%s", v.seed, strings.Join(v.checked, "\n"))
		default:
			if reason := excused(v.server, onlyThere); reason != "" {
				counts["only a server refuses: "+reason]++
				continue
			}
			counts["only a server refuses"]++
			t.Errorf("seed %d: kubegen accepts what a server refuses:\n%s", v.seed, strings.Join(v.server, "\n"))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%5d %s", counts[what], what)
	}
	if counts["both refuse"] < *mistakes/4 || counts["both accept"] < *mistakes/20 {
		t.Error("too few packages of a sort; change what is random")
	}
}

// refusedRead returns the errors of a manifest that is read.
func refusedRead(manifest []byte) (errs []string) {
	definitions, diags := crd.Read("crd.yaml", manifest)
	for _, d := range definitions {
		diags = append(diags, d.CheckWhole()...)
	}
	for _, d := range diags {
		if d.Severity == diag.Error {
			errs = append(errs, fmt.Sprintf("%s: %s", d.Pos, d.Message))
		}
	}
	return errs
}

// excused returns the reason for which all errors may be there; "" if there is none.
func excused(errs []string, reasons map[string]string) (why string) {
	for _, err := range errs {
		known := ""
		for part, reason := range reasons {
			if strings.Contains(err, part) {
				known = reason
			}
		}
		if known == "" {
			return ""
		}
		why = known
	}
	return why
}

// randomVerdicts returns the verdicts on random packages, by seed.
func randomVerdicts(t *testing.T, n int) (all []verdict) {
	t.Helper()
	dir := randomModule(t)
	for i := range n {
		seed := *first + uint64(i)
		for version, text := range apitest.Mistakes(seed) {
			write(t, filepath.Join(dir, fmt.Sprintf("s%d", seed), version, "types.go"), []byte(text))
		}
		all = append(all, verdict{seed: seed})
	}
	manifests := map[uint64][]byte{}
	errs := map[bool]map[uint64][]string{}
	for _, unchecked := range []bool{true, false} {
		found, diags := generateChecked(t, dir, unchecked)
		errs[unchecked] = map[uint64][]string{}
		for _, d := range diags {
			seed, ok := seedOf(d.Pos.Filename, dir)
			if d.Severity == diag.Error && ok {
				errs[unchecked][seed] = append(errs[unchecked][seed], fmt.Sprintf("%s: %s", d.Pos, d.Message))
			} else if d.Severity == diag.Error {
				t.Errorf("%s: %s", d.Pos, d.Message)
			}
		}
		for name, text := range found {
			group, _, _ := strings.Cut(strings.TrimLeft(strings.ToLower(name), "s_"), "_")
			number, _, _ := strings.Cut(group, ".")
			if seed, err := strconv.ParseUint(number, 10, 64); err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				manifests[seed] = text
			}
		}
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	for i := range all {
		v := &all[i]
		before := errs[true][v.seed]
		v.derived, v.manifest = len(before), manifests[v.seed]
		if v.manifest == nil {
			t.Errorf("seed %d: no manifest", v.seed)
			continue
		}
		v.checked = slices.DeleteFunc(errs[false][v.seed], func(err string) bool { return slices.Contains(before, err) })
		v.server = serverErrors(t, scheme, v.manifest)
	}
	if t.Failed() {
		t.Logf("see %s", keep(t, dir))
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("see %s", keep(t, dir))
		}
	})
	return all
}

// seedOf returns the seed of the package of a file.
func seedOf(file, dir string) (uint64, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return 0, false
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(rel), "s"), "/")
	seed, err := strconv.ParseUint(number, 10, 64)
	return seed, err == nil
}

func generateChecked(t *testing.T, dir string, unchecked bool) (map[string][]byte, diag.List) {
	t.Helper()
	o := crd.Options{SkipValidation: unchecked}
	o.Floats = true
	vars := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	l := load.NewLoader(t.Context(), load.Config{Env: load.Environment{Dir: dir, Vars: vars}, Marker: "+genclient"})
	packages, diags := l.Find([]string{"./..."})
	l.Read(packages, nil)
	found := map[string][]byte{}
	types := gotypes.NewReader(l, model.Policy{})
	settings := goschema.NewMarkers(types, nil)
	manifests, mistakes := crd.Generate(settings, facts.ReadObjects(types, l.Input), o)
	for _, file := range manifests.Files {
		found[file.Name] = file.Content
	}
	return found, slices.Concat(diags, mistakes, types.Refused(), l.Mistakes())
}

// serverErrors returns the errors with which a server refuses a manifest, except for those about CEL.
func serverErrors(t *testing.T, scheme *runtime.Scheme, manifest []byte) (errs []string) {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(manifest, definition); err != nil {
		return []string{err.Error()}
	}
	scheme.Default(definition)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(definition, internal, nil); err != nil {
		return []string{err.Error()}
	}
	defer func() {
		if reason := recover(); reason != nil { // as a real server does, which answers "internal error"
			errs = append(errs, fmt.Sprintf("panic: %v", reason))
		}
	}()
	for _, err := range validation.ValidateCustomResourceDefinition(context.Background(), internal) {
		if text := err.Error(); !aboutCEL(text) {
			if len(text) > 500 {
				text = text[:200] + " ... " + text[len(text)-300:]
			}
			errs = append(errs, text)
		}
	}
	return errs
}

// aboutCEL reports whether an error is about the compilation, cost or evaluation of rules, which kubegen leaves to
// servers and to crdvalidation.Validate.
func aboutCEL(err string) bool {
	for _, part := range []string{"compilation failed", "rule cost", "failed rule"} {
		if strings.Contains(err, part) {
			return true
		}
	}
	return false
}

// TestOddDefinitionsRefused compares what kubegen and a server say of definitions that differ in one value from a good
// one. What kubegen does not look at, it need not refuse.
func TestOddDefinitionsRefused(t *testing.T) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	both, only := 0, 0
	for _, odd := range apitest.OddDocuments([]byte(apitest.Definition)) {
		if strings.HasSuffix(odd.Change, "] is <nil>") || strings.HasSuffix(odd.Change, " is [<nil>]") {
			continue // servers read null in a list as an empty element
		}
		here, there := refusedRead(odd.Text), serverErrors(t, scheme, odd.Text)
		if sent, err := yaml.YAMLToJSON(odd.Text); err != nil || json.Unmarshal(sent, &apiextensionsv1.CustomResourceDefinition{}) != nil {
			there = append(there, "it cannot be decoded")
		}
		switch {
		case len(here) > 0 && len(there) > 0:
			both++
		case len(here) > 0:
			t.Errorf("%s: kubegen refuses what a server accepts: %s", odd.Change, here)
		case len(there) > 0:
			if only++; testing.Verbose() {
				t.Logf("%s: %s", odd.Change, there[0])
			}
		}
	}
	t.Logf("%d refused by both, %d only by a server", both, only)
}
