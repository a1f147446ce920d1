// Package yamltext reads YAML like sigs.k8s.io/yaml, and writes it in the same style, byte for byte, because manifests
// are compared with manifests written by tools based on that library: sequences are not indented below their key,
// multi-line text is a literal block, and lines are folded at the first space after column 80.
// It also writes objects into files of manifests, and recognizes such files.
package yamltext

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Document is a document of a file. Its nodes have the values that sigs.k8s.io/yaml, and therefore kubectl, reads: keys
// are strings, merge keys are expanded, and a scalar has its JSON value and one of the tags !!str, !!null, !!bool,
// !!int and !!float.
type Document struct {
	*yaml.Node
	Mistakes []Mistake // a server or kubectl rejects the document because of these, or ignores a part of it
	Misread  []Mistake // keys and elements of lists that are read as another word, because they are not quoted
}

// Mistake is a mistake in a document.
type Mistake struct {
	Line, Column int
	Message      string
}

func (m Mistake) Error() string { return m.Message }

// Read parses the documents of a YAML or JSON file. Errors other than a Mistake come from the YAML parser.
func Read(text []byte) ([]Document, error) {
	var wrong error
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		var documents []Document
		if documents, wrong = readJSON(text); wrong == nil {
			return documents, nil
		}
		text = asYAML(text)
	}
	var documents []Document
	decoder := NewDecoder(text)
	for {
		d := Document{Node: &yaml.Node{}}
		switch err := decoder.Decode(d.Node); {
		case errors.Is(err, io.EOF):
			return documents, nil
		case err != nil && wrong != nil && bytes.HasPrefix(bytes.TrimLeft(text, "{ \t\r\n"), []byte(`"`)): // JSON rather than YAML
			return nil, wrong
		case err != nil:
			return nil, err
		}
		r := &reader{seen: map[*yaml.Node]bool{}, done: map[*yaml.Node]bool{}}
		r.node(d.Node)
		d.Mistakes, d.Misread = r.mistakes, r.misread
		documents = append(documents, d)
	}
}

// lineBreaks matches characters that are line breaks in YAML but not in JSON, where they only occur in strings.
var lineBreaks = regexp.MustCompile("[\u0085\u2028\u2029]")

// asYAML converts JSON to text that a YAML parser reads correctly.
func asYAML(text []byte) []byte {
	return lineBreaks.ReplaceAllFunc(text, func(r []byte) []byte { return fmt.Appendf(nil, `\u%04x`, []rune(string(r))[0]) })
}

// reader sets the values of the nodes of a document.
type reader struct {
	seen, done map[*yaml.Node]bool // nodes whose values have been begun, and completed
	mistakes   []Mistake
	misread    []Mistake
}

func (r *reader) failf(n *yaml.Node, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// note records that a key or an element of a list is read as another word. written is a copy of its node before it was
// read.
func (r *reader) note(what string, written, n *yaml.Node) {
	if written.Style == 0 && written.Value != n.Value {
		r.misread = append(r.misread, Mistake{n.Line, n.Column, fmt.Sprintf("the %s %s is read as %s", what, written.Value, n.Value)})
	}
}

func (r *reader) node(n *yaml.Node) {
	if r.seen[n] {
		return
	}
	r.seen[n] = true
	switch n.Kind {
	case yaml.ScalarNode:
		r.scalar(n)
	case yaml.MappingNode:
		r.mapping(n)
	default:
		for _, inner := range n.Content {
			written := *inner
			if r.node(inner); n.Kind == yaml.SequenceNode && inner.Tag == "!!bool" && !strings.EqualFold(written.Value, inner.Value) {
				r.note("value", &written, inner)
			}
		}
	}
	r.done[n] = true
}

// mapping expands merge keys. As in kubectl, the last of several entries for a key counts, whether merged or not.
func (r *reader) mapping(n *yaml.Node) {
	entries := &entries{at: map[string]int{}}
	own := map[string]*yaml.Node{}
	for key, value := range Entries(n) {
		r.node(value)
		if isMerge(key) {
			r.merge(entries, value)
			continue
		}
		key = Resolved(key)
		if key.Kind != yaml.ScalarNode {
			r.failf(key, "a key must be text")
			continue
		}
		named := *key // a copy, because the node may also be a value elsewhere
		written, mistakes := named, len(r.mistakes)
		if r.key(&named); len(r.mistakes) == mistakes {
			r.note("name", &written, &named)
		}
		if first := own[named.Value]; first != nil {
			r.failf(key, "duplicate key %s, first in line %d", strconv.Quote(named.Value), first.Line)
		}
		own[named.Value] = key
		entries.set(&named, value)
	}
	n.Content = entries.content
}

// entries holds the entries of a mapping.
type entries struct {
	content []*yaml.Node
	at      map[string]int // indexes of keys in content
}

func (e *entries) set(key, value *yaml.Node) {
	if i, ok := e.at[key.Value]; ok {
		e.content[i], e.content[i+1] = key, value
		return
	}
	e.at[key.Value] = len(e.content)
	e.content = append(e.content, key, value)
}

func isMerge(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "<<" && (n.Style == 0 || n.ShortTag() == "!!merge")
}

// merge adds the entries of a mapping, or of a list of mappings. The first mapping in the list takes precedence.
func (r *reader) merge(into *entries, n *yaml.Node) {
	sources := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		sources = n.Content
	}
	for _, source := range slices.Backward(sources) {
		source = Resolved(source)
		switch {
		case source.Kind != yaml.MappingNode:
			r.failf(source, "a merge key, <<, needs a mapping or a list of mappings")
			continue
		case !r.done[source]:
			r.failf(n, "the mapping is merged into itself")
			continue
		}
		for key, value := range Entries(source) {
			into.set(key, value)
		}
	}
}

