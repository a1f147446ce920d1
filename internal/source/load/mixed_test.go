package load

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// compile lists releases of client-go, apimachinery and k8s.io/api that compile together, with generated code,
// although they differ. The go/types package was asked about v0.33.13, v0.34.13, v0.35.10, v0.36.6 and v0.37.2: each
// client-go with each newer apimachinery, with its own k8s.io/api and with that of apimachinery, and with each older
// apimachinery or k8s.io/api behind a replace directive. It refuses all others.
var compile = []string{"34 35 34", "34 36 34", "34 37 34", "35 36 35", "35 37 35"}

// TestMixed mixes releases in go.mod files, with missing and replaced modules, and with other orders than the
// versions'.
func TestMixed(t *testing.T) {
	found := map[bool]int{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		text, want := "module example.com/main\n", map[string]string{}
		version := func() string { return fmt.Sprintf("v0.%d.%d", 33+r.IntN(5), r.IntN(3)) }
		for _, i := range r.Perm(len(kubernetes)) {
			if module := kubernetes[i]; module == ClientGo || r.IntN(4) > 0 {
				want[module] = version()
				text += "require " + module + " " + want[module] + "\n"
			}
		}
		highest := func(of ...string) (found string) { // each module requires the others in its own version
			for _, module := range of {
				if semver.Compare(want[module], found) > 0 {
					found = want[module]
				}
			}
			return found
		}
		want["k8s.io/api"] = highest("k8s.io/api", ClientGo)
		want["k8s.io/apimachinery"] = highest("k8s.io/apimachinery", "k8s.io/api")
		replaced := ""
		if r.IntN(4) == 0 {
			replaced = kubernetes[1+r.IntN(2)]
			want[replaced] = version()
			text += "replace " + replaced + " => " + replaced + " " + want[replaced] + "\n"
		}
		minor := func(module string) string { return strings.Split(want[module], ".")[1] }
		releases := strings.Join([]string{minor(ClientGo), minor("k8s.io/apimachinery"), minor("k8s.io/api")}, " ")
		equal := strings.Count(releases, minor(ClientGo)) == 3
		breaks := !equal && !strings.Contains(strings.Join(compile, ","), releases)

		got := newModules(text).Mixed("/main")
		if (got == nil) != equal || got != nil && got.Breaks != breaks {
			t.Errorf("seed %d: releases %s, got %+v:\n%s", seed, releases, got, text)
			continue
		}
		if got == nil {
			continue
		}
		if found[breaks]++; got.Get == "" {
			continue
		}
		mended := newModules(strings.Replace(text, "require "+ClientGo+" ", "require "+ClientGo+" "+got.Get+" // ", 1)).Mixed("/main")
		if mended != nil && (replaced == "" || mended.Breaks && mended.Get != "") {
			t.Errorf("seed %d: go get %s leaves %s:\n%s", seed, got.Get, mended, text)
		}
	}
	if found[true] < 50 || found[false] < 10 {
		t.Errorf("%d break, %d compile", found[true], found[false])
	}
}

// newModules returns the modules of a go.mod file.
func newModules(goMod string) *Modules {
	m := NewModules(context.Background(), Environment{Dir: "/main"}, 0)
	m.inGraph = func(string, string) string { return "" }
	m.readFile = func(name string) ([]byte, error) {
		if name == filepath.FromSlash("/main/go.mod") {
			return []byte(goMod), nil
		}
		return nil, fs.ErrNotExist
	}
	m.Find()
	return m
}

// TestMixedUnknown is silent about versions that do not tell their release.
func TestMixedUnknown(t *testing.T) {
	for _, test := range []struct {
		rest  string
		mixed bool
	}{
		{"require k8s.io/apimachinery v0.36.1", true},
		{"require k8s.io/apimachinery v0.36.0-alpha.1", false}, // belongs to v0.35
		{"require k8s.io/apimachinery v0.36.0-rc.1", true},
		{"require k8s.io/apimachinery v0.0.0", false},
		{"require k8s.io/apimachinery v0.36.1\nreplace k8s.io/apimachinery => ../machinery", false},
		{"require k8s.io/apimachinery v0.36.1\nreplace k8s.io/apimachinery => example.com/fork v0.0.0-20260602065202-e006560fc76a", true}, // as it requires
		{"require k8s.io/apimachinery v0.36.1\nreplace k8s.io/apimachinery v0.35.0 => k8s.io/apimachinery v0.35.1", true},
		{"require k8s.io/apimachinery v0.34.1", false}, // client-go raises it
		{"", false},
	} {
		if got := newModules("module example.com/main\nrequire k8s.io/client-go v0.35.2\n" + test.rest + "\n").Mixed("/main"); (got != nil) != test.mixed {
			t.Errorf("%s: got %v", test.rest, got)
		}
	}
	if !model.Release(38).BuildsWith(39, 39) {
		t.Error("a release that is not known yet is refused")
	}
}
