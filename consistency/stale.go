package consistency

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// Write is a write that a cache lacks.
type Write struct {
	// Resource is the resource of the object.
	Resource schema.GroupResource

	// Object is the name of the object. Name is empty if the write could concern any object of the namespace or kind,
	// or if it creates an object whose name is unknown.
	Object cache.ObjectName

	// Version is the resource version that the cache must reach, or "" if the server did not report it.
	Version string

	// Deleted reports that the object was deleted. It must be gone from the cache, or marked there as being deleted.
	Deleted bool

	// UnderWay reports that the server has not answered yet.
	UnderWay bool

	// Unknown reports that the outcome of the write is unknown. The store asks the server.
	Unknown bool

	// Err is the error of the last request for an unknown outcome, or nil.
	Err error

	// Restored reports that the resource versions of the server went back, as after a restore from a backup. The
	// informer must list all objects of the resource again.
	Restored bool

	// Since is the time of the write.
	Since time.Time
}

// StaleError reports that caches lack writes.
type StaleError struct {
	// Name is the argument of EnsureReady or WaitUntilReady. It is empty in an error of WaitUntilCurrent.
	Name cache.ObjectName

	// Writes are the writes that caches lack, the oldest first.
	Writes []Write

	at time.Time
}

// Error names the awaited writes and the time since each of them.
func (e *StaleError) Error() string {
	text := "the cache lacks writes"
	if e.Name.Name != "" {
		text += " for " + e.Name.String()
	}
	text += ":"
	for i, w := range e.Writes {
		if i > 0 {
			text += ","
		}
		text += " " + w.Resource.String()
		if object := w.Object.String(); object != "" {
			text += " " + object
		}
		switch {
		case w.Restored:
			text += " in the next list, because the server's versions went back,"
		case w.Since.IsZero():
			text += " in the first list"
			continue
		case w.UnderWay:
			text += " under way"
		case w.Unknown && w.Err != nil:
			text += " with unknown outcome (" + w.Err.Error() + ")"
		case w.Unknown:
			text += " with unknown outcome"
		case w.Deleted:
			text += " deleted"
		default:
			text += " at version " + w.Version
		}
		text += " since " + e.at.Sub(w.Since).Round(time.Millisecond).String()
	}
	return text
}

// CacheError reports that writes of a resource can never be awaited.
type CacheError struct {
	Resource schema.GroupResource

	// Reason explains why.
	Reason string
}

// Error names the resource and the reason.
func (e *CacheError) Error() string {
	return "own writes of " + e.Resource.String() + " cannot be awaited: " + e.Reason
}
