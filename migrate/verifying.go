package main

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/generators"
)

var (
	verifyName = regexp.MustCompile(`^(verify|check)([^a-z]|$)`)
	updateName = regexp.MustCompile(`^(update|generate|gen|codegen|manifests|crds?)([^a-z]|$)`)
	scriptHead = regexp.MustCompile(`^(?:(?:#|set ).*\n|\s*\n)*`)
	temporary  = regexp.MustCompile(`(?i)(\b|_|mk)te?mp(dir|\b|_)`)
	// comparing are commands of scripts that generate files again and compare them. They write nothing.
	comparing = []string{
		"set", "shopt", "diff", "cmp", "grep", "wc", "echo", "printf", "exit", "return", "[", "[[", "]", "]]", "test", "mktemp",
		"cat", "cd", "pushd", "popd", "true", "false", ":", "<", "!",
	}
)

// A unit is a script, or a rule of a Makefile.
type unit struct {
	*source
	name        string // of the script, or "make " with the target
	rule        *node
	list        []*statement
	first, last int // lines
}

// unitsOf returns the script, or the rules of the Makefile.
func unitsOf(s *source) (all []unit) {
	if !s.isMake {
		return []unit{{source: s, name: s.rel, rule: &node{}, list: s.list, last: len(s.lines) - 1}}
	}
	for _, st := range s.list {
		if n := st.nodes[0]; n.kind == "rule" && n.name != "" && n.name[0] != '.' {
			all = append(all, unit{s, "make " + n.name, n, n.lists[0], st.first, st.last})
		}
	}
	return all
}

// verifies reports whether a script or rule seems to verify generated files, as hack/verify-codegen.sh.
func (u unit) verifies() bool {
	base := strings.TrimPrefix(path.Base(u.name), "make ")
	compares, generates := false, slices.ContainsFunc(u.rule.needs, updateName.MatchString)
	for _, c := range u.within() {
		words := plainCommand(c.words)
		if len(words) == 0 {
			continue
		}
		compares = compares || slices.Contains([]string{"diff", "git", "cmp"}, words[0])
		generates = generates || toolIn(words) >= 0 || updateName.MatchString(path.Base(words[0])) ||
			slices.ContainsFunc(targets(words), updateName.MatchString)
	}
	isNamed := verifyName.MatchString(base)
	return generates && (isNamed && (compares || !u.isMake) || compares && !u.isMake && !updateName.MatchString(base) && len(u.calls) == 0)
}

// uncovered returns the first generator of a script that verifies, with one of its places that no output has,
// or "". Files in temporary directories are only compared.
func (p *module) uncovered(s *source, outputs []Output) (Call, string) {
	if s.isMake || len(outputs) == 0 || !s.units[0].verifies() {
		return Call{}, ""
	}
	for _, call := range s.calls {
		o, err := p.outputOf(call)
		if call.unread != "" || err != nil {
			continue // verify takes it for what another script generates
		}
		for _, pkg := range o.Packages {
			if !slices.ContainsFunc(outputs, func(other Output) bool { return overlap(other.Packages, []string{pkg}) }) {
				return call, pkg
			}
		}
		for _, info := range generators.Infos() {
			dir := o.manifests(info)
			isSame := func(other Output) bool { return other.manifests(info) == dir }
			if dir != "" && !temporary.MatchString(dir) && !slices.ContainsFunc(outputs, isSame) {
				return call, dir
			}
		}
	}
	return Call{}, ""
}

// hasGone reports whether the script or rule has calls that are replaced.
func (u unit) hasGone() bool {
	return slices.ContainsFunc(u.calls, func(call Call) bool {
		return u.gone[call.first].Tool != "" && call.first >= u.first && call.first <= u.last
	})
}

// within returns the commands of a script or rule.
func (u unit) within() []command {
	at := func(line int) int {
		i, _ := slices.BinarySearchFunc(u.commands, line, func(c command, line int) int { return c.line - line })
		return i
	}
	return u.commands[at(u.first):at(u.last+1)]
}

// targets returns the targets that a command makes.
func targets(words []string) []string {
	if name := strings.Trim(words[0], "$(){}"); name != "make" && name != "MAKE" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(words[1:]), func(word string) bool {
		return strings.HasPrefix(word, "-") || strings.Contains(word, "=")
	})
}

// purpose returns the first command of a script or rule, with its line from 1, that neither generates what kubegen does
// nor compares files, or 0.
func (u unit) purpose(generates func(words []string) bool) (line int, other string) {
	isFunction := func(name string) bool { return slices.Contains(u.functions, name) }
	var compares func(words []string) bool
	compares = func(words []string) bool {
		if words = plainCommand(words); len(words) == 0 || generates(words) || isPure(words) {
			return true
		}
		kept := func(word string) bool { return !strings.HasPrefix(word, "-") && !temporary.MatchString(word) }
		switch first := words[0]; first {
		case "git":
			i := slices.IndexFunc(words[1:], func(word string) bool { return !strings.HasPrefix(word, "-") })
			return i >= 0 && slices.Contains([]string{"diff", "status", "rev-parse", "ls-files"}, words[i+1])
		case "go":
			return len(words) > 1 && (words[1] == "install" || words[1] == "get")
		case "rm", "mkdir":
			return !slices.ContainsFunc(words[1:], kept)
		case "cp":
			return slices.ContainsFunc(words, temporary.MatchString)
		case ">":
			return len(words) == 2 && (isDevice(words[1]) || temporary.MatchString(words[1]))
		case "trap":
			list, _, _ := parse(strings.Join(words[1:min(2, len(words))], ""))
			return effect(list, false, compares) == ""
		default:
			return slices.Contains(comparing, first) || isFunction(first)
		}
	}
	for _, c := range u.within() {
		if words := plainCommand(c.words); !u.isGone(c.line) && !compares(words) {
			line, other = c.line+1, "runs "+strings.Join(words, " ")
			if words[0] == ">" {
				other = "writes " + strings.Join(words[1:], " ")
			}
			break
		}
	}
	walk(u.list, 0, func(st *statement, _ int) bool {
		if u.isGone(st.first) && st.alone || line > 0 && st.first+1 >= line {
			return false
		}
		if found := st.effect(u.isMake, compares); found != "" {
			line, other = st.first+1, "runs "+found
		}
		return true
	})
	return line, other
}

