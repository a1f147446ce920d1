// This file says which lines of scripts act on what kubegen writes, and what of the module has lost its purpose.

package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/commands/project"
	"github.com/kubegen/kubegen/internal/source/load"
)

// acts are the commands that change files, with what to do where they change files of kubegen.
var acts = []struct {
	command      *regexp.Regexp
	does, remedy string
}{
	{
		regexp.MustCompile(`^(rm|unlink|git rm|find .*(-delete|-exec rm))\b`), "removes",
		"delete the line, and let kubegen.yaml name another directory, if it must",
	},
	{regexp.MustCompile(`^mv\b`), "moves", "delete the line, and let kubegen.yaml name the directory"},
	{regexp.MustCompile(`^(cp|rsync|install|ln|>|tee)( |$)`), "writes", "delete the line: kubegen writes in place"},
	{regexp.MustCompile(`^(gofmt|goimports|gofumpt|gci)\b`), "formats", "delete the line"},
	{
		regexp.MustCompile(`^(g?sed|perl|yq\w*|g?awk|find .*-exec g?sed)\b.* (-\w*i|--in-?place)`), "changes",
		"write the change as edits into kubegen.yaml, and delete the line",
	},
	{regexp.MustCompile(`^git (checkout|restore|apply)\b`), "restores", "delete the line"},
}

// A place is a directory that kubegen writes into, or "" for packages of types, and the names of its files there. "" is
// everything below it.
type place struct{ dir, files string }

// owned returns the places that kubegen writes into.
func owned(outputs []Output) (places []place) {
	for _, name := range outputFiles {
		places = append(places, place{"", name + ".go"})
	}
	for _, o := range outputs {
		for _, info := range generators.Infos() {
			if dir := o.manifests(info); dir != "" {
				places = append(places, place{dir, cmp.Or(o.value(info.Name+"-file-name"), info.Manifests.Files, "*_*")})
			}
		}
		dir := o.value("output-dir")
		for _, name := range []string{"clientset-name", "listers-name", "informers-name", "applyconfig-name"} {
			if below := o.value(name); below != "" && o.parent != "" {
				places = append(places, place{path.Join(dir, below), ""})
			}
		}
		if dir != "" && o.parent == "" {
			places = append(places, place{path.Clean(dir), ""})
		}
	}
	return places
}

// has reports whether a path in a script is in the place, or all of it.
func (p place) has(name string) bool {
	base := path.Base(name)
	matches, _ := path.Match(p.files, base)
	switch {
	case p.dir == "":
		return matches || strings.HasPrefix(base, "zz_generated") && (strings.Contains(base, "*") || !strings.Contains(base, ".go"))
	case name == p.dir, p.files == "" && strings.HasPrefix(name, p.dir+"/"):
		return true
	}
	return path.Dir(name) == p.dir && (matches || strings.Contains(base, "*"))
}

// leave removes from a script what has lost its purpose, and says what may have.
func (s *source) leave(places []place, sources []*source, around *surroundings) {
	if len(s.replaced) == 0 {
		return
	}
	firstGone := slices.Min(slices.Collect(maps.Keys(s.replaced)))
	s.dropTemporary()
	s.dropUnused(around, sources)
	s.collapse()
	for _, u := range s.units {
		if !s.isMake || u.hasGone() {
			u.sayActs(places, firstGone)
		}
	}
}

// sayActs says which commands on lines that stay change what kubegen writes.
func (u unit) sayActs(places []place, firstGone int) {
	var before []string // the files of the command before on the line
	at, said := -1, -1
	for _, c := range u.within() {
		words := plainCommand(c.words)
		if len(words) == 0 || u.isGone(c.line) || c.line == said {
			continue
		}
		if c.line != at {
			at, before = c.line, nil
		}
		words = append([]string{strings.ToLower(strings.Trim(path.Base(words[0]), "$(){}"))}, words[1:]...)
		if i := slices.Index(words, "xargs"); i == 0 {
			words = slices.DeleteFunc(words[1:], func(word string) bool { return word == "-r" || word == "-0" || word == "-n1" })
			words = append(words, before...)
		}
		before = words[min(1, len(words)):]
		for _, act := range acts {
			if !act.command.MatchString(strings.Join(words, " ")) {
				continue
			}
			var files []string
			for _, word := range before {
				if inner, ok := strings.CutPrefix(word, "$("); ok { // such as $(find apis | grep zz_generated)
					files = append(files, wordBreaks.Split(inner, -1)...)
				} else {
					files = append(files, word)
				}
			}
			if act.does == "writes" && words[0] != "tee" && len(files) > 0 {
				files = files[len(files)-1:]
			}
			for _, file := range files {
				rel, ok := strings.CutPrefix(c.at(file), root+"/")
				if !ok || said == c.line || !slices.ContainsFunc(places, func(p place) bool { return p.has(rel) }) {
					continue
				}
				said = c.line
				effect, remedy := ": kubegen verify reports that", act.remedy
				switch {
				case c.line < firstGone && act.does == "removes":
					effect, remedy = " again", "delete the line: kubegen also removes what it does not write any more"
				case act.does == "formats":
					effect = " formatted"
				case act.does == "removes" && strings.HasPrefix(path.Ext(file), ".y") && !strings.Contains(file, "*"):
					remedy = "delete the line, and write +kubebuilder:skipversion above the type"
				}
				what := strings.Replace(words[0], ">", "a redirection", 1)
				u.say(c.line, fmt.Sprintf("%s %s %s, which kubegen writes%s", what, act.does, rel, effect), remedy)
			}
			break
		}
	}
}

