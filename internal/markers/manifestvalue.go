package markers

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"text/scanner"

	"github.com/kubegen/kubegen/internal/diag"
)

// Setting is a marker for manifests with its value, or with its arguments by name. A value is an int, float64, string,
// bool, []any or map[string]any. JSON values have json.Number in place of int and float64.
type Setting struct {
	*ManifestDefinition
	Value     any
	Arguments map[string]any
	Written   string // the value in the source, without surrounding space
	Pos       token.Position
}

// String returns the value of a string argument, or "" if it is missing.
func (s Setting) String(name string) string {
	text, _ := s.Arguments[name].(string)
	return text
}

// Strings returns the value of an argument that is a list of strings, or the value of the marker if name is "".
func (s Setting) Strings(name string) []string {
	list, _ := s.Arguments[name].([]any)
	if name == "" {
		list, _ = s.Value.([]any)
	}
	var found []string
	for _, element := range list {
		found = append(found, element.(string))
	}
	return found
}

// ReadManifest returns the markers for manifests in lines. A mistake in a value is an error. Markers without effect on
// the target are warnings, except for misspelled ones, see Misspellings. Like controller-gen, it accepts a colon before
// the equals sign.
func ReadManifest(lines []Line, target Target, diags *diag.List) []Setting {
	var found []Setting
	for _, line := range lines {
		long, value, hasValue := strings.Cut(line.Text[1:], "=")
		def, rest := manifestByName[long], value
		argument := long[strings.LastIndexByte(long, ':')+1:]
		if def == nil && hasValue && argument != long {
			def = manifestByName[long[:len(long)-len(argument)-1]]
		}
		if def == nil || !slices.Contains(def.Targets, target) {
			if target != Package { // they may belong to a type
				reportManifest(line, long, def, diags)
			}
			continue
		}
		if def.Kind == Named && hasValue {
			rest = argument + "=" + value
		}
		s := Setting{ManifestDefinition: def, Written: strings.TrimSpace(rest), Pos: line.Pos}
		if err := s.parse(rest); err != nil {
			diags.Errorf(line.Pos, "cannot parse +%s: %v", long, err).Suggest("write it as +%s%s", s.Name, s.form())
			continue
		}
		found = append(found, s)
	}
	return found
}

// reportManifest reports a marker without effect at its place.
func reportManifest(line Line, name string, def *ManifestDefinition, diags *diag.List) {
	if def != nil {
		if def.Targets[0] != Package {
			diags.Warnf(line.Pos, "+%s has no effect here", def.Name).Suggest("it is for %s", strings.Join(targetNames(def.Targets), " and "))
		}
		return
	}
	if bare, after, ok := strings.Cut(name, " "); ok && manifestByName[bare] != nil {
		diags.Warnf(line.Pos, "+%s has no effect, because %q follows", bare, after).Suggest("put the marker on a line of its own")
		return
	}
	ReportUnknown(line, diags)
}

// ReportUnknown warns about a marker with the prefix of controller-gen that controller-gen does not know. Markers that
// misspell a known one are left to Misspellings.
func ReportUnknown(line Line, diags *diag.List) {
	name, _, _ := strings.Cut(strings.TrimPrefix(line.Text, "+"), "=")
	if !strings.HasPrefix(name, "kubebuilder:") || isKnown(name) || misspells(line.Text) {
		return
	}
	d := diags.Warnf(line.Pos, "unknown marker +%s: it has no effect", name)
	prefix, last := name[:strings.LastIndexByte(name, ':')+1], name[strings.LastIndexByte(name, ':')+1:]
	var longer []string
	for i := range Manifest {
		if rest, ok := strings.CutPrefix(Manifest[i].Name, prefix); ok && !strings.Contains(rest, ":") && strings.HasSuffix(rest, last) {
			longer = append(longer, "+"+Manifest[i].Name)
		}
	}
	if len(longer) > 0 {
		d.Suggest("did you mean %s?", strings.Join(longer, " or "))
	}
}

// targetNames returns the targets for a message.
func targetNames(targets []Target) (names []string) {
	for _, t := range targets {
		names = append(names, map[Target]string{Package: "packages", Type: "types", Field: "fields"}[t])
	}
	return names
}

