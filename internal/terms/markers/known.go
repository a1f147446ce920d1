package markers

import (
	"slices"
	"strings"
	"sync"
)

// Names of the markers of all tools whose prefixes kubegen knows, for Misspellings. A name that ends with a colon takes
// arguments, or is followed by names that its tool does not list. Markers that kubegen reads itself are in All.
const (
	// Markers of sigs.k8s.io/controller-tools v0.2 to v0.23 that are not in All, and kubebuilder's scaffold markers.
	controllerToolsNames = `
		kubebuilder:docs-gen: kubebuilder:scaffold:`

	// k8s.io/code-generator v0.33 to v0.38, with the declarative validation of validation-gen.
	codeGeneratorNames = `
		k8s:conversion-fn k8s:defaulter-gen k8s:defaulter-gen-input k8s:prerelease-lifecycle-gen k8s:prerelease-lifecycle-gen:deprecated
		k8s:prerelease-lifecycle-gen:introduced k8s:prerelease-lifecycle-gen:removed
		k8s:prerelease-lifecycle-gen:replacement k8s:protobuf-gen k8s:validation-gen k8s:validation-gen-deep-equal-func k8s:validation-gen-input
		k8s:validation-gen-nolint k8s:validation-gen-scheme-registry k8s:validation-gen-test-fixture
		k8s:validation-gen-test-targets k8s:alpha k8s:beta k8s:customUnique k8s:customValidation
		k8s:dependentForbidden k8s:dependentRequired k8s:discriminator k8s:eachKey k8s:eachVal k8s:enumExclude k8s:eq
		k8s:forbidden k8s:format k8s:ifDisabled k8s:ifEnabled k8s:ifMode k8s:ifOptionDisabled k8s:ifOptionEnabled
		k8s:isSubresource k8s:item k8s:maxBytes k8s:maxLength k8s:maxProperties k8s:member k8s:minItems k8s:minLength
		k8s:minProperties k8s:modeDiscriminator k8s:monotonic k8s:neq k8s:opaqueType k8s:subfield
		k8s:supportsSubresource k8s:unionDiscriminator k8s:unionMember k8s:unique k8s:update k8s:validateError
		k8s:validateFalse k8s:validateTrue k8s:validateTrueAlpha k8s:validateTrueBeta k8s:zeroOrOneOfMember protobuf
		protobuf.as protobuf.embed protobuf.nullable protobuf.options. protobuf.options.marshal`

	// k8s.io/kube-openapi, which gives the last three no effect.
	openAPINames = `
		k8s:validation:additionalProperties: k8s:validation:cel: k8s:validation:items: k8s:validation:properties:
		k8s:validation:enum k8s:validation:format k8s:validation:nullable`

	// OpenShift's fork of controller-tools.
	openShiftNames = `
		openshift:enable:FeatureSets openshift:validation:FeatureSetAwareEnum:
		openshift:validation:FeatureSetAwareXValidation:`
)

// GeneratorTags returns the known names of the form "k8s:...-gen...", without what follows a further colon, sorted.
// They are the package markers of Kubernetes' generators.
var GeneratorTags = sync.OnceValue(func() (tags []string) {
	for name := range knownNames() {
		if tag, ok := GeneratorTag(name); ok {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
})

// GeneratorTag returns the part of a marker's name that determines the generator, if the name has such a form.
func GeneratorTag(name string) (tag string, ok bool) {
	rest, ok := strings.CutPrefix(name, "k8s:")
	base, _, _ := strings.Cut(rest, ":") // k8s:prerelease-lifecycle-gen:introduced
	return "k8s:" + base, ok && strings.Contains(rest, "-gen")
}

// knownNames returns all known names, without a colon at the end. The value reports whether the name had a colon.
var knownNames = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	add := func(name string) {
		bare, takesMore := strings.CutSuffix(name, ":")
		known[bare] = known[bare] || takesMore
	}
	for _, list := range []string{controllerToolsNames, codeGeneratorNames, openAPINames, openShiftNames} {
		for name := range strings.FieldsSeq(list) {
			add(name)
		}
	}
	for _, def := range All {
		known[def.Name] = known[def.Name] || def.Type == Named
		for _, other := range def.Also() {
			add(strings.TrimPrefix(other, "+"))
		}
	}
	return known
})
