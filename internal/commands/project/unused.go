// This file removes from scripts what only the calls of generators have used, and says what may have lost its purpose.

package project

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var (
	shellVariable = regexp.MustCompile(`^(?:readonly +)?([A-Za-z_]\w*)=`)
	makeRule      = regexp.MustCompile(`^([^\s:#=]+)[ \t]*::?(?:[^=]|$)`)
	includes      = regexp.MustCompile(`(?m)^\s*(?:-?include|source|\.)\s`)
	indirect      = regexp.MustCompile(dispatch + `|\$\{!|\beval\b|\bset -a|allexport|(?m:^\s*export\s*$)|\.EXPORT_ALL|\$[({][\w.-]*\$[({]`)
	ambient       = regexp.MustCompile(`^([A-Z]*PATH|HOME|IFS|SHELL|TMPDIR|LANG|GO(FLAGS|PROXY|OS|ARCH|ENV|WORK|111MODULE)|MAKEFLAGS)$`)
	continues     = regexp.MustCompile(`[&|]\s*$`)
	setting       = regexp.MustCompile("`|[<>]\\(|\\$\\{\\w+:?[=?]") // beside substitutions
	silenced      = regexp.MustCompile(`[12&]?>>?\s*(/dev/null|&[12])`)
	changing      = regexp.MustCompile(`^(sed|awk) (.* )?(-\w*[if]|--in-place|--file|.*system\()|^go \w+ .*-(w|u|mod)\b`)
	callLine      = regexp.MustCompile(`\bmake\b|\bMAKE\b`)
	installation  = regexp.MustCompile(`(?m)^\t?@?(?:[A-Z]\w*=\S* )*go (?:install|get)((?: +\S+)+)\s*$`)
	installs      = regexp.MustCompile(`go-(install|get)|go (install|get|build)|curl|wget`)
	wordBreaks    = regexp.MustCompile(`[\s"'=,;()]+`)
	identifier    = regexp.MustCompile(`\w+`)
	// pure are commands whose output is all that they do.
	pure = []string{
		"cd", "pwd", "dirname", "basename", "realpath", "readlink", "echo", "printf", "which", "uname", "tr", "cut", "sed", "awk", "ls",
		"true", "mktemp", "go env", "go list", "git rev-parse", "command -v",
	}
	pureMake = []string{
		"abspath", "realpath", "dir", "notdir", "wildcard", "subst", "patsubst", "strip", "firstword", "lastword", "addprefix", "addsuffix", "if",
	}
)

// dispatch is for a command whose name is an argument.
const dispatch = `(?m:^\s*"?\$\{?[@*1-9])`

// uses counts the names in code, and the generators that it runs.
type uses map[string]int

// add adds the uses of a group of lines n times.
func (u uses) add(group string, isMake bool, n int) {
	m := makeDefinition.FindStringSubmatch(strings.TrimRight(group, "\n"))
	isOwn := isMake && (m != nil && toolOf(m[1]) != "" || makeRule.MatchString(group)) // but recipes
	for line := range strings.Lines(group) {
		if isNothing(line) {
			continue
		}
		for _, name := range identifier.FindAllString(line, -1) {
			u[name] += n
		}
		if isOwn && line[0] != '\t' || installs.MatchString(line) || !isMake && shellVariable.MatchString(line) {
			continue
		}
		for _, word := range wordBreaks.Split(line, -1) {
			if tool := toolOf(word); tool != "" {
				u["run "+tool] += n
			}
		}
	}
}

