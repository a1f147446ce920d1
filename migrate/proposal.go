package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/commands/project"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
)

// A Setting is a setting of an output.
type Setting struct {
	Name, Value string
	List        bool // the value is a list, separated by commas
}

// A module is the one whose scripts run generators.
type module struct {
	*project.Project
	env load.Environment
}

// An Output is an output of kubegen.yaml that replaces calls of generators.
type Output struct {
	Packages, Only []string
	Settings       []Setting
	parent         string // the directory of a clientset, listers, informers and apply configurations; "" for others
	line           string // of the first call that it replaces, with the name of the script
	notes          []string
}

// put sets a setting, in place of an earlier one. An empty value is only set in place of another one.
func (o *Output) put(s Setting) {
	if i := slices.IndexFunc(o.Settings, func(other Setting) bool { return other.Name == s.Name }); i >= 0 {
		o.Settings[i].Value = s.Value
	} else if s.Value != "" {
		o.Settings = append(o.Settings, s)
	}
}

func (o *Output) set(name, value string) { o.put(Setting{Name: name, Value: value}) }

// value returns the value of a setting, or "".
func (o *Output) value(name string) string {
	i := slices.IndexFunc(o.Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return ""
	}
	return o.Settings[i].Value
}

// omit removes a generator, and the settings that have no effect without it.
func (o *Output) omit(generator string) {
	o.Only = slices.DeleteFunc(slices.Clone(o.Only), func(name string) bool { return name == generator })
	isGo := slices.ContainsFunc(generators.Infos(), func(info *plan.Info) bool {
		return info.Manifests == nil && slices.Contains(o.Only, info.Name)
	})
	hasHeader := isGo || o.value(plan.ManifestHeader) != ""
	hasPeers := slices.Contains(o.Only, "conversion") || slices.Contains(o.Only, "defaulter")
	effects := map[string]bool{"boilerplate": isGo, "year": hasHeader, "extra-peer-dirs": hasPeers, "with-" + generator: false}
	o.Settings = slices.DeleteFunc(o.Settings, func(s Setting) bool {
		hasEffect, limited := effects[s.Name]
		return limited && !hasEffect
	})
}

// joins reports whether the output can be one with another one, with the packages or the generators of both.
func (o *Output) joins(other *Output) bool {
	return slices.Equal(other.Settings, o.Settings) && (slices.Equal(other.Packages, o.Packages) || slices.Equal(other.Only, o.Only))
}

// note adds something that the user of the output must know.
func (o *Output) note(format string, args ...any) {
	o.notes = append(o.notes, fmt.Sprintf(format, args...))
}

// unknown returns a reference without a known value, or "".
func (o *Output) unknown() (found string) {
	for _, s := range o.Settings {
		found = cmp.Or(found, anyReference.FindString(s.Value))
	}
	return cmp.Or(found, anyReference.FindString(strings.Join(o.Packages, " ")))
}

// An Unread is a command that a proposal does not replace, or not alone.
type Unread struct {
	File   string
	Line   int
	Reason string
	Remedy string // or ""
}

// source is a script or Makefile of a proposal.
type source struct {
	name, rel, text string // the name is absolute; rel is relative to the module, with slashes
	isMake          bool
	reading
	units     []unit
	functions []string     // names
	lines     []string     // of the text as it is proposed, each at the index that it has in the text
	gone      map[int]Call // the calls that are replaced, by their lines
	replaced  map[int]bool // the lines of these calls, and others that go
	unread    []Unread
}

// say adds what to know of a line, from 0.
func (s *source) say(line int, reason, remedy string) {
	s.unread = append(s.unread, Unread{s.name, line + 1, clipped(reason), clipped(remedy)})
}

// isGone reports whether a line goes.
func (s *source) isGone(line int) bool { return s.replaced[line] }

// of returns the lines of a statement as they are proposed.
func (s *source) of(st *statement) string {
	return strings.Join(s.lines[st.first:min(st.last+1, len(s.lines))], "")
}

// put replaces lines by one, or by none.
func (s *source) put(first, last int, line string) {
	for i := first; i <= last; i++ {
		s.lines[i], s.replaced[i] = "", true
	}
	s.lines[first] = line
}

