package project

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	// yearArgument matches the year of DeepCopy methods in an option of controller-gen, if it is a variable.
	yearArgument   = regexp.MustCompile(`^object:(?:.*,)?year=(\$[({][A-Za-z_][A-Za-z0-9_]*[)}])`)
	makeDefinition = regexp.MustCompile(`^(?:export +)?([A-Za-z_][\w.-]*) *(?:::?|\?)?= *(.*?)\s*$`)
	makeReference  = regexp.MustCompile(`\$[({]([A-Za-z_][\w.-]*)[)}]`)
	lineEnd        = regexp.MustCompile(`\\\r?\n`)
	comment        = regexp.MustCompile(`(^|\s)#.*`)
	shellWord      = regexp.MustCompile(`[0-9]*[<>][<>&|]*|[;&|]+|(?:[^\s"';&|<>]|"[^"]*"|'[^']*')+`)
	quotes         = strings.NewReplacer(`"`, "", "'", "")
	runner         = regexp.MustCompile(`^((\w+=\S*|go (run|tool)|exec|env|time|bash|sh|if|then|do|!|-\S+) )*$`)

	controllerGen = regexp.MustCompile(`(?i)(^|[/({$])controller[-_]?gen(@.*|-v[0-9.]*)?[)}]?$`)
	generator     = regexp.MustCompile(`(?i)(^|[/({$])((controller|client|lister|informer|applyconfiguration|deepcopy|register|conversion|` +
		`defaulter|openapi)[-_]?gen|crd[-_]ref[-_]docs|generate-(internal-)?groups\.sh|kube::codegen::gen_\w+)(@.*|-v[0-9.]*)?[)}]?$`)
)

// IsMakefile reports whether a file with this name is a Makefile.
func IsMakefile(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	return strings.Contains(base, "makefile") && path.Ext(base) != ".go" || path.Ext(name) == ".mk"
}

// calls returns the arguments of a tool in the commands of a script, or in the recipes of a Makefile, with the values
// of variables that this sets to plain text before.
func calls(text string, isMakefile bool, tool *regexp.Regexp) (found [][]string) {
	text = lineEnd.ReplaceAllString(text, " ")
	if isMakefile {
		text = expand(strings.ReplaceAll(text, "$(shell pwd)", "."))
	}
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

// expand replaces the variables of a Makefile that it sets to plain text before.
func expand(makefile string) string {
	values := map[string]string{"CURDIR": ".", "PWD": "."}
	var b strings.Builder
	for line := range strings.Lines(makefile) {
		line = makeReference.ReplaceAllStringFunc(line, func(reference string) string {
			if value, ok := values[reference[2:len(reference)-1]]; ok && len(value) < 1000 { // it can double in each line
				return value
			}
			return reference
		})
		if m := makeDefinition.FindStringSubmatch(line); m != nil && !strings.Contains(m[2], "$") {
			values[m[1]] = m[2]
		}
		b.WriteString(line)
	}
	return b.String()
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
