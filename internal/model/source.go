package model

import "go/token"

// Source says where a fact of the API comes from.
type Source struct {
	Kind SourceKind
	Text string         // what says it: "+groupName=apps", "SchemeGroupVersion", "--plural-exceptions"; the import path for FromPath; "" for FromDefault
	Pos  token.Position // where it is said; the zero Position where there is no such place
}

// SourceKind is the kind of thing that a fact comes from.
type SourceKind int

// The kinds of source, the weakest first.
const (
	FromDefault     SourceKind = iota // nothing says otherwise
	FromPath                          // the package's folders
	FromDeclaration                   // Go code
	FromFlag                          // the command line
	FromMarker                        // a comment
)

func (k SourceKind) String() string {
	return [...]string{"default", "path", "declaration", "flag", "marker"}[k]
}
