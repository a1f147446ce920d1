package model

import "slices"

// Verb is an operation of a client on a resource, as +genclient markers spell it.
type Verb string

// The verbs, in the order of the methods of clients.
const (
	VerbCreate           Verb = "create"
	VerbUpdate           Verb = "update"
	VerbUpdateStatus     Verb = "updateStatus"
	VerbDelete           Verb = "delete"
	VerbDeleteWithResult Verb = "deleteWithResult" // since v0.38, see Capability
	VerbDeleteCollection Verb = "deleteCollection"
	VerbGet              Verb = "get"
	VerbList             Verb = "list"
	VerbWatch            Verb = "watch"
	VerbPatch            Verb = "patch"
	VerbApply            Verb = "apply"
	VerbApplyStatus      Verb = "applyStatus"
)

// AllVerbs returns every verb, in the order of the methods of clients.
func AllVerbs() []Verb { return slices.Clone(allVerbs) }

var allVerbs = []Verb{
	VerbCreate, VerbUpdate, VerbUpdateStatus, VerbDelete, VerbDeleteWithResult, VerbDeleteCollection,
	VerbGet, VerbList, VerbWatch, VerbPatch, VerbApply, VerbApplyStatus,
}

// Capability returns the capability of client-go that the verb requires, or "" if all releases have the verb.
func (v Verb) Capability() Capability {
	if v == VerbDeleteWithResult {
		return DeleteWithResult
	}
	return ""
}

// Knows reports whether clients of client-go can have the method for a verb.
func (c Client) Knows(v Verb) bool { return v.Capability() == "" || c.Has(v.Capability()) }

// Verbs is a set of verbs. The zero value is empty.
type Verbs uint16

// NewVerbs returns the set of the given verbs. Unknown verbs are ignored.
func NewVerbs(verbs ...Verb) Verbs {
	var set Verbs
	for _, v := range verbs {
		set |= v.bit()
	}
	return set
}

// Has reports whether the set contains v.
func (s Verbs) Has(v Verb) bool { return s&v.bit() != 0 }

// Without returns the set without the given verbs.
func (s Verbs) Without(verbs ...Verb) Verbs { return s &^ NewVerbs(verbs...) }

// List returns the verbs of the set in the order of the methods of clients.
func (s Verbs) List() []Verb {
	var list []Verb
	for _, v := range allVerbs {
		if s.Has(v) {
			list = append(list, v)
		}
	}
	return list
}

func (v Verb) bit() Verbs {
	if i := slices.Index(allVerbs, v); i >= 0 {
		return 1 << i
	}
	return 0
}
