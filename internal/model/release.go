package model

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// Release is a minor release of client-go: 35 is v0.35, the release for Kubernetes v1.35. 0 means none.
type Release int

// The releases that code can be generated for.
const (
	OldestRelease Release = 33
	NewestRelease Release = 37
)

// Capability is a feature that client-go has since some release and on which generated code depends. Templates ask for
// capabilities, never for releases.
type Capability string

// The capabilities.
const (
	// Apply configurations implement runtime.ApplyConfiguration.
	ApplyConfigurationInterface Capability = "ApplyConfigurationInterface"
	// Apply configurations have GetKind, GetAPIVersion and GetNamespace, not just GetName.
	ApplyConfigurationGetters Capability = "ApplyConfigurationGetters"
	// The type converter of fakes is in package managedfields, not in client-go's testing package, and uses version 6
	// of structured-merge-diff, not 4.
	SchemeTypeConverter Capability = "SchemeTypeConverter"
	// There are Extract functions for each subresource of a kind, and functions that take the name of a subresource.
	// Before, there was one for the status of each kind, whether it had a status or not.
	ExtractFrom Capability = "ExtractFrom"
	// Reflectors ask clients whether they support watch lists (KEP-3157).
	WatchListSemantics Capability = "WatchListSemantics"
	// The Go release that client-go requires has sync.WaitGroup.Go.
	WaitGroupGo Capability = "WaitGroupGo"
	// Informers can be made from options.
	InformerOptions Capability = "InformerOptions"
	// Informers have a name for metrics, set by one of the options.
	InformerNames Capability = "InformerNames"
	// Factories have methods to start and wait with a context.
	FactoryContext Capability = "FactoryContext"
	// Informers and registrations of handlers have a channel that is closed when they have synced.
	DoneCheckers Capability = "DoneCheckers"
	// Informers have a form with typed handlers and indexers.
	TypedInformers Capability = "TypedInformers"
	// Clientsets return an interface for discovery that takes contexts.
	DiscoveryWithContext Capability = "DiscoveryWithContext"
	// Embedded structs in apply configurations are tagged `json:""`, not `json:",inline"`, which means the same.
	PlainInlineTag Capability = "PlainInlineTag"
)

// since maps every capability to the release of client-go that introduced it. No other code knows the differences
// between releases.
var since = map[Capability]introduction{
	ApplyConfigurationInterface: {34, true},
	ApplyConfigurationGetters:   {34, true},
	SchemeTypeConverter:         {34, false},
	ExtractFrom:                 {35, true},
	WatchListSemantics:          {35, false},
	WaitGroupGo:                 {35, false},
	InformerOptions:             {36, true},
	InformerNames:               {36, false},
	FactoryContext:              {36, true},
	DoneCheckers:                {36, false},
	TypedInformers:              {37, true},
	DiscoveryWithContext:        {37, false},
	PlainInlineTag:              {37, false},
}

type introduction struct {
	release     Release
	expressible bool // generated code can provide it on older releases
}

// Has reports whether a release has a capability. It panics for an unknown capability.
func (r Release) Has(c Capability) bool { return r >= c.introduced().release }

func (c Capability) introduced() introduction {
	at, ok := since[c]
	if !ok {
		panic(fmt.Sprintf("unknown capability %q", c))
	}
	return at
}

// Expressible reports whether generated code can provide the capability on releases of client-go that lack it.
func (c Capability) Expressible() bool { return c.introduced().expressible }

// WorksWith reports whether code generated for the release compiles with a newer one as well. That is so unless the newer one has
// the type converter of fakes elsewhere.
func (r Release) WorksWith(newer Release) bool {
	return r == newer || r < newer && r.Has(SchemeTypeConverter) == newer.Has(SchemeTypeConverter)
}

// String returns "v0.35".
func (r Release) String() string { return "v0." + strconv.Itoa(int(r)) }

// ReleaseOf returns the release that a version of client-go belongs to. ok is false if the version does not determine
// one: it is not a version, or is v0.0.0, as in forks and staging repositories. Versions before v0.15, which had other
// numbers (v11.0.0+incompatible), belong to release 0, and those of Kubernetes itself, which forks have, to the release of the
// same minor version. Alpha and beta versions may lack features of their release and belong to the one before:
// v0.37.0-beta.0 to v0.36.
func ReleaseOf(version string) (release Release, ok bool) {
	if !semver.IsValid(version) {
		return 0, false
	}
	kubernetes := semver.Major(version) == "v1" && semver.Compare(version, "v1.15") >= 0 // as forks of the whole repository are tagged
	if semver.Major(version) != "v0" && !kubernetes {
		return 0, true
	}
	_, minor, _ := strings.Cut(semver.MajorMinor(version), ".")
	n, err := strconv.Atoi(minor)
	if pre := semver.Prerelease(version); n > 1 && pre != "" && !strings.HasPrefix(pre, "-rc.") && strings.HasPrefix(version, semver.MajorMinor(version)+".0-") {
		n--
	}
	return Release(n), err == nil && n > 0
}

// ParseRelease parses a release as users write it: "v0.35", "0.35", "v0.35.2", or the version of Kubernetes, "1.35".
func ParseRelease(text string) (Release, error) {
	version := "v" + strings.TrimPrefix(text, "v")
	if kubernetes, ok := strings.CutPrefix(version, "v1."); ok {
		version = "v0." + kubernetes
	}
	if r, ok := ReleaseOf(version); ok && r > 0 && strings.Contains(version, ".") {
		return r, nil
	}
	return 0, fmt.Errorf("%q is not a version of client-go; write it as %s", text, NewestRelease)
}
