// Package checks finds mistakes in API types from facts: markers that are misspelled,
// misplaced, missing or contradict each other, and types that do not serve as kinds. Each mistake is a Check in a file
// of its own. Checks determine nothing about generated code, except that an error excludes the kind.
package checks

import (
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Check finds a mistake.
type Check struct {
	Name string      // for JSON and docs/diagnostics.md; must not change
	Doc  string      // the mistake, in a sentence
	Run  func(*Pass) // adds each occurrence of the mistake to Pass.diags
	Rule bool        // runs only if Flags.LintRules contains the name
	Last bool        // runs after everything else is reported
}

// All lists the checks in the order of their runs. Checks that refuse kinds come first.
var All = []Check{
	{Name: "missing-import", Doc: "A file has no import for the name of a package in a type.", Run: missingImport, Last: true},
	{
		Name: "metadata", Doc: "A kind does not embed `metav1.TypeMeta` and `metav1.ObjectMeta` by value, with the usual JSON tags.",
		Run: eachKind(metadata),
	},
	{Name: "hidden-method", Doc: "A field of a kind hides a method of its metadata.", Run: eachKind(hiddenMethod)},
	{
		Name: "resource-name", Doc: "Markers give a resource two names, or API servers or Go do not accept its name.",
		Run: eachKind(resourceName),
	},
	{Name: "list-type", Doc: "A kind lacks a list type with `metav1.TypeMeta`, `metav1.ListMeta` and `Items`.", Run: eachKind(listType)},
	{Name: "scope", Doc: "Markers give a kind two scopes, or an unknown one.", Run: eachKind(scope)},
	{Name: "status", Doc: "Markers and the field `Status` of a kind disagree about the status subresource.", Run: eachKind(status)},
	{Name: "unserved-version", Doc: "A kind with `+genclient` is in a version that no API server serves.", Run: eachKind(unservedVersion)},
	{Name: "helpers-marker", Doc: "`+kubegen:helpers` has no effect.", Run: helpersMarker},
	{Name: "known-tags-only", Doc: "A package comment contains a `+k8s:...-gen` marker of no known generator.", Run: knownTags, Rule: true},
	{
		Name: "require-explicit-disablement", Doc: "A package does not switch the generators of Kubernetes on or off.", Run: explicitDisablement,
		Rule: true,
	},
	{Name: "misplaced-marker", Doc: "A marker of kinds is not above a type.", Run: misplacedMarker},
	{Name: "unmarked-kind", Doc: "A type with markers of kinds lacks `+genclient`, or the marker has lost its plus sign.", Run: unmarkedKind},
	{
		Name: "unversioned-kind", Doc: "The metadata of a kind lacks a JSON tag, although the package is versioned or other fields are tagged.",
		Run: unversionedKind,
	},
	{
		Name: "apply-marker",
		Doc:  "A `+kubebuilder:ac` marker has a wrong value, is written twice, has no effect, or a kind of a marked package has none.",
		Run:  applyMarker,
	},
	{
		Name: "ignored-marker",
		Doc: "A `+kubebuilder:ac` marker or, with `--with-rbac` or `--with-webhooks`, a marker for these is where neither controller-gen nor " +
			"kubegen reads it, such as in the documentation of a function.",
		Run: ignoredMarker,
	},
	{Name: "unknown-verb", Doc: "With `--with-rbac`: a rule has a verb that Kubernetes does not know.", Run: withRoles(unknownVerb)},
	{
		Name: "nameless-verb",
		Doc:  "With `--with-rbac`: a rule with `resourceNames` has a verb whose requests have no name, so that it does not grant the verb.",
		Run:  withRoles(namelessVerb),
	},
	{
		Name: "misspelled-resource",
		Doc: "With `--with-rbac`: a rule has a resource that its group lacks, with a name near to one of Kubernetes, the packages of the run, " +
			"or the manifests of imports and `--crds`.",
		Run: withRoles(misspelledResource), Last: true,
	},
	{
		Name: "wildcard-rule", Doc: "With `--with-rbac`: a rule grants all groups, resources or verbs.", Run: withRoles(wildcardRule),
		Rule: true,
	},
	{
		Name: "covered-rule", Doc: "With `--with-rbac`: another rule of the role grants all that a rule grants.", Run: withRoles(coveredRule),
		Rule: true,
	},
	{Name: "refused-rule", Doc: "With `--with-rbac`: API servers refuse a rule, such as one without resources.", Run: withRoles(refusedRule)},
	{
		Name: "refused-webhook",
		Doc:  "With `--with-webhooks`: API servers refuse a webhook, such as one whose name is not a domain of three labels.",
		Run:  refusedWebhook,
	},
	{
		Name: "webhook-path",
		Doc: "With `--with-webhooks`: the path of a webhook is like one that controller-runtime serves, but for no group and version of the " +
			"webhook.",
		Run: webhookPath,
	},
	{
		Name: "differing-default",
		Doc:  "With `--with-defaults`: `+kubebuilder:default` and `+default` of a field differ.", Run: differingDefault,
	},
	{Name: "unlisted-gate", Doc: "A marker names a feature gate that is in none of the sets of `gates`.", Run: unlistedGate},
	{Name: "misspelled-marker", Doc: "A marker is misspelled, or unknown to all tools.", Run: misspelledMarker, Last: true},
	{
		Name: "unseen-file", Doc: "No package contains kinds, but a file outside the packages contains `+genclient`.", Run: unseenFile,
		Last: true,
	},
}

// Rules returns the names of the checks that run only on request.
func Rules() (names []string) {
	for _, c := range All {
		if c.Rule {
			names = append(names, c.Name)
		}
	}
	return names
}

// Run runs the checks with a value of Last on facts, and returns their diagnostics. It sets Refused of kinds with
// errors.
func Run(facts Pass, last bool) (diags diag.List) {
	for _, c := range All {
		if c.Last != last || c.Rule && !slices.Contains(facts.Flags.LintRules, c.Name) {
			continue
		}
		pass := facts
		c.Run(&pass)
		for _, d := range pass.diags {
			d.Check = c.Name
		}
		diags = append(diags, pass.diags...)
	}
	return diags
}

// Pass holds the facts for checks, and what one of them finds.
type Pass struct {
	*plan.Plan
	kinds.Manifests

	Types    *gotypes.Reader // reads outlines
	Packages []*kinds.Package
	Sources  []*load.Package // the packages that match the patterns, without imported ones
	Imported []*load.Package // packages that kubegen has imported from manifests
	Unseen   []string        // the patterns if nothing is found to generate, otherwise nil
	Reported diag.List       // the diagnostics so far

	Roles, Webhooks *markers.InFiles // in Sources; empty if the run does not write these
	Applied         *markers.InFiles // in Sources

	Harmless map[token.Position]bool // misspelled markers without which the CustomResourceDefinitions are the same

	diags diag.List // of the check that runs
}

// eachKind returns a function that calls check for each kind that can be read. A kind for which it reports an error is
// refused.
func eachKind(check func(*Pass, *kinds.Kind)) func(*Pass) {
	return func(p *Pass) {
		for _, pkg := range p.Packages {
			for _, k := range pkg.Kinds {
				if before := len(p.diags); k.Resource != nil {
					check(p, k)
					k.Refused = k.Refused || p.diags[before:].HasErrors()
				}
			}
		}
	}
}