// sources reads scripts and Makefiles.
func (p *module) sources(names []string, texts map[string]string) (all []*source, err error) {
	for _, name := range names {
		rel, err := filepath.Rel(p.Root, name)
		if err != nil {
			return nil, err
		}
		s := &source{
			name: name, rel: filepath.ToSlash(rel), text: texts[name], isMake: project.IsMakefile(name),
			lines: strings.SplitAfter(texts[name], "\n"), gone: map[int]Call{}, replaced: map[int]bool{},
		}
		if len(s.text) > maxText {
			return nil, fmt.Errorf("%s is larger than %d KiB: name the file that runs the generators", p.env.Name(name), maxText/1024)
		}
		s.reading = read(s.rel, p.Path, s.text)
		walk(s.list, 0, func(st *statement, _ int) bool {
			for _, n := range st.nodes {
				if n.kind == "function" {
					s.functions = append(s.functions, n.name)
				}
			}
			return true
		})
		s.units = unitsOf(s)
		all = append(all, s)
	}
	return all, nil
}

// manifests returns the directory for the manifests of a generator, or "".
func (o *Output) manifests(info *plan.Info) string {
	switch dir := o.value(info.EnableFlag.Name); {
	case info.Manifests == nil || dir == "" || dir == "false":
		return ""
	case dir == "true":
		return path.Clean(info.Manifests.Dir)
	default:
		return path.Clean(dir)
	}
}

// Propose returns kubegen.yaml, with outputs in place of the generators of scripts, and the scripts without them, if
// they have any, and what to know of lines. texts are the scripts by their names, which are absolute.
func (p *module) Propose(names []string, texts map[string]string) (files []project.File, unread []Unread, err error) {
	config := filepath.Join(p.Root, plan.ConfigName)
	sources, err := p.sources(names, texts)
	if err != nil {
		return nil, nil, err
	}
	var outputs []Output
	year := ""
	for _, s := range sources {
		if !s.isMake && s.units[0].verifies() {
			continue
		}
		if len(s.calls) == 0 {
			s.say(0, "the file runs no generator that kubegen replaces", "")
		}
		for found := s.calls; len(found) > 0; {
			first := found[0].first
			n := max(1, slices.IndexFunc(append(found, Call{first: -1}), func(call Call) bool { return call.first != first }))
			line := found[:n]
			found = found[n:]
			joined, notes, err := p.replace(outputs, line, p.env.Name(s.name), &year)
			if err != nil {
				s.say(first, err.Error(), "")
				continue
			}
			outputs, s.gone[first] = joined, line[0]
			for _, note := range notes {
				s.say(first, line[0].Tool+": "+note, "")
			}
		}
	}
	if len(outputs) > 0 && exists(config) {
		return nil, nil, fmt.Errorf("%s exists: rename it first, and join both by hand", p.env.Name(config))
	}
	for _, s := range sources {
		s.without(p.Command, year)
	}
	replacement := replacementOf(sources)
	for _, s := range sources {
		if call, what := p.uncovered(s, outputs); what != "" {
			s.say(call.first, call.Tool+" stays: kubegen.yaml has no output for "+what, "add one, so that kubegen verify compares it")
			continue
		}
		for _, u := range s.units {
			if u.verifies() {
				u.verify(p.Command+" verify"+year, replacement)
			}
		}
	}
	around := p.around(texts)
	owned := owned(outputs)
	for _, s := range sources {
		if len(outputs) > 0 {
			s.leave(owned, sources, around)
		}
		text := strings.Join(s.lines, "")
		if !strings.HasSuffix(s.text, "\n\n") { // git warns of new empty lines at the end
			text = blankEnd.ReplaceAllString(text, "\n")
		}
		if len(outputs) > 0 && text != s.text {
			files = append(files, project.File{Path: s.name, Text: text})
		}
		slices.SortStableFunc(s.unread, func(a, b Unread) int { return a.Line - b.Line })
		unread = append(unread, s.unread...)
	}
	if len(outputs) == 0 {
		return nil, unread, nil
	}
	return append(files, project.File{Path: config, Text: yamlOf(outputs)}), append(unread, around.unused(sources)...), nil
}

