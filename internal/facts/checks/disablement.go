package checks

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

func explicitDisablement(p *Pass) {
	for _, pkg := range p.Packages {
		var present []string
		for _, line := range markers.Lines(p.Types.Fset, gotypes.PackageComments(pkg.Source)...) {
			name, _ := generatorTag(line.Text)
			present = append(present, name)
		}
		for _, tag := range expectedTags(p.Types, pkg.Source, present) {
			if !slices.Contains(present, tag) {
				p.diags.Errorf(pkg.Types.Pos, "package %s has no marker that switches %s on or off", pkg.Source.Path, strings.TrimPrefix(tag, "k8s:")).
					Suggest("add +%s=..., or +%s=false, to the package comment", tag, tag)
			}
		}
	}
}

// versionDir matches names of directories that code-generator treats as versions, including v1rc2.
var versionDir = regexp.MustCompile(`^v[0-9]+([a-z]+[0-9]+)?$`)

// expectedTags returns the markers of a package that are required: none unless it has +groupName or a generator
// marker and is in a directory such as v1beta1.
func expectedTags(types *gotypes.Reader, src *load.Package, present []string) []string {
	isAPI := slices.ContainsFunc(present, func(tag string) bool {
		return tag == "groupName" || tag == "groupGoName" || tag == "k8s:openapi-model-package" || slices.Contains(markers.GeneratorTags(), tag)
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
