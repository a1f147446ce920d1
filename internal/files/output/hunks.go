package output

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// contextLines is the number of unchanged lines around a change. It is git's default.
const contextLines = 3

// hunks returns the differences between two contents in the unified format, without the lines that name the files
// (https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html). Like patience diff, it looks for
// lines that occur once in each content, and keeps the equal lines around them. The time is almost linear in the number
// of lines.
func hunks(old, new []byte) []byte {
	x, y := textLines(old), textLines(new)
	var text bytes.Buffer
	var open hunk
	for gap := range gaps(x, y) {
		if open.lines > 0 && gap.x.from-open.x.to > 2*contextLines {
			open.unchanged(x, open.x.to+contextLines)
			open.write(&text, x)
			open = hunk{}
		}
		if open.lines == 0 {
			context := min(contextLines, gap.x.from)
			open.x, open.y = at(gap.x.from-context), at(gap.y.from-context)
		}
		open.unchanged(x, gap.x.from)
		open.add('-', x[gap.x.from:gap.x.to])
		open.add('+', y[gap.y.from:gap.y.to])
		open.x.to, open.y.to = gap.x.to, gap.y.to
	}
	if open.lines > 0 {
		open.unchanged(x, min(open.x.to+contextLines, len(x)))
		open.write(&text, x)
	}
	return text.Bytes()
}

// textLines splits a content after each newline. The last line may lack one.
func textLines(content []byte) []string {
	lines := strings.SplitAfter(string(content), "\n")
	return lines[:len(lines)-1+min(1, len(lines[len(lines)-1]))]
}

// span is a half-open range of lines, counted from 0.
type span struct{ from, to int }

func at(line int) span { return span{line, line} }

// String returns the span in the form used by the header of a hunk: N for the single line N, N,0 for an empty span
// after line N, and otherwise the first line and the number of lines.
func (s span) String() string {
	switch s.to - s.from {
	case 0:
		return fmt.Sprintf("%d,0", s.from)
	case 1:
		return fmt.Sprint(s.to)
	}
	return fmt.Sprintf("%d,%d", s.from+1, s.to-s.from)
}

// gap is a range of old lines and the range of new lines that replaces it.
type gap struct{ x, y span }

// hunk is a group of differences, with the unchanged lines around and between them.
type hunk struct {
	x, y  span
	lines int
	body  strings.Builder
}

func (h *hunk) add(sign byte, lines []string) {
	for _, line := range lines {
		h.body.WriteByte(sign)
		h.body.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			h.body.WriteString("\n\\ No newline at end of file\n")
		}
	}
	h.lines += len(lines)
}

// unchanged adds the lines of x up to, but not including, to.
func (h *hunk) unchanged(x []string, to int) {
	h.add(' ', x[h.x.to:to])
	h.y.to += to - h.x.to
	h.x.to = to
}

func (h *hunk) write(text *bytes.Buffer, x []string) {
	fmt.Fprintf(text, "@@ -%v +%v @@%s\n%s", h.x, h.y, sectionBefore(x[:h.x.from]), h.body.String())
}

// gaps yields the differing ranges of x and y, in order.
func gaps(x, y []string) iter.Seq[gap] {
	return func(yield func(gap) bool) {
		var doneX, doneY int // all lines before these are done
		for _, anchor := range append(anchors(x, y), [2]int{len(x), len(y)}) {
			fromX, fromY := anchor[0], anchor[1]
			if fromX < doneX { // among the equal lines around the previous anchor
				continue
			}
			for fromX > doneX && fromY > doneY && x[fromX-1] == y[fromY-1] {
				fromX, fromY = fromX-1, fromY-1
			}
			if (fromX > doneX || fromY > doneY) && !yield(gap{span{doneX, fromX}, span{doneY, fromY}}) {
				return
			}
			doneX, doneY = anchor[0], anchor[1]
			for doneX < len(x) && doneY < len(y) && x[doneX] == y[doneY] {
				doneX, doneY = doneX+1, doneY+1
			}
		}
	}
}

// anchors returns pairs of indexes of lines that occur once in x and once in y, in a longest sequence that is
// increasing in both. The start of x and y is also an anchor.
func anchors(x, y []string) [][2]int {
	type places struct{ inX, inY, x, y int }
	found := make(map[string]*places, len(x))
	for i, line := range x {
		if found[line] == nil {
			found[line] = &places{}
		}
		found[line].inX, found[line].x = found[line].inX+1, i
	}
	for i, line := range y {
		if p := found[line]; p != nil {
			p.inY, p.y = p.inY+1, i
		}
	}
	// Find the longest increasing subsequence of positions in y. ends[n] is the smallest end of a subsequence with n+1
	// elements.
	type link struct {
		x, y   int
		before *link
	}
	var ends []*link
	for i, line := range x {
		if p := found[line]; p.inX == 1 && p.inY == 1 {
			n, _ := slices.BinarySearchFunc(ends, p.y, func(end *link, y int) int { return end.y - y })
			next := &link{x: i, y: p.y}
			if n > 0 {
				next.before = ends[n-1]
			}
			if n == len(ends) {
				ends = append(ends, nil)
			}
			ends[n] = next
		}
	}
	pairs := [][2]int{}
	if len(ends) > 0 {
		for l := ends[len(ends)-1]; l != nil; l = l.before {
			pairs = append(pairs, [2]int{l.x, l.y})
		}
	}
	pairs = append(pairs, [2]int{})
	slices.Reverse(pairs)
	return pairs
}

// sectionBefore returns the text that git appends to the header of a hunk: the nearest line above it that begins with a
// letter, _ or $.
func sectionBefore(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if section.MatchString(line) {
			return " " + strings.TrimRight(line[:min(len(line), 80)], " \t\n")
		}
	}
	return ""
}
