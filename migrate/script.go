package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/commands/project"
)

// A Call is a command in a script or Makefile that runs a generator.
type Call struct {
	Tool string // "controller-gen", or a function such as "gen_client" of kube_codegen.sh
	Args []string

	dir         string // where it runs, relative to the module
	first, last int    // lines of the script, from 0
	moves       bool   // its line changes the directory of the lines below
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
	toolVersion   = regexp.MustCompile(`(@|-v?[0-9]).*$`)
	parameter     = regexp.MustCompile(`\$\{?[@*1-9]`)
	element       = regexp.MustCompile(`^(\w+)\[(@|\d+)\](?::(\d+)|/([#%/]?)([^/]*)/(.*))?$`)
	anyReference  = regexp.MustCompile(`\$(\([^)]*\)|\{[^}]*\}|\w+|.)`)
	makeReference = regexp.MustCompile(`\$[({]([A-Za-z_][A-Za-z0-9_.-]*)[)}]`)
	runners       = []string{"go", "run", "tool", "exec", "env", "time", "bash", "sh"}
	wrappers      = []string{"sudo", "command", "eval", "xargs", "find", "parallel", "docker", "podman"}
	setters       = []string{"read", "mapfile", "readarray", "unset", "getopts"}                                            // of variables, to values that are not known
	harmless      = append([]string{"cd", "echo", "mkdir", "set", "exit", "return", "true", "false", ":"}, declarations...) // beside a call
)

// A command is a command of a script, with the values that are known. The first word for the file of a redirection is
// ">" or "<".
type command struct {
	words      []string
	line, last int    // from 0
	dir        string // where it runs
	calls      bool   // a function with calls of generators
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
	body   []*statement
	calls  []Call
	called bool
}

const (
	maxBudget  = 1 << 20
	maxNesting = 10
	maxCalls   = 1000
	maxPath    = 4096
)

// reading is what is known of a script.
type reading struct {
	list     []*statement
	calls    []Call    // of generators
	commands []command // all
}

// read reads a script. name is relative to the module.
func read(name, module, text string) reading {
	s := &script{
		name: name, module: module, variables: map[string][]string{"REPO_ROOT_DIR": {root}}, functions: map[string]*function{}, cwd: root,
		budget: new(int), isMake: project.IsMakefile(name),
	}
	*s.budget = maxBudget
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var list []*statement
	var unread []Call
	at, broken := 0, ""
	if s.isMake { // variables may be set below their use
		lines := logicalLines(text)
		for _, line := range lines {
			if m := makeDefinition.FindStringSubmatch(line.text); m != nil && s.variables[m[1]] == nil {
				s.variables[m[1]] = []string{m[2]}
			}
		}
		list, unread = makefile(lines, func(text string) string { return s.substitute(text) })
	} else {
		list, at, broken = parse(text)
	}
	found, _ := s.run(list)
	found = append(found, unread...)
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
	replaced, last := map[int]bool{}, 0 // lines, and the last one that stays and depends on the directory
	for _, call := range found {
		for line := call.first; line <= call.last && call.unread == ""; line++ {
			replaced[line] = true
		}
	}
	for _, c := range s.ran {
		if !replaced[c.line] && len(c.words) > 0 && !slices.Contains([]string{"echo", "exit", ">"}, c.words[0]) {
			last = max(last, c.line)
		}
	}
	for i, call := range found {
		if call.moves && call.last < last {
			found[i].unread = cmp.Or(call.unread, "lines below it run in the directory to which its line changes")
		}
	}
	if len(found) > maxCalls {
		at, broken = found[maxCalls].first, fmt.Sprintf("the file has more than %d calls of generators", maxCalls)
		found = slices.DeleteFunc(found, func(call Call) bool { return call.first >= at })
	}
	if broken != "" {
		found = append(found, Call{Tool: "what follows", first: at, last: at, unread: broken})
	}
	return reading{list, found, s.ran}
}

