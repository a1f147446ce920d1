package apitest

import (
	"fmt"
	"strings"
)

// layouts writes types with fields in random layouts: on one line or several, with several names, tags, comments and
// structs in fields.
type layouts struct {
	source
	next  int
	types []string // declarations
}

// structure returns the text of a struct, and the paths of its fields without fields of their own.
func (l *layouts) structure(depth int) (text string, paths [][]string) {
	var b strings.Builder
	b.WriteString("struct {")
	b.WriteString(l.oneOf("", "", " ", "\n", "\n\n", " // start\n", " /* start */ "))
	n := 1 + l.IntN(4)
	for i := range n {
		l.next++
		names := []string{fmt.Sprintf("F%d", l.next)}
		typ, inner := l.oneOf("string", "int", "[]string", "map[string]int"), [][]string{nil}
		if depth > 0 && l.IntN(2) == 0 {
			typ, inner = l.structure(depth - 1)
			if l.IntN(2) == 0 {
				name := "T" + names[0]
				l.types, typ = append(l.types, name+" "+typ), name
			}
		}
		b.WriteString(l.oneOf("", "", "", "// doc\n", "// doc\n// +optional\n", "/* doc */ ", "\n\n// alone\n\n"))
		switch embeds := strings.HasPrefix(typ, "T"); {
		case embeds && l.IntN(3) == 0:
			names = []string{""}
			b.WriteString(typ)
		default:
			for len(inner[0]) == 0 && l.IntN(3) == 0 { // the fields of a struct with several names are kept for all of them
				l.next++
				names = append(names, fmt.Sprintf("F%d", l.next))
			}
			b.WriteString(strings.Join(names, l.oneOf(", ", ",", ",\n", ", /* and */ ")) + " " + l.oneOf("", "", "[]", "*", "map[string]") + typ)
		}
		if len(names) == 1 && names[0] != "" && l.IntN(2) == 0 {
			b.WriteString(fmt.Sprintf(" `json:%q`", "f"+names[0]))
			names[0] = "f" + names[0]
		}
		for _, name := range names {
			for _, rest := range inner {
				path := rest
				if name != "" {
					path = append([]string{name}, rest...)
				}
				paths = append(paths, path)
			}
		}
		separators := []string{"; ", ";", " ;", "\n", "\n\n", ";\n", " // end\n", "; // end\n", " /* end */ ; ", "; /* end */ ", " /* end */\n"}
		if i == n-1 {
			separators = append(separators, "", "", "", " ", " /* end */ ")
		}
		b.WriteString(l.oneOf(separators...))
	}
	return b.String() + "}", paths
}

// Layouts returns declarations of a struct Spec and of types in its fields, in the layouts of a seed, the paths of the
// fields without fields of their own, and some of these or paths to them that are selected.
func Layouts(seed uint64) (text string, paths, selected [][]string) {
	l := &layouts{source: newSource(seed, 0)}
	spec, paths := l.structure(3)
	l.types = append(l.types, "Spec "+spec)
	if l.IntN(2) == 0 {
		l.printf("type (%s)\n", strings.Join(l.types, l.oneOf("; ", "\n", " // type\n")))
	} else {
		l.printf("type %s\n", strings.Join(l.types, l.oneOf("; type ", "\n\ntype ")))
	}
	for range 1 + l.IntN(3) {
		path := paths[l.IntN(len(paths))]
		selected = append(selected, path[:1+l.IntN(len(path))])
	}
	return l.text.String(), paths, selected
}
