// This file removes from scripts what only the calls of generators have used, and says what may have lost its purpose.

package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	includes   = regexp.MustCompile(`(?m)^\s*(?:-?include|source|\.)\s`)
	indirect   = regexp.MustCompile(dispatch + `|\$\{!|\beval\b|\bset -a|allexport|(?m:^\s*export\s*$)|\.EXPORT_ALL|\$[({][\w.-]*\$[({]`)
	ambient    = regexp.MustCompile(`^([A-Z]*PATH|HOME|IFS|SHELL|TMPDIR|LANG|GO(FLAGS|PROXY|OS|ARCH|ENV|WORK|111MODULE)|MAKEFLAGS)$`)
	changing   = regexp.MustCompile(`^(sed|awk) (.* )?(-\w*[if]|--in-place|--file|.*system\()|^go \w+ .*-(w|u|mod)\b`)
	callLine   = regexp.MustCompile(`\bmake\b|\bMAKE\b`)
	installs   = regexp.MustCompile(`go-(install|get)|go (install|get|build)|curl|wget`)
	wordBreaks = regexp.MustCompile(`[\s"'=,;()|]+`)
	assignment = regexp.MustCompile(`^([A-Za-z_]\w*)(\+?=\(?)`)
	identifier = regexp.MustCompile(`\w+`)
	// pure are commands whose output is all that they do.
	pure = []string{
		"cd", "pwd", "dirname", "basename", "realpath", "readlink", "echo", "printf", "which", "uname", "tr", "cut", "sed", "awk", "ls",
		"true", "unset", "mktemp", "go env", "go list", "git rev-parse", "command -v",
	}
	pureMake = []string{
		"abspath", "realpath", "dir", "notdir", "wildcard", "subst", "patsubst", "strip", "firstword", "lastword", "addprefix", "addsuffix", "if",
	}
)

// dispatch is for a command whose name is an argument.
const dispatch = `(?m:^\s*"?\$\{?[@*1-9])`

// uses counts the names in code, and the generators that it runs.
type uses map[string]int

// add adds the uses of some lines n times. The name of a tool does not run it where it is set or has its rule.
func (u uses) add(text string, isMake, names bool, n int) {
	for line := range strings.Lines(text) {
		if isNothing(line) {
			continue
		}
		for _, name := range identifier.FindAllString(line, -1) {
			u[name] += n
		}
		isSet := !isMake && assignment.MatchString(strings.TrimPrefix(line, "readonly "))
		if names && line[0] != '\t' || installs.MatchString(line) || isSet {
			continue
		}
		for _, word := range wordBreaks.Split(line, -1) {
			if tool := toolOf(word); tool != "" {
				u["run "+tool] += n
			}
		}
	}
}

// of returns the uses of a statement.
func (s *source) uses(st *statement) uses {
	n := st.nodes[0]
	found := uses{}
	found.add(s.of(st), s.isMake, n.kind == "rule" || s.isMake && n.kind == "=" && toolOf(n.name) != "", 1)
	return found
}

// dropUnused removes what only removed lines have used: variables, functions, installations of generators, and rules
// for these. What other files, or computed names, may use stays, and is said, as is what does more.
func (s *source) dropUnused(around *surroundings, others []*source) {
	left, gone, reason := uses{}, uses{}, ""
	for _, other := range others {
		if other != s {
			left.add(strings.Join(other.lines, ""), other.isMake, false, 1)
		}
	}
	left.add(around.text, false, false, 1)
	for name := range left { // other files have variables of their own
		if !strings.HasPrefix(name, "run ") {
			delete(left, name)
		}
	}
	rest := strings.Join(s.lines, "")
	switch {
	case around.reads(s, others):
		reason = "delete it, unless a file that reads this one uses it"
	case includes.MatchString(rest):
		reason = "delete it, unless a file that this one reads uses it"
	case indirect.MatchString(rest):
		reason = "delete it, unless a command finds it by a computed name, or in its environment"
	}
	gone.add(s.text, false, false, 1)
	gone.add(rest, false, false, -1)
	if !s.isMake {
		left.add(rest, false, false, 1)
	}
	depths := map[*statement]int{}
	var all []*statement // that may go
	walk(s.list, 0, func(st *statement, depth int) bool {
		if s.isMake {
			left.count(s.uses(st), 1)
		}
		if st.alone && s.of(st) != "" {
			all, depths[st] = append(all, st), depth
		}
		return !s.isMake && st.nodes[0].kind != "function"
	})
	said := map[*statement]bool{}
	for removed := true; removed; {
		removed = false
		dropped := map[string]bool{}
		for _, st := range all {
			if said[st] {
				continue
			}
			var own uses
			isLeft := func(name string) bool {
				if own == nil {
					own = s.uses(st)
				}
				return left[name] > own[name]
			}
			name, doubt := s.unused(st, isLeft, func(name string) bool { return gone[name] > 0 })
			if name == "" {
				continue
			}
			if depths[st] > 0 {
				doubt = "delete it, and its block if nothing else is in it"
			}
			if doubt != "" || reason != "" {
				s.say(st.first, "nothing in this file uses "+name+" any more", cmp.Or(doubt, reason))
			}
			if said[st] = true; doubt != "" {
				continue
			}
			gone.add(s.of(st), false, false, 1)
			left.count(s.uses(st), -1)
			if removed = true; reason == "" {
				if n := st.nodes[0]; n.kind == "rule" {
					dropped[n.name] = true
				}
				s.put(st.first, st.last, "")
			}
		}
		for _, st := range all {
			isGone := func(need string) bool { return dropped[need] }
			n := st.nodes[0]
			if said[st] || n.kind != "rule" || !slices.ContainsFunc(n.needs, isGone) {
				continue
			}
			left.count(s.uses(st), -1)
			heading := ""
			if n.needs = slices.DeleteFunc(n.needs, isGone); len(n.needs) > 0 || n.name != ".PHONY" {
				heading = n.heading()
			}
			s.put(st.first, n.head, heading)
			left.count(s.uses(st), 1)
		}
	}
	s.sayUseless(left, gone)
}

