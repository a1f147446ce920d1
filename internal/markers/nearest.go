package markers

import "strings"

// Nearest returns the candidate that word was most likely meant to be: the one with the fewest single-letter edits,
// letter case aside, if those are few enough. The first of equals wins.
func Nearest(word string, candidates []string) (string, bool) {
	best, bestDistance := "", 1+max(2, len(word)/4)
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// distance is the Levenshtein distance of two ASCII words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