// run returns the calls in statements, and apart from these the calls on lines that have more. It takes assignments,
// and carries out loops with known values and calls of functions.
func (s *script) run(list []*statement) (found, beside []Call) {
	for _, st := range list {
		if len(found) > maxCalls {
			break
		}
		if s.isMake && st.alone {
			s.cwd = root
		}
		var calls []Call
		from, cwd := len(s.ran), s.cwd
		for _, n := range st.nodes {
			inside, here := s.node(n, st)
			found, calls = append(found, inside...), append(calls, here...)
		}
		if !st.alone {
			beside = append(beside, calls...)
			continue
		}
		others := len(calls) > 0 && slices.ContainsFunc(s.ran[from:], command.isOther)
		for _, call := range calls {
			call.moves = !s.isMake && s.cwd != cwd
			if call.first, call.last = st.first, st.last; others {
				call.unread = cmp.Or(call.unread, "its line has other commands or redirections")
			}
			found = append(found, call)
		}
	}
	return found, beside
}

// node is as run, for a node of a statement.
func (s *script) node(n *node, st *statement) (found, beside []Call) {
	values := s.words(n.words)
	switch {
	case n.kind == "":
		return nil, s.simple(values, st)
	case strings.Contains(n.kind, "="):
		s.assign(n, values)
		return nil, nil
	case n.kind == "function":
		return s.declare(n), nil
	}
	before, from := *s, len(s.ran)
	repeats := n.kind == "for" && s.mayRepeat(n, values)
	if !repeats {
		values = []string{"$" + n.name}
	}
	if s.depth++; slices.Contains([]string{"if", "while", "until", "case"}, n.kind) {
		s.branches++
	}
	for _, value := range values {
		if n.kind == "for" || n.kind == "select" {
			s.variables[n.name] = []string{value}
		}
		for _, list := range n.lists {
			inside, here := s.run(list)
			found, beside = append(found, inside...), append(beside, here...)
		}
	}
	s.depth, s.branches = before.depth, before.branches
	switch {
	case n.kind == "(":
		s.cwd = before.cwd
	case repeats && !slices.ContainsFunc(s.ran[from:], command.isOther):
		return nil, append(found, beside...)
	case n.kind != "{":
		for i := range beside {
			beside[i].unread = cmp.Or(beside[i].unread, "it is part of a condition or loop on its line")
		}
	}
	return found, beside
}

// declare returns the calls in a function, but for a function that passes on its arguments, whose calls are elsewhere.
func (s *script) declare(n *node) (calls []Call) {
	s.depth++
	for _, list := range n.lists {
		found, beside := s.run(list)
		calls = append(found, beside...)
	}
	s.depth--
	if !slices.ContainsFunc(calls, func(call Call) bool { return parameter.MatchString(strings.Join(call.Args, " ")) }) {
		return calls
	}
	s.functions[n.name] = &function{body: n.lists[0], calls: calls}
	return nil
}

// mayRepeat reports whether a loop has known values, and takes what it costs from the budget.
func (s *script) mayRepeat(n *node, values []string) bool {
	cost := (1 + n.size) * len(values)
	if cost == 0 || cost > *s.budget || strings.Contains(strings.Join(values, " "), "$") {
		return false
	}
	*s.budget -= cost
	return true
}

// call returns the calls of a function with arguments.
func (s *script) call(name string, f *function, args []string) []Call {
	inner := *s
	inner.nesting, inner.ran, inner.variables, f.called = s.nesting+1, nil, maps.Clone(s.variables), true
	inner.variables["@"] = args
	for i, arg := range args {
		inner.variables[strconv.Itoa(i+1)] = []string{arg}
	}
	if inner.nesting >= maxNesting {
		return nil
	}
	found, beside := inner.run(f.body)
	found = append(found, beside...)
	if other := slices.IndexFunc(inner.ran, command.isOther); other >= 0 {
		for i := range found {
			found[i].unread = cmp.Or(found[i].unread, "its function "+name+" also runs "+strings.Join(inner.ran[other].words, " "))
		}
	}
	return found
}