// parse reads the value or arguments.
func (s *Setting) parse(text string) error {
	switch name := s.Name[strings.LastIndexByte(s.Name, ':')+1:]; {
	case s.Kind == JSON:
		if strings.HasPrefix(strings.TrimSpace(text), "ref(") {
			return nil
		}
		return s.parseJSON(text)
	case strings.EqualFold(name, "maximum") || strings.EqualFold(name, "minimum"):
		value, err := strconv.ParseFloat(s.bare(text), 64)
		s.Value = value
		return inner(err)
	case strings.EqualFold(name, "maxItems"):
		value, err := strconv.Atoi(s.bare(text))
		s.Value = value
		return inner(err)
	}
	p := newValueParser(text)
	switch {
	case s.Kind == Named:
		s.Arguments = map[string]any{}
		for p.scan.Peek() != scanner.EOF && p.err == nil {
			p.argument(s)
		}
		for _, a := range s.ManifestDefinition.Arguments {
			if _, ok := s.Arguments[a.Name]; !ok && !a.Optional && p.err == nil {
				p.err = fmt.Errorf("%s= is missing", a.Name)
			}
		}
	case s.Kind != NoValue && p.scan.Peek() != scanner.EOF:
		s.Value = p.value(s.Kind, false)
	case s.Kind != NoValue && !s.Optional:
		p.fail("it has no value")
	}
	if p.err == nil && p.scan.Scan() != scanner.EOF {
		p.fail("unexpected %q", p.text[p.scan.Position.Offset:])
	}
	return p.err
}

// parseJSON reads a value in JSON. Its numbers keep all digits.
func (s *Setting) parseJSON(text string) error {
	if err := json.Unmarshal([]byte(text), &s.Value); err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(&s.Value)
}

// bare returns the text of a number without spaces, and without the comment that may follow it in a declarative marker.
func (s *Setting) bare(text string) string {
	if strings.HasPrefix(s.Name, "k8s:") {
		text, _, _ = strings.Cut(text, "#")
	}
	return strings.TrimSpace(text)
}

// inner returns the reason in an error of package strconv.
func inner(err error) error {
	var number *strconv.NumError
	if errors.As(err, &number) {
		return fmt.Errorf("%q is not a number", number.Num)
	}
	return err
}

// valueParser reads the values of markers, in the syntax of controller-gen.
type valueParser struct {
	scan *scanner.Scanner
	text string
	err  error // the first one
}

func newValueParser(text string) *valueParser {
	p := &valueParser{scan: &scanner.Scanner{}, text: text}
	p.scan.Init(strings.NewReader(text))
	p.scan.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings | scanner.ScanRawStrings
	p.scan.Error = func(_ *scanner.Scanner, message string) { p.fail("%s", message) }
	return p
}

