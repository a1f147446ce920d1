package markers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/scanner"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// read reads the text after the name of a marker into it. Mistakes are errors, unless they are accepted, and doubtful
// arguments are warnings. lenient is as for parse.
func (d *Definition) read(m *model.Marker, text string, accepted, lenient bool, diags *diag.List) bool {
	value, arguments, doubts, err := d.parse(text, lenient)
	if m.Value, m.Arguments, m.Text = value, arguments, strings.TrimSpace(text); err != nil {
		diags.Mistakef(accepted, m.Pos, noEffect, "cannot parse +%s: %v", m.Name, err).
			Suggest("%s", cmp.Or(ArgumentMeant(err), "write it as in "+d.Example())).Once(fmt.Sprintf("%v: arguments", m.Pos))
		return false
	}
	for _, doubt := range doubts {
		diags.Warnf(m.Pos, "%s", doubt.what).Suggest("%s", doubt.advice).Once(Doubt(*m, doubt.argument))
	}
	return true
}

// doubt describes an argument that controller-gen accepts, but that is probably a mistake.
type doubt struct{ argument, what, advice string }

// Doubt returns the name, for diag.Diagnostic.Once, of a doubt about an argument of a marker, which a check of the
// value may report as well.
func Doubt(m model.Marker, argument string) string { return fmt.Sprintf("%v: %s=", m.Pos, argument) }

// unknownArgument is an error about an argument that a marker or option does not have.
type unknownArgument struct {
	name string
	of   *Definition
}

func (e *unknownArgument) Error() string { return fmt.Sprintf("unknown argument %q", e.name) }

// ArgumentMeant returns advice for an error about an unknown argument, or "" for any other error.
func ArgumentMeant(err error) string {
	var unknown *unknownArgument
	if !errors.As(err, &unknown) {
		return ""
	}
	return cmp.Or(diag.Meant(unknown.name, unknown.of.keys(), ""), "known are "+strings.Join(unknown.of.keys(), ", "))
}

// parse parses the text after the name of a marker, in the syntax of controller-gen: its value, or its arguments. If
// lenient is set, unknown arguments that resemble no known one, as a later controller-gen may have, are only doubtful.
func (d *Definition) parse(text string, lenient bool) (value any, arguments map[string]any, doubts []doubt, err error) {
	if nesting(text) > maxNested {
		return nil, nil, nil, fmt.Errorf("it is nested deeper than %d", maxNested)
	}
	bare := text
	if strings.HasPrefix(d.Name, "k8s:") {
		bare, _, _ = strings.Cut(text, "#") // a comment may follow a number in a declarative marker
	}
	bare = strings.TrimSpace(bare)
	switch name := strings.ToLower(d.Name[strings.LastIndexByte(d.Name, ':')+1:]); {
	case d.Type == JSON && strings.HasPrefix(strings.TrimSpace(text), "ref("):
		return nil, nil, nil, nil
	case d.Type == JSON:
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return nil, nil, nil, err
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber() // keep all digits
		err = decoder.Decode(&value)
		return value, nil, nil, err
	case name == "maximum" || name == "minimum":
		value, err = strconv.ParseFloat(bare, 64)
		return value, nil, nil, inner(err)
	case name == "maxitems":
		value, err = strconv.Atoi(bare)
		return value, nil, nil, inner(err)
	}
	p := newValueParser(text)
	p.lenient = lenient
	switch {
	case d.Type == Named:
		arguments = map[string]any{}
		for p.scan.Peek() != scanner.EOF && p.err == nil {
			p.argument(d, arguments)
		}
		for _, a := range d.Arguments {
			if _, ok := arguments[a.Name]; !ok && !a.Optional && p.err == nil {
				p.err = fmt.Errorf("%s= is missing", a.Name)
			}
		}
	case d.Type != NoValue && p.scan.Peek() != scanner.EOF:
		value = p.value(d.Type, false)
	case d.Type != NoValue && !d.Optional:
		p.fail("it has no value")
	}
	if p.err == nil && p.scan.Scan() != scanner.EOF {
		p.fail("unexpected %q", p.text[p.scan.Position.Offset:])
	}
	return value, arguments, p.doubts, p.err
}

// maxNested limits the depth of nested values, as in manifests: time and memory grow with its square.
const maxNested = 500

// nesting returns how many brackets and braces are open at most, including those in strings.
func nesting(text string) (deepest int) {
	open := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			open++
			deepest = max(deepest, open)
		case ']', '}':
			open--
		}
	}
	return deepest
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

	lenient bool // see Definition.parse
	doubts  []doubt
}

