package project

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Call is a command in a script or Makefile that runs a generator.
type Call struct {
	Tool string // "controller-gen", or a function such as "gen_client" of kube_codegen.sh
	Args []string

	dir         string // where it runs, relative to the module
	first, last int    // lines of the script, from 0
	unread      string // why it cannot be read, or ""
	moved       string // what the script copies afterwards, or ""
}

// root stands for the directory of the module in the values of variables. No script has it.
const root = "/\ue000"

// unreadable returns why the call cannot be read, or nil.
func (c Call) unreadable() error {
	if c.unread == "" {
		return nil
	}
	return errors.New(c.unread)
}

// at returns the path of a file or package below the directory of the call, relative to the module.
func (c Call) at(place string) string {
	switch {
	case strings.Contains(place, "$"):
		return strings.ReplaceAll(place, root, ".")
	case strings.HasPrefix(place, root):
		below, ok := strings.CutPrefix(path.Clean(place), root)
		if !ok {
			return "/"
		}
		place = "." + below
	case c.dir != "." && place != "" && place != "-" && place[0] != '/':
		place = "./" + path.Join(c.dir, place)
	}
	clean := path.Clean(place)
	if !strings.HasPrefix(place, ".") || clean == "." || strings.HasPrefix(clean, "..") {
		return place
	}
	return "./" + clean
}

// tools are the known generators, by their names without dashes and underscores in lower case.
var tools = map[string]string{
	"kube::codegen::genclient": "gen_client", "kube::codegen::genhelpers": "gen_helpers", "kube::codegen::genregister": "gen_register",
	"kube::codegen::genopenapi": "gen_openapi", "controllergen": "controller-gen", "clientgen": "client-gen", "listergen": "lister-gen",
	"informergen": "informer-gen", "applyconfigurationgen": "applyconfiguration-gen", "deepcopygen": "deepcopy-gen",
	"registergen": "register-gen", "conversiongen": "conversion-gen", "defaultergen": "defaulter-gen", "openapigen": "openapi-gen",
	"crdrefdocs": "crd-ref-docs", "generategroups.sh": "generate-groups.sh", "generateinternalgroups.sh": "generate-internal-groups.sh",
}

var (
	makeDefinition = regexp.MustCompile(`^(?:export +)?([A-Za-z_][A-Za-z0-9_.-]*)[ ]*(?:::?|\?)?=[ ]*(.*?)[ \r]*$`)
	assignment     = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=(.*)$`)
	toolVersion    = regexp.MustCompile(`(@|-v?[0-9]).*$`)
	openBlock      = regexp.MustCompile(`^(if|for|while|until|case)\b|^(function +)?[A-Za-z_][\w:.-]* *\(\) *[{(]?$|^function\b|[{(]$`)
	closeBlock     = regexp.MustCompile(`^(fi|done|esac)\b|^[})]`)
	elseBlock      = regexp.MustCompile(`^(else|elif)\b`)
	endBlock       = regexp.MustCompile(`(\b(fi|done|esac)|[})])$`) // of a block on one line
	plainReference = regexp.MustCompile(`(?s)^\$([A-Za-z_][A-Za-z0-9_]*|.)`)
	anyReference   = regexp.MustCompile(`\$(\([^)]*\)|\{[^}]*\}|\w+|.)`)
	makeReference  = regexp.MustCompile(`\$[({]([A-Za-z_][A-Za-z0-9_.-]*)[)}]`)
	heredoc        = regexp.MustCompile(`<<-?['"]?([A-Za-z_]\w*)['"]?`)
	runners        = []string{"go", "run", "tool", "exec", "env", "time", "bash", "sh", "@", "-", "+"}
	keywords       = []string{"if", "then", "elif", "else", "while", "until", "do", "!", "{"}
	wrappers       = []string{"sudo", "command", "eval", "xargs", "find", "parallel", "docker", "podman"}
	harmless       = []string{"cd", "echo", "mkdir", "set", "exit", "return", "true", "false", ":", "/dev/null"} // beside a call
)

// script is a reader of a shell script or of a Makefile, whose variables have the values of the lines before.
type script struct {
	name, module string // slash-separated, relative to the module; the path of the module
	isMake       bool
	each         func(first int, words []string) // is called for each command, if it is not nil
	variables    map[string][]string             // several values of an array
	cwd          string
	dirs         []string // before pushd and cd
	depth        int      // of blocks
	nesting      int      // of references
	budget       *int     // bytes that references may still become: a variable can double in each line
}

const (
	maxBudget  = 1 << 22
	maxNesting = 10
	maxCalls   = 1000
	maxPath    = 4096
)

// calls returns the commands in a script that run generators. name is relative to the module.
func calls(name, module, text string) (found []Call) { return read(name, module, text, nil) }