// isOther reports whether a command neither runs a generator nor is harmless beside one.
func (c command) isOther() bool {
	words := plainCommand(c.words)
	return !c.calls && len(words) > 0 && toolIn(words) < 0 && !isHarmless(words)
}

// isHarmless reports whether a command may be beside a call.
func isHarmless(words []string) bool {
	return words[0] == ">" && len(words) == 2 && isDevice(words[1]) || slices.Contains(harmless, words[0])
}

// isDevice reports whether a redirection to a file writes none.
func isDevice(file string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/stderr", "1", "2"}, file)
}

// simple returns the calls of a command.
func (s *script) simple(words []string, st *statement) (calls []Call) {
	if len(words) == 0 {
		return nil
	}
	if slices.Contains(setters, words[0]) {
		for _, name := range words[1:] {
			delete(s.variables, name)
		}
	}
	s.change(words)
	quoted := len(words) > 1 && (words[0] == "eval" || words[1] == "-c" && (words[0] == "bash" || words[0] == "sh"))
	if quoted {
		words = strings.Fields(strings.Join(words, " "))
	}
	s.ran = append(s.ran, command{words: words, line: st.first, last: st.last, dir: s.cwd})
	ran := &s.ran[len(s.ran)-1]
	if plain := plainCommand(words); len(plain) > 0 && s.functions[plain[0]] != nil {
		ran.calls, calls = true, s.call(plain[0], s.functions[plain[0]], plain[1:])
	} else if i := toolIn(words); i >= 0 && len(words) > i+1 && words[i+1] != "--version" {
		calls = []Call{{Tool: toolOf(words[i]), Args: words[i+1:]}}
		s.place(&calls[0])
	}
	for i := range calls {
		if slices.Contains(wrappers, words[0]) || quoted {
			calls[i].unread = words[0] + " runs it"
		}
	}
	return calls
}

// assign takes an assignment. A variable that has another value in a branch has none that is known.
func (s *script) assign(n *node, values []string) {
	before := s.variables[n.name]
	adds := n.kind[0] == '+'
	switch {
	case strings.HasSuffix(n.kind, "(") && adds:
		values = append(slices.Clone(before), values...)
	case strings.HasSuffix(n.kind, "("):
	case adds:
		values = []string{strings.Join(before, "") + strings.Join(values, " ")}
	default:
		values = []string{strings.Join(values, " ")}
	}
	if s.branches > 0 && len(before) > 0 && !slices.Equal(before, values) {
		values = []string{"$" + n.name}
	}
	s.variables[n.name] = values
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
	for len(words) > 0 && (words[0] == "bash" || words[0] == "sh" || words[0] == "") {
		words = words[1:]
	}
	return words
}

// plainName removes what names of generators are written with.
var plainName = strings.NewReplacer("-", "", "_", "", "$(", "", "${", "")

// ofTools matches the paths of the modules with generators, also as names of variables.
var ofTools = regexp.MustCompile(`(?i)code[-_]?gen|controller[-_]?tools|kube[-_]?openapi|k8s\.io/`)

// toolOf returns the generator that a word runs, such as $(CONTROLLER_GEN) or bin/client-gen, or "".
func toolOf(word string) string {
	word = strings.Trim(word, "@$(){}\"")
	if ofTools.MatchString(word) { // go run of a file in their modules
		word = strings.TrimSuffix(strings.TrimSuffix(word, "/main.go"), ".go")
	}
	word = toolVersion.ReplaceAllString(path.Base(word), "")
	return tools[strings.ToLower(plainName.Replace(word))]
}

// toolIn returns the index of the generator among the words of a command, or -1.
func toolIn(words []string) int {
	skips := false // flags of runners have values
	for i, word := range words {
		switch {
		case toolOf(word) != "":
			return i
		case i == 0 && slices.Contains(wrappers, word), i == 1 && words[0] == "go" && (word == "run" || word == "tool"):
			skips = true
		case skips, word == "", slices.Contains(runners, word), strings.HasPrefix(word, "-"):
		default:
			return -1
		}
	}
	return -1
}