// replace returns the outputs with those that replace the calls of one line, which go together, and what to know of
// them.
func (p *module) replace(
	outputs []Output, line []Call, name string, year *string,
) (joined []Output, notes []string, err error) {
	for _, o := range outputs {
		o.Settings = slices.Clone(o.Settings)
		joined = append(joined, o)
	}
	for _, call := range line {
		runs, err := p.runs(call)
		for _, run := range runs {
			if m := yearOption.FindStringSubmatch(strings.Join(run.Args, " ")); m != nil && run.Tool == "controller-gen" {
				*year = " --year " + m[1]
				for i, arg := range run.Args {
					run.Args[i] = yearOption.ReplaceAllString(arg, "")
				}
			}
			o := Output{}
			if err = run.unreadable(); err == nil {
				o, err = p.outputOf(run)
			}
			if o.unknown() != "" {
				err = errors.New(o.unknown() + " is not known")
			}
			if o.line = fmt.Sprintf("%s:%d", name, call.first+1); err == nil {
				joined, err = add(joined, o)
			}
			if err != nil {
				break
			}
			notes = union(notes, o.notes)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s stays: %w", call.Tool, err)
		}
	}
	return joined, notes, nil
}

const maxText, maxReason = 1 << 18, 200

// clipped returns a reason, which may have arguments of any length and several lines, for one line.
func clipped(reason string) string {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "..."
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(reason, root, ".")), " ")
}

var yearOption = regexp.MustCompile(`,?year="?(\$[({]?\w+[)}]?)"?`)

// add adds an output. What it and another one would write into the same packages of types, a third one generates alone:
// a run refuses to write a file twice.
func add(outputs []Output, o Output) ([]Output, error) {
	for i := range outputs {
		other := &outputs[i]
		if other.parent != o.parent || o.joins(other) || !overlap(other.Packages, o.Packages) {
			continue
		}
		for _, info := range generators.Infos() {
			if !info.InPackages() || !slices.Contains(other.Only, info.Name) || !slices.Contains(o.Only, info.Name) {
				continue
			}
			one := Output{Packages: union(other.Packages, o.Packages), Only: []string{info.Name}, line: other.line}
			for _, name := range []string{"boilerplate", "year", "classic"} {
				value := other.value(name)
				if value == o.value(name) {
					one.set(name, value)
				} else if name != "classic" { // without it, kubegen reads the markers of both tools
					return nil, fmt.Errorf("%s writes the same files with %s %s", other.line, cmp.Or(value, "no"), name)
				}
			}
			if info.Name == "conversion" || info.Name == "defaulter" {
				peers := strings.Trim(other.value("extra-peer-dirs")+","+o.value("extra-peer-dirs"), ",")
				one.put(Setting{Name: "extra-peer-dirs", Value: peers, List: true})
			}
			other.omit(info.Name)
			o.omit(info.Name)
			var err error
			if len(other.Only) == 0 {
				outputs = slices.Delete(outputs, i, i+1)
			}
			if len(o.Only) > 0 {
				if outputs, err = add(outputs, o); err != nil {
					return nil, err
				}
			}
			return add(outputs, one)
		}
	}
	return join(outputs, o)
}

// overlap reports whether some packages match patterns of both lists.
func overlap(a, b []string) bool {
	within := func(pattern, of string) bool {
		dir, all := strings.CutSuffix(of, "/...")
		return pattern == of || all && strings.HasPrefix(strings.TrimSuffix(pattern, "/...")+"/", dir+"/")
	}
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool { return within(x, y) || within(y, x) })
	})
}

