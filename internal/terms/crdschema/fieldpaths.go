// This file reads paths of fields in objects, such as spec.nodeName, and combines them into trees. It knows
// neither schemas nor Go types.

package crdschema

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Path holds the JSON names of fields, the outermost first.
type Path []string

// ParsePath reads a path such as status.conditions.type. Lists and maps on the way need no syntax; [*] or [] may follow
// their names, as in the JSON paths of kubectl. A name with a dot or bracket is in brackets and quotes, as in
// status.counts['a.b'], or has a backslash before the dot or bracket. The path may begin with a dot.
func ParsePath(text string) (Path, error) {
	var path Path
	rest := strings.TrimPrefix(text, ".")
	for {
		name := ""
		if strings.HasPrefix(rest, "['") || strings.HasPrefix(rest, `["`) {
			end := 0
			if name, end = unescaped(rest[2:], rest[1:2]); !strings.HasPrefix(rest[2+end:], rest[1:2]+"]") {
				return nil, errors.New("a quote and a closing bracket must follow a name in quotes")
			}
			rest = rest[2+end+2:]
		} else {
			end := 0
			name, end = unescaped(rest, ".[")
			rest = rest[end:]
		}
		if name == "" {
			return nil, errors.New("a name is missing, as in spec.nodeName")
		}
		path = append(path, name)
		for strings.HasPrefix(rest, "[*]") || strings.HasPrefix(rest, "[]") {
			_, rest, _ = strings.Cut(rest, "]")
		}
		switch {
		case rest == "":
			return path, nil
		case rest[0] == '.':
			rest = rest[1:]
			if strings.HasPrefix(rest, "[") {
				return nil, errors.New("a name is missing between a dot and a bracket")
			}
		case strings.HasPrefix(rest, "['"), strings.HasPrefix(rest, `["`):
		default:
			return nil, errors.New("brackets can only contain a name in quotes, or * for all elements of a list or map")
		}
	}
}

// unescaped returns the text before the first of the characters in ends, without its backslashes, and the length of the
// text with them.
func unescaped(text, ends string) (name string, length int) {
	var b strings.Builder
	for length < len(text) && !strings.Contains(ends, text[length:length+1]) {
		if text[length] == '\\' && length+1 < len(text) {
			length++
		}
		b.WriteByte(text[length])
		length++
	}
	return b.String(), length
}

var plainName = regexp.MustCompile(`^[^.\[\]'"\\]+$`)

// String returns the path in the form that Parse reads.
func (p Path) String() string {
	var b strings.Builder
	for i, name := range p {
		switch {
		case !plainName.MatchString(name):
			b.WriteString("['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "']")
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

// PathTree combines paths: each node stands for a value, and lists the fields of it to keep. The zero value keeps none.
type PathTree struct {
	whole  bool
	fields map[string]*PathTree
}

// PathTreeOf returns the tree that keeps only the last field of a path, as a whole.
func PathTreeOf(p Path) *PathTree {
	if len(p) == 0 {
		return &PathTree{whole: true}
	}
	return &PathTree{fields: map[string]*PathTree{p[0]: PathTreeOf(p[1:])}}
}

// Add adds a path: its last field is kept as a whole.
func (t *PathTree) Add(p Path) { t.Merge(PathTreeOf(p)) }

// Whole reports whether the value is kept with all of its fields.
func (t *PathTree) Whole() bool { return t.whole }

// Field returns the tree of a field that is kept, as a whole or in part. It returns nil for other fields, and for all
// fields of a nil tree. For a value kept as a whole, it returns a tree for any field.
func (t *PathTree) Field(name string) *PathTree {
	if t == nil || t.whole {
		return t
	}
	return t.fields[name]
}

// Paths returns the paths, sorted, without paths that others contain.
func (t *PathTree) Paths() []Path { return t.paths(nil) }

func (t *PathTree) paths(at Path) (all []Path) {
	if t.whole {
		return []Path{at}
	}
	for _, name := range slices.Sorted(maps.Keys(t.fields)) {
		all = append(all, t.fields[name].paths(append(slices.Clip(at), name))...)
	}
	return all
}

// Merge adds all paths of another tree. It reports whether the tree then keeps more than before.
func (t *PathTree) Merge(other *PathTree) (more bool) {
	switch {
	case t.whole:
		return false
	case other.whole:
		t.whole, t.fields = true, nil
		return true
	}
	for name, field := range other.fields {
		if t.fields == nil {
			t.fields = map[string]*PathTree{}
		}
		if t.fields[name] == nil {
			t.fields[name], more = &PathTree{}, true
		}
		if t.fields[name].Merge(field) {
			more = true
		}
	}
	return more
}

// Has reports whether a value is kept, as a whole or in part.
func (t *PathTree) Has(p Path) bool {
	for _, name := range p {
		t = t.Field(name)
	}
	return t != nil
}
