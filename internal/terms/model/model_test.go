package model

import (
	"slices"
	"strings"
	"testing"
)

func TestVerbs(t *testing.T) {
	all := NewVerbs(AllVerbs()...)
	some := NewVerbs(VerbPatch, VerbCreate, "unknown", VerbPatch)
	if got := some.List(); !slices.Equal(got, []Verb{VerbCreate, VerbPatch}) {
		t.Errorf("the verbs are %q, want create and patch in that order", got)
	}
	if some.Has(VerbGet) || some.Has("unknown") || !some.Has(VerbPatch) {
		t.Errorf("%q has the wrong verbs", some.List())
	}
	if got := all.Without(AllVerbs()[1:]...).List(); !slices.Equal(got, []Verb{VerbCreate}) {
		t.Errorf("all verbs but one are %q, want create", got)
	}
	AllVerbs()[0] = VerbGet
	if AllVerbs()[0] != VerbCreate {
		t.Error("AllVerbs can be changed by its callers")
	}
}

func TestVersionNames(t *testing.T) {
	g := &Group{Name: "stable.example.com"}
	for _, test := range []struct{ name, groupVersion, goName, dir string }{
		{"v1beta1", "stable.example.com/v1beta1", "V1beta1", "v1beta1"},
		{"", "stable.example.com/__internal", "", "internalversion"},
		{"Next", "stable.example.com/Next", "Next", "next"},
	} {
		v := &Version{Group: g, Name: test.name}
		got := []string{v.GroupVersion().String(), v.GoName(), v.Dir()}
		if want := []string{test.groupVersion, test.goName, test.dir}; !slices.Equal(got, want) {
			t.Errorf("version %q is %q, want %q", test.name, got, want)
		}
	}
}

func TestSelect(t *testing.T) {
	api := &API{Groups: []*Group{{Name: "a"}, {Name: "b"}}}
	for _, g := range api.Groups {
		g.Versions = []*Version{{Group: g, Name: "v1"}, {Group: g}}
	}
	selected := api.Select(func(v *Version) bool { return !v.Internal() && v.Group.Name == "b" })
	var got []string
	for _, api := range []*API{selected, api} {
		for _, g := range api.Groups {
			for _, v := range g.Versions {
				got = append(got, g.Name+"/"+v.Name)
			}
		}
	}
	if text := strings.Join(got, " "); text != "b/v1 a/v1 a/ b/v1 b/" {
		t.Errorf("what is selected, and then all there is, is %q", text)
	}
}
