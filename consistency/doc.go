// Package consistency keeps a controller from acting on caches that are older than its own writes (KEP-5647). A [Store]
// remembers the writes of clients until the caches of informers have them:
//
//	writes := consistency.NewStore()
//	writes.Wrap(config) // before clientsets are made from it
//	client, err := versioned.NewForConfig(config)
//	factory := externalversions.NewSharedInformerFactoryWithOptions(client, 0, externalversions.WithConsistency(writes))
//
// and at the top of the function that reconciles the object with a name:
//
//	if err := writes.EnsureReady(name); err != nil {
//		return err // the caches lack a write: try again later
//	}
//
// kubegen generates the option WithConsistency with --with-consistency. Informers of other factories, such as
// client-go's, are passed to [Store.Watch]. One store can await the writes of several clientsets of the same config.
//
// The package works with client-go v0.33 and later.
package consistency
