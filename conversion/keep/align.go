package keep

import "encoding/json"

// How well a present element fits a kept one: only values were added to it, or it is equal. 0 means not at all.
const (
	added = iota + 1
	equal
)

// maxPairs limits the pairs of elements that are compared to align lists in order.
const maxPairs = 1 << 18

// align returns for each present element of a list the index of the kept one that it is, or -1. The elements of the
// best alignment in order come first: most elements of a list stay in order when others are added or removed. Then
// come elements that are elsewhere: equal ones, and ones to which only values were added.
func align(kept, present []any) []int {
	texts, all := make([]string, len(kept)), make([]string, len(present))
	for i := range kept {
		texts[i] = textOfIdentity(kept[i])
	}
	for i := range present {
		all[i] = textOfIdentity(present[i])
	}
	fits := func(k, p int) int {
		switch {
		case texts[k] == all[p]:
			return equal
		case adds(kept[k], present[p]):
			return added
		}
		return 0
	}
	found := make([]int, len(present))
	for i := range found {
		found[i] = -1
	}
	used := make([]bool, len(kept))
	take := func(k, p int) { found[p], used[k] = k, true }
	alignInOrder(len(kept), len(present), fits, take)
	for _, least := range []int{equal, added} {
		for k := range kept {
			for p := 0; p < len(present) && !used[k]; p++ {
				if found[p] < 0 && fits(k, p) >= least {
					take(k, p)
				}
			}
		}
	}
	return found
}

// alignInOrder takes as many pairs of elements as keep the order, and of several such choices the one with most equal
// elements, then with most elements at their former index.
func alignInOrder(kept, present int, fits func(k, p int) int, take func(k, p int)) {
	first := 0 // as far as elements are equal, or else all, if none was added or removed, but only values
	for first < min(kept, present) && fits(first, first) == equal {
		first++
	}
	inPlace := first
	for kept == present && inPlace < kept && fits(inPlace, inPlace) > 0 {
		inPlace++
	}
	if inPlace == kept {
		first = inPlace
	}
	for i := range first {
		take(i, i)
	}
	rows, columns := kept-first, present-first
	if rows*columns > maxPairs {
		return
	}
	pair := 6 * (rows + columns) // more than what the sum of all other scores can be
	score := func(k, p int) int {
		n := fits(first+k, first+p)
		if n > 0 {
			n = pair + 2*n
		}
		if n > 0 && k == p {
			n++
		}
		return n
	}
	best := make([][]int, rows+1) // the greatest sum for the elements from k and p on
	for k := range best {
		best[k] = make([]int, columns+1)
	}
	for k := rows - 1; k >= 0; k-- {
		for p := columns - 1; p >= 0; p-- {
			best[k][p] = max(best[k+1][p], best[k][p+1])
			if n := score(k, p); n > 0 {
				best[k][p] = max(best[k][p], n+best[k+1][p+1])
			}
		}
	}
	for k, p := 0, 0; k < rows && p < columns; {
		switch n := score(k, p); {
		case n > 0 && best[k][p] == n+best[k+1][p+1]:
			take(first+k, first+p)
			k, p = k+1, p+1
		case best[k][p] == best[k+1][p]:
			k++
		default:
			p++
		}
	}
}

func textOfIdentity(value any) string {
	text, _ := json.Marshal(value) // it was decoded from JSON
	return string(text)
}
