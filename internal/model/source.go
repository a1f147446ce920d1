package model

import "go/token"

// Source is the origin of a fact about the API, such as a name or scope.
type Source struct {
	Kind SourceKind
	Text string         // the text that determines it: "+groupName=apps", "SchemeGroupVersion", "--plural-exceptions"; the import path for FromPath; "" for FromDefault
	Pos  token.Position // position of the text; the zero Position if it has none
}

// PlaceOf returns where a fact about the resource is stated, or the place of the resource where nothing states it.
func (r *Resource) PlaceOf(fact Source) token.Position {
	if fact.Pos.IsValid() {
		return fact.Pos
	}
	return r.Pos
}

// SourceKind is a kind of origin.
type SourceKind int

// The kinds of origin, weakest first.
const (
	FromDefault     SourceKind = iota // the default
	FromPath                          // the package's directories
	FromModule                        // a go.mod file
	FromDeclaration                   // Go code
	FromFlag                          // the command line
	FromMarker                        // a comment
)

func (k SourceKind) String() string {
	return [...]string{"default", "path", "module", "declaration", "flag", "marker"}[k]
}