// read is like calls, and also passes all commands of the script to a function.
func read(name, module, text string, each func(first int, words []string)) (found []Call) {
	s := &script{each: each, name: name, module: module, variables: map[string][]string{"REPO_ROOT_DIR": {root}}, cwd: root, budget: new(int)}
	*s.budget = maxBudget
	s.isMake = isMakefile(name)
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	end, opening := "", 0
	stays := func(line int, reason string) []Call {
		return append(found, Call{Tool: "what follows", first: line, last: line, unread: reason})
	}
	if s.isMake { // variables may be set below their use
		for _, line := range lines {
			s.define(line)
		}
	}
	for i := 0; i < len(lines); i++ {
		first, line, open := i, lines[i], openness{}
		pieces := []string{line}
		for i+1 < len(lines) && (strings.HasSuffix(line, "\\") || !s.isMake && end == "" && open.after(line)) {
			separator := "\n"
			if trimmed, ok := strings.CutSuffix(line, "\\"); ok {
				separator, pieces[len(pieces)-1] = " ", trimmed
			}
			i++
			line = separator + lines[i]
			pieces = append(pieces, line)
		}
		if line = strings.Join(pieces, ""); i > first && i == len(lines)-1 && !s.isMake && isOpen(line) {
			return stays(first, "quotes or parentheses do not end")
		}
		if len(found) > maxCalls {
			return stays(first, fmt.Sprintf("the file has more than %d calls of generators", maxCalls))
		}
		if end != "" {
			if strings.TrimSpace(line) == end {
				end = ""
			}
			continue
		}
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "#"), s.isMake && !strings.HasPrefix(line, "\t"):
			continue
		case s.isMake:
			s.cwd = root
		case closeBlock.MatchString(trimmed):
			s.depth = max(0, s.depth-1)
		}
		if m := heredoc.FindStringSubmatch(trimmed); m != nil && !strings.Contains(trimmed, "<<<") {
			end, opening = m[1], first
		}
		cwd := s.cwd
		for _, call := range s.line(first, trimmed) {
			call.first, call.last = first, i
			found = append(found, call)
		}
		if strings.HasPrefix(trimmed, "(") {
			s.cwd = cwd
		}
		if !s.isMake && openBlock.MatchString(trimmed) && !endBlock.MatchString(trimmed) {
			s.depth++
		}
	}
	if end != "" {
		return stays(opening, "the text until "+end+" does not end")
	}
	return found
}

// isMakefile reports whether a file with this name is a Makefile.
func isMakefile(name string) bool {
	base := strings.ToLower(path.Base(filepath.ToSlash(name)))
	return strings.Contains(base, "makefile") && path.Ext(base) != ".go" || path.Ext(name) == ".mk"
}

// isOpen reports whether a line of a shell ends within double quotes, an array or a command substitution.
func isOpen(line string) bool { return (&openness{}).after(line) }

// openness is what is open after the lines of a command.
type openness struct {
	begun, comment bool
	quote, last    rune
	depth          int
}

// after reads another line, and reports whether it is to be continued.
func (o *openness) after(line string) bool {
	if !o.begun && strings.HasPrefix(strings.TrimSpace(line), "#") {
		return false
	}
	if !o.begun {
		o.begun, o.last = true, ' '
	}
	for _, c := range strings.ReplaceAll(strings.ReplaceAll(line, `\"`, ""), `\'`, "") {
		switch {
		case o.comment:
			o.comment = c != '\n'
		case o.quote == 0 && (c == '"' || c == '\'') || c == o.quote:
			o.quote ^= c
		case o.quote == '\'':
		case c == '#' && strings.ContainsRune(" \t\n", o.last) && o.quote == 0:
			o.comment = true
		case c == '(' && (o.depth > 0 || o.last == '$' || o.last == '='):
			o.depth++
		case c == ')' && o.depth > 0:
			o.depth--
		}
		o.last = c
	}
	return o.quote == '"' || o.depth > 0
}

// define takes the value of a variable of a Makefile, unless it has one.
func (s *script) define(line string) {
	if m := makeDefinition.FindStringSubmatch(line); m != nil {
		if _, ok := s.variables[m[1]]; !ok {
			s.variables[m[1]] = []string{m[2]}
		}
	}
}

