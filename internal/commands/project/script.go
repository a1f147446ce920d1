package project

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Call is a command in a script or Makefile that runs a generator.
type Call struct {
	Tool string // "controller-gen", or a function such as "gen_client" of kube_codegen.sh
	Args []string

	dir         string // where it runs, relative to the module
	first, last int    // lines of the script, from 0
	unread      string // why it cannot be read, or ""
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
	assignment     = regexp.MustCompile(`(?s)^([A-Za-z_][A-Za-z0-9_]*)(\+?)=(.*)$`)
	toolVersion    = regexp.MustCompile(`(@|-v?[0-9]).*$`)
	loopHead       = regexp.MustCompile(`^for +([A-Za-z_]\w*) +in +(.*?)(?:; *do)?$`)
	functionHead   = regexp.MustCompile(`^(?:function +([\w:.-]+) *(?:\( *\))?|([\w:.-]+) *\( *\)) *(?:\{(?:(.*)\})?)?$`)
	parameter      = regexp.MustCompile(`\$\{?[@*1-9]`)
	element        = regexp.MustCompile(`^(\w+)\[(@|\d+)\](?::(\d+)|/([#%/]?)([^/]*)/(.*))?$`)
	branch         = regexp.MustCompile(`^(if|while|until|case)\b`)
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
	prefixes       = append([]string{"function", "bash", "sh", ""}, keywords...)  // of commands
	setters        = []string{"read", "mapfile", "readarray", "unset", "getopts"} // of variables, to values that are not known
	declarations   = []string{"export", "local", "readonly", "declare", "-r", "-a"}
	harmless       = []string{"cd", "echo", "mkdir", "set", "exit", "return", "true", "false", ":"} // beside a call
)

// A command is a command of a script, with the values that are known. The first word for the file of a redirection is
// ">" or "<".
type command struct {
	words      []string
	line, last int    // from 0
	dir        string // where it runs
}

// script is a reader of a shell script or of a Makefile, whose variables have the values of the lines before.
type script struct {
	name, module string // slash-separated, relative to the module; the path of the module
	isMake       bool
	ran          []command
	functions    map[string]*function // that pass on their arguments
	variables    map[string][]string  // several values of an array
	cwd          string
	dirs         []string // before pushd and cd
	depth        int      // of blocks
	branches     int      // of blocks that may not be carried out
	nesting      int      // of references and functions
	budget       *int     // bytes that references may still become: a variable can double in each line
}

// function is a function of a script.
type function struct {
	body   []logical
	calls  []Call
	called bool
}

// logical is a line of a script, of lines that belong together.
type logical struct {
	first, last int
	text        string
	block       int // how many lines below the end of its block is
}

const (
	maxBudget  = 1 << 20
	maxNesting = 10
	maxCalls   = 1000
	maxPath    = 4096
)

