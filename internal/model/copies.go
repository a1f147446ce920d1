package model

import "go/token"

// Declared is a declared type, as far as copying it is concerned.
type Declared struct {
	TypeRef
	Pos     token.Position
	Params  []string    // the names of its type parameters, in order
	Type    *Type       // what it is, its type parameters standing for themselves; nil in packages that get no methods
	Methods CopyMethods // that it has by hand, or in files that the run does not write

	// Copied says that it gets those of DeepCopy and DeepCopyInto that it does not have.
	Copied bool
	// Interfaces are those of which a copy is returned, each by a method that is called DeepCopy and the name of the interface;
	// ordered by that name. ByValue says that the receiver of these methods is no pointer.
	Interfaces []TypeRef
	ByValue    bool
}

// CopyMethods are the methods of a type that return or fill copies of it.
type CopyMethods struct {
	DeepCopy     *CopyMethod // DeepCopy() T, or *T for a pointer receiver; nil where there is none
	DeepCopyInto *CopyMethod // DeepCopyInto(*T); nil where there is none
	Interface    bool        // of an interface: it has a method DeepCopyNAME, after its own name, that returns the interface
	Others       []string    // names of other methods that begin with DeepCopy
}

// CopyMethod is one of these methods.
type CopyMethod struct {
	Pos       token.Position // the zero Position for methods of other packages' generated files
	Pointer   bool           // its receiver is a pointer
	Generated bool           // it is in a generated file
}

// Any reports whether the type has a method by which to copy it.
func (m CopyMethods) Any() bool { return m.DeepCopy != nil || m.DeepCopyInto != nil }

// Has reports whether the type has methods by which to copy it, or gets them.
func (d *Declared) Has() bool { return d != nil && (d.Copied || d.Methods.Any()) }

// Underlying returns what a declared type is made of, or else the type itself.
func (t *Type) Underlying() *Type {
	for t.Kind == Named {
		t = t.Elem
	}
	return t
}
