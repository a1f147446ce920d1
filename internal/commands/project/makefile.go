package project

import (
	"regexp"
	"slices"
	"strings"
)

// controllerGen matches a word that runs controller-gen, such as $(CONTROLLER_GEN) or bin/controller-gen.
var controllerGen = regexp.MustCompile(`(?i)controller[-_]gen`)

var (
	definition = regexp.MustCompile(`(?m)^([A-Za-z_][A-Za-z0-9_]*)[ ]*[:?]?=[ ]*(.*?)[ \r]*$`)
	// yearArgument matches the year of DeepCopy methods in an option of controller-gen, if it is a variable.
	yearArgument = regexp.MustCompile(`^object:(?:.*,)?year=(\$[({][A-Za-z_][A-Za-z0-9_]*[)}])`)
	reference    = regexp.MustCompile(`\$[({]([A-Za-z_][A-Za-z0-9_]*)[)}]`)
)

// commandLines returns the arguments of controller-gen in the recipes of a Makefile, a list for each command. They have
// the values of variables that the Makefile sets to plain text.
func commandLines(makefile string) (lines [][]string) {
	makefile = strings.ReplaceAll(strings.ReplaceAll(makefile, "\r\n", "\n"), "\\\n", " ")
	variables := map[string]string{}
	for _, m := range definition.FindAllStringSubmatch(makefile, -1) {
		if !strings.Contains(m[2], "$") && !controllerGen.MatchString(m[1]) {
			variables[m[1]] = m[2]
		}
	}
	for line := range strings.Lines(makefile) {
		if !strings.HasPrefix(line, "\t") || !controllerGen.MatchString(line) {
			continue
		}
		line = reference.ReplaceAllStringFunc(line, func(text string) string {
			if value, ok := variables[text[2:len(text)-1]]; ok {
				return value
			}
			return text
		})
		for _, words := range commandsOf(line) {
			if i := slices.IndexFunc(words, controllerGen.MatchString); i >= 0 && i+1 < len(words) {
				lines = append(lines, words[i+1:])
			}
		}
	}
	return lines
}

// commandsOf returns the words of each command in a line of a shell, without quotes.
func commandsOf(line string) (commands [][]string) {
	var words []string
	var word strings.Builder
	var quote rune
	begun := false // the word may be empty
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, c := range line {
		switch {
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, begun = c, true
		case strings.ContainsRune(" \t\n", c):
			end()
		case strings.ContainsRune(";|&<>", c):
			end()
			commands, words = append(commands, words), nil
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	end()
	return append(commands, words)
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
