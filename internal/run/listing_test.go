package run

import (
	"slices"
	"testing"
)

// TestKeep keeps kinds by their names.
func TestKeep(t *testing.T) {
	all := func() *Listing {
		lister, clientset := Generated{"lister", "x/listers/v1"}, Generated{"clientset", "x/clientset"}
		return &Listing{
			Resources: []Resource{
				{Group: "example.com", Version: "v2", Kind: "Foo", Generates: []Generated{clientset}},
				{Group: "example.com", Version: "v1", Kind: "Foo", Generates: []Generated{clientset, lister}},
				{Group: "", Version: "v1", Kind: "Bar"},
			},
			Packages: []Generated{clientset, lister}, Manifests: []Manifest{{Generator: "rbac"}},
		}
	}
	for _, test := range []struct {
		names      []string
		kept       []string // KIND.VERSION
		generators []string
		message    string
	}{
		{names: []string{"Foo"}, kept: []string{"Foo.v2", "Foo.v1"}, generators: []string{"clientset", "lister"}},
		{names: []string{"Foo.v2"}, kept: []string{"Foo.v2"}, generators: []string{"clientset"}},
		{names: []string{"Foo.example.com"}, kept: []string{"Foo.v2", "Foo.v1"}, generators: []string{"clientset", "lister"}},
		{names: []string{"Foo.v1.example.com", "Foo.v1"}, kept: []string{"Foo.v1"}, generators: []string{"clientset", "lister"}},
		{names: []string{"Bar.v1"}, kept: []string{"Bar.v1"}},
		{names: []string{"Foo.v3"}, message: "no kind Foo.v3 in these packages (known are Foo.v2.example.com, Foo.v1.example.com)"},
		{names: []string{"Fooo.v1"}, message: "no kind Fooo.v1 in these packages (did you mean Foo.v1?)"},
		{names: []string{"Bar", "Foo.v1.example.net"}, kept: []string{"Bar.v1"},
			message: "no kind Foo.v1.example.net in these packages (known are Foo.v2.example.com, Foo.v1.example.com)"},
	} {
		listed := all()
		message := ""
		if err := listed.Keep(test.names); err != nil {
			message = err.Error()
		}
		var kept, generators []string
		for _, r := range listed.Resources {
			kept = append(kept, r.Kind+"."+r.Version)
		}
		for _, pkg := range listed.Packages {
			generators = append(generators, pkg.Generator)
		}
		if !slices.Equal(kept, test.kept) || !slices.Equal(generators, test.generators) || message != test.message || len(listed.Manifests) > 0 {
			t.Errorf("%q: got %q of %q, %q; want %q of %q, %q", test.names, kept, generators, message, test.kept, test.generators, test.message)
		}
	}
}