func newValueParser(text string) *valueParser {
	p := &valueParser{scan: &scanner.Scanner{}, text: text}
	p.scan.Init(strings.NewReader(text))
	p.scan.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings | scanner.ScanRawStrings
	p.scan.Error = func(_ *scanner.Scanner, message string) {
		p.fail("%s", strings.Replace(message, "literal not terminated", "a quote is not closed", 1))
	}
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
	switch p.scan.Scan() {
	case token:
		return true
	case scanner.EOF:
		p.fail("%s is expected, not the end", what)
	default:
		p.fail("%s is expected, not %q", what, p.scan.TokenText())
	}
	return false
}

// argument reads an argument and the comma after it.
func (p *valueParser) argument(def *Definition, into map[string]any) {
	if !p.expect(scanner.Ident, "the name of an argument") {
		return
	}
	name := p.scan.TokenText()
	if !p.expect('=', "= after "+name) {
		return
	}
	_, again := into[name]
	in := name + "= in +" + def.Name
	suspect := func(what, advice string) { p.doubts = append(p.doubts, doubt{name, what, advice}) }
	arg, unknown := def.argument(name), &unknownArgument{name, def}
	if arg == nil && (!p.lenient || diag.Meant(name, def.keys(), "") != "") {
		p.err = unknown
		return
	} else if arg == nil {
		arg = &Argument{name, Any, true}
		suspect(unknown.Error()+" of +"+def.Name, ArgumentMeant(unknown))
	}
	start := p.scan.Pos().Offset
	into[name] = p.value(arg.Type, false)
	text := strings.TrimSpace(p.text[start:p.scan.Pos().Offset])
	switch {
	case containsKey(text, def):
		p.fail("%s=%s contains the name of another argument, and a comma separates arguments", name, text)
	case def.Has(File) && strings.HasPrefix(text, ",") && arg.Type == String:
		p.fail("%s= has no value", name) // instead, it is everything after the comma
	case again:
		suspect(name+"= is given twice in +"+def.Name, "keep one of them; until then the last one is used")
	case text == "" && arg.Type == String && !arg.Optional && def.Effect&Manifests != 0: // manifests require a value
	case text == "" && name == "groups":
		suspect(in+" has no value", `write groups="" for the core group`)
	case text == "":
		suspect(in+" has no value", "write a value, or delete it")
	case strings.ContainsAny(text, "\"`"):
	case hasText(into[name], func(text string) bool { return text == "" }): // see ValueType
		suspect(in+" loses a word, because a space follows: "+text, "delete the space")
	case def.Has(File) && hasText(into[name], func(text string) bool { return strings.Contains(text, " ") }):
		suspect(in+" contains a space: "+text, "write a comma between arguments, and comments on lines of their own")
	}
	if p.err == nil && p.scan.Peek() != scanner.EOF && p.expect(',', "a comma") && def.Has(File) && p.peek() == scanner.EOF {
		p.fail("nothing follows the last comma")
	}
}

// containsKey reports whether a list without quotes has an element that begins with the name of an argument and an
// equals sign.
func containsKey(text string, def *Definition) bool {
	return !strings.ContainsAny(text, "\"`") && slices.ContainsFunc(strings.Split(text, ";")[1:], func(element string) bool {
		name, _, ok := strings.Cut(element, "=")
		return ok && def.argument(strings.TrimSpace(name)) != nil
	})
}

// hasText reports whether a condition holds for a text, or an element of a list.
func hasText(value any, condition func(string) bool) bool {
	if list, ok := value.([]any); ok {
		return slices.ContainsFunc(list, func(element any) bool { return hasText(element, condition) })
	}
	text, ok := value.(string)
	return ok && condition(text)
}

// value reads a value. In a list, a semicolon ends it.
func (p *valueParser) value(kind ValueType, inList bool) any {
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
	kind     ValueType
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
		p.braced(read)
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
	p.braced(func() {
		if key := p.string(true); p.expect(':', "a colon") {
			found[key] = p.guessed(p.guess(true))
		}
	})
	return found
}

// braced reads elements in braces, separated by commas.
func (p *valueParser) braced(read func()) {
	if !p.expect('{', "an opening brace") {
		return
	}
	for c := p.peek(); c != '}' && c != scanner.EOF && p.err == nil; c = p.peek() {
		if read(); p.peek() == '}' {
			break
		}
		if !p.expect(',', "a comma") {
			return
		}
	}
	p.expect('}', "a closing brace")
}
