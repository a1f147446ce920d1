package e2e

import "slices"

// A knownDifference is one between a server and fakeapi that stays, or has stayed so far.
type knownDifference struct {
	what, why string
	in        []string // behaviours, with their groups; TestBehaviours fails if one of them does not differ
	only      func(k kind, flavour string) bool
}

var knownDifferences = []knownDifference{
	{
		what: "malformed selectors", why: "client-go's fakes panic before anybody can answer the request; a server says BadRequest",
		in: []string{"list/a malformed label selector is BadRequest", "list/a malformed field selector is BadRequest"},
	},
	{
		what: "options of dynamic lists", why: "of the options of a list over all namespaces, or of a cluster-scoped kind, client-go's dynamic fake passes on the selectors alone; typed clients pass on all of them",
		in: []string{
			"list/list with a limit comes in pages", "list/a page can have another limit, or none", "list/pages are of the version of the first",
			"list/pages with a label selector", "list/pages with a field selector", "list/pages over all namespaces",
			"list/a malformed continue token is BadRequest", "list/a continue token with a version is BadRequest",
			"list/an expired continue token is Expired, with another one", "list/list Exact returns the state at a version", "list/list Exact with a limit",
			"list/list of an expired version is Expired", "list/a continue token with a match is Invalid",
		},
		only: func(k kind, flavour string) bool { return flavour == "dynamic" && !k.namespaced },
	},
	{
		what: "options of dynamic lists", in: []string{"list/pages over all namespaces"},
		only: func(k kind, flavour string) bool { return flavour == "dynamic" && k.namespaced },
	},
	{
		what: "the name for UpdateScale", why: "client-go's fakes pass on the scale alone, so its own name counts; a server compares the two",
		in: []string{"scale/update of the scale of another object is BadRequest"},
	},
	{
		what: "not yet", why: "fakeapi does not do it yet",
		in: []string{
			"create/create takes resourceVersion 0 for none", "create/create of another kind is Invalid", "create/create drops unknown fields",
			"create/create with strict field validation refuses unknown fields", "read/get of a malformed version fails",
			"update/update of another uid is Conflict", "update/generation counts fields outside of metadata, spec and status",
			"update/update of another kind is Invalid", "scale/apply of the scale sets the replicas", "patch/a malformed patch is BadRequest",
			"patch/patch with malformed metadata is Invalid", "patch/patch of kind or apiVersion", "patch/patch records its manager",
			"patch/patch drops unknown fields", "delete/an object goes with its last finalizer by a patch",
			"list/list with forbidden versions is Invalid", "watch/watch with forbidden options is Invalid",
		},
	},
	{
		what: "not yet", in: []string{"create/create sets the namespace"},
		only: func(k kind, flavour string) bool { return flavour == "dynamic" && !k.namespaced },
	},
	{
		what: "not yet", in: []string{"update/generation counts changes of the spec alone"},
		only: func(k kind, flavour string) bool { return flavour == "dynamic" },
	},
}

// differs returns which known difference a behaviour shows, "" if none.
func differs(k kind, flavour, behaviour string) string {
	for _, d := range knownDifferences {
		if slices.Contains(d.in, behaviour) && (d.only == nil || d.only(k, flavour)) {
			return d.what
		}
	}
	return ""
}