// words returns the words of a command with the values of references.
func (s *script) words(words []word) (values []string) {
	for _, w := range words {
		values = append(values, s.expand(w)...)
	}
	return values
}

// expand returns a word with the values of references: several words, or none, if these are not quoted.
func (s *script) expand(w word) (words []string) {
	var text strings.Builder
	begun := false // the word may be empty
	end := func() {
		if begun {
			words = append(words, text.String())
		}
		text.Reset()
	}
	for _, part := range w {
		if part.reference == "" && part.commands == nil {
			text.WriteString(part.text)
			begun = begun || part.quoted || part.text != ""
			continue
		}
		values := s.reference(part)
		if begun = begun || part.quoted; len(values) == 0 && text.Len() == 0 { // "$@" without arguments is no word
			begun = false
		}
		for i, value := range values {
			if i > 0 {
				end()
				begun = part.quoted
			}
			if fields := strings.Fields(value); !part.quoted && !strings.Contains(value, "$") && len(fields) > 1 {
				for _, field := range fields[:len(fields)-1] {
					text.WriteString(field)
					begun = true
					end()
				}
				value = fields[len(fields)-1]
			}
			text.WriteString(value)
			begun = begun || value != ""
		}
	}
	end()
	return words
}

// reference returns the values of a reference. Without known values, it is its own value.
func (s *script) reference(p part) []string {
	values, known := []string(nil), false
	if s.nesting++; s.nesting < maxNesting {
		values, known = s.value(p)
	}
	s.nesting--
	for _, value := range values {
		*s.budget -= len(value) + 1
	}
	if !known || *s.budget < 0 {
		values = []string{p.text}
	}
	return values
}

// value returns the values of a variable, or of commands that print a directory or the path of the module.
func (s *script) value(p part) ([]string, bool) {
	if s.isMake && !strings.HasPrefix(p.text, "$$") { // make knows it before it runs the line
		defer func(cwd string) { s.cwd = cwd }(s.cwd)
		s.cwd = root
	}
	switch {
	case p.commands != nil && p.text[0] != '$' && p.text[0] != '`':
		return []string{"<()"}, true
	case p.commands != nil:
		return s.printed(p.commands)
	}
	name, fallback, hasFallback := strings.Cut(p.reference, ":-")
	if set, alternative, ok := strings.Cut(p.reference, ":+"); ok && identifier.FindString(set) == set { // unless it is empty
		switch values := s.variables[set]; {
		case len(values) == 0 || values[0] == "":
			return nil, true
		case strings.Contains(values[0], "$"):
			return nil, false
		}
		name, fallback, hasFallback = "", alternative, true
	}
	switch {
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
	case element.MatchString(p.reference):
		return s.elements(element.FindStringSubmatch(p.reference))
	case s.depth == 0 && (name == "@" || name == "*"): // the script's own arguments
		return nil, true
	case hasFallback:
		list, _, _ := parse(": " + fallback)
		if len(list) != 1 {
			return nil, false
		}
		values := s.words(list[0].nodes[0].words)[1:]
		return values, !strings.Contains(strings.Join(values, " "), "$")
	}
	return nil, false
}

// printed returns what commands print.
func (s *script) printed(list []*statement) ([]string, bool) {
	var commands [][]string
	for _, st := range list {
		for _, n := range st.nodes {
			commands = append(commands, s.words(n.words))
		}
	}
	if len(commands) == 0 {
		return nil, false
	}
	first, words := commands[0], commands[len(commands)-1]
	joined := strings.Join(words, " ")
	switch {
	case strings.HasPrefix(joined, "pwd") && len(first) > 1 && first[0] == "cd":
		return []string{s.below(first[1])}, !strings.Contains(first[1], "$")
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
		if strings.Contains(values[0], "$(shell ") {
			values = []string{strings.Join(s.expand(makeWord(values[0], 0)), " ")}
			if strings.Contains(values[0], "$(shell ") {
				return text
			}
		}
		return s.substitute(values[0], append(slices.Clone(within), name)...)
	})
}