func (p *valueParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// ahead returns a parser of the remaining text.
func (p *valueParser) ahead() *valueParser { return newValueParser(p.text[p.scan.Pos().Offset:]) }

// peek returns the next character other than white space.
func (p *valueParser) peek() rune {
	for {
		switch c := p.scan.Peek(); c {
		case ' ', '\t', '\n', '\r':
			p.scan.Next()
		default:
			return c
		}
	}
}

// expect reads a token, and reports whether it is the expected one.
func (p *valueParser) expect(token rune, what string) bool {
	if p.scan.Scan() != token {
		p.fail("%s is expected, not %q", what, p.scan.TokenText())
		return false
	}
	return true
}

// argument reads an argument and the comma after it.
func (p *valueParser) argument(s *Setting) {
	if !p.expect(scanner.Ident, "the name of an argument") {
		return
	}
	name := p.scan.TokenText()
	if !p.expect('=', "= after "+name) {
		return
	}
	i := slices.IndexFunc(s.ManifestDefinition.Arguments, func(a Argument) bool { return a.Name == name })
	if i < 0 {
		p.fail("unknown argument %q", name)
		return
	}
	s.Arguments[name] = p.value(s.ManifestDefinition.Arguments[i].Kind, false)
	if p.err == nil && p.scan.Peek() != scanner.EOF {
		p.expect(',', "a comma")
	}
}

// value reads a value. In a list, a semicolon ends it.
func (p *valueParser) value(kind Kind, inList bool) any {
	switch kind {
	case Int:
		text := p.sign()
		if !p.expect(scanner.Int, "an integer") {
			return nil
		}
		value, err := strconv.Atoi(text + p.scan.TokenText())
		switch {
		case errors.Is(err, strconv.ErrRange):
			p.fail("%s is out of the range of int64", text+p.scan.TokenText())
		case err != nil:
			p.fail("%q is not an integer", text+p.scan.TokenText())
		}
		return value
	case Float:
		text := p.sign()
		if token := p.scan.Scan(); token != scanner.Float && token != scanner.Int {
			p.fail("a number is expected, not %q", p.scan.TokenText())
			return nil
		}
		value, err := strconv.ParseFloat(text+p.scan.TokenText(), 64)
		if err != nil {
			p.fail("%q is not a number", text+p.scan.TokenText())
		}
		return value
	case Boolean:
		if p.expect(scanner.Ident, "true or false") && p.scan.TokenText() != "true" && p.scan.TokenText() != "false" {
			p.fail("true or false is expected, not %q", p.scan.TokenText())
		}
		return p.scan.TokenText() == "true"
	case String:
		return p.string(false)
	case Strings:
		return p.list(guess{kind: String})
	case Anys:
		return p.list(guess{kind: Any})
	case Any:
		return p.guessed(p.guess(!inList))
	}
	return nil
}

// sign reads a minus sign.
func (p *valueParser) sign() string {
	if p.peek() != '-' {
		return ""
	}
	p.scan.Scan()
	return "-"
}

// guess is the probable form of a value.
type guess struct {
	kind     Kind
	list     bool
	object   bool
	elements *guess // of a list
}

// guessed reads a value of the guessed form.
func (p *valueParser) guessed(g guess) any {
	switch {
	case g.list:
		return p.list(*g.elements)
	case g.object:
		return p.object()
	}
	return p.value(g.kind, true)
}

// guess looks ahead for the form of a value. If semicolons is set, they may separate the elements of a list.
func (p *valueParser) guess(semicolons bool) guess {
	if semicolons {
		element := p.guess(false)
		ahead := p.ahead()
		ahead.scan.Error = func(*scanner.Scanner, string) {}
		for {
			switch ahead.scan.Scan() {
			case ';':
				return guess{list: true, elements: &element}
			case ',', scanner.EOF:
				return element
			}
		}
	}
	ahead := p.ahead()
	switch first := ahead.peek(); first {
	case '"', '\'', '`':
		return guess{kind: String}
	case '{':
		ahead.scan.Scan()
		first = ahead.peek()
		element := ahead.guess(false)
		if element.kind == String && !element.list && !element.object {
			if ahead.string(true); ahead.scan.Scan() == ':' || first == '}' {
				return guess{object: true}
			}
		}
		return guess{list: true, elements: &element}
	case 't', 'f':
		if ahead.scan.Scan(); ahead.scan.TokenText() == "true" || ahead.scan.TokenText() == "false" {
			return guess{kind: Boolean}
		}
		return guess{kind: String}
	}
	token := ahead.scan.Scan()
	if token == '-' {
		token = ahead.scan.Scan()
	}
	if ahead.err == nil && (token == scanner.Int || token == scanner.Float) {
		switch ahead.peek() {
		case ',', ';', '}', scanner.EOF:
			if token == scanner.Int {
				return guess{kind: Int}
			}
			return guess{kind: Float}
		}
	}
	return guess{kind: String}
}

// string reads a string, in quotes or up to a delimiter. If key is set, a colon is a delimiter.
func (p *valueParser) string(key bool) string {
	mode := p.scan.Mode
	p.scan.Mode &^= scanner.ScanInts | scanner.ScanFloats
	defer func() { p.scan.Mode = mode }()
	if token := p.scan.Scan(); token == scanner.String || token == scanner.RawString {
		value, err := strconv.Unquote(p.scan.TokenText())
		if err != nil {
			p.fail("%s is not a Go string", p.scan.TokenText())
		}
		return value
	}
	start := p.scan.Position.Offset
	for {
		switch c := p.peek(); {
		case c == ',' || c == ';' || c == '}' || c == scanner.EOF || key && c == ':':
			return p.text[start : p.scan.Position.Offset+len(p.scan.TokenText())]
		}
		p.scan.Scan()
	}
}

// list reads a list, in braces or with semicolons.
func (p *valueParser) list(element guess) any {
	found := []any{}
	read := func() {
		if element.kind == Any && !element.list && !element.object {
			found = append(found, p.value(Any, true))
		} else {
			found = append(found, p.guessed(element))
		}
	}
	if p.peek() == '{' {
		p.scan.Scan()
		for c := p.peek(); c != '}' && c != scanner.EOF && p.err == nil; c = p.peek() {
			if read(); p.peek() == '}' {
				break
			}
			if !p.expect(',', "a comma") {
				return found
			}
		}
		p.expect('}', "a closing brace")
		return found
	}
	for c := p.peek(); c != ',' && c != '}' && c != scanner.EOF && p.err == nil; c = p.peek() {
		read()
		if c := p.peek(); c == ',' || c == '}' || c == scanner.EOF {
			break
		}
		if !p.expect(';', "a semicolon") {
			break
		}
	}
	return found
}

// object reads an object in braces.
func (p *valueParser) object() any {
	found := map[string]any{}
	if !p.expect('{', "an opening brace") {
		return found
	}
	for c := p.peek(); c != '}' && c != scanner.EOF && p.err == nil; c = p.peek() {
		key := p.string(true)
		if !p.expect(':', "a colon") {
			return found
		}
		found[key] = p.guessed(p.guess(true))
		if p.peek() == '}' {
			break
		}
		if !p.expect(',', "a comma") {
			return found
		}
	}
	p.expect('}', "a closing brace")
	return found
}
