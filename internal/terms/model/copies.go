package model

import "go/token"

// Declared describes how values of a declared type are copied.
type Declared struct {
	TypeRef
	Pos     token.Position
	Params  []string    // names of the type parameters, in order
	Type    *Type       // the underlying type, with its type parameters; nil in packages for which no methods are generated
	Methods CopyMethods // hand-written methods, and methods in generated files that the run does not write

	// Copied means that DeepCopy and DeepCopyInto are generated unless Methods has them.
	Copied bool
	// Interfaces lists the interfaces for which a method DeepCopyNAME is generated, ordered by name. ByValue means that
	// these methods have a value receiver.
	Interfaces []TypeRef
	ByValue    bool
}

// CopyMethods describes the methods that copy values of a type.
type CopyMethods struct {
	DeepCopy     *CopyMethod // DeepCopy() T, or *T for a pointer receiver; nil if there is none
	DeepCopyInto *CopyMethod // DeepCopyInto(*T); nil if there is none
	Interface    bool        // for an interface: its method DeepCopyNAME, where NAME is its own name, returns the interface
	Others       []string    // names of other methods that begin with DeepCopy
	Unusable     []UnusableMethod
}

// UnusableMethod is a method named like a copy method, but with other parameters or results.
type UnusableMethod struct {
	Name   string
	Pos    token.Position
	Wanted string // the declaration that it should have
}

// CopyMethod is DeepCopy or DeepCopyInto of a type.
type CopyMethod struct {
	Pos       token.Position // the zero Position for methods of other packages' generated files
	Pointer   bool           // the receiver is a pointer
	Generated bool           // the method is in a generated file
}

// Any reports whether the type has DeepCopy or DeepCopyInto.
func (m CopyMethods) Any() bool { return m.DeepCopy != nil || m.DeepCopyInto != nil }

// Has reports whether the type has DeepCopy or DeepCopyInto, or will have them after generation.
func (d *Declared) Has() bool { return d != nil && (d.Copied || d.Methods.Any()) }

// Underlying returns the underlying type of a declared type, and t itself for any other type.
func (t *Type) Underlying() *Type {
	for t.Kind == Named {
		t = t.Elem
	}
	return t
}