// dropUnused removes what only removed lines have used: variables, functions, installations of generators, and rules
// for these. What other files, or computed names, may use stays, and is said, as is what does more.
func (s *source) dropUnused(around *surroundings, others []*source) {
	left, gone, reason := uses{}, uses{}, ""
	for _, other := range others {
		if other != s {
			left.add(strings.Join(other.lines, ""), other.isMake, 1)
		}
	}
	left.add(around.text, false, 1)
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
	groups := s.groups()
	gone.add(s.text, false, 1)
	gone.add(rest, false, -1)
	blocked := make([]bool, len(groups)) // within a block, or a part of a command
	for i, g := range groups {
		left.add(g.text, s.isMake, 1)
		blocked[i] = !s.isMake && (g.depth != 0 || i > 0 && continues.MatchString(groups[i-1].text))
	}
	said := map[int]bool{}
	for removed := true; removed; {
		removed = false
		dropped := map[string]bool{}
		for i, g := range groups {
			own := uses{}
			own.add(g.text, s.isMake, 1)
			isLeft := func(name string) bool { return left[name] > own[name] }
			name, doubt := g.unused(s.isMake, isLeft, func(name string) bool { return gone[name] > 0 })
			if blocked[i] {
				doubt = "delete it, and its block if nothing else is in it"
			}
			if name == "" || g.text == "" || said[i] {
				continue
			}
			if doubt != "" || reason != "" {
				s.say(g.first, "nothing in this file uses "+name+" any more", cmp.Or(doubt, reason))
			}
			if said[i] = true; doubt != "" {
				continue
			}
			gone.add(g.text, false, 1)
			left.add(g.text, s.isMake, -1)
			if removed = true; reason == "" {
				s.put(g.first, g.last, "")
				groups[i].text = ""
				if r := ruleOf(g.text); r != nil && s.isMake {
					dropped[r.target] = true
				}
			}
		}
		for i, g := range groups {
			if shorter := withoutTargets(g.text, dropped); shorter != g.text {
				left.add(g.text, s.isMake, -1)
				left.add(shorter, s.isMake, 1)
				s.put(g.first, g.last, shorter)
				groups[i].text = shorter
			}
		}
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

// unused returns what a group of lines only sets or installs, if nothing uses it any more: the name of a variable, of a
// function or of a rule for a generator, or else "". It also returns a reason to keep it, or "".
func (g group) unused(isMake bool, used, gone func(name string) bool) (name, doubt string) {
	runs := func(word string) bool {
		tool := toolOf(word)
		return tool == "" || used("run "+tool) || !gone("run "+tool)
	}
	if r := ruleOf(g.text); r != nil && isMake {
		other := func(word string) bool { return strings.LastIndexByte(word, '@') > 0 && runs(word) }
		if !runs(r.target) && (r.recipe != "" || !slices.ContainsFunc(r.needs, runs)) &&
			(r.recipe == "" || installs.MatchString(r.recipe) && !strings.Contains(r.recipe, "kubegen") &&
				!slices.ContainsFunc(strings.Fields(r.recipe), other)) {
			return r.target, ""
		}
		return "", ""
	}
	text := strings.TrimRight(g.text, "\n")
	if m := installation.FindStringSubmatch(g.text); m != nil && !isMake {
		for _, word := range strings.Fields(m[1]) {
			names, _, _ := strings.Cut(word, "@")
			names = names[strings.LastIndexByte(names, '/')+1:]
			list := strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune("{},", r) })
			if slices.ContainsFunc(list, runs) {
				return "", ""
			}
		}
		return strings.TrimSpace(m[1]), ""
	}
	first, _, _ := strings.Cut(text, "\n")
	if m := functionHead.FindStringSubmatch(first); m != nil && !isMake {
		if name := cmp.Or(m[1], m[2]); identifier.FindString(name) == name && gone(name) && !used(name) {
			return name, ""
		}
		return "", ""
	}
	variable := shellVariable
	if isMake {
		variable = makeDefinition
	}
	m := variable.FindStringSubmatch(text)
	if m == nil || !gone(m[1]) || used(m[1]) || strings.HasPrefix(text, "export") || ambient.MatchString(m[1]) ||
		identifier.FindString(m[1]) != m[1] {
		return "", ""
	}
	if runs := effect(text, isMake, isPure); runs != "" {
		return m[1], "delete it, unless what its value runs, " + runs + ", is needed"
	}
	commands := commandsIn(strings.TrimPrefix(text, "readonly "))
	words := commands[0]
	isArray := len(words) > 0 && strings.HasPrefix(words[0], m[1]+"=(") && strings.HasSuffix(text, ")")
	if !isMake && (len(commands) != 1 || len(words) != 1 && !isArray) {
		return "", ""
	}
	return m[1], ""
}

// isPure reports whether a command does nothing but print.
func isPure(words []string) bool {
	return len(words) == 0 || !changing.MatchString(strings.Join(words, " ")) &&
		(slices.Contains(pure, words[0]) || len(words) > 1 && slices.Contains(pure, words[0]+" "+words[1]))
}

