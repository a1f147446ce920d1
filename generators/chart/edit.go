package chart

import (
	"cmp"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// part says what of a value is the run's. The zero part is replaced as a whole.
type part struct {
	foreign  bool            // stays, whatever it is
	optional bool            // stays if the run has none
	yours    bool            // stays if it is templated
	absent   bool            // stays if it is templated and the run has none
	parts    map[string]part // of an object, or of the objects of a list, which have names
	closed   bool            // all others than parts are foreign
	lenient  bool            // others than parts stay if they are templated and the run has none
	open     bool            // actions may print further entries, and labels that aggregate roles are parts
	blocks   bool            // a list whose elements may be in blocks of the template
	except   []int           // lines that may have actions
}

// of returns the part for a key.
func (p part) of(key string) part {
	if inner, ok := p.parts[key]; ok {
		return inner
	}
	if p.open && strings.HasPrefix(key, aggregates) {
		return part{yours: true}
	}
	return part{foreign: p.closed, absent: p.lenient}
}

// editor replaces the parts of an object in a document. It works from the last line to the first one, so that lines
// above keep their numbers. Nodes have the numbers of lines in the document.
type editor struct {
	*source
	written  *source // before changes
	from     int     // first line of the document
	base     int     // number of blocks of the template around the object
	template bool    // the file is one
	mistakes []yamltext.Mistake
	indented bool                // sequences are indented below their key
	finish   func(string) string // of new text
	diags    diag.List
}

// entry is an entry of a mapping, or an element of a sequence.
type entry struct {
	name       string
	value      *yaml.Node
	start, end int  // lines
	twice      bool // in two branches of the template
	limit      int  // line of the next entry, or of the end of the mapping
}

// decoded returns the value of a node as encoding/json decodes it, except for numbers.
func decoded(n *yaml.Node) (value any) {
	_ = n.Decode(&value) // fails only for a mistake in YAML, which yamltext.Read has reported
	return value
}

// entries returns the entries of a mapping in the order of lines. ok is false if these are not lines of their own.
func (e *editor) entries(n *yaml.Node, limit int) (all []entry, ok bool) {
	if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 {
		return nil, false
	}
	for key, value := range yamltext.Entries(n) {
		if key.Column != n.Column {
			return nil, false // merged
		}
		all = append(all, entry{name: key.Value, value: value, start: e.from + key.Line - 1})
	}
	first := e.from + n.Line - 1
	for _, m := range e.mistakes {
		if repeated := repeatedKey.FindStringSubmatch(m.Message); repeated != nil && m.Column == n.Column {
			line, _ := strconv.Atoi(repeated[1])
			i := slices.IndexFunc(all, func(in entry) bool { return in.start == e.from+m.Line-1 })
			if line += e.from - 1; i >= 0 && line >= first {
				all[i].twice = true
				all = append(all, entry{name: all[i].name, start: line, twice: true})
			}
		}
	}
	return e.complete(all, n.Column-1, limit)
}

// repeatedKey matches the mistake about a key that an object has twice. The last one counts.
var repeatedKey = regexp.MustCompile(`^duplicate key .*, first in line (\d+)$`)

// elements is like entries, for a sequence.
func (e *editor) elements(n *yaml.Node, limit int) (all []entry, ok bool) {
	if n.Kind != yaml.SequenceNode || n.Style&yaml.FlowStyle != 0 {
		return nil, false
	}
	for _, element := range n.Content {
		line := e.from + element.Line - 1
		dash := func() bool {
			return strings.HasPrefix(strings.TrimSpace(e.shown[line])+" ", "- ") && indentOf(e.shown[line]) == n.Column-1
		}
		for line > e.from && !dash() && isBlank(e.shown[line-1], "- ") { // a comment follows the dash
			line--
		}
		if !dash() {
			return nil, false
		}
		name, _ := yamltext.At(decoded(element), "name").(string)
		all = append(all, entry{name: name, value: element, start: line})
	}
	return e.complete(all, n.Column-1, limit)
}

// complete orders entries, and determines where they end: above lines of comments and of actions before the next one,
// except for those that end blocks of the template in the entry.
func (e *editor) complete(all []entry, indent, limit int) ([]entry, bool) {
	slices.SortStableFunc(all, func(a, b entry) int { return a.start - b.start })
	for i := range all {
		all[i].limit = limit
		if i+1 < len(all) {
			all[i].limit = all[i+1].start
		}
		if all[i].limit <= all[i].start {
			return nil, false
		}
		end := all[i].limit
		for end > all[i].start+1 {
			text := strings.TrimSpace(e.shown[end-1])
			if text != "" && (text[0] != '#' || indentOf(e.shown[end-1]) > indent) {
				break
			}
			end--
		}
		for end < all[i].limit && e.depth[end] > e.depth[all[i].start] {
			end++
		}
		all[i].end = end
	}
	return all, true
}

// isBlank reports whether a line has nothing but a comment after blanks and some characters.
func isBlank(line, but string) bool {
	text := strings.TrimLeft(line, " \t\r"+but)
	return text == "" || text[0] == '#'
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// templated reports an action in a part of the run. ok is false if there is one.
func (e *editor) templated(in entry, path string, p part) (ok bool) {
	ok = true
	for _, a := range e.actions {
		inside := a.line >= in.start && a.line < in.end && !slices.Contains(p.except, a.line)
		instead := in.value != nil && in.value.Tag == "!!null" && a.line >= in.end && a.line < in.limit && a.prints
		if !inside && !instead || e.keeps(a.line) || !ok && !a.prints {
			continue
		}
		if ok = false; !p.yours {
			e.refuse(a.line, path)
		}
	}
	return ok
}

// refuse reports an action in a part of the run, once for each line.
func (e *editor) refuse(line int, path string) {
	if pos := e.written.at(line); !slices.ContainsFunc(e.diags, func(d *diag.Diagnostic) bool { return d.Pos == pos }) {
		e.diags.Errorf(pos, "kubegen cannot replace %s, because it is templated here", path).
			Suggest("write it without actions, except around it or below the comment # %s", keepMark)
	}
}

// between reports actions outside the entries of an object or list of the run, from a line on, that may print entries,
// or repeat some. What an action prints with a larger indent than the entries is part of one that is not the run's.
func (e *editor) between(all []entry, from, limit, indent int, path string) {
	for _, a := range e.actions {
		in := func(in entry) bool { return a.line >= in.start && a.line < in.end }
		if a.line < from || a.line >= limit || slices.ContainsFunc(all, in) || e.keeps(a.line) {
			continue
		}
		repeats := a.repeats && slices.ContainsFunc(all, func(in entry) bool { return in.start > a.line })
		if !repeats && (!a.prints || a.indent > indent) {
			continue
		}
		name := path
		for _, in := range all {
			if a.line >= in.end && a.line < in.limit && in.value != nil && in.value.Tag == "!!null" {
				name = strings.TrimPrefix(path+"."+in.name, ".")
			}
		}
		e.refuse(a.line, cmp.Or(name, "this object"))
	}
}

// keepMark is a comment that keeps the lines below it: the rest of its block of the template, or the next entry,
// element or action outside of such blocks.
const keepMark = "kubegen: keep"

// keeps reports whether a line has that comment, or is below it.
func (e *editor) keeps(line int) bool {
	level := e.depth[line]
	for at := line; at >= e.from; at-- {
		text := strings.TrimSpace(e.lines[at])
		switch {
		case e.depth[at] < level: // begins the block
			level = e.depth[at]
		case e.depth[at] > level:
			continue
		case at < line && level <= e.base && text != "" && text[0] != '#' && (!strings.HasPrefix(text, "{{") || !isComment(text)):
			return false
		}
		if strings.Contains(text, keepMark) {
			return true
		}
	}
	return false
}

// cut replaces the lines of an entry, unless a part of them is kept.
func (e *editor) cut(in entry, path string, text ...string) {
	for line := in.start; line < in.end; line++ {
		if strings.Contains(e.lines[line], keepMark) {
			e.diags.Errorf(e.at(line), "kubegen cannot replace %s without a part that this comment keeps", path).
				Suggest("delete the comment, or move the part out of %s", path)
			return
		}
	}
	e.lines = slices.Replace(e.lines, in.start, in.end, text...)
}

// mapping makes an object equal to a new one, as far as it is the run's. It reports whether it could.
func (e *editor) mapping(old *yaml.Node, new map[string]any, p part, from, limit int, path string) bool {
	all, ok := e.entries(old, limit)
	if !ok || len(all) == 0 {
		return false
	}
	indent := old.Column - 1
	if p.parts != nil && !p.open {
		e.between(all, from, limit, indent, path)
	}
	missing := make([]map[string]any, len(all)+1) // by index of the entry that follows
	for key, value := range new {
		if empty, ok := value.(map[string]any); ok && len(empty) == 0 && p.open {
			continue
		}
		if p.of(key).foreign && p.closed || slices.ContainsFunc(all, func(in entry) bool { return in.name == key }) {
			continue
		}
		i := slices.IndexFunc(all, func(in entry) bool { return in.name > key })
		if i < 0 {
			i = len(all)
		}
		if missing[i] == nil {
			missing[i] = map[string]any{}
		}
		missing[i][key] = value
	}
	for i := len(all); i >= 0; i-- {
		if i < len(all) {
			e.entry(all[i], new, p.of(all[i].name), indent, path)
		}
		if line := e.place(all, i, e.depth[from]); len(missing[i]) > 0 {
			e.lines = slices.Insert(e.lines, line, e.render(indent, missing[i])...)
		}
	}
	return true
}

// place returns the line for something before an entry, or after the last one: outside the blocks of the template that
// begin or end there, of which base are around all entries.
func (e *editor) place(all []entry, i, base int) int {
	if i == 0 {
		line := all[0].start
		for e.depth[line] > base {
			line--
		}
		return line
	}
	from, to := all[i-1].end, all[i-1].limit
	if i == len(all) {
		for line := from; line <= to && line < len(e.depth); line++ {
			if e.depth[line] == base {
				return line
			}
		}
		return from
	}
	for line := to; line > from; line-- {
		if e.depth[line] == base {
			return line
		}
	}
	return from
}

// entry makes the value of a key equal to the new one.
func (e *editor) entry(in entry, new map[string]any, p part, indent int, path string) {
	value, ok := new[in.name]
	name := strings.TrimPrefix(path+"."+in.name, ".")
	owned := p.parts == nil && !p.blocks
	if owned && !p.foreign && !p.yours && (ok || !p.absent) {
		e.between([]entry{in}, in.start, in.limit, math.MaxInt, name)
	}
	switch {
	case p.foreign || !ok && p.optional || in.twice && (p.yours || p.absent && !ok) || e.keeps(in.start):
		return
	case in.twice && in.value == nil:
		e.diags.Errorf(e.at(in.start), "kubegen cannot replace %s, because two branches of the template have it", name).
			Suggest("leave one of them, or begin each object with ---")
		return
	case in.twice:
		return
	case !ok && p.absent:
		p.yours = true
		if e.templated(in, name, p) {
			e.cut(in, name)
		}
		return
	case owned && !e.templated(in, name, p):
		return
	case !ok:
		e.cut(in, name)
		return
	case owned && reflect.DeepEqual(decoded(in.value), value):
		return
	}
	if name == "spec.conversion.webhook" {
		webhook, _ := value.(map[string]any)
		e.warnPath(in, webhook, "of the conversion")
	}
	switch v := value.(type) {
	case map[string]any:
		if (len(v) > 0 || p.open) && e.mapping(in.value, v, p, in.start, in.limit, name) {
			return
		}
		if p.open {
			e.open(in, v, indent, name)
			return
		}
	case []any:
		if len(v) > 0 && e.sequence(in.value, v, p, in.start, in.limit, name) {
			return
		}
	}
	if owned || e.templated(in, name, part{}) {
		e.cut(in, name, e.render(indent, map[string]any{in.name: value})...)
	}
}

// open adds entries to an object in which only actions print entries.
func (e *editor) open(in entry, new map[string]any, indent int, path string) {
	switch {
	case in.value.Kind == yaml.ScalarNode && in.value.Tag != "!!null":
		names := strings.Join(slices.Sorted(maps.Keys(new)), ", ")
		e.diags.Warnf(e.at(in.start), "an action prints %s, to which kubegen adds no %s", path, names).
			Suggest("write the action in a line of its own")
		return
	case in.value.Tag != "!!null":
		e.diags.Errorf(e.at(in.start), "kubegen cannot replace %s: it is not one line for each field", path).
			Suggest("write it as YAML without braces")
		return
	}
	indent += 2
	for _, a := range e.actions {
		if a.line > in.start && a.line < in.limit && a.prints {
			indent = a.indent
		}
	}
	e.lines = slices.Insert(e.lines, in.start+1, e.render(indent, new)...)
}

// sequence makes a list equal to a new one. It reports whether it could. Elements that are as they were, or objects
// with a name that stays, keep their lines.
func (e *editor) sequence(old *yaml.Node, new []any, p part, from, limit int, path string) bool {
	all, ok := e.elements(old, limit)
	if !ok {
		return false
	}
	base, stay, blocks := e.depth[from], make([]bool, len(all)), false // in a block of the template, or kept
	for i, in := range all {
		stay[i] = p.blocks && (e.depth[in.start] > base || e.kept(in, p))
		blocks = blocks || stay[i]
		if p.parts == nil && p.blocks && !e.kept(in, p) && !e.templated(in, path, part{except: e.namedIn(in)}) {
			return true
		}
	}
	same := func(i int, now any) bool {
		was := decoded(all[i].value)
		if p.parts == nil {
			return reflect.DeepEqual(e.resolved(all[i], was, now), now)
		}
		path := pathOf(was)
		return yamltext.At(was, "name") == yamltext.At(now, "name") || path != nil && path == pathOf(now)
	}
	granted := map[int]bool{}
	if p.blocks {
		indent := math.MaxInt
		if p.parts != nil {
			indent = old.Column - 1
		} else {
			new, granted = e.without(all, new, stay, same, path)
		}
		e.between(all, from, limit, indent, path)
	}
	if blocks || p.parts != nil { // blocks of the template, and what is not the run's, stay where they are
		new = reorder(len(all), new, same)
	}
	pairs := align(len(all), len(new), func(i, j int) bool { return same(i, new[j]) })
	if len(all) == 0 || len(pairs) == 0 && !p.blocks {
		return false
	}
	indent := old.Column - 1
	i, j := len(all), len(new)
	for k := len(pairs) - 1; k >= -1; k-- {
		pair := [2]int{-1, -1}
		if k >= 0 {
			pair = pairs[k]
		}
		if added := new[pair[1]+1 : j]; len(added) > 0 {
			e.lines = slices.Insert(e.lines, e.place(all, i, base), e.render(indent, added)...)
		}
		for gone := i - 1; gone > pair[0]; gone-- {
			switch in := all[gone]; {
			case granted[gone] || p.blocks && e.kept(in, p):
			case stay[gone]:
				e.diags.Errorf(e.at(in.start), "%s: the run has no element like this one in a block of the template", path).
					Suggest("delete it, or add the comment # %s above it", keepMark)
			case p.parts != nil || e.templated(in, path, part{}):
				e.cut(in, path)
			}
		}
		if i, j = pair[0], pair[1]; k >= 0 && p.parts != nil && !e.kept(all[i], p) {
			object, _ := new[j].(map[string]any)
			e.warnPath(all[i], object, "of webhook "+all[i].name)
			e.inList(all[i], object, p, path)
		}
	}
	return true
}

// kept reports whether an element of the run's lists is kept.
func (e *editor) kept(in entry, p part) bool {
	isMark := func(line string) bool { return strings.Contains(line, keepMark) }
	return e.keeps(in.start) || p.parts == nil && slices.ContainsFunc(e.lines[in.start:in.end], isMark)
}

// pathOf returns the path of a webhook, or nil.
func pathOf(webhook any) any { return yamltext.At(webhook, "clientConfig", "service", "path") }

// warnPath reports a webhook whose clientConfig, which stays, has another path than the run.
func (e *editor) warnPath(in entry, new map[string]any, of string) {
	old := decoded(in.value)
	service, ok := yamltext.At(old, "clientConfig", "service").(map[string]any)
	path, written := service["path"].(string)
	want, _ := pathOf(new).(string)
	line := slices.IndexFunc(e.lines[in.start:in.end], func(line string) bool { // without an action
		return !written && strings.Contains(line, "service:") || strings.Contains(line, "path:") && strings.Contains(line, path)
	})
	if ok && path != want && line >= 0 {
		e.diags.Warnf(e.at(in.start+line), "the marker %s has path=%s, and clientConfig stays as it is", of, want).Suggest("correct the path")
	}
}

// inList makes an object of a list equal to a new one. While it is changed, blanks replace the dash before its first
// key.
func (e *editor) inList(in entry, new map[string]any, p part, path string) {
	column := in.value.Column - 1
	if e.from+in.value.Line-1 > in.start {
		column = 0 // the dash is on a line of its own
	}
	dash := e.lines[in.start][:column]
	blank := strings.Repeat(" ", column)
	e.lines[in.start] = blank + e.lines[in.start][column:]
	if !e.mapping(in.value, new, p, in.start, in.limit, path+"["+in.name+"]") {
		e.diags.Errorf(e.at(in.start), "kubegen cannot replace %s[%s]: it is not one line for each field", path, in.name).
			Suggest("write it as YAML without braces")
	}
	if column == 0 {
		return
	}
	for i := in.start; i < len(e.lines); i++ {
		text, ok := strings.CutPrefix(e.lines[i], blank)
		if ok && text != "" && !strings.ContainsAny(text[:1], " #{\r") {
			e.lines[i] = dash + text
			return
		}
	}
}

// names is the field of a rule with the names of objects, which a chart may have from its release.
const names = "resourceNames"

// namedIn returns the lines of the names of objects in a rule.
func (e *editor) namedIn(rule entry) (lines []int) {
	if list := valueOf(rule.value, names); list != nil {
		for _, name := range list.Content {
			lines = append(lines, e.from+name.Line-1)
		}
	}
	return lines
}

// resolved returns an element with the names of objects in another one in place of the templated names that end in
// them.
func (e *editor) resolved(in entry, was, now any) any {
	object, _ := was.(map[string]any)
	old, _ := object[names].([]any)
	wanted, _ := yamltext.At(now, names).([]any)
	if lines := e.namedIn(in); len(old) == len(lines) && len(old) == len(wanted) && len(old) > 0 {
		object, old = maps.Clone(object), slices.Clone(old)
		for i, line := range lines {
			name, _ := wanted[i].(string)
			text := strings.Trim(strings.TrimPrefix(strings.TrimSpace(e.lines[line]), "- "), `'"`)
			if e.template && strings.Contains(text, "{{") && endsIn(text, name) {
				old[i] = name
			}
		}
		object[names] = old
		return object
	}
	return was
}

// reorder returns the new elements of a list. Those that are the same as one of n old elements are in the old order.
func reorder(n int, new []any, same func(i int, now any) bool) []any {
	var old, places []int // indexes of the elements that stay, in the old and in the new order
	for i := range n {
		j := slices.IndexFunc(new, func(now any) bool { return same(i, now) })
		if j >= 0 && !slices.Contains(old, j) {
			old = append(old, j)
		}
	}
	places = slices.Sorted(slices.Values(old))
	made := slices.Clone(new)
	for i, place := range places {
		made[place] = new[old[i]]
	}
	return made
}

// align returns the longest list of pairs of indexes, in order, that are the same.
func align(n, m int, same func(i, j int) bool) (pairs [][2]int) {
	longest := make([][]int, n+1)
	for i := range longest {
		longest[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if longest[i][j] = max(longest[i+1][j], longest[i][j+1]); same(i, j) {
				longest[i][j] = max(longest[i][j], longest[i+1][j+1]+1)
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case same(i, j) && longest[i][j] == longest[i+1][j+1]+1:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// render returns the lines of new entries of a mapping, or of new elements of a sequence.
func (e *editor) render(indent int, value any) []string {
	text := e.text(indent, value)
	if e.template {
		text = escape(text)
	}
	text = e.finish(text)
	if strings.HasSuffix(e.lines[0], "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	lines := strings.Split(text, "\n")
	return lines[:len(lines)-1]
}

// text returns a mapping or sequence in the style of the document.
func (e *editor) text(indent int, value any) string {
	text := yamltext.Marshal(value)
	if e.indented {
		text, _ = yamltext.Indented(value) // cannot fail for values that were decoded
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if line != "\n" {
			line = strings.Repeat(" ", indent) + line
		}
		b.WriteString(line)
	}
	return b.String()
}

// indentsLists matches a sequence that is indented below its key.
var indentsLists = regexp.MustCompile(`(?m)^( *)(?:- +)?[^\s#-][^\n]*:\r?\n( *)- `)