// replacement is what the proposed scripts do without generators.
type replacement struct {
	tools map[string]bool     // that are replaced
	runs  map[string]bool     // the names of units that run kubegen, and whether they do nothing else any more
	files []string            // the names of scripts
	needs map[string][]string // of all units; a target may have several rules
}

// replacementOf returns what scripts do without generators.
func replacementOf(sources []*source) *replacement {
	r := &replacement{map[string]bool{}, map[string]bool{}, nil, map[string][]string{}}
	var units []unit
	for _, s := range sources {
		units, r.files = append(units, s.units...), append(r.files, s.rel)
		for _, u := range s.units {
			r.needs[u.name] = append(r.needs[u.name], u.rule.needs...)
		}
		for _, call := range s.gone {
			r.tools[call.Tool] = true
		}
	}
	changed := true
	for n := 0; changed && n < maxNesting; n++ {
		changed = false
		for _, u := range units {
			if r.runs[u.name] {
				continue
			}
			runs, others := u.hasGone(), false
			for _, need := range r.needs[u.name] {
				_, isKnown := r.runs["make "+need]
				runs, others = runs || isKnown, others || !r.runs["make "+need] && toolOf(need) == ""
			}
			line, _ := u.purpose(func(words []string) bool {
				ok := r.generates(words)
				runs = runs || ok
				return ok
			})
			if _, isKnown := r.runs[u.name]; runs && (!isKnown || line == 0 && !others) {
				r.runs[u.name], changed = line == 0 && !others, true
			}
		}
	}
	return r
}

// generates reports whether a command runs what kubegen replaces: a generator, or what does nothing else any more.
func (r *replacement) generates(words []string) bool {
	if i := toolIn(words); i >= 0 {
		return r.tools[toolOf(words[i])]
	}
	return r.are(words, func(name string) bool { return r.runs[name] })
}

// are returns what a function does for all targets that a command makes, or for the script that it runs.
func (r *replacement) are(words []string, is func(name string) bool) bool {
	if asked := targets(words); len(asked) > 0 {
		return !slices.ContainsFunc(asked, func(target string) bool { return !is("make " + target) })
	}
	return slices.ContainsFunc(r.files, func(name string) bool {
		return is(name) && strings.HasSuffix(path.Clean("/"+words[0]), "/"+name)
	})
}

// verify puts kubegen verify in place of a script or rule that generates again to compare. In one that does more, it
// puts it in place of what generates, and says what stays.
func (u unit) verify(run string, r *replacement) {
	makes := func(need string) bool { return r.runs["make "+need] }
	if _, isKnown := r.runs[u.name]; u.isMake && !isKnown {
		return // what it compares, others generate
	}
	need := slices.IndexFunc(u.rule.needs, func(need string) bool { return !makes(need) && toolOf(need) == "" })
	line, more := u.purpose(r.generates)
	switch {
	case line == 0 && !u.isMake:
		u.put(0, len(u.lines)-1, scriptHead.FindString(u.text)+run+"\n")
		return
	case line == 0 && need < 0:
		u.rule.needs = nil
		u.put(u.first, u.last, u.rule.heading()+"\t"+run+"\n")
		return
	case line == 0:
		line, more = u.first+1, "makes "+u.rule.needs[need]
	}
	verifies, commands := false, u.within()
	for i := 0; i < len(commands); {
		first, alone, any := i, true, false
		for ; i < len(commands) && commands[i].line == commands[first].line; i++ {
			words := plainCommand(commands[i].words)
			runs := len(words) > 0 && r.generates(words)
			any, alone = any || runs, alone && (runs || len(words) == 0 || isHarmless(words))
		}
		c := commands[first]
		switch {
		case u.isGone(c.line):
			verifies = true
		case any && alone:
			text := u.lines[c.line]
			text = text[:len(text)-len(strings.TrimLeft(text, " \t"))] + run
			if verifies = true; !u.isMake {
				text += " || exit 1"
			}
			u.put(c.line, c.last, text+"\n")
		}
	}
	remedy := "name the files of what it runs, too, or write " + run + " in its place"
	isNamed := func(name string) bool { _, ok := r.needs[name]; return ok }
	other := strings.Fields(strings.TrimPrefix(strings.Replace(more, "makes ", "make ", 1), "runs "))
	if r.are(other, isNamed) {
		remedy = "see what stays there, or write " + run + " in its place"
	}
	if verifies {
		remedy = "delete what compares generated files there, which " + run + " does"
	} else if i := slices.IndexFunc(u.rule.needs, makes); i >= 0 {
		remedy = "write " + run + " into its recipe, and delete " + u.rule.needs[i] + ", which writes before it is compared"
	}
	kind := map[bool]string{false: "the script", true: "the rule"}[u.isMake]
	u.say(line-1, kind+" stays, because it "+more, remedy)
}
