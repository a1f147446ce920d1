package diag

import "go/token"

// Lines finds the lines with diagnostics in lists, which may grow.
type Lines struct {
	lists []*List
	read  []int // numbers of diagnostics that are in found
	found map[token.Position]bool
}

// LinesOf returns the lines with diagnostics in lists.
func LinesOf(lists ...*List) *Lines {
	return &Lines{lists, make([]int, len(lists)), map[token.Position]bool{}}
}

// Has reports whether there is a diagnostic on the line of a position.
func (l *Lines) Has(pos token.Position) bool {
	for i, list := range l.lists {
		for _, d := range (*list)[l.read[i]:] {
			l.found[lineOf(d.Pos)] = true
		}
		l.read[i] = len(*list)
	}
	return l.found[lineOf(pos)]
}

func lineOf(pos token.Position) token.Position {
	return token.Position{Filename: pos.Filename, Line: pos.Line}
}
