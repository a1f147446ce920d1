package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// Release is a minor release of client-go: 35 is v0.35, which belongs to Kubernetes v1.35. 0 means no release.
type Release int

// Releases for which code can be generated.
const (
	OldestRelease Release = 33
	// NewestRelease is the newest published release. It is the default if nothing determines a release.
	NewestRelease Release = 37
	// PreviewRelease is the next release, which only has prereleases.
	PreviewRelease Release = 38
)

// Capability is a feature of client-go that was introduced in some release and that affects generated code. Templates
// ask for capabilities, never for releases.
type Capability string

// Capabilities.
const (
	// Apply configurations implement runtime.ApplyConfiguration.
	ApplyConfigurationInterface Capability = "ApplyConfigurationInterface"
	// Apply configurations have GetKind, GetAPIVersion and GetNamespace, not just GetName.
	ApplyConfigurationGetters Capability = "ApplyConfigurationGetters"
	// The type converter of fakes is in package managedfields instead of client-go's testing package, and uses version
	// 6 of structured-merge-diff instead of version 4.
	SchemeTypeConverter Capability = "SchemeTypeConverter"
	// The type converter of fakes uses version 7 of structured-merge-diff.
	MergeDiffV7 Capability = "MergeDiffV7"
	// An Extract function exists for each subresource of a kind, and one with the name of the subresource as parameter.
	// In earlier releases, every kind has one for its status, even without a status.
	ExtractFrom Capability = "ExtractFrom"
	// Reflectors ask clients whether they support watch lists (KEP-3157).
	WatchListSemantics Capability = "WatchListSemantics"
	// The Go release that client-go requires has sync.WaitGroup.Go.
	WaitGroupGo Capability = "WaitGroupGo"
	// Informers can be created from options.
	InformerOptions Capability = "InformerOptions"
	// Informers have a name for metrics, set by an option.
	InformerNames Capability = "InformerNames"
	// Factories have methods with a context that start informers and wait for them.
	FactoryContext Capability = "FactoryContext"
	// Informers and handler registrations have a channel that is closed after they have synced.
	DoneCheckers Capability = "DoneCheckers"
	// Informers are also available with typed handlers and indexers.
	TypedInformers Capability = "TypedInformers"
	// Clientsets return a discovery interface whose methods take contexts.
	DiscoveryWithContext Capability = "DiscoveryWithContext"
	// Delete requests can return the response of the server.
	DeleteWithResult Capability = "DeleteWithResult"
	// Clients use the serializer of their config, if it is set.
	ConfiguredSerializer Capability = "ConfiguredSerializer"
	// Informers can be restricted to a shard of the objects.
	ShardSelectors Capability = "ShardSelectors"
	// Embedded structs in apply configurations have the tag `json:""` instead of `json:",inline"`. The two are
	// equivalent.
	PlainInlineTag Capability = "PlainInlineTag"
)

// since maps each capability to the release of client-go that introduced it, and to its evidence. All differences
// between releases are listed here.
var since = map[Capability]introduction{
	ApplyConfigurationInterface: {34, true, Evidence{Package: machinery + "runtime", Name: "ApplyConfiguration"}},
	ApplyConfigurationGetters: {
		34, true, Evidence{Package: client + "applyconfigurations/meta/v1", Name: "TypeMetaApplyConfiguration.GetKind"},
	},
	SchemeTypeConverter:  {34, false, Evidence{Package: machinery + "util/managedfields", Name: "NewSchemeTypeConverter"}},
	ExtractFrom:          {35, true, Evidence{Package: client + "applyconfigurations/apps/v1", Name: "ExtractDeploymentFrom"}},
	WatchListSemantics:   {35, false, Evidence{Package: client + "tools/cache", Name: "ToListWatcherWithWatchListSemantics"}},
	WaitGroupGo:          {35, false, Evidence{Package: client + "util/workqueue", Expression: "t.wg.Go"}},
	InformerOptions:      {36, true, Evidence{Package: client + "informers/internalinterfaces", Name: "InformerOptions"}},
	InformerNames:        {36, false, Evidence{Package: client + "tools/cache", Name: "InformerName.WithResource"}},
	FactoryContext:       {36, true, Evidence{Package: client + "informers", Name: "SharedInformerFactory.StartWithContext"}},
	DoneCheckers:         {36, false, Evidence{Package: client + "tools/cache", Name: "DoneChecker"}},
	TypedInformers:       {37, true, Evidence{Package: client + "tools/cache", Name: "TypedResourceEventHandler"}},
	DiscoveryWithContext: {37, false, Evidence{Package: client + "discovery", Name: "DiscoveryInterfaces"}},
	PlainInlineTag: {37, false, Evidence{
		Package: client + "applyconfigurations/apps/v1", Name: "DeploymentApplyConfiguration.TypeMetaApplyConfiguration", Tag: `json:""`,
	}},
	MergeDiffV7:      {38, false, Evidence{Package: machinery + "util/managedfields", Import: mergeDiff + "v7/typed"}},
	DeleteWithResult: {38, false, Evidence{Package: client + "gentype", Name: "Client.DeleteWithResult"}},
	ShardSelectors:   {38, false, Evidence{Package: client + "tools/cache", Name: "SharedInformer.SetShardSelector"}},
	ConfiguredSerializer: {
		38, false, Evidence{Package: client + "kubernetes/typed/apps/v1", Expression: "config.NegotiatedSerializer == nil"},
	},
}

