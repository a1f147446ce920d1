package project

import (
	"regexp"
	"slices"
	"strings"
)

// yearArgument matches the year of DeepCopy methods in an option of controller-gen, if it is a variable.
var yearArgument = regexp.MustCompile(`^object:(?:.*,)?year=(\$[({][A-Za-z_][A-Za-z0-9_]*[)}])`)

// commandLines returns the arguments of controller-gen in the recipes of a Makefile, a list for each command. They have
// the values of variables that the Makefile sets to plain text.
func commandLines(makefile string) (lines [][]string) {
	for _, call := range read("Makefile", "", makefile).calls {
		if call.Tool == "controller-gen" {
			for i, arg := range call.Args {
				call.Args[i] = strings.ReplaceAll(arg, root, ".")
			}
			lines = append(lines, call.Args)
		}
	}
	return lines
}

// asks reports whether controller-gen runs a generator in the Makefile.
func (p *Project) asks(generator string) bool {
	return slices.ContainsFunc(slices.Concat(p.CommandLines...), func(word string) bool {
		return word == generator || strings.HasPrefix(word, generator+":")
	})
}

// yearVariable returns the variable of the Makefile with the year for controller-gen's DeepCopy methods, such as
// $(YEAR), or "" if there is none or its value is plain text.
func (p *Project) yearVariable() string {
	for _, word := range slices.Concat(p.CommandLines...) {
		if m := yearArgument.FindStringSubmatch(word); m != nil {
			return m[1]
		}
	}
	return ""
}
