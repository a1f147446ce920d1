package crdvalidation

import (
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/version"
	utilcompatibility "k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/compatibility"
	"k8s.io/klog/v2"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/release"
)

// OldestRelease is the oldest release of Kubernetes that [Emulate] takes: the first one whose servers have versions of
// libraries for CEL.
const OldestRelease = "v1.28"

// NewestRelease returns the release of Kubernetes, such as "v1.37", whose code validates: that of
// k8s.io/apiextensions-apiserver in go.mod.
func NewestRelease() string {
	return release.Name(release.Newest())
}

var emulating sync.Mutex

// Emulate calls f while this process validates as API servers of a release of Kubernetes, such as "v1.33", with their
// defaults: with the libraries, formats and cost estimates of CEL that they take, and their feature gates. Servers take
// in rules what the release before them knows, too. It is their emulation of releases: rules of servers that have no
// version, or that later servers no longer emulate, are the ones of the newest release.
//
// The release holds for the whole process. Nothing else may validate at the same time; other calls of Emulate wait.
func Emulate(name string, f func() error) (err error) {
	v, err := release.Parse(name)
	if err != nil {
		return err
	}
	if newest := release.Newest(); v.LessThan(version.MustParseMajorMinor(OldestRelease)) || newest.LessThan(v) {
		return fmt.Errorf("%s is not one of the releases %s to %s; for later ones, go get a later k8s.io/apiextensions-apiserver",
			release.Name(v), OldestRelease, release.Name(newest))
	}
	emulating.Lock()
	defer emulating.Unlock()
	registered := utilcompatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(compatibility.DefaultKubeComponent)
	effective, ok := registered.(compatibility.MutableEffectiveVersion)
	if !ok {
		return fmt.Errorf("the version of this process is fixed: %v", registered)
	}
	set := func(emulated, compatible *version.Version) error {
		effective.SetEmulationVersion(emulated)
		effective.SetMinCompatibilityVersion(compatible) // however old
		gate := utilfeature.DefaultMutableFeatureGate
		if quiet, ok := gate.(interface { // of later releases: it is no news that features change
			SetEmulationVersionWithLogger(logger klog.Logger, emulated *version.Version) error
		}); ok {
			return quiet.SetEmulationVersionWithLogger(logr.Discard(), emulated)
		}
		return gate.SetEmulationVersion(emulated)
	}
	emulated, compatible := effective.EmulationVersion(), effective.MinCompatibilityVersion()
	defer func() {
		if restored := set(emulated, compatible); err == nil {
			err = restored
		}
	}()
	if err := set(v, v.SubtractMinor(1)); err != nil {
		return fmt.Errorf("servers of %s: %w", release.Name(v), err)
	}
	return f()
}