// line returns the calls in a line of a shell, and takes its assignments.
func (s *script) line(at int, line string) (found []Call) {
	beside := false // another command
	if s.isMake {
		line = s.substitute(line)
	}
	for _, words := range s.commands(line) {
		for len(words) > 0 && slices.Contains([]string{"export", "local", "readonly", "declare", "-r", "-a"}, words[0]) {
			words = words[1:]
		}
		for len(words) > 0 && assignment.MatchString(words[0]) {
			m := assignment.FindStringSubmatch(words[0])
			values := []string{m[2]}
			if array, ok := strings.CutPrefix(m[2], "("); ok {
				values = slices.DeleteFunc(append([]string{array}, words[1:]...), func(word string) bool { return word == "" })
				words = words[:1]
			}
			s.variables[m[1]], words = values, words[1:]
		}
		if s.change(words); s.each != nil {
			s.each(at, words)
		}
		first := ""
		if len(words) > 0 {
			first = strings.TrimLeft(words[0], "@-+")
		}
		i := toolIn(words)
		if i < 0 || len(words) <= i+1 || words[i+1] == "--version" {
			beside = beside || len(words) > 0 && !slices.Contains(harmless, first)
			continue
		}
		call := Call{Tool: toolOf(words[i]), Args: words[i+1:]}
		below, known := strings.CutPrefix(s.cwd, root)
		if call.dir = cmp.Or(strings.TrimPrefix(below, "/"), "."); call.dir == "." {
			for i, arg := range call.Args {
				call.Args[i] = strings.ReplaceAll(arg, root, ".")
			}
		}
		switch {
		case slices.Contains(keywords, first):
			call.unread = "it is part of a condition or loop on its line"
		case slices.Contains(wrappers, first):
			call.unread = first + " runs it"
		case !known || strings.Contains(below, "$"):
			call.unread = "the directory " + s.cwd + " is not known"
		}
		for _, name := range []string{"CLIENTSET_NAME_VERSIONED", "CLIENTSET_PKG_NAME"} {
			if strings.HasPrefix(call.Tool, "generate-") && s.variables[name] != nil {
				call.unread = name + " is set"
			}
		}
		found = append(found, call)
	}
	for i := range found {
		if beside && found[i].unread == "" {
			found[i].unread = "its line has other commands or redirections"
		}
	}
	return found
}

// change changes the directory, if the words of a command are for that.
func (s *script) change(words []string) {
	switch {
	case len(words) == 0 || len(s.dirs) > maxCalls || len(s.cwd) > maxPath:
	case words[0] == "popd", slices.Equal(words, []string{"cd", "-"}):
		if s.cwd = "$OLDPWD"; len(s.dirs) > 0 {
			s.cwd, s.dirs = s.dirs[len(s.dirs)-1], s.dirs[:len(s.dirs)-1]
		}
	case len(words) == 2 && (words[0] == "cd" || words[0] == "pushd"):
		s.dirs = append(slices.Clip(s.dirs), s.cwd)
		s.cwd = s.below(words[1])
	}
}

// below returns a directory below the current one.
func (s *script) below(dir string) string {
	if path.IsAbs(dir) || strings.HasPrefix(dir, "$") {
		return path.Clean(dir)
	}
	return path.Join(s.cwd, dir)
}

// plainName removes what names of generators are written with.
var plainName = strings.NewReplacer("-", "", "_", "", "$(", "", "${", "")

// toolOf returns the generator that a word runs, such as $(CONTROLLER_GEN) or bin/client-gen, or "".
func toolOf(word string) string {
	word = toolVersion.ReplaceAllString(path.Base(strings.Trim(word, "@$(){}\"")), "")
	return tools[strings.ToLower(plainName.Replace(word))]
}

// toolIn returns the index of the generator among the words of a command, or -1.
func toolIn(words []string) int {
	skips := false // flags of runners have values
	for i, word := range words {
		plain := strings.TrimLeft(word, "@-+")
		switch {
		case toolOf(word) != "":
			return i
		case i == 0 && slices.Contains(wrappers, plain), i == 1 && words[0] == "go" && (word == "run" || word == "tool"):
			skips = true
		case skips, plain == "", slices.Contains(runners, plain), slices.Contains(keywords, plain), strings.HasPrefix(word, "-"):
		default:
			return -1
		}
	}
	return -1
}

// commandsIn returns the words of each command in a line of a shell, with references as they are.
func commandsIn(line string) [][]string { return (&script{budget: new(int)}).commands(line) }

