package crd

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// GateSet describes the CustomResourceDefinitions with some feature gates.
type GateSet struct {
	Name  string // "" for the directory in --with-crds
	Dir   string
	Gates markers.Gates
}

// Comment returns the first line of the manifests of a set with a name, without line end. It marks the directory of a
// set that was removed.
func (s GateSet) Comment() string { return "# Set of feature gates: " + s.Name }

// With returns the gates of the set for reading markers, which adds the gates that they name to named. It returns nil
// if markers of feature gates have no effect.
func (s GateSet) With(named map[string]bool, noGates bool) *markers.Gates {
	if noGates {
		return nil
	}
	s.Gates.Named = named
	return &s.Gates
}

// OtherDirs returns the directories that have the place and the name of the directory of a set, but are not in Sets.
func (g Generator) OtherDirs() (others []GateSet) {
	entries, _ := os.ReadDir(g.ParentOfSets()) // it may not exist yet
	for _, entry := range entries {
		if s, ok := g.OtherDir(entry.Name()); ok && entry.IsDir() {
			others = append(others, s)
		}
	}
	return others
}

// ParentOfSets returns the directory with the directories of sets.
func (g Generator) ParentOfSets() string { return parentOf(g.Sets[0].Dir) }

// OtherDir returns the set with a directory of some name in ParentOfSets. ok is false if it is in Sets, or no set can
// have the name.
func (g Generator) OtherDir(name string) (s GateSet, ok bool) {
	s = GateSet{Name: name, Dir: filepath.Join(g.ParentOfSets(), name)}
	return s, isSetName(name) && !g.WritesInto(s.Dir)
}

// WritesInto implements render.Definer.
func (g Generator) WritesInto(dir string) bool {
	return slices.ContainsFunc(g.Sets, func(s GateSet) bool { return filepath.Clean(s.Dir) == filepath.Clean(dir) })
}

// GateNames implements render.Definer. It returns the feature gates of all sets.
func (g Generator) GateNames() []string {
	all := map[string]bool{}
	for _, s := range g.Sets {
		maps.Copy(all, s.Gates.On)
	}
	return slices.Sorted(maps.Keys(all))
}

// CutGate splits a value of --gates into the name of a set and a feature gate. named is false for a gate without a set.
func CutGate(value string) (set, gate string, named bool) {
	if set, gate, named = strings.Cut(value, ":"); !named {
		set, gate = "", value
	}
	return set, gate, named
}

// bases is the name of the directory of manifests in kubebuilder's projects.
const bases = "bases"

// setName matches the name of a set of feature gates, which is the name of its directory.
var setName = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)

func isSetName(name string) bool { return setName.MatchString(name) && name != bases }

// parentOf returns the directory above the directories of sets: beside a directory of manifests that is called bases,
// as in kubebuilder's projects, or else the directory of manifests.
func parentOf(dir string) string {
	if filepath.Base(dir) == bases {
		return filepath.Dir(dir)
	}
	return dir
}

// Gates returns the values of --gates.
func Gates(s plan.Settings) []string { return s.List(gates) }

// Sets returns the sets in the values of --gates, with the set for the directory of manifests first.
func Sets(dir string, s plan.Settings) ([]GateSet, error) {
	values := Gates(s)
	sets := []GateSet{{Dir: dir}}
	var errs []error
	for _, value := range values {
		name, gate, named := CutGate(value)
		switch {
		case named && !isSetName(name):
			const format = "%s: %q in %q is not the name of a set of feature gates: it must be the name of a directory, such as alpha"
			errs = append(errs, diag.Errorf(format, diag.Setting(gates), name, diag.Value(value)))
			continue
		case !markers.IsGate(gate) && (gate != "" || !named):
			const format = "%s: %q is not the name of a feature gate: use letters, digits, underscores and dots"
			errs = append(errs, diag.Errorf(format, diag.Setting(gates), diag.Value(value)))
			continue
		}
		i := slices.IndexFunc(sets, func(s GateSet) bool { return s.Name == name })
		if i < 0 {
			i = len(sets)
			sets = append(sets, GateSet{Name: name, Dir: filepath.Join(parentOf(dir), name)})
		}
		if sets[i].Gates.On == nil {
			sets[i].Gates.On = map[string]bool{}
		}
		if gate != "" {
			sets[i].Gates.On[gate] = true
		}
	}
	for i := range sets {
		sets[i].Gates.Foreign = len(values) > 0
	}
	slices.SortFunc(sets, func(a, b GateSet) int { return strings.Compare(a.Name, b.Name) })
	return sets, errors.Join(errs...)
}