// join adds an output, to one with the same directory of clients, or with the same settings but for the packages or the
// generators, if there is one.
func join(outputs []Output, o Output) ([]Output, error) {
	for i := range outputs {
		other := &outputs[i]
		switch {
		case o.parent != "" && other.parent == o.parent:
			if slices.Equal(o.Only, []string{"informer"}) && !slices.Contains(other.Only, "clientset") {
				return nil, errNoClientset
			}
			for _, s := range o.Settings {
				other.put(s)
			}
		case o.parent != "" || !o.joins(other):
			continue
		}
		other.Packages, other.Only = union(other.Packages, o.Packages), union(other.Only, o.Only)
		return outputs, nil
	}
	if slices.Equal(o.Only, []string{"informer"}) {
		return nil, errNoClientset
	}
	return append(outputs, o), nil
}

var errNoClientset = errors.New("no clientset beside the informers is generated before")

// union returns a, and what else is in b.
func union(a, b []string) []string {
	return append(slices.Clone(a), slices.DeleteFunc(slices.Clone(b), func(text string) bool { return slices.Contains(a, text) })...)
}

// without puts a command in the place of the calls: of the first, and of those that are all of a block or recipe. If
// nothing else remains of kube_codegen.sh, the line that reads it goes, too.
func (s *source) without(command, year string) {
	done := false
	var replace func(list []*statement, block string)
	isGone := func(st *statement) bool { return st.alone && s.gone[st.first].Tool != "" }
	replace = func(list []*statement, block string) {
		emptied := block != "" && !slices.ContainsFunc(list, func(st *statement) bool { return !isGone(st) })
		verifies, verified := s.isMake && verifyName.MatchString(block), false
		for _, st := range list {
			if !isGone(st) {
				for _, n := range st.nodes {
					for _, inner := range n.lists {
						replace(inner, cmp.Or(n.name, "a block"))
					}
				}
				continue
			}
			replacement := command + year
			switch {
			case verifies && !verified:
				replacement, verified = command+" verify"+year, true
			case (done || verified) && !emptied:
				s.put(st.first, st.last, "")
				continue
			case done && !s.isMake:
				replacement = ":"
				s.say(st.first, "the block is empty without "+s.gone[st.first].Tool, "delete it, unless its condition does more than compare")
			}
			first, last := s.lines[st.first], s.lines[st.last]
			end := last[len(strings.TrimRight(last, "\r\n")):]
			s.put(st.first, st.last, first[:len(first)-len(strings.TrimLeft(first, " \t"))]+replacement+end)
			done, emptied = done || !verified, false
		}
	}
	replace(s.list, "")
	if len(s.gone) == 0 || strings.Contains(strings.Join(s.lines, ""), "kube::") {
		return
	}
	for i, line := range s.lines {
		if sourceLine.MatchString(line) {
			s.put(i, i, "")
		}
	}
}

// isNothing reports whether a line is empty or a comment, also in a recipe.
func isNothing(line string) bool {
	trimmed := strings.TrimLeft(line, "@-+ \t\r\n")
	return trimmed == "" || trimmed[0] == '#'
}

var (
	sourceLine = regexp.MustCompile(`^(source|\.) .*kube_codegen\.sh`)
	blankEnd   = regexp.MustCompile(`\n\s*\n$`)
)

// yamlOf returns the text of kubegen.yaml.
func yamlOf(outputs []Output) string {
	var b strings.Builder
	b.WriteString("# yaml-language-server: $schema=" + plan.SchemaID + "\nversion: " + plan.ConfigVersion + "\noutputs:\n")
	for _, o := range outputs {
		list := func(values []string) string {
			quoted := make([]string, len(values))
			for i, value := range values {
				quoted[i] = project.Scalar(value)
			}
			return "[" + strings.Join(quoted, ", ") + "]"
		}
		fmt.Fprintf(&b, "- packages: %s\n", list(o.Packages))
		if len(o.Only) > 0 {
			fmt.Fprintf(&b, "  only: %s\n", list(o.Only))
		}
		for _, s := range o.Settings {
			value := project.Scalar(s.Value)
			switch {
			case s.List:
				value = list(strings.Split(s.Value, ","))
			case s.Name == "openapi-model-names":
				value = strconv.Quote(s.Value) // false is a text
			}
			fmt.Fprintf(&b, "  %s: %s\n", s.Name, value)
		}
	}
	return b.String()
}