// effect returns a command within the substitutions of a text that is not allowed, or "".
func effect(text string, isMake bool, allowed func(words []string) bool) string {
	if found := setting.FindString(text); found != "" && !isMake {
		return found
	}
	if len(text) > 4*maxPath && strings.Contains(text, "$") {
		return "a line of this length"
	}
	s := &script{budget: new(int)}
	*s.budget = maxBudget
	for i := range len(text) - 1 {
		if text[i] != '$' || text[i+1] != '(' && !(isMake && text[i+1] == '{') {
			continue
		}
		_, n := s.reference(text[i:])
		inner := strings.ReplaceAll(silenced.ReplaceAllString(text[i+2:max(i+2, i+n-1)], ""), "$$", "$")
		if isMake && (i == 0 || text[i-1] != '$') {
			function, rest, isCall := strings.Cut(inner, " ")
			if !isCall || slices.Contains(pureMake, function) {
				continue
			} else if function != "shell" {
				return function
			}
			inner = rest
		}
		quotes := openness{}
		if quotes.after(inner); quotes.quote != 0 || text[i+n-1] != ')' || strings.ContainsAny(inner, "<>`") {
			return "$(" + inner
		}
		for _, words := range s.commands(inner) {
			if !allowed(words) {
				return words[0]
			}
		}
	}
	return ""
}

// A group is a logical line of a script: a continued line is one, and so is a rule of a Makefile with its recipe, a
// here-document with its command, and a function.
type group struct {
	first, last int
	depth       int // of the blocks around it, for shells; the line that ends a block is outside
	text        string
}

// groups returns the logical lines of a script as it is proposed.
func (s *source) groups() (groups []group) {
	endless := map[string]bool{} // what ends no function below
	depth := 0
	for i := 0; i < len(s.lines); {
		first, open, end := i, openness{}, ""
		isRule := s.isMake && makeRule.MatchString(s.lines[first])
		if m := functionHead.FindStringSubmatch(strings.TrimSpace(s.lines[first])); m != nil && m[3] == "" && !s.isMake {
			line := s.lines[first]
			end = line[:len(line)-len(strings.TrimLeft(line, " \t"))] + "}\n"
		}
		n := -1
		if end != "" && !endless[end] {
			n = slices.Index(s.lines[first:], end)
		}
		if endless[end] = n < 0; n > 0 {
			i += n
		} else if end = documentEnd(s.lines[first]); end != "" && !s.isMake {
			i = min(documentLast(s.lines, i, end), len(s.lines)-1)
		}
		for i++; i < len(s.lines); i++ {
			before := s.lines[i-1]
			switch continued := strings.HasSuffix(strings.TrimRight(before, "\r\n"), "\\"); {
			case continued, s.lines[i] == "", !s.isMake && end == "" && open.after(before), isRule && strings.HasPrefix(s.lines[i], "\t"):
				continue
			}
			break
		}
		text := strings.Join(s.lines[first:i], "")
		trimmed := strings.TrimSpace(text)
		if closeBlock.MatchString(trimmed) {
			depth--
		}
		groups = append(groups, group{first, i - 1, depth, text})
		if openBlock.MatchString(trimmed) && !endBlock.MatchString(trimmed) {
			depth++
		}
	}
	return groups
}

// A rule is a rule of a Makefile.
type rule struct {
	target, colon string
	needs         []string
	help, recipe  string // help is what a comment beside it says
}

// ruleOf returns the rule that a group of lines is, or nil.
func ruleOf(text string) *rule {
	m := makeRule.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	head, recipe, _ := strings.Cut(text, "\n")
	for strings.HasSuffix(head, "\\") {
		next, rest, _ := strings.Cut(recipe, "\n")
		head, recipe = strings.TrimSuffix(head, "\\")+" "+next, rest
	}
	head, help, _ := strings.Cut(head, "#")
	_, needs, _ := strings.Cut(head, ":")
	r := &rule{target: m[1], colon: ":", needs: strings.Fields(strings.TrimPrefix(needs, ":")), help: help, recipe: recipe}
	if strings.HasPrefix(needs, ":") {
		r.colon = "::"
	}
	return r
}

func (r *rule) String() string {
	head := strings.Join(append([]string{r.target + r.colon}, r.needs...), " ")
	if r.help != "" {
		head += " #" + r.help
	}
	return head + "\n" + r.recipe
}

// withoutTargets returns a group of lines without prerequisites of its rule, or "" if these are all of it.
func withoutTargets(text string, targets map[string]bool) string {
	r := ruleOf(text)
	isGone := func(word string) bool { return targets[word] }
	if len(targets) == 0 || r == nil || !slices.ContainsFunc(r.needs, isGone) {
		return text
	}
	if r.needs = slices.DeleteFunc(r.needs, isGone); len(r.needs) == 0 && r.target == ".PHONY" {
		return ""
	}
	return r.String()
}
