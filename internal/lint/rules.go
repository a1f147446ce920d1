// Package lint finds mistakes in comments that reading their markers does not reveal: markers that are misspelled,
// misplaced or missing. It expects packages whose files are parsed.
package lint

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/spelling"
)

// The rules, with the names and meaning of k8s.io/code-generator v0.37.
const (
	// KnownTagsOnly rejects +k8s:...-gen markers in package comments that no known generator owns.
	KnownTagsOnly = "known-tags-only"
	// ExplicitDisablement requires versioned API packages to switch deepcopy-gen on or off, and the packages of
	// internal types to switch conversion-gen, defaulter-gen and validation-gen on or off.
	ExplicitDisablement = "require-explicit-disablement"
)

// Rules lists the names of all rules.
var Rules = []string{KnownTagsOnly, ExplicitDisablement}

// generatorTags lists the package markers of the Kubernetes generators.
var generatorTags = []string{
	"k8s:applyconfiguration-gen", "k8s:client-gen", "k8s:conversion-gen", "k8s:conversion-gen-external-types",
	"k8s:deepcopy-gen", "k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:informer-gen", "k8s:lister-gen",
	"k8s:openapi-gen", "k8s:openapi-model-package", "k8s:prerelease-lifecycle-gen", "k8s:protobuf-gen",
	"k8s:register-gen", "k8s:validation-gen", "k8s:validation-gen-input", "k8s:validation-gen-nolint",
	"k8s:validation-gen-scheme-registry", "k8s:validation-gen-test-fixture", "k8s:validation-gen-test-targets",
}

// Package applies rules to the comments of a package. It reports to the Loader of types.
func Package(types *gotypes.Reader, src *load.Package, rules []string) {
	lines := markers.Lines(types.Fset, gotypes.PackageComments(src)...)
	var present []string
	for _, line := range lines {
		name, isGenerator := generatorTag(line.Text)
		present = append(present, name)
		if isGenerator && !slices.Contains(generatorTags, name) && slices.Contains(rules, KnownTagsOnly) {
			d := types.Errorf(line.Pos, "+%s is not a marker of a known generator", name)
			if nearest, ok := spelling.Nearest(name, generatorTags); ok {
				d.Suggest("did you mean +%s?", nearest)
			} else {
				d.Suggest("remove it").Or("leave %s out of %s", KnownTagsOnly, diag.Setting("lint-rules"))
			}
		}
	}
	if !slices.Contains(rules, ExplicitDisablement) {
		return
	}
	for _, tag := range expectedTags(types, src, present) {
		if !slices.Contains(present, tag) {
			types.Errorf(types.PackagePos(src), "package %s has no marker that switches %s on or off", src.Path, strings.TrimPrefix(tag, "k8s:")).
				Suggest("add +%s=..., or +%s=false, to the package comment", tag, tag)
		}
	}
}

// generatorTag returns the name of a marker, without arguments and value, and whether it has the form "k8s:...-gen...".
func generatorTag(text string) (name string, isGenerator bool) {
	name = strings.TrimPrefix(text, "+")
	if i := strings.IndexAny(name, "=( \t"); i >= 0 {
		name = name[:i]
	}
	rest, ok := strings.CutPrefix(name, "k8s:")
	if !ok || !strings.Contains(rest, "-gen") {
		return name, false
	}
	base, _, _ := strings.Cut(rest, ":") // +k8s:prerelease-lifecycle-gen:introduced=1.30
	return "k8s:" + base, true
}

// versionDir matches names of directories that the rules treat as versions, including v1rc2.
var versionDir = regexp.MustCompile(`^v[0-9]+([a-z]+[0-9]+)?$`)

// expectedTags returns the markers that the rules require of a package: none unless it has +groupName or a generator
// marker and is in a directory such as v1beta1.
func expectedTags(types *gotypes.Reader, src *load.Package, present []string) []string {
	isAPI := slices.ContainsFunc(present, func(tag string) bool {
		return tag == "groupName" || tag == "groupGoName" || slices.Contains(generatorTags, tag)
	})
	if !isAPI || !versionDir.MatchString(path.Base(src.Path)) {
		return nil
	}
	if hasVersionedTypes(types, src) {
		return []string{"k8s:deepcopy-gen"}
	}
	for _, tag := range []string{"k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:validation-gen", "k8s:validation-gen-input"} {
		if slices.Contains(present, tag) {
			return []string{"k8s:conversion-gen", "k8s:defaulter-gen", "k8s:validation-gen"}
		}
	}
	return nil
}

// hasVersionedTypes reports whether a type of the package inlines TypeMeta in its JSON form.
func hasVersionedTypes(types *gotypes.Reader, src *load.Package) bool {
	for _, d := range src.Decls {
		if d.Type == nil {
			continue
		}
		if meta, ok := types.FieldsOf(src, d).ByName("TypeMeta"); ok && meta.Embedded {
			tag, tagged := meta.Tag.Lookup("json")
			if name, _, _ := strings.Cut(tag, ","); tagged && name == "" {
				return true
			}
		}
	}
	return false
}
