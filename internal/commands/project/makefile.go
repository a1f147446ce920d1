package project

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	// Options of controller-gen for DeepCopy methods: the header file, and the year if it is a variable.
	headerOption = regexp.MustCompile(`^object:(?:.*,)?headerFile=([^,$]+)(?:,|$)`)
	yearOption   = regexp.MustCompile(`^object:(?:.*,)?year=(\$[({][A-Za-z_][A-Za-z0-9_]*[)}])`)

	lineEnd   = regexp.MustCompile(`\\\r?\n`)
	comment   = regexp.MustCompile(`(^|\s)#.*`)
	shellWord = regexp.MustCompile(`[0-9]*[<>][<>&|]*|[;&|]+|(?:[^\s"';&|<>]|"[^"]*"|'[^']*')+`)
	quotes    = strings.NewReplacer(`"`, "", "'", "")
	runner    = regexp.MustCompile(`^((\w+=\S*|go (run|tool)|exec|env|time|bash|sh|if|then|do|!|-\S+) )*$`)

	controllerGen = regexp.MustCompile(`(?i)(^|[/({$])controller[-_]?gen(@.*|-v[0-9.]*)?[)}]?$`)
	generator     = regexp.MustCompile(`(?i)(^|[/({$])((controller|client|lister|informer|applyconfiguration|deepcopy|register|conversion|` +
		`defaulter|openapi)[-_]?gen|crd[-_]ref[-_]docs|generate-(internal-)?groups\.sh|kube::codegen::gen_\w+)(@.*|-v[0-9.]*)?[)}]?$`)
)

// IsMakefile reports whether a file with this name is a Makefile.
func IsMakefile(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	return strings.Contains(base, "makefile") && path.Ext(base) != ".go" || path.Ext(name) == ".mk"
}

// calls returns the arguments of a tool in the commands of a script, or in the recipes of a Makefile.
func calls(text string, isMakefile bool, tool *regexp.Regexp) (found [][]string) {
	text = lineEnd.ReplaceAllString(text, " ")
	for line := range strings.Lines(text) {
		if isMakefile && line[0] != '\t' {
			continue
		}
		var command []string
		line = comment.ReplaceAllString(strings.TrimLeft(line, "@-+ \t"), "")
		for _, word := range append(shellWord.FindAllString(line, -1), ";") {
			if plain := quotes.Replace(word); plain != word || !strings.ContainsAny(word, ";&|<>") {
				command = append(command, plain)
				continue
			}
			i := slices.IndexFunc(command, tool.MatchString)
			if i >= 0 && i+1 < len(command) && command[i+1] != "--version" && runner.MatchString(strings.Join(append(command[:i:i], ""), " ")) {
				found = append(found, command[i+1:])
			}
			command = nil
		}
	}
	return found
}

// copiesByTool reports whether controller-gen writes DeepCopy methods in the Makefile.
func (p *Project) copiesByTool() bool {
	return slices.ContainsFunc(slices.Concat(p.commandLines...), func(word string) bool {
		return word == "object" || strings.HasPrefix(word, "object:")
	})
}

// option returns the value of an option of controller-gen in the Makefile, or "".
func (p *Project) option(option *regexp.Regexp) string {
	for _, word := range slices.Concat(p.commandLines...) {
		if m := option.FindStringSubmatch(word); m != nil {
			return m[1]
		}
	}
	return ""
}