// at returns the path of a file that a command names.
func (c command) at(file string) string {
	if path.IsAbs(file) || strings.HasPrefix(file, "$") || file == "" || file[0] == '-' {
		return path.Clean(file)
	}
	return path.Join(c.dir, file)
}

var moving = []string{"cp", "mv", "rsync", "rm", "rmdir", "mkdir", "trap"}

// dropTemporary removes what copies from temporary directories that only removed calls have filled, and what makes or
// removes these, or says which lines that are.
func (s *source) dropTemporary() {
	variables := map[string]bool{}
	for _, call := range s.gone {
		for i, arg := range call.Args {
			if strings.HasPrefix(arg, "--output") || arg == "-o" || strings.HasPrefix(arg, "output:") {
				for _, m := range plainVariable.FindAllStringSubmatch(strings.Join(call.Args[i:min(i+2, len(call.Args))], " "), -1) {
					variables[m[1]] = !ambient.MatchString(m[1])
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		var using []*statement
		certain := true
		walk(s.list, 0, func(st *statement, depth int) bool {
			if uses, only := st.isFor(name, s.isMake); uses && variables[name] && !s.isGone(st.first) {
				using, certain = append(using, st), certain && only && st.alone && depth == 0
			}
			return true
		})
		switch {
		case len(using) == 0 || len(using) == 1 && certain: // dropUnused has a reason
		case certain:
			for _, st := range using {
				s.put(st.first, st.last, "")
			}
		default:
			var lines []string
			for _, st := range using[1:] {
				lines = append(lines, fmt.Sprintf("line %d", st.first+1))
			}
			reason := "no generator writes into $" + name + " any more"
			if len(lines) > 0 {
				reason += " (see " + strings.Join(slices.Compact(lines), ", ") + ")"
			}
			s.say(using[0].first, reason, "delete these lines, unless they are for other files")
		}
	}
}

// isFor reports whether a statement, but for its blocks, sets a variable or uses it, and whether it only moves files
// between the directory of this name and others.
func (st *statement) isFor(name string, isMake bool) (uses, only bool) {
	reference := regexp.MustCompile(`\$[({]?` + name + `\b`)
	only = len(st.nodes) == 1
	for _, n := range st.nodes {
		words := n.raw()
		isOwn := n.name == name && strings.Contains(n.kind, "=")
		moves := n.kind == "" && len(words) > 0 && slices.Contains(moving, words[0])
		for i, word := range words {
			refers := reference.MatchString(word)
			isFile := i > 0 && !strings.HasPrefix(word, "-")
			isLast := i == len(words)-1 && slices.Contains([]string{"cp", "mv", "rsync"}, words[0])
			uses, moves = uses || refers, moves && (!isFile || isLast || refers || words[0] == "trap")
		}
		uses, only = uses || isOwn, only && (moves || isOwn && st.effect(isMake, isPure) == "")
	}
	return uses, only
}

var plainVariable = regexp.MustCompile(`\$[({]?(\w+)`)

// surroundings are what other files of the repository say of generators.
type surroundings struct {
	text    string          // the lines that run make or generators, or read files
	runs    map[string]bool // the generators that they run
	imports []Unread        // places that import or require generators, with their names as reasons
}

// reads reports whether a file reads a script.
func (a *surroundings) reads(s *source, others []*source) bool {
	texts := []string{a.text}
	for _, other := range others {
		if other != s {
			texts = append(texts, other.text)
		}
	}
	for line := range strings.Lines(strings.Join(texts, "\n")) {
		if includes.MatchString(line) && strings.Contains(line, path.Base(s.rel)) {
			return true
		}
	}
	return false
}

var (
	toolImport = regexp.MustCompile(`^\s*(?:(?:import\s+)?_\s+"|tool\s+)?(` + toolModules + `[\w./-]*)"?\s*(//.*)?$`)
	toolBlock  = regexp.MustCompile(`^\s*(tool|require|exclude|replace)\s*\(`)
)

const toolModules = `(?:k8s\.io/(?:code-generator|kube-openapi)|sigs\.k8s\.io/controller-tools|github\.com/elastic/crd-ref-docs)`

// around reads the other scripts and workflows of the repository, and its Go files.
func (p *module) around(known map[string]string) *surroundings {
	found := &surroundings{runs: map[string]bool{}}
	var kept strings.Builder
	_ = filepath.WalkDir(p.Repository, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() { // what cannot be read is not used
			if base := entry.Name(); err != nil || base == ".git" || base == "vendor" || base == "node_modules" || base == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		rel, _ := filepath.Rel(p.Repository, name)
		ext := filepath.Ext(name)
		isScript := ext == ".sh" || ext == ".bash" || project.IsMakefile(rel)
		isConfig := (ext == ".yaml" || ext == ".yml") && (rel[0] == '.' || filepath.Base(rel) == rel)
		isGo := ext == ".go" || ext == ".mod"
		isOther := isScript || isConfig || isGo || strings.Contains(rel, "Dockerfile")
		text, err := []byte(nil), error(nil)
		if _, isKnown := known[name]; !isKnown && isOther && entry.Type().IsRegular() {
			text, err = load.ReadFile(name)
		}
		if err != nil || len(text) > maxText {
			return nil
		}
		if isScript {
			for _, call := range read(filepath.ToSlash(rel), p.Path, string(text)).calls {
				found.runs[call.Tool] = true
			}
		}
		isTool, at := false, 0 // within the tools of a go.mod
		for line := range strings.Lines(string(text)) {
			at++
			if m := toolBlock.FindStringSubmatch(line); m != nil || strings.HasPrefix(line, ")") {
				isTool = m != nil && m[1] == "tool"
			}
			if isGo && !strings.HasPrefix(line, "//go:generate") {
				isTool := isTool || strings.HasPrefix(line, "tool ") || strings.Contains(line, `_ "`)
				if m := toolImport.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && isTool {
					found.imports = append(found.imports, Unread{File: name, Line: at, Reason: m[1]})
				}
				continue
			}
			words := wordBreaks.Split(line, -1)
			runs := false
			for _, word := range words {
				if tool := toolOf(word); tool != "" && !project.IsMakefile(rel) {
					runs = true
					found.runs[tool] = found.runs[tool] || !isScript && !installs.MatchString(line) && !callLine.MatchString(line)
				}
			}
			if runs || callLine.MatchString(line) || includes.MatchString(line) {
				kept.WriteString(line)
			}
		}
		return nil
	})
	found.text = kept.String()
	return found
}

// unused returns the imports, requirements and installations of tools that nothing runs any more.
func (a *surroundings) unused(sources []*source) (unread []Unread) {
	gone := map[string]bool{}
	runs := maps.Clone(a.runs)
	for _, s := range sources {
		for _, call := range s.calls {
			if _, ok := s.gone[call.first]; ok {
				gone[call.Tool] = true
			} else {
				runs[call.Tool] = true
			}
		}
	}
	functions := func(of map[string]bool) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(of)), func(tool string) bool {
			return strings.HasPrefix(tool, "gen_") || strings.HasPrefix(tool, "generate-")
		})
	}
	for _, u := range a.imports {
		tool := toolOf(path.Base(u.Reason))
		isUnused := gone[tool] && !runs[tool]
		switch { // functions of kube_codegen.sh build the others
		case u.Reason == "k8s.io/code-generator":
			isUnused = functions(gone) && !functions(runs)
		case strings.HasPrefix(u.Reason, "k8s.io/code-generator/") && tool != "":
			isUnused = (gone[tool] || functions(gone)) && !runs[tool] && !functions(runs)
		}
		if !isUnused {
			continue
		}
		remedy := "delete the import, and run go mod tidy"
		if filepath.Ext(u.File) == ".mod" {
			remedy = "run go mod edit -droptool=" + u.Reason + ", and go mod tidy"
		}
		unread = append(unread, Unread{u.File, u.Line, "no script runs " + u.Reason + " any more", remedy})
	}
	for _, s := range sources {
		walk(s.list, 0, func(st *statement, _ int) bool {
			tools := st.installed()
			isUnused := func(tool string) bool { return gone[tool] && !runs[tool] }
			if len(tools) > 0 && s.of(st) != "" && !slices.ContainsFunc(tools, func(tool string) bool { return !isUnused(tool) }) {
				unread = append(unread, Unread{s.name, st.first + 1, "no script runs " + strings.Join(tools, ", ") + " any more", "delete the line"})
			}
			return true
		})
	}
	return unread
}
