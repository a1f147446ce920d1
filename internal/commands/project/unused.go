// This file removes from a script what only the calls of generators have used.

package project

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
)

var (
	shellVariable = regexp.MustCompile(`^(?:readonly +)?([A-Za-z_]\w*)=`)
	makeRule      = regexp.MustCompile(`^([^\s:#=]+)[ \t]*::?(?:[^=]|$)`)
	includes      = regexp.MustCompile(`(?m)^\s*(?:-?include|source|\.)\s`)
	indirect      = regexp.MustCompile(`\$\{!|\beval\b|\bset -a|allexport|(?m:^\s*export\s*$)|\.EXPORT_ALL|\$[({][\w.-]*\$[({]`)
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
		"true", "go env", "go list", "git rev-parse", "command -v",
	}
	pureMake = []string{
		"abspath", "realpath", "dir", "notdir", "wildcard", "subst", "patsubst", "strip", "firstword", "lastword", "addprefix", "addsuffix", "if",
	}
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
// elsewhere is in other scripts. A script keeps them if it reads other files, is read by one, or names variables
// indirectly.
func withoutUnused(name, before, rest, elsewhere string) string {
	isMake, isRead := isMakefile(name), false
	for line := range strings.Lines(elsewhere) {
		isRead = isRead || includes.MatchString(line) && strings.Contains(line, filepath.Base(name))
	}
	groups, gone, left := grouped(rest, isMake), uses{}, uses{}
	if isRead || includes.MatchString(rest) || indirect.MatchString(rest) || !isMake && heredoc.MatchString(rest) {
		return rest
	}
	gone.add(before, false, 1)
	gone.add(rest, false, -1)
	left.add(elsewhere, false, 1)
	for _, group := range groups {
		left.add(group, isMake, 1)
	}
	depth, blocked := 0, make([]bool, len(groups)) // within a block, or a part of a command
	for i, group := range groups {
		trimmed := strings.TrimSpace(group)
		if closeBlock.MatchString(trimmed) {
			depth--
		}
		blocked[i] = !isMake && (depth != 0 || i > 0 && continues.MatchString(groups[i-1]))
		if openBlock.MatchString(trimmed) && !endBlock.MatchString(trimmed) {
			depth++
		}
	}
	for removed := true; removed; {
		removed = false
		targets := map[string]bool{}
		for i, group := range groups {
			own := uses{}
			own.add(group, isMake, 1)
			isLeft := func(name string) bool { return left[name] > own[name] }
			if group == "" || blocked[i] || !isUnused(group, isMake, isLeft, func(name string) bool { return gone[name] > 0 }) {
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
		head, _, _ := strings.Cut(strings.ReplaceAll(group, "\\\n", " "), "\n")
		head, _, _ = strings.Cut(head, "#")
		_, needs, _ := strings.Cut(head, ":")
		other := func(word string) bool { return strings.LastIndexByte(word, '@') > 0 && runs(word) }
		return !runs(m[1]) && (hasRecipe || !slices.ContainsFunc(strings.Fields(needs), runs)) &&
			(!hasRecipe || installs.MatchString(recipe) && !strings.Contains(recipe, "kubegen") &&
				!slices.ContainsFunc(strings.Fields(recipe), other))
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
	if m == nil || !gone(m[1]) || used(m[1]) || strings.HasPrefix(group, "export") || ambient.MatchString(m[1]) ||
		effect(group, isMake, isPure) != "" {
		return false
	}
	if isMake {
		return identifier.FindString(m[1]) == m[1]
	}
	commands := commandsIn(strings.TrimPrefix(group, "readonly "))
	words := commands[0]
	isArray := len(words) > 0 && strings.HasPrefix(words[0], m[1]+"=(") && strings.HasSuffix(strings.TrimSpace(group), ")")
	return len(commands) == 1 && (len(words) == 1 || isArray)
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

// callers returns the lines of other scripts and workflows of the repository that run make or generators, or read
// files.
func (p *Project) callers(known map[string]string) string {
	var kept strings.Builder
	_ = filepath.WalkDir(p.repository, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() { // what cannot be read is not used
			if base := entry.Name(); err != nil || base == ".git" || base == "vendor" || base == "node_modules" || base == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		rel, _ := filepath.Rel(p.repository, name)
		ext := filepath.Ext(name)
		isConfig := (ext == ".yaml" || ext == ".yml") && (rel[0] == '.' || filepath.Base(rel) == rel)
		isOther := strings.Contains(rel, "Dockerfile") || ext == ".sh" || ext == ".bash" || isMakefile(rel) || isConfig
		text, err := []byte(nil), error(nil)
		if _, isKnown := known[name]; !isKnown && isOther && entry.Type().IsRegular() {
			text, err = load.ReadFile(name)
		}
		if err != nil || len(text) > maxText {
			return nil
		}
		for line := range strings.Lines(string(text)) {
			words := wordBreaks.Split(line, -1)
			runs := !isMakefile(rel) && slices.ContainsFunc(words, func(word string) bool { return toolOf(word) != "" })
			if runs || callLine.MatchString(line) || includes.MatchString(line) {
				kept.WriteString(line)
			}
		}
		return nil
	})
	return kept.String()
}

// grouped returns the logical lines of a script: a continued line is one, and so is a rule of a Makefile with its
// recipe.
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
