package e2e

import "slices"

// A knownDifference is one between a server and fakeapi that stays, or has stayed so far.
type knownDifference struct {
	what, why string
	in        []string // behaviours, with their groups; TestBehaviours fails if one of them does not differ; none if the suite evens it out
	only      func(k kind, flavour string) bool
}

var knownDifferences = []knownDifference{
	{
		what: "schemas", why: "without `WithRules`, fakeapi knows neither the rules nor the defaults of a CustomResourceDefinition; the suite takes them out of those that it gives the server",
	},
	{
		what: "empty lists", why: "the fake clientset, in client-go, makes `Items` of an empty list nil, of which the suite takes no notice",
	},
	{
		what: "malformed selectors", why: "the fake clientset panics, in client-go, before fakeapi gets the request; a server says BadRequest",
		in:   []string{"list/a malformed label selector is BadRequest", "list/a malformed field selector is BadRequest"},
		only: func(k kind, flavour string) bool { return flavour == "typed" },
	},
	{
		what: "contexts", why: "fake clientsets of client-go do not pass on contexts: requests are carried out, and watches go on until they are stopped",
		in:   []string{"read/a request whose context is cancelled fails", "read/a watch ends with its context", "requests/contexts that are done are errors of every verb"},
		only: func(k kind, flavour string) bool { return flavour == "typed" },
	},
	{
		what: "the name for UpdateScale", why: "client-go's fakes pass on the scale alone, so its own name counts; a server compares the two",
		in: []string{"scale/update of the scale of another object is BadRequest"},
	},
	{
		what: "applying nothing", why: "an Apply of nil, or without a name, sends no request; client-go words the error in fakes in its own way",
		in:   []string{"bodies/apply of an object that is none"},
		only: func(k kind, flavour string) bool { return flavour == "typed" },
	},
	{
		what: "values of other types", why: "a server takes a list for a time; generated clients cannot decode such objects, of a server and of fakeapi, which words the error in its own way",
	},
	{
		what: "sizes", why: "a server refuses what its storage does not take, which can be configured and is about 1.5 MiB, and requests of more than 3 MiB; fakeapi checks the size of requests alone, and with fake clientsets that of patches",
		in: []string{"values/an object that is too large is refused"},
	},
	{
		what: "pages of a selected namespace", why: "a server may begin each page of a list over all namespaces that selects one by metadata.namespace with the first object, so the suite does not ask for such pages; fakeapi goes on",
	},
	{
		what: "empty metadata that is applied", why: "a server keeps empty labels, annotations and finalizers, and labels that are null, as they are applied in the version in which it stores objects until the next write; fakeapi does not know which version that is, and takes each for it; in embedded resources, it converts such values at once",
	},
	{
		what: "impersonation in fake clientsets", why: "client-go's fakes have no configuration that names another user, so only clients of `RESTConfig` impersonate one",
		in: []string{
			"roles/impersonation of a user needs a rule for the user and for each group",
			"roles/impersonation of a service account needs a rule for the account",
		},
	},
	{
		what: "tables", why: "fakeapi does not convert objects to tables, which kubectl asks for: it sends the objects to clients that accept these, too, as kubectl does, and says NotAcceptable to others",
	},
	{
		what: "protobuf", why: "fakeapi reads protobuf, but answers in JSON or YAML; clients of client-go that prefer protobuf accept JSON, too",
	},
	{
		what: "warnings in fake clientsets", why: "client-go's fakes have no way to pass on warnings, so only clients of `RESTConfig` get them",
	},
	{
		what: "rules of Kubernetes' own kinds", why: "a server validates its own kinds and sets their defaults; fakeapi checks metadata and the types of fields, and moves the `stringData` of a Secret into `data`",
	},
	{
		what: "warnings of Kubernetes' own kinds", why: "a server warns of deprecated versions and of questionable fields of its own kinds; fakeapi warns of unknown and duplicate fields and duplicate owners alone",
	},
	{
		what: "versions of a kind", why: "only `crdvalidation` knows the version in which a server stores objects; without it, fakeapi takes the hub or the most stable version; without a conversion by Go types or `WithConversion`, it stores what the stored version keeps, like a server, and `TestLosses` of [test/crds](../../test/crds) compares their answers for random versions, but for the strategy Webhook it stores objects as they are written",
	},
	{
		what: "objects that cannot be converted", why: "the watch cache of a server stops at such an object: watches, and lists of version 0, stay behind or time out in versions to which it cannot be converted; fakeapi ends such a watch with the error of the conversion, and such a list fails like others",
	},
	{
		what: "deprecated versions", why: "fakeapi knows of them from `crdvalidation.Options` or `WithDeprecatedVersions`, not from generated packages",
	},
	{
		what: "discovery", why: "fakeapi has no storageVersionHash, no aggregated documents, no list of paths at `/`, and no details of `/healthz?verbose`; a server answers any method with the documents of groups of custom resources, fakeapi GET and HEAD alone",
	},
	{
		what: "order of fields", why: "in the JSON of Kubernetes' own kinds, a server sends the fields in the order of the Go type, fakeapi by name",
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
