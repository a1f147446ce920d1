package crdinstall

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apiversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/version"
)

// ReleaseAnnotation is the annotation of a definition with the release that has installed it. [Release] sets it.
const ReleaseAnnotation = "kubegen.github.io/release"

// keptAnnotation is the annotation of a definition with the versions that stay until their objects are migrated.
const keptAnnotation = "kubegen.github.io/kept-versions"

// age compares a definition of the program with that of the server. newer and older are signs that the one of the
// program is newer or older. Their releases decide if both have one. Otherwise, signs are what an API only gains with
// time, versions and fields, and what it only loses, its lowest versions.
func age(ours, theirs definition) (newer, older []string) {
	if order, sign := byRelease(ours, theirs); order > 0 {
		return []string{sign}, nil
	} else if order < 0 {
		return nil, []string{sign}
	}
	theirs, who := theirs.migrated(), "the installed one"
	if editors := theirs.editors(); len(editors) > 0 {
		who += ", whose versions " + and(editors) + " has changed,"
	}
	return gains(ours, theirs, "this definition"), gains(theirs, ours, who)
}

// byRelease compares the releases of two definitions. order is 0 if they are equal, or one of them is not known.
func byRelease(ours, theirs definition) (order int, sign string) {
	is, was := ours.GetAnnotations()[ReleaseAnnotation], theirs.GetAnnotations()[ReleaseAnnotation]
	a, n, err := parseRelease(is)
	b, m, wrong := parseRelease(was)
	if err != nil || wrong != nil {
		return 0, ""
	}
	switch {
	case a.LessThan(b):
		order = -1
	case b.LessThan(a):
		order = 1
	default:
		order = cmp.Compare(n, m)
	}
	return order, fmt.Sprintf("release %s has installed it, and this is %s", was, is)
}

// described matches what git describe adds to a tag: the number of commits since then, and that files have changed.
var described = regexp.MustCompile(`^(.+?)(?:-([0-9]{1,9})-g[0-9a-f]{4,64})?(?:-dirty|-broken)?$`)

// parseRelease returns the version of a release, and the number of commits after it.
func parseRelease(text string) (tag *apiversion.Version, commits int, err error) {
	if m := described.FindStringSubmatch(text); m != nil {
		text = m[1]
		commits, _ = strconv.Atoi(m[2])
	}
	tag, err = apiversion.ParseSemantic(text)
	return tag, commits, err
}

// gains returns the signs that definition a is newer than b. who is a.
func gains(a, b definition, who string) (signs []string) {
	of, with := a.byTime(), b.byTime()
	if len(of) == 0 || len(with) == 0 {
		return nil
	}
	for _, v := range of {
		name := nameOf(v)
		switch other := b.find(name); {
		case other == nil && byTime(name, nameOf(with[0])) > 0:
			signs = append(signs, fmt.Sprintf("only %s has version %s", who, name))
		case other != nil && v["served"] == true && other["served"] != true && byTime(name, latest(with)) > 0:
			signs = append(signs, fmt.Sprintf("only %s serves version %s", who, name))
		}
	}
	for _, v := range with {
		name := nameOf(v)
		switch is := a.find(name); {
		case is == nil && byTime(name, nameOf(of[0])) < 0:
			signs = append(signs, fmt.Sprintf("%s no longer has version %s", who, name))
		case is != nil && v["served"] == true && is["served"] != true && byTime(name, latest(of)) < 0:
			signs = append(signs, fmt.Sprintf("%s no longer serves version %s", who, name))
		}
	}
	if s, other := a.storage(), b.storage(); a.find(other) != nil && b.find(s) != nil && byTime(s, other) > 0 {
		signs = append(signs, fmt.Sprintf("%s stores version %s", who, s))
	}
	for _, v := range of {
		if other := b.find(nameOf(v)); other != nil {
			had := parts(other)
			for _, part := range slices.Sorted(maps.Keys(parts(v))) {
				if !had[part] {
					signs = append(signs, fmt.Sprintf("only %s has %s %s", who, nameOf(v), part))
					break // one per version is enough
				}
			}
		}
	}
	return signs
}

// migrated returns the definition as it is going to be once its objects are migrated.
func (d definition) migrated() definition {
	annotations := d.GetAnnotations()
	kept := strings.Split(annotations[keptAnnotation], ", ")
	var list []any
	for _, v := range d.versions() {
		if !slices.Contains(kept, nameOf(v)) {
			list = append(list, runtime.DeepCopyJSON(v))
		}
	}
	out := d.copy()
	if delete(annotations, keptAnnotation); len(annotations) == 0 {
		annotations = nil
	}
	out.SetAnnotations(annotations)
	_ = unstructured.SetNestedSlice(out.Object, list, "spec", "versions")
	return out
}

// kubeLike matches names of versions such as v1 and v2beta1.
var kubeLike = regexp.MustCompile(`^v([0-9]{1,9})(?:(alpha|beta)([0-9]{1,9}))?$`)

// byTime compares two names of versions by the order in which an API gets them: v1beta1, v1, v2alpha1, v2. The order of
// API servers prefers v1 to v2alpha1.
func byTime(a, b string) int {
	x, y := kubeLike.FindStringSubmatch(a), kubeLike.FindStringSubmatch(b)
	if x == nil || y == nil {
		return version.CompareKubeAwareVersionStrings(a, b)
	}
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	stage := func(text string) int { return slices.Index([]string{"alpha", "beta", ""}, text) }
	return cmp.Or(
		cmp.Compare(number(x[1]), number(y[1])), cmp.Compare(stage(x[2]), stage(y[2])), cmp.Compare(number(x[3]), number(y[3])),
	)
}

// byTime returns the versions, with the earliest one first.
func (d definition) byTime() []map[string]any {
	return slices.SortedStableFunc(slices.Values(d.versions()), func(a, b map[string]any) int { return byTime(nameOf(a), nameOf(b)) })
}

// latest returns the last served one of some versions, or "".
func latest(versions []map[string]any) (name string) {
	for _, v := range versions {
		if v["served"] == true {
			name = nameOf(v)
		}
	}
	return name
}

// parts returns what a version has of that which versions only gain: subresources, selectable fields, columns, fields
// and values of enumerations.
func parts(v map[string]any) map[string]bool {
	found := map[string]bool{}
	subresources, _ := v["subresources"].(map[string]any)
	for name := range subresources {
		found["subresource "+name] = true
	}
	for _, list := range []struct{ field, key, what string }{
		{"selectableFields", "jsonPath", "selectable field"}, {"additionalPrinterColumns", "name", "column"},
	} {
		elements, _ := v[list.field].([]any)
		for _, e := range elements {
			if e, ok := e.(map[string]any); ok {
				found[fmt.Sprintf("%s %v", list.what, e[list.key])] = true
			}
		}
	}
	if outer, ok := v["schema"].(map[string]any); ok {
		fields(outer["openAPIV3Schema"], "", found)
	}
	return found
}

// fields adds the fields of a schema, and the values of its enumerations.
func fields(schema any, at string, found map[string]bool) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	values, _ := s["enum"].([]any)
	for _, value := range values {
		found[fmt.Sprintf("%s value %v", strings.TrimPrefix(at, "."), value)] = true
	}
	properties, _ := s["properties"].(map[string]any)
	for name, of := range properties {
		found["field "+strings.TrimPrefix(at+"."+name, ".")] = true
		fields(of, at+"."+name, found)
	}
	fields(s["items"], at+"[]", found)
	fields(s["additionalProperties"], at+"[*]", found)
}