type introduction struct {
	release     Release
	expressible bool // generated code can provide it for older releases
	evidence    Evidence
}

// Has reports whether the release has a capability. It panics if the capability is unknown.
func (r Release) Has(c Capability) bool { return r >= c.introduced().release }

func (c Capability) introduced() introduction {
	at, ok := since[c]
	if !ok {
		panic(fmt.Sprintf("unknown capability %q", c))
	}
	return at
}

// Since returns the release of client-go that introduced the capability.
func (c Capability) Since() Release { return c.introduced().release }

// Expressible reports whether generated code can provide the capability for releases of client-go that lack it.
func (c Capability) Expressible() bool { return c.introduced().expressible }

// WorksWith reports whether code generated for the release also compiles with a newer one. It does, unless the type
// converter of fakes changed between the two.
func (r Release) WorksWith(newer Release) bool {
	return r == newer || r < newer && r.Has(SchemeTypeConverter) == newer.Has(SchemeTypeConverter) &&
		r.Has(MergeDiffV7) == newer.Has(MergeDiffV7)
}

// mixable lists newer releases of apimachinery with which client-go and k8s.io/api compile, and code generated for
// them. With other releases of apimachinery, structured-merge-diff has another version, or functions that k8s.io/api
// calls are missing. With another release of k8s.io/api, packages that client-go imports are missing.
var mixable = map[Release][]Release{34: {35, 36, 37}, 35: {36, 37}}

// BuildsWith reports whether generated code for the release compiles if apimachinery and k8s.io/api have other
// releases. It returns true if one of them is unknown.
func (r Release) BuildsWith(machinery, api Release) bool {
	if max(r, machinery, api) > PreviewRelease {
		return true
	}
	return api == r && (machinery == r || slices.Contains(mixable[r], machinery))
}

// String returns the release in the form v0.35.
func (r Release) String() string { return "v0." + strconv.Itoa(int(r)) }

// ReleaseOf returns the release of client-go that a version belongs to. ok is false if the version does not determine
// one, because it is invalid or v0.0.0, as in forks and staging repositories. Versions before v0.15 were numbered
// differently (v11.0.0+incompatible) and belong to release 0. Versions of Kubernetes itself, as in forks, belong to the
// release with the same minor version. Alpha and beta versions may lack features of their release and belong to the
// release before it: v0.37.0-beta.0 belongs to v0.36. The prereleases of PreviewRelease belong to PreviewRelease, which
// has no other versions.
func ReleaseOf(version string) (release Release, ok bool) {
	if !semver.IsValid(version) {
		return 0, false
	}
	kubernetes := semver.Major(version) == "v1" && semver.Compare(version, "v1.15") >= 0 // forks of the whole repository have such tags
	if semver.Major(version) != "v0" && !kubernetes {
		return 0, true
	}
	_, minor, _ := strings.Cut(semver.MajorMinor(version), ".")
	n, err := strconv.Atoi(minor)
	if pre := semver.Prerelease(version); n > 1 && pre != "" && !strings.HasPrefix(pre, "-rc.") &&
		strings.HasPrefix(version, semver.MajorMinor(version)+".0-") && Release(n) != PreviewRelease {
		n--
	}
	return Release(n), err == nil && n > 0
}

// IsKnown reports whether a version belongs to a published release and is neither a prerelease nor a commit.
func IsKnown(version string) bool {
	release, ok := ReleaseOf(version)
	return ok && release <= NewestRelease && semver.Prerelease(version) == ""
}

// ParseRelease parses a release as users write it: "v0.35", "0.35", "v0.35.2", or "1.35", the version of Kubernetes.
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
