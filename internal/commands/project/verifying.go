package project

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	verifyName = regexp.MustCompile(`^(verify|check)([^a-z]|$)`)
	updateName = regexp.MustCompile(`^(update|generate|gen|codegen|manifests|crds?)([^a-z]|$)`)
	scriptHead = regexp.MustCompile(`^(?:(?:#|set ).*\n|\s*\n)*`)
	temporary  = regexp.MustCompile(`(?i)(\b|_|mk)te?mp(dir|\b|_)`)
	// comparing are commands of scripts that generate files again and compare them. They write nothing.
	comparing = []string{
		"set", "shopt", "diff", "cmp", "grep", "wc", "echo", "printf", "exit", "return", "[", "[[", "]", "]]", "test", "mktemp",
		"cat", "cd", "pushd", "popd", "true", "false", ":", "}", "fi", "done", "esac", "<",
	}
)

// A unit is a script, or a rule of a Makefile.
type unit struct {
	*source
	name        string // of the script, or "make " with the target
	needs       []string
	first, last int // lines
}

// units returns the script, or the rules of the Makefile.
func (s *source) units() (all []unit) {
	if !s.isMake {
		return []unit{{source: s, name: s.rel, last: len(s.lines)}}
	}
	for _, g := range s.groups() {
		if r := ruleOf(g.text); r != nil && !strings.HasPrefix(r.target, ".") {
			all = append(all, unit{s, "make " + r.target, r.needs, g.first, g.last})
		}
	}
	return all
}

// verifies reports whether a script or rule seems to verify generated files, as hack/verify-codegen.sh.
func (u unit) verifies() bool {
	base := strings.TrimPrefix(path.Base(u.name), "make ")
	compares, generates := false, slices.ContainsFunc(u.needs, updateName.MatchString)
	for _, c := range u.within() {
		words := plainCommand(c.words)
		if len(words) == 0 {
			continue
		}
		compares = compares || slices.Contains([]string{"diff", "git", "cmp"}, strings.TrimLeft(words[0], "@-+"))
		generates = generates || toolIn(words) >= 0 || updateName.MatchString(path.Base(words[0])) ||
			slices.ContainsFunc(targets(words), updateName.MatchString)
	}
	isNamed := verifyName.MatchString(base)
	return generates && (isNamed && (compares || !u.isMake) || compares && !u.isMake && !updateName.MatchString(base) && len(u.calls) == 0)
}

// hasGone reports whether the script or rule has calls that are replaced.
func (u unit) hasGone() bool {
	for i := u.first; i <= u.last; i++ {
		if _, ok := u.gone[i]; ok {
			return true
		}
	}
	return false
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
	if name := strings.Trim(words[0], "@-+$(){}"); name != "make" && name != "MAKE" {
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
		switch first := strings.TrimLeft(words[0], "@-+"); first {
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
			return len(words) > 1 && !slices.ContainsFunc(commandsIn(words[1]), func(words []string) bool {
				return !compares(words)
			})
		default:
			return slices.Contains(comparing, first) || isFunction(first)
		}
	}
	for _, c := range u.within() {
		if !u.isGone(c.line) && !compares(c.words) {
			line, other = c.line+1, strings.TrimPrefix("runs "+strings.Join(plainCommand(c.words), " "), "runs > ")
			if other[:min(5, len(other))] != "runs " {
				other = "writes " + other
			}
			break
		}
	}
	for i := u.first; i < min(u.last+1, len(u.lines)); i++ {
		if u.isGone(i) || isNothing(u.lines[i]) || line > 0 && i+1 >= line {
			continue
		}
		if found := effect(u.lines[i], u.isMake, compares); found != "" {
			return i + 1, "runs " + found
		}
	}
	return line, other
}

// generating returns the names of scripts and rules that run kubegen, and whether they do nothing else any more.
func generating(sources []*source) map[string]bool {
	found := map[string]bool{}
	changed := true
	for n := 0; changed && n < maxNesting; n++ {
		changed = false
		for _, s := range sources {
			for _, u := range s.units() {
				if found[u.name] {
					continue
				}
				runs, others := u.hasGone(), false
				for _, need := range u.needs {
					_, isKnown := found["make "+need]
					runs, others = runs || isKnown, others || !found["make "+need] && toolOf(need) == ""
				}
				line, _ := u.purpose(func(words []string) bool {
					ok := generates(words, sources, found)
					runs = runs || ok
					return ok
				})
				if _, isKnown := found[u.name]; runs && (!isKnown || line == 0 && !others) {
					found[u.name], changed = line == 0 && !others, true
				}
			}
		}
	}
	return found
}

// generates reports whether a command runs what kubegen replaces: a generator, or what does nothing else any more.
func generates(words []string, sources []*source, generating map[string]bool) bool {
	if i := toolIn(words); i >= 0 {
		return slices.ContainsFunc(sources, func(s *source) bool {
			return slices.ContainsFunc(slices.Collect(maps.Values(s.gone)), func(call Call) bool { return call.Tool == toolOf(words[i]) })
		})
	}
	if asked := targets(words); len(asked) > 0 {
		return !slices.ContainsFunc(asked, func(target string) bool { return !generating["make "+target] })
	}
	return slices.ContainsFunc(sources, func(s *source) bool {
		return generating[s.rel] && strings.HasSuffix(path.Clean("/"+words[0]), "/"+s.rel)
	})
}

// verify puts kubegen verify in place of a script or rule that generates again to compare. In one that does more, it
// puts it in place of what generates, and says what stays.
func (u unit) verify(run string, known map[string]bool, sources []*source) {
	generates := func(words []string) bool { return generates(words, sources, known) }
	makes := func(need string) bool { return generates([]string{"make", need}) }
	if _, isKnown := known[u.name]; u.isMake && !isKnown {
		return // what it compares, others generate
	}
	other := slices.IndexFunc(u.needs, func(need string) bool { return !makes(need) && toolOf(need) == "" })
	line, more := u.purpose(generates)
	switch {
	case line == 0 && !u.isMake:
		u.put(0, len(u.lines)-1, scriptHead.FindString(u.text)+run+"\n")
		return
	case line == 0 && other < 0:
		r := ruleOf(strings.Join(u.lines[u.first:u.last+1], ""))
		r.needs, r.recipe = nil, "\t"+run+"\n"
		u.put(u.first, u.last, r.String())
		return
	case line == 0:
		line, more = u.first+1, "makes "+u.needs[other]
	}
	verifies, commands := false, u.within()
	for i := 0; i < len(commands); {
		first, alone, any := i, true, false
		for ; i < len(commands) && commands[i].line == commands[first].line; i++ {
			words := plainCommand(commands[i].words)
			runs := len(words) > 0 && generates(words)
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
	remedy := "name the files of what it runs with --from, too, or write " + run + " in its place"
	if verifies {
		remedy = "delete what compares generated files there, which " + run + " does"
	} else if i := slices.IndexFunc(u.needs, makes); i >= 0 {
		remedy = "write " + run + " into its recipe, and delete " + u.needs[i] + ", which writes before it is compared"
	}
	u.say(line-1, u.kind()+" stays, because it "+more, remedy)
}

// kind returns what a unit is, for messages.
func (u unit) kind() string {
	if u.isMake {
		return "the rule"
	}
	return "the script"
}