// read returns the commands in a script that run generators, and all of them. name is relative to the module.
func read(name, module, text string) (found []Call, ran []command) {
	s := &script{
		name: name, module: module, variables: map[string][]string{"REPO_ROOT_DIR": {root}}, functions: map[string]*function{}, cwd: root,
		budget: new(int), isMake: isMakefile(name),
	}
	*s.budget = maxBudget
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if s.isMake { // variables may be set below their use
		for _, line := range lines {
			s.define(line)
		}
	}
	all, stays := joined(lines, s.isMake)
	found = s.run(all)
	for name, f := range s.functions {
		for _, call := range f.calls {
			if !f.called {
				call.unread = "its function " + name + " is not called here"
				found = append(found, call)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Call) int { return a.first - b.first })
	slices.SortStableFunc(s.ran, func(a, b command) int { return a.line - b.line })
	if len(found) > maxCalls {
		at := found[maxCalls].first
		found = slices.DeleteFunc(found, func(call Call) bool { return call.first >= at })
		stays = []Call{{first: at, last: at, unread: fmt.Sprintf("the file has more than %d calls of generators", maxCalls)}}
	}
	return append(found, stays...), s.ran
}

// joined returns the logical lines of a script without comments and here-documents, and a call for what does not end.
func joined(lines []string, isMake bool) (all []logical, stays []Call) {
	var open []int // blocks
	for i := 0; i < len(lines); i++ {
		first, line, inside := i, lines[i], openness{}
		pieces := []string{line}
		for i+1 < len(lines) && (strings.HasSuffix(line, "\\") || !isMake && inside.after(line)) {
			separator := "\n"
			if trimmed, ok := strings.CutSuffix(line, "\\"); ok {
				separator, pieces[len(pieces)-1] = " ", trimmed
			}
			i++
			line = separator + lines[i]
			pieces = append(pieces, line)
		}
		if line = strings.Join(pieces, ""); i > first && i == len(lines)-1 && !isMake && isOpen(line) {
			return all, []Call{{Tool: "what follows", first: first, last: first, unread: "quotes or parentheses do not end"}}
		}
		l := logical{first: first, last: i, text: strings.TrimSpace(line)}
		if strings.HasPrefix(l.text, "#") || isMake && !strings.HasPrefix(line, "\t") {
			continue
		}
		if end := documentEnd(l.text); end != "" {
			if i = documentLast(lines, i, end); i == len(lines) {
				stays = []Call{{Tool: "what follows", first: first, last: first, unread: "the text until " + end + " does not end"}}
			}
		}
		n := len(all)
		if closeBlock.MatchString(l.text) && len(open) > 0 {
			begin := open[len(open)-1]
			all[begin].block, open = n-begin, open[:len(open)-1]
		}
		isBody := l.text == "{" && len(open) > 0 && open[len(open)-1] == n-1 && !strings.HasSuffix(all[n-1].text, "{")
		if !isMake && !isBody && openBlock.MatchString(l.text) && !endBlock.MatchString(l.text) {
			open = append(open, n)
		}
		all = append(all, l)
	}
	return all, stays
}

// documentEnd returns the line that ends the here-document that begins in a line, or "".
func documentEnd(line string) string {
	if m := heredoc.FindStringSubmatch(line); m != nil && !strings.Contains(line, "<<<") {
		return m[1]
	}
	return ""
}

// documentLast returns the index of the last line of a here-document that begins in a line before, or the number of
// lines.
func documentLast(lines []string, i int, end string) int {
	for i++; i < len(lines) && strings.TrimSpace(lines[i]) != end; i++ {
	}
	return i
}

// run returns the calls in lines of a script, and takes their assignments. It carries out loops with known values, and
// calls of functions.
func (s *script) run(lines []logical) (found []Call) {
	for i := 0; i < len(lines) && len(found) <= maxCalls; i++ {
		l := lines[i]
		var body []logical
		if l.block > 0 {
			body = lines[i+1 : min(len(lines), i+l.block)]
		}
		if s.isMake {
			s.cwd = root
		} else if m := functionHead.FindStringSubmatch(l.text); m != nil && (body != nil || m[3] != "") {
			if m[3] != "" {
				body = []logical{{first: l.first, last: l.last, text: strings.TrimSpace(m[3])}}
			}
			found = append(found, s.declare(cmp.Or(m[1], m[2]), body)...)
			i += l.block
			continue
		}
		if m := loopHead.FindStringSubmatch(l.text); m != nil && body != nil && !s.isMake {
			if calls, ok := s.repeat(m[1], m[2], body); ok {
				if last := lines[i+l.block].last; len(calls) > 0 && calls[0].last < 0 {
					for j := range calls {
						calls[j].first, calls[j].last = l.first, last
					}
				}
				found = append(found, calls...)
				i += l.block
				continue
			}
		}
		if m := loopHead.FindStringSubmatch(l.text); m != nil {
			delete(s.variables, m[1])
		}
		cwd := s.cwd
		for _, call := range s.line(l) {
			call.first, call.last = l.first, l.last
			found = append(found, call)
		}
		if strings.HasPrefix(l.text, "(") {
			s.cwd = cwd
		}
		if body != nil {
			branches := 0
			if branch.MatchString(l.text) {
				branches = 1
			}
			s.depth, s.branches = s.depth+1, s.branches+branches
			found = append(found, s.run(body)...)
			s.depth, s.branches = s.depth-1, s.branches-branches
			if l.text == "(" {
				s.cwd = cwd
			}
			i += l.block - 1
		}
	}
	return found
}

// declare returns the calls in a function, but for a function that passes on its arguments, whose calls are elsewhere.
func (s *script) declare(name string, body []logical) []Call {
	s.depth++
	calls := s.run(body)
	s.depth--
	if !slices.ContainsFunc(calls, func(call Call) bool { return parameter.MatchString(strings.Join(call.Args, " ")) }) {
		return calls
	}
	s.functions[name] = &function{body: body, calls: calls}
	return nil
}

// repeat returns the calls in a loop, if its values are known. If the loop does nothing else, they have no last line.
func (s *script) repeat(name, list string, body []logical) (calls []Call, ok bool) {
	values := s.commands(list)[0]
	size := 1
	for _, l := range body {
		size += len(l.text)
	}
	if strings.Contains(strings.Join(values, " "), "$") || len(values) == 0 || *s.budget < size*len(values) {
		return nil, false
	}
	*s.budget -= size * len(values)
	only := true
	s.depth++
	for _, value := range values {
		s.variables[name] = []string{value}
		from := len(s.ran)
		found := s.run(body)
		only = only && len(found) > 0 && !slices.ContainsFunc(s.ran[from:], command.isOther)
		calls = append(calls, found...)
	}
	s.depth--
	for i := range calls {
		if only {
			calls[i].last = -1
		}
	}
	return calls, true
}

// call returns the calls of a function with arguments.
func (s *script) call(name string, f *function, args []string) []Call {
	inner := *s
	inner.nesting, inner.ran, inner.variables, f.called = s.nesting+1, nil, maps.Clone(s.variables), true
	inner.variables["@"] = args
	for i, arg := range args {
		inner.variables[strconv.Itoa(i+1)] = []string{arg}
	}
	var found []Call
	if inner.nesting < maxNesting {
		found = inner.run(f.body)
	}
	for i, call := range found {
		other := slices.IndexFunc(inner.ran, command.isOther)
		if other >= 0 && call.unread == "" {
			found[i].unread = "its function " + name + " also runs " + strings.Join(inner.ran[other].words, " ")
		}
	}
	return found
}

// isOther reports whether a command neither runs a generator nor is harmless beside one.
func (c command) isOther() bool {
	words := plainCommand(c.words)
	return len(words) > 0 && toolIn(words) < 0 && !isHarmless(words)
}

// isHarmless reports whether a command may be beside a call.
func isHarmless(words []string) bool {
	return words[0] == ">" && len(words) == 2 && isDevice(words[1]) || slices.Contains(harmless, strings.TrimLeft(words[0], "@-+"))
}

// isDevice reports whether a redirection to a file writes none.
func isDevice(file string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/stderr", "1", "2"}, file)
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
func (s *script) line(l logical) (found []Call) {
	line := l.text
	beside := false // another command
	if s.isMake {
		line = s.substitute(line)
	}
	for _, words := range s.commands(line) {
		words = s.assign(words)
		s.change(words)
		quoted := len(words) > 1 && (words[0] == "eval" || words[1] == "-c" && (words[0] == "bash" || words[0] == "sh"))
		if quoted {
			words = strings.Fields(strings.Join(words, " "))
		}
		s.ran = append(s.ran, command{words, l.first, l.last, s.cwd})
		first := ""
		if len(words) > 0 {
			first = strings.TrimLeft(words[0], "@-+")
		}
		var calls []Call
		if plain := plainCommand(words); len(plain) > 0 && s.functions[plain[0]] != nil {
			calls = s.call(plain[0], s.functions[plain[0]], plain[1:])
		} else if i := toolIn(words); i >= 0 && len(words) > i+1 && words[i+1] != "--version" {
			calls = []Call{{Tool: toolOf(words[i]), Args: words[i+1:]}}
			s.place(&calls[0])
		} else {
			beside = beside || len(words) > 0 && !isHarmless(words)
		}
		for _, call := range calls {
			switch {
			case slices.Contains(keywords, first):
				call.unread = "it is part of a condition or loop on its line"
			case slices.Contains(wrappers, first), quoted:
				call.unread = first + " runs it"
			}
			found = append(found, call)
		}
	}
	for i := range found {
		if beside && found[i].unread == "" {
			found[i].unread = "its line has other commands or redirections"
		}
	}
	return found
}

// assign takes the assignments at the beginning of a command, and returns its other words. A variable that has another
// value in a branch has none that is known.
func (s *script) assign(words []string) []string {
	for len(words) > 0 && slices.Contains(declarations, words[0]) {
		words = words[1:]
	}
	if plain := plainCommand(words); len(plain) > 0 && slices.Contains(setters, plain[0]) {
		for _, name := range plain[1:] {
			delete(s.variables, name)
		}
	}
	for len(words) > 0 && assignment.MatchString(words[0]) {
		m := assignment.FindStringSubmatch(words[0])
		name, values := m[1], []string{m[3]}
		before := s.variables[name]
		if array, ok := strings.CutPrefix(m[3], "("); ok {
			values = slices.DeleteFunc(append([]string{array}, words[1:]...), func(word string) bool { return word == "" })
			words = words[:1]
			if m[2] != "" {
				values = append(slices.Clone(before), values...)
			}
		} else if m[2] != "" {
			values = []string{strings.Join(before, "") + m[3]}
		}
		if s.branches > 0 && len(before) > 0 && !slices.Equal(before, values) {
			values = []string{"$" + name}
		}
		s.variables[name], words = values, words[1:]
	}
	return words
}

// place sets the directory of a call, and why it cannot be read.
func (s *script) place(call *Call) {
	below, known := strings.CutPrefix(s.cwd, root)
	if call.dir = cmp.Or(strings.TrimPrefix(below, "/"), "."); call.dir == "." {
		for i, arg := range call.Args {
			call.Args[i] = strings.ReplaceAll(arg, root, ".")
		}
	}
	if !known || strings.Contains(below, "$") {
		call.unread = "the directory " + s.cwd + " is not known"
	}
	for _, name := range []string{"CLIENTSET_NAME_VERSIONED", "CLIENTSET_PKG_NAME"} {
		if strings.HasPrefix(call.Tool, "generate-") && s.variables[name] != nil {
			call.unread = name + " is set"
		}
	}
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

// plainCommand returns the words of a command from its name on.
func plainCommand(words []string) []string {
	for len(words) > 0 && slices.Contains(prefixes, strings.TrimLeft(words[0], "@-+")) {
		words = words[1:]
	}
	return words
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
					begun = quote != 0
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
		case c == '<' || c == '>':
			if strings.Trim(word.String(), "0123456789") == "" { // 2>
				word.Reset()
				begun = false
			}
			end()
			commands, words = append(commands, words), []string{string(c)}
			for i+1 < len(line) && strings.IndexByte("<>|&", line[i+1]) >= 0 {
				i++
			}
		case strings.IndexByte(";|&()", c) >= 0:
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
	case name == "@" && s.variables[name] != nil:
		return s.variables[name], true
	case name == "*" && s.variables["@"] != nil:
		return []string{strings.Join(s.variables["@"], " ")}, true
	case len(s.variables[name]) > 0:
		return s.variables[name][:1], !strings.Contains(s.variables[name][0], "$")
	case element.MatchString(inner):
		return s.elements(element.FindStringSubmatch(inner))
	case s.depth == 0 && (name == "@" || name == "*"): // the script's own arguments
		return nil, true
	case hasFallback:
		values := s.commands(fallback)[0]
		return values, !strings.Contains(strings.Join(values, " "), "$")
	}
	return nil, false
}

// elements returns the values that a reference to an array has: ${a[0]}, ${a[@]}, ${a[@]:1} or ${a[@]/#/--flag=}.
func (s *script) elements(m []string) ([]string, bool) {
	values, ok := s.variables[m[1]]
	index, _ := strconv.Atoi(m[2] + m[3]) // 0 for @
	switch {
	case !ok || m[2] != "@" && (m[0] != m[1]+"["+m[2]+"]" || index >= len(values)):
		return nil, false
	case m[2] != "@":
		return values[index : index+1], true
	case m[3] != "":
		from, err := strconv.Atoi(m[3])
		return values[min(from, len(values)):], err == nil
	case strings.ContainsAny(m[5], "*?["):
		return nil, false
	}
	if m[0] == m[1]+"[@]" {
		return values, true
	}
	var replaced []string
	for _, value := range values {
		switch m[4] {
		case "#":
			if rest, ok := strings.CutPrefix(value, m[5]); ok {
				value = m[6] + rest
			}
		case "%":
			if rest, ok := strings.CutSuffix(value, m[5]); ok {
				value = rest + m[6]
			}
		case "/":
			value = strings.ReplaceAll(value, m[5], m[6])
		default:
			value = strings.Replace(value, m[5], m[6], 1)
		}
		replaced = append(replaced, value)
	}
	return replaced, true
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
