// This file finds the known word that a misspelled word is nearest to.

package diag

import "strings"

// Nearest returns the candidate that word most likely misspells: the candidate at the smallest edit distance, ignoring
// case, if that is small for the length of the word. An edit inserts, deletes or replaces a letter, or swaps two
// adjacent letters. Of several equally near candidates, the first one wins. A word of one letter has no nearest
// candidate.
func Nearest(word string, candidates []string) (string, bool) {
	best, bestDistance := "", min(len(word), 1+max(1, len(word)/4))
	for _, c := range candidates {
		if max(len(c)-len(word), len(word)-len(c)) >= bestDistance { // the distance is at least as large
			continue
		}
		if d := Distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// Meant returns the advice to write the nearest candidate behind a prefix, or "" if there is none.
func Meant(word string, candidates []string, prefix string) string {
	if nearest, ok := Nearest(word, candidates); ok {
		return "did you mean " + prefix + nearest + "?"
	}
	return ""
}

// Joined returns words with commas and, before the last one, a conjunction: "a, b and c".
func Joined(words []string, conjunction string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}

// Distance returns the edit distance of two ASCII words, where no letter is edited twice (optimal string alignment).
func Distance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			replaced := row[j]
			if a[i] != b[j] {
				replaced++
			}
			next[j+1] = min(replaced, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
