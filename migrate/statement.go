// This file has the statements of scripts and Makefiles, see shell.go and makefile.go.

package main

import (
	"cmp"
	"slices"
	"strings"
)

// A statement is what has lines of its own: a command with what is beside it, a block, or a rule, variable or another
// logical line of a Makefile.
type statement struct {
	first, last int  // lines, from 0
	alone       bool // nothing else is on its lines
	from, to    int
	nodes       []*node
}

// A node is a command, a redirection, an assignment, a block, or a rule.
type node struct {
	kind  string // the word that begins a block, "function", "rule", the operator of an assignment, such as +=(, or ""
	name  string // of a function or variable, or the target of a rule
	words []word // of a command, or the values of an assignment or loop; a redirection is a command < or >
	lists [][]*statement
	size  int

	colon, help string   // of a rule: what is behind the target, and what a comment beside it says
	needs       []string // of a rule
	head        int      // the last line of the rule above its recipe
}

// A word consists of parts.
type word []part

// A part of a word is a text, or a reference to a variable or to the output of commands.
type part struct {
	text      string // without quotes, but a reference as it is written
	reference string // what is within a reference
	quoted    bool
	changes   bool         // reading it does more than its commands
	inner     word         // what is within braces
	commands  []*statement // not nil for commands
}

// heading returns the first line of a rule.
func (n *node) heading() string {
	head := strings.Join(append([]string{n.name + n.colon}, n.needs...), " ")
	if n.help != "" {
		head += " #" + n.help
	}
	return head + "\n"
}

// raw returns a word without quotes, and with references as they are.
func (w word) raw() string {
	if len(w) == 1 {
		return w[0].text
	}
	var b strings.Builder
	for _, part := range w {
		b.WriteString(part.text)
	}
	return b.String()
}

// raw returns the words of a command.
func (n *node) raw() (words []string) {
	for _, w := range n.words {
		words = append(words, w.raw())
	}
	return words
}

// walk calls a function for statements with the number of blocks around them. It looks into the blocks of those for
// which this returns true.
func walk(list []*statement, depth int, visit func(st *statement, depth int) bool) {
	for _, st := range list {
		if visit(st, depth) {
			for _, n := range st.nodes {
				for _, inner := range n.lists {
					walk(inner, depth+1, visit)
				}
			}
		}
	}
}

// effect returns a command of statements that is not allowed, or which words run, or "".
func effect(list []*statement, isMake bool, allowed func(words []string) bool) (found string) {
	walk(list, 0, func(st *statement, _ int) bool {
		for _, n := range st.nodes {
			if words := n.raw(); n.kind == "" && !allowed(words) {
				found = cmp.Or(found, strings.Join(words, " "))
			}
		}
		found = cmp.Or(found, st.effect(isMake, allowed))
		return found == ""
	})
	return found
}

// effect returns a command that the words of a statement run, but not its blocks, that is not allowed, or "".
func (st *statement) effect(isMake bool, allowed func(words []string) bool) (found string) {
	for _, n := range st.nodes {
		for _, w := range n.words {
			found = cmp.Or(found, w.effect(isMake, allowed))
		}
	}
	return found
}

// effect returns a command that a word runs and is not allowed, or another text with an effect, or "".
func (w word) effect(isMake bool, allowed func(words []string) bool) (found string) {
	for _, part := range w {
		function, _, isCall := strings.Cut(part.reference, " ")
		switch {
		case found != "":
		case part.changes:
			found = part.text
		case isCall && isMake && !slices.Contains(pureMake, function):
			found = function
		default:
			found = cmp.Or(effect(part.commands, isMake, allowed), part.inner.effect(isMake, allowed))
		}
	}
	return found
}
