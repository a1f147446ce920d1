package project

import (
	"path"
	"regexp"
	"slices"
)

var (
	verifyName   = regexp.MustCompile(`^(verify|check)([^a-z]|$)`)
	updateName   = regexp.MustCompile(`^(update|generate|gen|codegen)([^a-z]|$)`)
	functionName = regexp.MustCompile(`(?m)^\s*(?:function\s+)?([\w:.-]+)\s*(?:\(\s*\)|\{)`)
	scriptHead   = regexp.MustCompile(`^(?:(?:#|set ).*\n|\s*\n)*`)
	// comparing are commands of scripts that generate files elsewhere, or again, and compare them.
	comparing = []string{
		"set", "shopt", "cp", "mv", "rm", "mkdir", "mktemp", "diff", "echo", "printf", "exit", "return", "trap", "[", "[[", "]", "]]", "test",
		"cat", "cd", "pushd", "popd", "true", "false", ":", "}", "fi", "done", "source", ".",
	}
)

// verifying reports whether a script verifies generated files, as hack/verify-codegen.sh. It returns the script with
// kubegen in its place, or else the line with a command that has another purpose, from 1.
func (p *Project) verifying(name, text string) (ok bool, replaced string, line int, command string) {
	if isMakefile(name) || !verifyName.MatchString(path.Base(name)) {
		return false, "", 0, ""
	}
	functions := []string{}
	for _, m := range functionName.FindAllStringSubmatch(text, -1) {
		functions = append(functions, m[1])
	}
	compares, generates := false, false
	read(name, p.path, text, func(first int, words []string) {
		for len(words) > 0 && (slices.Contains(keywords, words[0]) || words[0] == "function" || words[0] == "bash") {
			words = words[1:]
		}
		if len(words) == 0 {
			return
		}
		runs := toolIn(words) >= 0 || updateName.MatchString(path.Base(words[0])) ||
			words[0] == "make" && len(words) > 1 && updateName.MatchString(words[1])
		isDiff := words[0] == "diff" || words[0] == "git"
		compares, generates = compares || isDiff, generates || runs
		if line == 0 && !runs && !isDiff && !slices.Contains(comparing, words[0]) && !slices.Contains(functions, words[0]) {
			line, command = first+1, words[0]
		}
	})
	return compares && generates, scriptHead.FindString(text) + p.command + " verify\n", line, command
}
