// This file removes from a script what only the calls of generators have used.

package project

import (
	"regexp"
	"slices"
	"strings"
)

var (
	shellVariable = regexp.MustCompile(`^(?:readonly +)?([A-Za-z_]\w*)=`)
	makeRule      = regexp.MustCompile(`^([^\s:#=]+)[ \t]*::?(?:[^=]|$)`)
	includes      = regexp.MustCompile(`(?m)^\s*(?:-?include|source|\.)\s`)
	substitution  = regexp.MustCompile(`[$<>]\(\s*([\w:.-]*)`)
	installation  = regexp.MustCompile(`(?m)^\t?@?(?:[A-Z]\w*=\S* )*go (?:install|get)((?: +\S+)+)\s*$`)
	installs      = regexp.MustCompile(`go-(install|get)|go (install|get|build)|curl|wget`)
	wordBreaks    = regexp.MustCompile(`[\s"'=,;()]+`)
	identifier    = regexp.MustCompile(`\w+`)
	// pure are commands whose output is all that they do.
	pure = []string{"dirname", "cd", "pwd", "go", "git", "mktemp", "realpath", "readlink", "basename", "ls", "date", "which", "echo"}
)

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

// withoutUnused removes what only removed lines have used: variables, installations of generators, and rules for that.
// elsewhere is in other scripts. A script that reads files that are not known keeps them.
func withoutUnused(before, rest, elsewhere string, isMake bool) string {
	groups, gone, left := grouped(rest, isMake), uses{}, uses{}
	if includes.MatchString(rest) || !isMake && heredoc.MatchString(rest) {
		return rest
	}
	gone.add(before, false, 1)
	gone.add(rest, false, -1)
	left.add(elsewhere, false, 1)
	for _, group := range groups {
		left.add(group, isMake, 1)
	}
	for removed := true; removed; {
		removed = false
		targets := map[string]bool{}
		for i, group := range groups {
			own := uses{}
			own.add(group, isMake, 1)
			isLeft := func(name string) bool { return left[name] > own[name] }
			if group == "" || !isUnused(group, isMake, isLeft, func(name string) bool { return gone[name] > 0 }) {
				continue
			}
			gone.add(group, false, 1)
			left.add(group, isMake, -1)
			groups[i], removed = "", true
			if m := makeRule.FindStringSubmatch(group); m != nil && isMake {
				targets[m[1]] = true
			}
		}
		for i, group := range groups {
			if shorter := withoutTargets(group, targets); shorter != group {
				left.add(group, isMake, -1)
				left.add(shorter, isMake, 1)
				groups[i] = shorter
			}
		}
	}
	for i, previous, cut := 0, "", false; i < len(groups); i++ { // no two empty lines where something is gone
		switch {
		case groups[i] == "":
			cut = true
		case groups[i] == "\n" && previous == "\n" && cut:
			groups[i] = ""
		default:
			previous, cut = groups[i], false
		}
	}
	return strings.Join(groups, "")
}

// isUnused reports whether a group of lines only sets a variable or installs a generator that nothing uses any more.
func isUnused(group string, isMake bool, used, gone func(name string) bool) bool {
	runs := func(word string) bool {
		tool := toolOf(word)
		return tool == "" || used("run "+tool) || !gone("run "+tool)
	}
	if m := makeRule.FindStringSubmatch(group); m != nil && isMake {
		_, recipe, hasRecipe := strings.Cut(group, "\n\t")
		return !runs(m[1]) && (!hasRecipe || installs.MatchString(recipe) && !strings.Contains(recipe, "kubegen"))
	}
	if m := installation.FindStringSubmatch(group); m != nil && !isMake {
		packages := strings.Fields(m[1])
		return !slices.ContainsFunc(packages, func(word string) bool {
			names, _, _ := strings.Cut(word, "@")
			names = names[strings.LastIndexByte(names, '/')+1:]
			list := strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune("{},", r) })
			return slices.ContainsFunc(list, runs)
		})
	}
	variable := shellVariable
	if isMake {
		variable = makeDefinition
	}
	m := variable.FindStringSubmatch(strings.TrimRight(group, "\n"))
	if m == nil || !gone(m[1]) || used(m[1]) || strings.HasPrefix(group, "export") {
		return false
	}
	if isMake {
		return identifier.FindString(m[1]) == m[1]
	}
	words := slices.Concat((&script{budget: new(int)}).commands(strings.TrimPrefix(group, "readonly "))...)
	isArray := len(words) > 0 && strings.HasPrefix(words[0], m[1]+"=(") && strings.HasSuffix(strings.TrimSpace(group), ")")
	return (len(words) == 1 || isArray) && !strings.Contains(group, "`") &&
		!slices.ContainsFunc(substitution.FindAllStringSubmatch(group, -1), func(m []string) bool { return !slices.Contains(pure, m[1]) })
}

// grouped returns the logical lines of a script: those that are continued, and the rules of a Makefile with recipes.
func grouped(text string, isMake bool) (groups []string) {
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); {
		first, open := i, openness{}
		for i++; i < len(lines); i++ {
			before := lines[i-1]
			switch continued := strings.HasSuffix(strings.TrimRight(before, "\r\n"), "\\"); {
			case continued, !isMake && open.after(before):
				continue
			case isMake && strings.HasPrefix(lines[i], "\t") && makeRule.MatchString(lines[first]):
				continue
			}
			break
		}
		groups = append(groups, strings.Join(lines[first:i], ""))
	}
	return groups
}

// withoutTargets returns a group of lines without prerequisites of its rule, or "" if these are all of it.
func withoutTargets(group string, targets map[string]bool) string {
	line, recipe, _ := strings.Cut(group, "\n")
	for strings.HasSuffix(line, "\\") {
		next, rest, _ := strings.Cut(recipe, "\n")
		line, recipe = strings.TrimSuffix(line, "\\")+" "+next, rest
	}
	list, help, hasHelp := strings.Cut(line, "#")
	words := strings.Fields(list)
	isGone := func(word string) bool { return targets[word] }
	if len(targets) == 0 || !makeRule.MatchString(line) || !slices.ContainsFunc(words, isGone) {
		return group
	}
	words = slices.DeleteFunc(words, isGone)
	if len(words) == 1 && words[0] == ".PHONY:" {
		return ""
	}
	if line = strings.Join(words, " "); hasHelp {
		line += " #" + help
	}
	return line + "\n" + recipe
}