// commands returns the words of each command in a line of a shell, without quotes and comments.
func (s *script) commands(line string) (commands [][]string) {
	var words []string
	var word strings.Builder
	var quote byte
	begun, array := false, false // the word may be empty
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	lastParenthesis := strings.LastIndexByte(line, ')')
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			begun = true
		case c == '$' && quote != '\'' && i+1 < len(line):
			values, n := s.reference(line[i:])
			i += n - 1
			begun = begun && (len(values) > 0 || word.Len() > 0) // "$@" without arguments is no word
			for j, value := range values {
				if j > 0 {
					end()
				}
				if fields := strings.Fields(value); quote == 0 && !strings.Contains(value, "$") && len(fields) > 1 {
					for _, field := range fields[:len(fields)-1] {
						word.WriteString(field)
						begun = true
						end()
					}
					value = fields[len(fields)-1]
				}
				word.WriteString(value)
				begun = begun || quote == 0 && value != ""
			}
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, begun = c, true
		case c == '#' && !begun:
			if n := strings.IndexByte(line[i:], '\n'); n >= 0 {
				i += n
				continue
			}
			end()
			return append(commands, words)
		case c == '(' && strings.HasSuffix(word.String(), "="):
			array = true
			word.WriteByte(c)
		case c == ')' && array:
			end()
			array = false
		case strings.IndexByte(" \t\n", c) >= 0:
			end()
		case c == '<' && i+1 < len(line) && line[i+1] == '(' && i < lastParenthesis:
			word.WriteString("<()")
			begun = true
			i += strings.Index(line[i:], ")")
		case strings.IndexByte(";|&<>()", c) >= 0:
			end()
			commands, words = append(commands, words), nil
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	end()
	return append(commands, words)
}

// reference returns the values of the reference at the beginning of a text, and its length. Without known values, it
// is its own value.
func (s *script) reference(text string) ([]string, int) {
	inner, length, closing := "", 0, strings.IndexByte("({", text[1])
	if closing < 0 {
		length = len(plainReference.FindString(text))
		inner = text[1:length]
	} else {
		length = 2
		for depth := 1; depth > 0 && length < len(text); length++ {
			switch text[length] {
			case "({"[closing]:
				depth++
			case ")}"[closing]:
				depth--
			}
		}
		inner = text[2:max(2, length-1)]
	}
	nested := *s
	nested.nesting++
	values, known := []string(nil), false
	if nested.nesting < maxNesting {
		values, known = nested.value(inner, closing == 0 && !s.isMake)
	}
	for _, value := range values {
		*s.budget -= len(value) + 1
	}
	if !known || *s.budget < 0 {
		values = []string{text[:length]}
	}
	return values, length
}

// value returns the values of a variable, or of a command that prints a directory or the path of the module.
func (s *script) value(inner string, isCommand bool) ([]string, bool) {
	if shell, ok := strings.CutPrefix(inner, "shell "); ok && s.isMake {
		inner, isCommand = shell, true
	}
	if isCommand {
		commands := s.commands(inner)
		words := commands[len(commands)-1]
		joined := strings.Join(words, " ")
		switch {
		case strings.HasPrefix(joined, "pwd") && len(commands[0]) > 1 && commands[0][0] == "cd":
			return []string{s.below(commands[0][1])}, !strings.Contains(commands[0][1], "$")
		case joined == "git rev-parse --show-toplevel":
			return []string{root}, true
		case strings.HasPrefix(joined, "pwd"):
			return []string{s.cwd}, true
		case joined == "go list -m":
			return []string{s.module}, true
		case len(words) > 1 && slices.Contains([]string{"dirname", "realpath", "readlink"}, words[0]) && !strings.Contains(joined, "$"):
			value := words[len(words)-1]
			if words[0] == "dirname" {
				value = path.Dir(value)
			}
			return []string{value}, true
		}
		return nil, false
	}
	switch name, fallback, hasFallback := strings.Cut(inner, ":-"); {
	case slices.Contains([]string{"BASH_SOURCE[0]", "BASH_SOURCE[@]", "BASH_SOURCE", "0"}, name):
		return []string{path.Join(root, s.name)}, true
	case slices.Contains([]string{"CURDIR", "PWD"}, name):
		return []string{s.cwd}, true
	case len(s.variables[name]) > 0:
		return s.variables[name][:1], !strings.Contains(s.variables[name][0], "$")
	case strings.HasSuffix(name, "[@]") && s.variables[strings.TrimSuffix(name, "[@]")] != nil:
		return s.variables[strings.TrimSuffix(name, "[@]")], true
	case s.depth == 0 && (name == "@" || name == "*"): // the script's own arguments
		return nil, true
	case hasFallback:
		values := s.commands(fallback)[0]
		return values, !strings.Contains(strings.Join(values, " "), "$")
	}
	return nil, false
}

// substitute replaces the references of make in a line that have known values. within are the variables that have the
// line in their values.
func (s *script) substitute(line string, within ...string) string {
	return makeReference.ReplaceAllStringFunc(line, func(text string) string {
		name := text[2 : len(text)-1]
		values, ok := s.variables[name]
		if !ok || len(values) == 0 || slices.Contains(within, name) || *s.budget < 0 {
			return text
		}
		*s.budget -= len(values[0]) + 1
		if shell, isShell := strings.CutPrefix(values[0], "$(shell "); isShell {
			if values, ok = s.value(strings.TrimSuffix(shell, ")"), true); !ok || len(values) == 0 {
				return text
			}
		}
		return s.substitute(values[0], append(slices.Clone(within), name)...)
	})
}
