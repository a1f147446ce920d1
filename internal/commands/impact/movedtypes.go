package impact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// qualified matches a type of a package with a path of several elements, as it is written in declarations:
// "example.com/api/v1.Foo".
var qualified = regexp.MustCompile(`([\w.~-]+(?:/[\w.~-]+)+)\.(\w+)`)

// move is a pair of packages: types of from are now in to.
type move struct{ from, to string }

// Collapsed returns the report with one TypesMoved change for each pair of packages. It replaces the changes that
// consist only of types that moved from one package to the other.
func (r Report) Collapsed() Report {
	moved := map[move]int{}
	rest := r.filter(func(c Change) bool {
		moves := c.moves()
		for _, m := range moves {
			moved[m]++
		}
		return len(moves) == 0
	})
	for m, symbols := range moved {
		rest = append(rest, PackageChanges{m.from, []Change{{Difference: TypesMoved, Was: m.from, Is: m.to, symbols: symbols}}})
	}
	slices.SortStableFunc(rest, func(a, b PackageChanges) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Changes[0].Is, b.Changes[0].Is))
	})
	return rest
}

// moves returns the pairs of packages between which types have moved, if the declaration is otherwise the same.
func (c Change) moves() (moves []move) {
	was, is := qualified.FindAllStringSubmatch(c.Was, -1), qualified.FindAllStringSubmatch(c.Is, -1)
	if c.Difference != Changed || len(was) != len(is) || qualified.ReplaceAllString(c.Was, "$2") != qualified.ReplaceAllString(c.Is, "$2") {
		return nil
	}
	for i := range was {
		if m := (move{was[i][1], is[i][1]}); m.from != m.to && !slices.Contains(moves, m) {
			moves = append(moves, m)
		}
	}
	return moves
}
