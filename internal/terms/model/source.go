package model

import (
	"cmp"
	"go/token"
)

// Source is the origin of a fact about the API, such as a name or scope.
type Source struct {
	Kind SourceKind
	Text string         // text that determines the fact: "+groupName=apps", "SchemeGroupVersion", "--plural-exceptions"; the name of a CustomResourceDefinition; the import path for FromPath; "" for FromDefault
	Pos  token.Position // position of the text; the zero Position if it has none
}

// PlaceOf returns the position of a fact about the resource, or the position of the resource if the fact has none.
func (r *Resource) PlaceOf(fact Source) token.Position { return cmp.Or(fact.Pos, r.Pos) }

// SourceKind is a kind of Source.
type SourceKind int

// Kinds of sources, weakest first.
const (
	FromDefault     SourceKind = iota // the default
	FromPath                          // names of the package's directories
	FromModule                        // a go.mod file
	FromDeclaration                   // Go code
	FromFlag                          // the command line
	FromMarker                        // a comment
	FromManifest                      // a CustomResourceDefinition of an imported kind
	FromEdit                          // an edit in kubegen.yaml
)

func (k SourceKind) String() string {
	return [...]string{"default", "path", "module", "declaration", "flag", "marker", "manifest", "edit"}[k]
}
