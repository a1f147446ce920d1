// Package release names releases of Kubernetes, such as v1.37, by the versions that servers have.
package release

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
	utilcompatibility "k8s.io/apiserver/pkg/util/compatibility"
)

// Newest returns the release whose code validates: that of k8s.io/apiextensions-apiserver in go.mod.
func Newest() *version.Version {
	return utilcompatibility.DefaultBuildEffectiveVersion().EmulationVersion()
}

// Name returns the name of a release.
func Name(v *version.Version) string { return fmt.Sprintf("v%d.%d", v.Major(), v.Minor()) }

// Parse returns the release with a name, which may lack the v.
func Parse(name string) (*version.Version, error) {
	v, err := version.ParseMajorMinor(name)
	if err != nil || strings.TrimPrefix(name, "v") != Name(v)[1:] { // such as v1.33-v1.35
		return nil, fmt.Errorf("%q is not a release of Kubernetes, such as %s", name, Name(Newest()))
	}
	return v, nil
}
