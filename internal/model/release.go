package model

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// Release is a minor release of client-go: 35 is v0.35, which goes with Kubernetes v1.35. 0 is none.
type Release int

// The releases that code can be generated for.
const (
	OldestRelease Release = 33
	NewestRelease Release = 37
)

// Capability is something that client-go has since some release and that generated code depends on. Templates ask for
// capabilities, never for releases.
type Capability string

// The capabilities.
const (
	// Apply configurations implement runtime.ApplyConfiguration.
	ApplyConfigurationInterface Capability = "ApplyConfigurationInterface"
	// Apply configurations have GetKind, GetAPIVersion and GetNamespace, not just GetName.
	ApplyConfigurationGetters Capability = "ApplyConfigurationGetters"
	// managedfields has the type converter of fakes, in place of client-go's testing package, and works on version 6 of
	// structured-merge-diff, in place of 4.
	SchemeTypeConverter Capability = "SchemeTypeConverter"
	// There are Extract functions for the subresources that a kind has, and ones that take the name of one; before that, there
	// is one for the status of each kind, with or without a status.
	ExtractFrom Capability = "ExtractFrom"
	// Reflectors ask clients whether a watch may start with the list (KEP-3157).
	WatchListSemantics Capability = "WatchListSemantics"
	// The Go release that client-go asks for has sync.WaitGroup.Go.
	WaitGroupGo Capability = "WaitGroupGo"
	// Informers can be made from options.
	InformerOptions Capability = "InformerOptions"
	// Informers have a name for metrics, which is one of those options.
	InformerNames Capability = "InformerNames"
	// Factories are started, and waited for, with a context.
	FactoryContext Capability = "FactoryContext"
	// Informers and registrations of handlers have a channel that tells when they have synced.
	DoneCheckers Capability = "DoneCheckers"
	// Informers have a form with typed handlers and indexers.
	TypedInformers Capability = "TypedInformers"
	// Clientsets return an interface for discovery that takes contexts.
	DiscoveryWithContext Capability = "DiscoveryWithContext"
	// Embedded structs in apply configurations are tagged `json:""`, not `json:",inline"`, which means the same.
	PlainInlineTag Capability = "PlainInlineTag"
)

// since has every capability and the release of client-go that brought it. It is the only place that knows what differs
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
	expressible bool // in generated code, on older releases
}

// Has reports whether a release has a capability. It panics for a capability that there is not.
func (r Release) Has(c Capability) bool { return r >= c.introduced().release }

func (c Capability) introduced() introduction {
	at, ok := since[c]
	if !ok {
		panic(fmt.Sprintf("unknown capability %q", c))
	}
	return at
}

// Expressible reports whether code that is generated for releases without a capability can have it all the same.
func (c Capability) Expressible() bool { return c.introduced().expressible }

// String returns "v0.35".
func (r Release) String() string { return "v0." + strconv.Itoa(int(r)) }

// ReleaseOf returns the release that a version of client-go belongs to. ok is false where the version does not tell:
// it is none, or v0.0.0 as in forks and staging repositories. Versions from before v0.15, when client-go had other
// numbers (v11.0.0+incompatible), are release 0. Before its release candidates a release need not have what it will
// have: v0.37.0-beta.0 is taken for v0.36.
func ReleaseOf(version string) (release Release, ok bool) {
	if !semver.IsValid(version) {
		return 0, false
	}
	if semver.Major(version) != "v0" {
		return 0, true
	}
	minor := strings.TrimPrefix(semver.MajorMinor(version), "v0.")
	n, err := strconv.Atoi(minor)
	if pre := semver.Prerelease(version); n > 1 && pre != "" && !strings.HasPrefix(pre, "-rc.") && strings.HasPrefix(version, semver.MajorMinor(version)+".0-") {
		n--
	}
	return Release(n), err == nil && n > 0
}

// ParseRelease reads what people write for a release: "v0.35", "0.35", "v0.35.2", or the version of Kubernetes, "1.35".
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
