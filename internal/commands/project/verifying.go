package project

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	verifyName   = regexp.MustCompile(`^(verify|check)([^a-z]|$)`)
	updateName   = regexp.MustCompile(`^(update|generate|gen|codegen)([^a-z]|$)`)
	functionName = regexp.MustCompile(`(?m)^\s*(?:function\s+)?([\w:.-]+)\s*(?:\(\s*\)|\{\s*$)`)
	scriptHead   = regexp.MustCompile(`^(?:(?:#|set ).*\n|\s*\n)*`)
	temporary    = regexp.MustCompile(`(?i)(\b|_|mk)te?mp(dir|\b|_)`)
	// comparing are commands of scripts that generate files again and compare them. They write nothing.
	comparing = []string{
		"set", "shopt", "diff", "echo", "printf", "exit", "return", "[", "[[", "]", "]]", "test", "mktemp",
		"cat", "cd", "pushd", "popd", "true", "false", ":", "}", "fi", "done", "/dev/null", "1", "2", // of 2>&1
	}
)

// verifies reports whether a script seems to verify generated files, as hack/verify-codegen.sh.
func (p *Project) verifies(name, text string) bool {
	compares, generates := false, false
	if isMakefile(name) || !verifyName.MatchString(path.Base(name)) {
		return false
	}
	read(name, p.path, text, func(_ int, words []string) {
		if words = command(words); len(words) > 0 {
			compares = compares || words[0] == "diff" || words[0] == "git"
			generates = generates || toolIn(words) >= 0 || updateName.MatchString(path.Base(words[0])) ||
				words[0] == "make" && len(words) > 1 && updateName.MatchString(words[1])
		}
	})
	return compares && generates
}

// command returns the words of a command from its name on.
func command(words []string) []string {
	for len(words) > 0 && (slices.Contains(keywords, words[0]) || words[0] == "function" || words[0] == "bash") {
		words = words[1:]
	}
	return words
}

// purpose returns the first command of a script, with its line from 1, that neither generates what kubegen does nor
// compares files, or 0.
func (p *Project) purpose(name, text string, generates func(words []string) bool) (line int, other string) {
	functions := functionName.FindAllStringSubmatch(text, -1)
	var compares func(words []string) bool
	compares = func(words []string) bool {
		if words = command(words); len(words) == 0 || generates(words) || isPure(words) {
			return true
		}
		kept := func(word string) bool { return !strings.HasPrefix(word, "-") && !temporary.MatchString(word) }
		switch first := strings.TrimLeft(words[0], "@-+"); first {
		case "git":
			return len(words) > 1 && slices.Contains([]string{"diff", "status", "rev-parse"}, words[1])
		case "go":
			return len(words) > 1 && (words[1] == "install" || words[1] == "get")
		case "rm", "mkdir":
			return !slices.ContainsFunc(words[1:], kept)
		case "cp":
			return slices.ContainsFunc(words, temporary.MatchString)
		case "trap":
			return len(words) > 1 && !slices.ContainsFunc(commandsIn(words[1]), func(words []string) bool {
				return !compares(words)
			})
		default:
			return slices.Contains(comparing, first) || len(words) == 1 && temporary.MatchString(first) || // of a redirection
				slices.ContainsFunc(functions, func(m []string) bool { return m[1] == first })
		}
	}
	read(name, p.path, text, func(first int, words []string) {
		if line == 0 && !compares(words) {
			line, other = first+1, strings.Join(command(words), " ")
		}
	})
	for i, l := range strings.Split(text, "\n") {
		if found := effect(l, isMakefile(name), compares); found != "" && !isNothing(l) && (line == 0 || i < line) {
			return i + 1, found
		}
	}
	return line, other
}

// generates reports whether a command runs what kubegen replaces: a generator, or a script or target that does nothing
// else any more.
func (p *Project) generates(words []string, sources []*source) bool {
	isKubegen := func(words []string) bool { return strings.HasPrefix(strings.Join(words, " "), p.command) }
	i := toolIn(words)
	for _, s := range sources {
		for _, call := range s.gone {
			if i >= 0 && call.Tool == toolOf(words[i]) {
				return true
			}
		}
		text := s.rest
		switch {
		case len(s.gone) == 0:
			continue
		case isMakefile(s.name):
			groups := grouped(text, true)
			at := slices.IndexFunc(groups, func(group string) bool {
				m := makeRule.FindStringSubmatch(group)
				return m != nil && words[0] == "make" && slices.Equal(words[1:], m[1:])
			})
			if at < 0 {
				continue
			}
			text = groups[at]
			head, _, _ := strings.Cut(text, "\n")
			head, _, _ = strings.Cut(head, "#")
			if slices.ContainsFunc(strings.Fields(head)[1:], func(word string) bool { return toolOf(word) == "" }) {
				continue
			}
		case !strings.HasSuffix(path.Clean("/"+words[0]), "/"+s.rel):
			continue
		}
		if line, _ := p.purpose(s.rel, text, isKubegen); line == 0 && strings.Contains(text, p.command) {
			return true
		}
	}
	return false
}
