// Package fakeapi is an API server in memory, for tests of code that uses Kubernetes clients. By themselves, fake
// clientsets do little more than store objects. Connected to an [API], they answer as a server does, so that a
// controller that forgets to handle a conflict, a finalizer or the status subresource fails its tests.
//
//	api := fakeapi.New(
//		fakeapi.WithAPI(fake.API{}), // of a generated clientset
//		fakeapi.WithObjects(...),
//	)
//	client := fake.NewClientset()
//	api.Attach(&client.Fake, scheme.Scheme)
//
// One API can serve several clients at once, which see the same objects. [API.Attach] connects generated fake
// clientsets and client-go's; [API.Dynamic] and [API.Metadata] return dynamic and metadata clients. All of these still
// record actions, and reactors that are prepended later come before the API. Other clients, including the clients and
// managers of controller-runtime, are created from the configuration that [API.RESTConfig] returns.
//
// # What it does
//
// Objects get a UID, creationTimestamp, generation, resource version and managedFields. Requests are checked in the
// order in which a server checks them, and errors have the same reasons, codes, details and messages. Updates can
// conflict. The status is written only through its subresource, and the scale subresource reads and writes the fields
// at its paths. Objects with finalizers stay until the last one is removed. JSON, merge, strategic merge and apply
// patches, dry run, preconditions, label and field selectors, paging, versions of lists, and watches from a version
// with initial events and bookmarks work. A kind can have several versions, and each reads and changes what another one
// has written. Clients of [API.RESTConfig] get warnings, such as those of unknown and duplicate fields, and the object or
// the details that a server sends for a deletion, in JSON or YAML. As with a server, informers watch without listing first if their clientset
// says that this is possible. Clientsets that kubegen generates say so. For client-go's clientset, a struct with the
// following method does:
//
//	type clientset struct{ *fake.Clientset }
//
//	func (clientset) IsWatchListSemanticsUnSupported() bool { return false }
//
// [API.Fail], [API.FailAfter], [API.Delay], [API.Conflict], [API.EndWatches] and [API.ExpireVersions] inject the faults
// of servers and networks.
//
// Everything is deterministic except for the time. Times come from package time, so tests can run in a bubble of
// [testing/synctest]. UIDs and suffixes of generated names are the same in each run. The only goroutines of an API are
// those of watches, and these end with the watches.
//
// # What it does not do
//
// There is no admission, and no validation or defaulting beyond metadata, the types of fields and the numbers of
// replicas. [WithRules] adds the rules of CustomResourceDefinitions. There are no such rules for the kinds of
// Kubernetes itself, so an invalid Pod can be stored. A field is unknown if the Go type does not have it. Versions of a
// kind differ only in apiVersion. Namespaces need not exist. No controller runs, except for the garbage collector that
// [WithGarbageCollection] adds. There is no kubelet: a deleted Pod that is assigned to a node stays until it is deleted
// without a grace period.
//
// Some limits are those of fake clientsets, which process requests and answers before the API sees them. Generated
// clientsets and client-go's do not pass on the context; a malformed selector panics; Items of an empty list is nil;
// UpdateScale uses the name of the object instead of the name that it is called with. Dynamic and metadata clients, and
// clients of [API.RESTConfig], have none of these limits.
//
// # Releases
//
// The package works with client-go v0.34 and later. It serves those kinds of Kubernetes itself that the program's
// release of client-go has.
package fakeapi
