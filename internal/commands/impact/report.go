package impact

import (
	"cmp"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// PackageChanges is a generated package with breaking changes.
type PackageChanges struct {
	Path    string // import path
	Changes []Change
}

// Report is the breaking changes of several packages, ordered by import path.
type Report []PackageChanges

// count returns the numbers of changed and removed symbols, and of clients whose requests go to another URL.
func (r Report) count() (changed, removed, moved int) {
	for _, pkg := range r {
		for _, c := range pkg.Changes {
			switch c.Difference {
			case Removed:
				removed++
			case URLChanged:
				moved++
			default:
				changed++
			}
		}
	}
	return changed, removed, moved
}

// Total returns the number of changes.
func (r Report) Total() int {
	changed, removed, moved := r.count()
	return changed + removed + moved
}

// Split returns the changes of a kind, and the ones of all other kinds.
func (r Report) Split(kind Difference) (only, others Report) {
	is := func(c Change) bool { return c.Difference == kind }
	return r.filter(is), r.filter(func(c Change) bool { return !is(c) })
}

func (r Report) filter(keep func(Change) bool) (rest Report) {
	for _, pkg := range r {
		changes := slices.DeleteFunc(slices.Clone(pkg.Changes), func(c Change) bool { return !keep(c) })
		if len(changes) > 0 {
			rest = append(rest, PackageChanges{pkg.Path, changes})
		}
	}
	return rest
}

func (r Report) String() string {
	changed, removed, moved := r.count()
	text := fmt.Sprintf("exported API: %d changed, %d removed", changed, removed)
	switch moved {
	case 0:
		return text
	case 1:
		return text + "; the URL of 1 client changes"
	}
	return text + fmt.Sprintf("; the URLs of %d clients change", moved)
}

// Describe returns a description of the change in one line.
func (c Change) Describe() string {
	var what string
	unless := ""
	if c.Unless != "" {
		unless = ", unless an embedded " + c.Unless + " of a package that is not found has it"
	}
	switch c.Difference {
	case Removed:
		what = "removed" + unless + "; was " + c.Was
		if c.Symbol == "" {
			return "the package is removed"
		}
	case Changed:
		what = "was " + c.Was + ", is " + c.Is
	case MethodAdded:
		what = "added to the interface, which breaks its other implementations" + unless + "; is " + c.Is
	case URLChanged:
		what = "requests went to the resource " + c.Was + ", and go to " + c.Is
	case TypesMoved:
		return "types moved to " + c.Is + ", which changes " + diag.Count(c.symbols, "symbol")
	}
	if c.Symbol == "" {
		return what
	}
	return c.Symbol + ": " + what
}

// Lines returns at most atMost changes, grouped by package.
func (r Report) Lines(atMost int) (lines []string) {
	for _, pkg := range r {
		if atMost == 0 {
			break
		}
		lines = append(lines, pkg.Path)
		for _, c := range pkg.Changes[:min(atMost, len(pkg.Changes))] {
			lines = append(lines, "\t"+c.Describe())
			atMost--
		}
	}
	return lines
}

// Diagnostics returns the changes as diagnostics.
func (r Report) Diagnostics(severity diag.Severity) (list diag.List) {
	for _, pkg := range r {
		for _, c := range pkg.Changes {
			separator, symbol := ": ", pkg.Path
			if c.Symbol != "" {
				separator, symbol = ".", pkg.Path+"."+c.Symbol
			}
			d := list.Add(severity, token.Position{}, "exported API: %s%s%s", pkg.Path, separator, c.Describe())
			d.Symbol = symbol
			if c.File != "" {
				d.Pos = token.Position{Filename: c.File, Line: c.Line}
			}
		}
	}
	return list
}

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