// sayUseless says which lines that stay only worked for removed ones: variables that only their own assignments use,
// pushd and popd with nothing between them, and a GOPATH that is not the user's.
func (s *source) sayUseless(left, gone uses) {
	sets := map[string][]*statement{}
	var pushd *statement // the statement before
	cut := false
	walk(s.list, 0, func(st *statement, _ int) bool {
		n := st.nodes[0]
		words := strings.Join(n.raw(), " ")
		isSet := strings.Contains(n.kind, "=")
		switch {
		case s.of(st) == "":
			cut = true
			return false
		case cut && pushd != nil && words == "popd":
			s.say(pushd.first, fmt.Sprintf("nothing is between pushd and popd any more (see line %d)", st.first+1), "delete both lines")
		case isSet && len(st.nodes) == 1 && !s.isGone(st.first):
			sets[n.name] = append(sets[n.name], st)
		}
		for _, n := range st.nodes {
			if strings.Contains(n.kind, "=") && n.name == "GOPATH" && !s.isGone(st.first) &&
				!strings.Contains(strings.Join(n.raw(), " "), "GOPATH") {
				s.say(st.first, "GOPATH may be only for generators, and kubegen does not need it",
					"delete the line, and what links the module into its directory")
			}
		}
		if cut, pushd = false, nil; strings.HasPrefix(words, "pushd ") {
			pushd = st
		}
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		own, lines, adds := 0, "", false
		for _, st := range sets[name] {
			own, lines = own+s.uses(st)[name], fmt.Sprintf("%s, line %d", lines, st.first+1)
			adds = adds || st.nodes[0].kind[0] == '+'
		}
		if gone[name] > 0 && left[name] == own && (adds || len(sets[name]) > 1) && !ambient.MatchString(name) {
			s.say(sets[name][0].first, "only the assignments to "+name+" use it any more (see "+lines[2:]+")",
				"delete these lines, and loops that do nothing else")
		}
	}
}

// count adds other uses n times.
func (u uses) count(others uses, n int) {
	for name, times := range others {
		u[name] += n * times
	}
}

// collapse removes the second of two empty lines, where something between them is gone.
func (s *source) collapse() {
	previous, cut := "", false
	for i, line := range s.lines {
		switch {
		case line == "":
			cut = true
		case line == "\n" && (previous == "\n" || previous == "") && cut:
			s.lines[i] = ""
		default:
			previous, cut = line, false
		}
	}
}

// unused returns what a statement only sets or installs, if nothing uses it any more: the name of a variable, of a
// function or of a rule for a generator, or else "". It also returns a reason to keep it, or "".
func (s *source) unused(st *statement, used, gone func(name string) bool) (name, doubt string) {
	runs := func(word string) bool {
		tool := toolOf(word)
		return tool == "" || used("run "+tool) || !gone("run "+tool)
	}
	last := len(st.nodes) - 1
	n, words := st.nodes[last], st.nodes[last].raw()
	switch {
	case slices.ContainsFunc(st.nodes[:last], func(n *node) bool { return n.kind != "=" }):
	case n.kind == "rule":
		recipe := strings.Join(s.lines[n.head+1:max(n.head, st.last)+1], "")
		other := func(word string) bool { return strings.LastIndexByte(word, '@') > 0 && runs(word) }
		if !runs(n.name) && (recipe != "" || !slices.ContainsFunc(n.needs, runs)) &&
			(recipe == "" || installs.MatchString(recipe) && !strings.Contains(recipe, "kubegen") &&
				!slices.ContainsFunc(strings.Fields(recipe), other)) {
			return n.name, ""
		}
	case n.kind == "function":
		if identifier.FindString(n.name) == n.name && gone(n.name) && !used(n.name) {
			return n.name, ""
		}
	case n.kind == "" && !s.isMake:
		if tools := st.installed(); len(tools) > 0 && !slices.ContainsFunc(tools, runs) {
			return strings.Join(words[2:], " "), ""
		}
	case last == 0 && (n.kind == "=" || n.kind == "=("):
		if !gone(n.name) || used(n.name) || ambient.MatchString(n.name) || identifier.FindString(n.name) != n.name ||
			strings.HasPrefix(s.of(st), "export") {
			return "", ""
		}
		if runs := st.effect(s.isMake, isPure); runs != "" {
			doubt = "delete it, unless what its value runs, " + runs + ", is needed"
		}
		return n.name, doubt
	}
	return "", ""
}

// installed returns what a statement installs with go install or go get: names of generators, or "" for other programs.
func (st *statement) installed() (tools []string) {
	words := st.nodes[len(st.nodes)-1].raw()
	if len(words) < 3 || strings.TrimLeft(words[0], "@-") != "go" || words[1] != "install" && words[1] != "get" {
		return nil
	}
	for _, word := range words[2:] {
		names, _, _ := strings.Cut(word, "@")
		names = names[strings.LastIndexByte(names, '/')+1:]
		for _, name := range strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune("{},", r) }) {
			tools = append(tools, toolOf(name))
		}
	}
	return tools
}

// isPure reports whether a command does nothing but print.
func isPure(words []string) bool {
	return len(words) == 0 || isHarmless(words) && words[0] == ">" || !changing.MatchString(strings.Join(words, " ")) &&
		(slices.Contains(pure, words[0]) || len(words) > 1 && slices.Contains(pure, words[0]+" "+words[1]))
}