// outputFiles are the names, without .go, of files that kubegen writes or replaces.
var outputFiles = []string{
	"zz_generated.deepcopy", "zz_generated.register", "zz_generated.defaults", "zz_generated.conversion", "openapi_generated",
	"zz_generated.openapi", "deepcopy_generated",
}

// outputOf returns the output that replaces a call.
func (p *module) outputOf(call Call) (o Output, err error) {
	for dir := call.dir; dir != "."; dir = path.Dir(dir) {
		if exists(filepath.Join(p.Root, dir, "go.mod")) {
			return o, fmt.Errorf("the directory %s is another module", dir)
		}
	}
	if call.Tool == "controller-gen" {
		return fromControllerGen(call.Args, call.at)
	}
	flags, places, err := fromTool(call.Tool, call.Args, call.at)
	if err == nil {
		err = p.fill(&o, call, flags, places)
	}
	return o, err
}

// fill sets what the flags and arguments of a tool say.
func (p *module) fill(o *Output, call Call, flags []Setting, places []string) error {
	tool := call.Tool
	take := func(names ...string) (value string) {
		flags = slices.DeleteFunc(flags, func(s Setting) bool {
			if slices.Contains(names, s.Name) {
				value = s.Value
			}
			return slices.Contains(names, s.Name)
		})
		return value
	}
	dir, pkg, err := p.places(o, call, take, places)
	if err != nil {
		return err
	}
	inModule := pkg == "" || pkg == path.Join(p.Path, dir)
	if file := take("--output-file", "--output-file-base"); file != "" && !slices.Contains(outputFiles, strings.TrimSuffix(file, ".go")) {
		return fmt.Errorf("kubegen has another name for %s", file)
	}
	clients := func(generator, setting string) {
		o.Only, o.parent = []string{generator}, path.Dir(dir)
		o.set("output-dir", path.Dir(dir))
		o.set(setting, path.Base(dir))
	}
	switch tool {
	case "gen_client":
		o.set("output-dir", dir)
		if !inModule {
			o.set("output-pkg", pkg)
		}
		inModule = true
		o.set("with-watch", cmp.Or(take("with-watch"), "false"))
		o.set("with-applyconfig", cmp.Or(take("with-applyconfig"), "false"))
	case "gen_helpers":
		if o.Only = p.requested("deepcopy", "defaulter", "conversion"); len(o.Only) == 0 {
			o.Only = []string{"deepcopy"}
		}
	case "gen_openapi", "openapi-gen":
		o.Only = []string{"openapi"}
		o.set("with-openapi-definitions", dir)
		o.set("openapi-model-names", cmp.Or(take("openapi-model-names"), "false"))
	case "crd-ref-docs":
		if take("--renderer") != "markdown" {
			return errors.New("kubegen writes Markdown")
		}
		o.Only = []string{"reference"}
		pages := dir
		if path.Ext(dir) != "" {
			pages = path.Dir(dir)
			o.note("kubegen writes a page for each version into %s, not %s", pages, dir)
		}
		o.set("with-reference", pages)
		for _, flag := range []string{"--config", "--max-depth"} {
			if value := take(flag); value != "" {
				o.note("kubegen has no setting for %s=%s", flag, value)
			}
		}
	case "client-gen":
		o.set("with-applyconfig", strconv.FormatBool(take("apply-configuration-package") != ""))
		clients("clientset", "clientset-name")
		o.set("versioned-name", cmp.Or(take("clientset-name"), "internalclientset"))
	case "lister-gen":
		clients("lister", "listers-name")
	case "informer-gen":
		clients("informer", "informers-name")
		for _, used := range []string{take("--listers-package"), path.Dir(take("--versioned-clientset-package"))} {
			if used != "" && used != "." && !strings.Contains(used, "$") && path.Dir(used) != path.Join(p.Path, o.parent) {
				return fmt.Errorf("%s is not beside the informers", used)
			}
		}
	case "applyconfiguration-gen":
		clients("applyconfiguration", "applyconfig-name")
		o.set("with-applyconfig", "true")
	default: // gen_register, deepcopy-gen, and so on
		o.Only = []string{strings.TrimPrefix(strings.TrimSuffix(tool, "-gen"), "gen_")}
	}
	if !inModule {
		return fmt.Errorf("%s is not the package of %s", pkg, dir)
	}
	if tool != "crd-ref-docs" {
		o.set("classic", "true")
	}
	return o.rest(flags)
}

