package markers

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// Misspelling is a marker that every known tool ignores, because its name misspells a known one, or because no
// arguments follow its colon.
type Misspelling struct {
	Name    string // the name in the source, without the leading "+"; "" if a space follows the "+"
	Nearest string // the known name; the text after the space if Name is ""; "" if Name begins with kubegen: and resembles no known name
	Pos     token.Position
	Lacks   bool // Name is known, and the arguments are missing
}

// Affects returns the effects of the marker that was meant.
func (m Misspelling) Affects() Effect {
	name, _, _ := strings.Cut(m.Nearest, "=")
	return Affects(strings.TrimSuffix(name, ":"))
}

// own is the prefix of markers that no other tool reads.
const own = "kubegen:"

// Misspellings returns the misspelled markers in comments, in order. Unknown markers that do not resemble a known one
// belong to other tools, unless they have the prefix of kubegen's.
func Misspellings(fset *token.FileSet, groups ...*ast.CommentGroup) (found []Misspelling) {
	for _, group := range groups {
		for _, comment := range group.List {
			block := comment.Text[1] == '*'
			if text := strings.TrimLeft(comment.Text[2:], " \t*"); !block &&
				(!strings.HasPrefix(text, "+") || !misspells(text) && lacksArguments(text) == "") {
				continue // true for nearly all comments
			}
			for _, line := range Lines(fset, &ast.CommentGroup{List: []*ast.Comment{comment}}) {
				if name, nearest, at, ok := misspelled(line.Text); ok {
					line.Pos.Column += at
					line.Pos.Offset += at
					found = append(found, Misspelling{name, nearest, line.Pos, false})
				} else if name = lacksArguments(line.Text); name != "" {
					found = append(found, Misspelling{name, name, line.Pos, true})
				}
			}
		}
	}
	return found
}

// Respelled returns lines of a declaration in which the misspelled markers at some positions have the names that they
// misspell.
func Respelled(lines []Line, at map[token.Position]bool) []Line {
	respelled := slices.Clone(lines)
	for i, line := range lines {
		name, nearest, offset, ok := misspelled(line.Text)
		pos := line.Pos
		pos.Column += offset
		pos.Offset += offset
		if !ok || nearest == "" || !at[pos] {
			continue
		}
		before, after := line.Text[:offset+1], line.Text[offset+1:]
		if name == "" { // nearest is all of the text
			after = ""
		}
		respelled[i].Text = before + nearest + strings.TrimPrefix(after, name)
	}
	return respelled
}

// lacksArguments returns the name of the marker in a line that ends with a colon, or a colon and a word, in place of
// arguments. It returns "" for other lines.
func lacksArguments(line string) string {
	name := line[1:]
	if end := strings.IndexAny(name, "=([ \t"); end >= 0 {
		if name = name[:end]; line[1+end] == '=' {
			return ""
		}
	}
	if def := withoutArgument(name); def != nil && def.Name != name {
		return def.Name
	}
	return ""
}

func misspells(text string) bool {
	_, _, _, ok := misspelled(text)
	return ok
}

// misspelled returns the name of the marker in a line and the known name that it misspells, if any. If the marker is
// known and its value is another marker, as in +k8s:eachVal=+k8s:maxLength=63, the value is examined. at is the offset
// of the misspelled marker.
func misspelled(line string) (name, nearest string, at int, found bool) {
	text := line
	for strings.HasPrefix(text, "+") {
		end := strings.IndexAny(text, "=([ \t")
		if end < 0 {
			end = len(text)
		}
		name := strings.TrimSuffix(text[1:end], ":") // as in +listType:=map
		if name == "" {                              // "+ optional"
			rest := strings.TrimLeft(text[end:], " \t")
			name, _, _ := strings.Cut(rest, "=")
			return "", rest, 0, IsKnown(name)
		}
		if bare := strings.TrimRight(name, ":"); bare != name && IsKnown(bare) { // +kubebuilder:default::=x
			return name, bare, len(line) - len(text), true
		}
		if !IsKnown(name) {
			nearest, ok := nearestName(name, text[end:])
			return name, nearest, len(line) - len(text), ok || strings.HasPrefix(name, own)
		}
		value := strings.Index(text, "=+")
		if value < 0 {
			break
		}
		text = text[value+1:]
	}
	return "", "", 0, false
}

// IsKnown reports whether a name is known, or begins with a known name that takes arguments.
func IsKnown(name string) bool {
	known := knownNames()
	if _, ok := known[name]; ok {
		return true
	}
	for end := len(name); end >= 0; end = strings.LastIndexByte(name[:end], ':') {
		if known[name[:end]] {
			return true
		}
	}
	return false
}

// sortedNames returns the names of knownNames, sorted.
var sortedNames = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(knownNames())) })

// nearestName returns the known name that an unknown name misspells. A name without a prefix may be a word of prose, so
// it must have at least six letters, and a value or nothing after it.
func nearestName(name, rest string) (nearest string, ok bool) {
	bare := !strings.Contains(name, ":")
	if bare && (len(name) < 6 || rest != "" && rest[0] != '=') {
		return "", false
	}
	if first, rest, _ := strings.Cut(name, ":"); first != "" && strings.HasPrefix("kubebuilder", first) && IsKnown("kubebuilder:"+rest) {
		return "kubebuilder:" + rest, true // +kube:validation:MinLength
	}
	best := maxEdits + 1
	for _, known := range sortedNames() {
		if bare == strings.Contains(known, ":") {
			continue
		}
		word := name
		if knownNames()[known] {
			word = firstParts(name, 1+strings.Count(known, ":"))
		}
		arguments := name[len(word):]
		word, other := different(word, known)
		allowed := min(maxEdits, max(1, min(len(word), len(other))/4))
		if max(len(word)-len(other), len(other)-len(word)) > allowed {
			continue
		}
		if d := diag.Distance(strings.ToLower(word), strings.ToLower(other)); d <= allowed && d < best {
			nearest, best = known+arguments, d
		}
	}
	return nearest, nearest != ""
}

// maxEdits is the maximum number of edits between a name and its misspelling. For short names, it is one for every four
// letters of the parts that differ.
const maxEdits = 3

// different returns two names without their common leading parts, and without -gen if both end in it.
func different(a, b string) (string, string) {
	for {
		part, rest, ok := strings.Cut(a, ":")
		otherPart, otherRest, otherOK := strings.Cut(b, ":")
		if !ok || !otherOK || part != otherPart {
			break
		}
		a, b = rest, otherRest
	}
	shortA, okA := strings.CutSuffix(a, "-gen")
	shortB, okB := strings.CutSuffix(b, "-gen")
	if okA && okB {
		return shortA, shortB
	}
	return a, b
}

// firstParts returns the first n parts of a name, which are separated by colons.
func firstParts(name string, n int) string {
	for i := range len(name) {
		if name[i] == ':' {
			if n--; n == 0 {
				return name[:i]
			}
		}
	}
	return name
}
