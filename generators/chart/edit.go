package chart

import (
	"maps"
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
	blocks   bool            // a list whose elements may be in blocks of the template
	except   []int           // lines that may have actions
}

// of returns the part for a key.
func (p part) of(key string) part {
	if inner, ok := p.parts[key]; ok {
		return inner
	}
	return part{foreign: p.closed, absent: p.lenient}
}

// editor replaces the parts of an object in a document. It works from the last line to the first one, so that lines
// above keep their numbers. Nodes have the numbers of lines in the document.
type editor struct {
	*source
	from     int  // first line of the document
	template bool // the file is one
	mistakes []yamltext.Mistake
	indented bool // sequences are indented below their key
	localize func(any) any
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
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Column != n.Column {
			return nil, false // merged
		}
		all = append(all, entry{name: key.Value, value: n.Content[i+1], start: e.from + key.Line - 1})
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
		if !strings.HasPrefix(strings.TrimLeft(e.shown[line], " "), "- ") || indentOf(e.shown[line]) != n.Column-1 {
			return nil, false
		}
		name, _ := at(decoded(element), "name").(string)
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

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// templated reports an action in a part of the run. ok is false if there is one.
func (e *editor) templated(in entry, path string, p part) (ok bool) {
	for _, a := range e.actions {
		inside := a.line >= in.start && a.line < in.end && !slices.Contains(p.except, a.line)
		instead := in.value.Tag == "!!null" && a.line >= in.end && a.line < in.limit && a.prints
		if !inside && !instead {
			continue
		}
		if !p.yours {
			e.diags.Errorf(e.at(a.line), "kubegen cannot replace %s, because it is templated here", path).
				Suggest("write it without actions; those around it may stay")
		}
		return false
	}
	return true
}

// mapping makes an object equal to a new one, as far as it is the run's. It reports whether it could.
func (e *editor) mapping(old *yaml.Node, new map[string]any, p part, limit int, path string) bool {
	all, ok := e.entries(old, limit)
	if !ok || len(all) == 0 {
		return false
	}
	indent := old.Column - 1
	missing := make([][]string, len(all)+1) // by index of the entry that follows
	for key := range new {
		if of := p.of(key); of.foreign && p.closed || slices.ContainsFunc(all, func(in entry) bool { return in.name == key }) {
			continue
		}
		i := slices.IndexFunc(all, func(in entry) bool { return yamltext.CompareKeys(in.name, key) > 0 })
		if i < 0 {
			i = len(all)
		}
		missing[i] = append(missing[i], key)
	}
	for i := len(all); i >= 0; i-- {
		if i < len(all) {
			e.entry(all[i], new, p.of(all[i].name), indent, path)
		}
		slices.SortFunc(missing[i], yamltext.CompareKeys)
		var text []string
		for _, key := range missing[i] {
			text = append(text, e.render(indent, key, new[key])...)
		}
		if line := e.place(all, i); len(text) > 0 {
			e.lines = slices.Insert(e.lines, line, text...)
		}
	}
	return true
}

// place returns the line for something before an entry, or after the last one: outside the blocks of the template that
// begin or end there.
func (e *editor) place(all []entry, i int) int {
	if i == 0 {
		return all[0].start
	}
	base := e.depth[all[0].start]
	for _, in := range all {
		base = min(base, e.depth[in.start])
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
	switch {
	case p.foreign || !ok && p.optional || in.twice && (p.yours || p.absent && !ok):
		return
	case in.twice && in.value == nil:
		e.diags.Errorf(e.at(in.start), "kubegen cannot replace %s, because two branches of the template have it", name).
			Suggest("leave one of them")
		return
	case in.twice:
		return
	case !ok && p.absent:
		p.yours = true
		if !e.templated(in, name, p) {
			return
		}
		e.lines = slices.Delete(e.lines, in.start, in.end)
		return
	case p.parts == nil && !p.blocks && !e.templated(in, name, p):
		return
	case !ok:
		e.lines = slices.Delete(e.lines, in.start, in.end)
		return
	case p.parts == nil && !p.blocks && reflect.DeepEqual(decoded(in.value), value):
		return
	}
	switch v := value.(type) {
	case map[string]any:
		if len(v) > 0 && e.mapping(in.value, v, p, in.limit, name) {
			return
		}
	case []any:
		if len(v) > 0 && e.sequence(in.value, v, p, in.limit, name) {
			return
		}
	}
	if p.parts == nil && !p.blocks || e.templated(in, name, part{}) {
		e.lines = slices.Replace(e.lines, in.start, in.end, e.render(indent, in.name, value)...)
	}
}

// sequence makes a list equal to a new one. It reports whether it could. Elements that are as they were, or objects
// with a name that stays, keep their lines.
func (e *editor) sequence(old *yaml.Node, new []any, p part, limit int, path string) bool {
	all, ok := e.elements(old, limit)
	if !ok {
		return false
	}
	base, deepest := limit, 0
	for _, in := range all {
		base, deepest = min(base, e.depth[in.start]), max(deepest, e.depth[in.start])
		if p.parts == nil && p.blocks && !e.templated(in, path, part{except: e.namedIn(in)}) {
			return true
		}
	}
	same := func(i int, now any) bool {
		was := decoded(all[i].value)
		if p.parts == nil {
			return reflect.DeepEqual(e.resolved(all[i], was, now), now)
		}
		path := pathOf(was)
		return at(was, "name") == at(now, "name") || path != nil && path == pathOf(now)
	}
	if deepest > base || p.parts != nil { // blocks of the template, and what is not the run's, stay where they are
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
		var text []string
		for _, element := range new[pair[1]+1 : j] {
			text = append(text, e.element(indent, e.localize(element))...)
		}
		if len(text) > 0 {
			e.lines = slices.Insert(e.lines, e.place(all, i), text...)
		}
		for gone := i - 1; gone > pair[0]; gone-- {
			switch in := all[gone]; {
			case e.depth[in.start] > base && e.kept(all, gone):
			case e.depth[in.start] > base:
				e.diags.Errorf(e.at(in.start), "%s: the run has no element like this one in a block of the template", path).
					Suggest("delete it, or add the comment # %s above it", keepMark)
			case p.parts != nil || e.templated(in, path, part{}):
				e.lines = slices.Delete(e.lines, in.start, in.end)
			}
		}
		if i, j = pair[0], pair[1]; k >= 0 && p.parts != nil {
			object, _ := new[j].(map[string]any)
			e.warnPath(all[i], object)
			e.inList(all[i], object, p, path)
		}
	}
	return true
}

// at returns the value at a path of keys, or nil.
func at(value any, keys ...string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// pathOf returns the path of a webhook, or nil.
func pathOf(webhook any) any { return at(webhook, "clientConfig", "service", "path") }

// warnPath reports a webhook whose clientConfig, which stays, has another path than the run.
func (e *editor) warnPath(in entry, new map[string]any) {
	path, ok := pathOf(decoded(in.value)).(string)
	want, _ := pathOf(new).(string)
	isWritten := func(line string) bool { return strings.Contains(line, "path:") && strings.Contains(line, path) } // without an action
	if i := slices.IndexFunc(e.lines[in.start:in.end], isWritten); ok && path != want && i >= 0 {
		e.diags.Warnf(e.at(in.start+i), "the marker of webhook %s has path=%s, and clientConfig stays as it is", in.name, want).
			Suggest("correct the path")
	}
}

// inList makes an object of a list equal to a new one. While it is changed, blanks replace the dash before its first
// key.
func (e *editor) inList(in entry, new map[string]any, p part, path string) {
	column := in.value.Column - 1
	dash := e.lines[in.start][:column]
	blank := strings.Repeat(" ", column)
	e.lines[in.start] = blank + e.lines[in.start][column:]
	if !e.mapping(in.value, new, p, in.limit, path+"["+in.name+"]") {
		e.diags.Errorf(e.at(in.start), "kubegen cannot replace %s[%s]: it is not one line for each field", path, in.name).
			Suggest("write it as YAML without braces")
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
	wanted, _ := at(now, names).([]any)
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

// keepMark is a comment that keeps the elements below it in a block of the template that the run does not have.
const keepMark = "kubegen: keep"

// kept reports whether an element has that comment, in it or above it, or an earlier one in its block has it.
func (e *editor) kept(all []entry, i int) bool {
	from := all[i].start
	if i > 0 {
		from = all[i-1].end
	}
	for from > 0 && e.depth[from-1] >= e.depth[all[i].start] {
		from--
	}
	return slices.ContainsFunc(e.lines[from:all[i].end], func(line string) bool { return strings.Contains(line, keepMark) })
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

// render returns the lines of a new entry.
func (e *editor) render(indent int, key string, value any) []string {
	return e.split(e.text(indent, key, value))
}

// element returns the lines of a new element of a sequence.
func (e *editor) element(indent int, value any) []string {
	return e.split(e.elementText(indent, value))
}

func (e *editor) split(text string) []string {
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

// text returns an entry in the style of the document.
func (e *editor) text(indent int, key string, value any) string {
	var w yamltext.Writer
	if w.Key(indent, key); e.indented {
		switch v := value.(type) {
		case map[string]any:
			if len(v) > 0 {
				return string(w.Bytes()) + e.objectText(indent+2, v)
			}
		case []any:
			if len(v) > 0 {
				text := string(w.Bytes())
				for _, element := range v {
					text += e.elementText(indent+2, element)
				}
				return text
			}
		}
	}
	w.Value(indent, value)
	return string(w.Bytes())
}

func (e *editor) objectText(indent int, object map[string]any) (text string) {
	for _, key := range slices.SortedFunc(maps.Keys(object), yamltext.CompareKeys) {
		text += e.text(indent, key, object[key])
	}
	return text
}

func (e *editor) elementText(indent int, value any) string {
	if object, ok := value.(map[string]any); ok && len(object) > 0 {
		text := e.objectText(indent+2, object)
		return text[:indent] + "-" + text[indent+1:]
	}
	var w yamltext.Writer
	w.Item(indent)
	w.Value(indent, value)
	return string(w.Bytes())
}

// indentsLists matches a sequence that is indented below its key.
var indentsLists = regexp.MustCompile(`(?m)^( *)(?:- +)?[^\s#-][^\n]*:\r?\n( *)- `)