// key converts a scalar to its text as a key.
func (r *reader) key(n *yaml.Node) {
	if n.Style == 0 {
		switch _, value := resolve(n.Value, true); v := value.(type) {
		case uint64:
			r.failf(n, "the number %d is too large for a key", v)
		case float64:
			switch { // keys may be these numbers, which JSON lacks
			case math.IsNaN(v):
				n.Value, n.Style = ".nan", yaml.DoubleQuotedStyle
			case math.IsInf(v, 1):
				n.Value, n.Style = ".inf", yaml.DoubleQuotedStyle
			case math.IsInf(v, -1):
				n.Value, n.Style = "-.inf", yaml.DoubleQuotedStyle
			}
		}
	}
	r.scalar(n)
	if n.Tag == "!!null" {
		r.failf(n, "a key cannot be null")
	}
	if f, err := strconv.ParseFloat(n.Value, 64); n.Tag == "!!float" && err == nil {
		n.Value = strconv.FormatFloat(f, 'g', -1, 32)
	}
	n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
}

// scalar sets the tag and value of a scalar.
func (r *reader) scalar(n *yaml.Node) {
	tag := ""
	switch {
	case n.Style&yaml.TaggedStyle != 0:
		tag = n.ShortTag()
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		tag = "!!str"
	}
	value := any(n.Value)
	switch tag {
	case "", "!!null", "!!bool", "!!int", "!!float", "!!timestamp":
		var is string
		is, value = resolve(n.Value, tag == "" || tag == "!!timestamp")
		if f, ok := Float(value); tag == "!!float" && ok {
			is, value = tag, f
		}
		if tag != "" && is != tag {
			r.failf(n, "%s is not of type %s", strconv.Quote(n.Value), tag)
		}
	case "!!binary":
		data, err := base64.StdEncoding.DecodeString(n.Value)
		if err != nil {
			r.failf(n, "the value of type !!binary is not in base64")
		}
		value = string(data)
	}
	switch v := value.(type) {
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case int64, uint64:
		n.Tag, n.Value = "!!int", fmt.Sprint(v)
	case float64:
		text, err := json.Marshal(v)
		if err != nil {
			r.failf(n, "JSON has no number %s", n.Value)
			text = []byte("0")
		}
		n.Tag, n.Value = "!!float", string(text)
	case string:
		n.Tag, n.Value = "!!str", v
	}
	n.Style = 0
	if n.Tag == "!!str" {
		n.Style = yaml.DoubleQuotedStyle
	}
}

// Repeated returns the keys of a mapping that occur before, each with the first one. Other nodes have none.
func Repeated(n *yaml.Node) map[*yaml.Node]*yaml.Node {
	seen, repeated := map[string]*yaml.Node{}, map[*yaml.Node]*yaml.Node{}
	for key := range Entries(n) {
		if seen[key.Value] == nil {
			seen[key.Value] = key
		} else {
			repeated[key] = seen[key.Value]
		}
	}
	return repeated
}

// Entries returns the keys and values of a mapping. Other nodes, and nil, have none.
func Entries(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil {
			return
		}
		of := Resolved(n)
		for i := 0; of.Kind == yaml.MappingNode && i+1 < len(of.Content) && yield(of.Content[i], of.Content[i+1]); i += 2 {
		}
	}
}

// Resolved follows aliases.
func Resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// Float converts a number to float64, which may lose digits.
func Float(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

var (
	meanings = map[string]any{
		"": nil, "~": nil, "null": nil, "Null": nil, "NULL": nil,
		"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "true": true, "True": true, "TRUE": true, "on": true, "On": true, "ON": true,
		"n": false, "N": false, "no": false, "No": false, "NO": false, "false": false, "False": false, "FALSE": false, "off": false,
		"Off": false, "OFF": false,
		".nan": math.NaN(), ".NaN": math.NaN(), ".NAN": math.NaN(), ".inf": math.Inf(1), ".Inf": math.Inf(1), ".INF": math.Inf(1),
		"+.inf": math.Inf(1), "+.Inf": math.Inf(1), "+.INF": math.Inf(1), "-.inf": math.Inf(-1), "-.Inf": math.Inf(-1), "-.INF": math.Inf(-1),
	}
	floats = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// resolve returns the type and value of unquoted text according to YAML 1.1 as implemented in kubectl. Times are text.
func resolve(text string, times bool) (tag string, value any) {
	if value, ok := meanings[text]; ok {
		switch value.(type) {
		case nil:
			return "!!null", nil
		case bool:
			return "!!bool", value
		}
		return "!!float", value
	}
	switch c := text[0]; {
	case c == '.':
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return "!!float", f
		}
	case c == '+' || c == '-' || '0' <= c && c <= '9':
		if times && isTime(text) {
			return "!!timestamp", text
		}
		plain := strings.ReplaceAll(text, "_", "")
		if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
			return "!!int", i
		}
		if u, err := strconv.ParseUint(plain, 0, 64); err == nil {
			return "!!int", u
		}
		if f, err := strconv.ParseFloat(plain, 64); err == nil && floats.MatchString(plain) {
			return "!!float", f
		}
	}
	return "!!str", text
}

// isTime reports whether a text is a YAML time. Other texts that begin with digits and a dash, such as invalid dates,
// are text in any case.
func isTime(text string) bool {
	layouts := []string{"2006-1-2", "2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999"}
	return slices.ContainsFunc(layouts, func(layout string) bool {
		_, err := time.Parse(layout, text)
		return err == nil
	})
}