// places sets the packages of an output, and returns its directory and its import path, or "".
func (p *module) places(o *Output, call Call, take func(...string) string, places []string) (dir, pkg string, err error) {
	function := strings.HasPrefix(call.Tool, "gen_")
	for _, name := range []string{"--extra-pkgs", "--input-dirs", "--source-path"} {
		places = append(places, strings.FieldsFunc(take(name), func(r rune) bool { return r == ',' })...)
	}
	base := take("--input-base")
	for _, input := range strings.FieldsFunc(take("--input"), func(r rune) bool { return r == ',' }) {
		places = append(places, strings.TrimPrefix(strings.TrimSuffix(base, "/")+"/"+input, "/"))
	}
	for i, place := range places {
		if function || call.Tool == "crd-ref-docs" || strings.HasPrefix(place, ".") || strings.HasPrefix(place, root) {
			places[i] = call.at(place)
		}
	}
	if err := p.include(o, places, function, call.Tool == "crd-ref-docs"); err != nil {
		return "", "", err
	}
	dir, pkg = path.Clean(cmp.Or(take("output-dir", "--output-path"), ".")), take("output-pkg")
	former := take("--output-package")
	rel, ok := strings.CutPrefix(cmp.Or(former, pkg), p.Path+"/")
	if take("--output-base"); ok && (former != "" || strings.Contains(dir, "$") || path.IsAbs(dir)) {
		dir = rel
	} else if former != "" {
		return "", "", fmt.Errorf("%s is not a package of the module", former)
	}
	return dir, pkg, nil
}

// include sets the packages of an output: for functions of kube_codegen.sh also those below directories, or all.
func (p *module) include(o *Output, places []string, function, below bool) error {
	for _, place := range places {
		pkg, err := p.pattern(place)
		if err != nil {
			return err
		}
		if function && !strings.HasSuffix(pkg, "...") && strings.HasPrefix(pkg, ".") || below {
			pkg += "/..."
		}
		o.Packages = append(o.Packages, pkg)
	}
	if len(o.Packages) == 0 {
		return errors.New("it names no packages")
	}
	return nil
}

// rest sets what the other flags say.
func (o *Output) rest(flags []Setting) error {
	for _, s := range flags {
		switch {
		case s.Value == "", s.Value == os.DevNull:
			continue
		case s.Name[0] == '-':
			return fmt.Errorf("kubegen has no setting for %s", s.Name)
		case strings.HasPrefix(s.Value, "/"):
			return fmt.Errorf("%s is outside of the module", s.Value)
		}
		o.put(s)
	}
	return nil
}

// pattern returns the pattern for a directory or import path.
func (p *module) pattern(place string) (string, error) {
	if rel, ok := strings.CutPrefix(place, p.Path); ok && (rel == "" || rel[0] == '/') {
		return "./" + strings.TrimPrefix(rel, "/"), nil
	}
	first, _, _ := strings.Cut(place, "/")
	clean := path.Clean(place)
	switch {
	case strings.HasPrefix(clean, "..") || strings.HasPrefix(clean, "/"):
		return "", fmt.Errorf("%s is outside of the module", place)
	case clean == ".":
		return ".", nil
	case strings.Contains(first, ".") && first != "." && !exists(filepath.Join(p.Root, first)):
		return place, nil // of another module
	}
	return "./" + clean, nil
}

// requested returns the generators that markers in Go files of the module request.
func (p *module) requested(generators ...string) []string {
	found := map[string]bool{}
	_ = p.Walk(func(_ string, text []byte) { // read has reported unreadable files
		for _, name := range generators {
			found[name] = found[name] || bytes.Contains(text, []byte("+k8s:"+name+"-gen="))
		}
	})
	return slices.DeleteFunc(generators, func(name string) bool { return !found[name] })
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
