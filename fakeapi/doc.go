// Package fakeapi is an API server in memory, for tests of what uses Kubernetes clients: its storage and its semantics,
// behind fake clientsets. The fake clientsets by themselves store objects and little else; with an [API] behind them they
// answer as a server does, so that a controller that forgets to handle a conflict, a finalizer or the status subresource
// fails its tests.
//
//	api := fakeapi.New(
//		fakeapi.WithResources(scheme.Scheme, fake.APIResources()), // of a generated clientset
//		fakeapi.WithObjects(...),
//	)
//	client := fake.NewClientset()
//	api.Attach(&client.Fake, scheme.Scheme)
//
// One API serves several clientsets at once, which see the same objects: generated ones and client-go's by [API.Attach],
// and dynamic and metadata clients by [API.Dynamic] and [API.Metadata]. They go on recording actions, and reactors that
// are prepended later come before the API. Clients that are no fakes, including those and the managers of controller-runtime,
// are made of the configuration that [API.RESTConfig] returns.
//
// # What it does
//
// Objects get a UID, creationTimestamp, generation, resource version and managedFields. Requests are checked in the order
// and with the errors of a server: reasons, codes, details and texts. Updates conflict, the status is written by its
// subresource alone, the scale subresource by its paths. Objects with finalizers stay until the last one is removed.
// JSON, merge, strategic merge and apply patches, dry run, preconditions, label and field selectors, pages, versions of
// lists, and watches from a version with initial events and bookmarks work. Informers watch without a list before, as with
// a server, if their clientset says that it can do so: those that kubegen generates do, and client-go's in a struct that
// has a method for it:
//
//	type clientset struct{ *fake.Clientset }
//
//	func (clientset) IsWatchListSemanticsUnSupported() bool { return false }
//
// [API.Fail], [API.FailAfter], [API.Delay], [API.Conflict], [API.EndWatches] and [API.ExpireVersions] do what servers and
// networks do to controllers.
//
// Everything is deterministic, but for the time, which is that of the package time, so that tests may run in a bubble of
// [testing/synctest]. UIDs and suffixes of generated names are the same in each run. An API has no goroutines except those of
// watches, which end with them.
//
// # What it does not do
//
// There is no admission, and no validation or defaulting beyond metadata, the types of fields and the numbers of replicas.
// [WithRules] adds those of CustomResourceDefinitions. There are none for the kinds of Kubernetes itself, so that an
// invalid Pod can be stored. Unknown fields are those that the Go type does not have. Versions of a kind differ in nothing but apiVersion.
// Namespaces need not exist. No controller runs, except for the garbage collector that [WithGarbageCollection] adds, and no
// kubelet: a Pod that is assigned to a node stays, once it is deleted, until it is deleted without a grace period.
//
// What a clientset's fake does before it asks the API, or with the answer, cannot be made up for. Generated clientsets and
// client-go's do not pass on the context; a malformed selector panics; Items of an empty list is nil; the name that
// UpdateScale is called with is that of the object. The dynamic and metadata clients have none of these limits, nor have those of
// [API.RESTConfig].
//
// # Releases
//
// It works with client-go v0.34 and later. The kinds of Kubernetes itself are those of the client-go that the program has.
package fakeapi
