package yamltext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// readJSON reads the JSON values in a text, which may be separated by lines of three dashes.
func readJSON(text []byte) (documents []Document, err error) {
	r := &jsonReader{text: text, line: 1, column: 1}
	for {
		r.skip(" \t\r\n")
		if rest := text[r.at:]; bytes.HasPrefix(rest, []byte("---")) && r.column == 1 {
			r.to(r.at + len("---"))
			continue
		}
		if r.at == len(text) {
			return documents, nil
		}
		r.decoder, r.base, r.mistakes = json.NewDecoder(bytes.NewReader(text[r.at:])), r.at, nil
		r.decoder.UseNumber()
		n, err := r.value(0)
		if err != nil {
			return nil, Mistake{r.line, r.column, err.Error()}
		}
		documents = append(documents, Document{
			Node: &yaml.Node{Kind: yaml.DocumentNode, Line: n.Line, Column: n.Column, Content: []*yaml.Node{n}}, Mistakes: r.mistakes,
		})
	}
}

// jsonReader reads JSON into nodes with positions.
type jsonReader struct {
	text     []byte
	decoder  *json.Decoder
	base     int // offset of the beginning of the decoder's input
	at       int // current offset in the text
	line     int
	column   int // in characters
	mistakes []Mistake
}

// to advances to an offset in the text.
func (r *jsonReader) to(at int) {
	for r.at < at {
		c, size := utf8.DecodeRune(r.text[r.at:])
		r.at += size
		if r.column++; c == '\n' {
			r.line, r.column = r.line+1, 1
		}
	}
}

func (r *jsonReader) skip(characters string) {
	for r.at < len(r.text) && bytes.IndexByte([]byte(characters), r.text[r.at]) >= 0 {
		r.to(r.at + 1)
	}
}

// maxNested limits the depth of nested JSON, as the YAML parser does.
const maxNested = 10_000

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	r.skip(" \t\r\n,:")
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line, Column: r.column}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	r.to(r.base + int(r.decoder.InputOffset()))
	switch v := token.(type) {
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
		if _, err := v.Int64(); err == nil {
			n.Tag = "!!int"
		} else if _, err := v.Float64(); err != nil {
			r.mistakes = append(r.mistakes, Mistake{n.Line, n.Column, fmt.Sprintf("the number %s is out of range", v)})
			n.Value = "0"
		}
	case json.Delim:
		if depth == maxNested {
			return nil, fmt.Errorf("it is nested deeper than %d", maxNested)
		}
		if n.Kind, n.Tag = yaml.SequenceNode, "!!seq"; v == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		if err := r.inner(n, depth); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// inner reads the entries of an object or list.
func (r *jsonReader) inner(n *yaml.Node, depth int) error {
	entries := &entries{at: map[string]int{}}
	for r.decoder.More() {
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		if n.Kind == yaml.SequenceNode {
			n.Content = append(n.Content, value)
			continue
		}
		key := value
		if value, err = r.value(depth + 1); err != nil {
			return err
		}
		if i, ok := entries.at[key.Value]; ok {
			r.mistakes = append(r.mistakes, Mistake{
				key.Line, key.Column, fmt.Sprintf("duplicate key %s, first in line %d", strconv.Quote(key.Value), entries.content[i].Line),
			})
		}
		entries.set(key, value)
		n.Content = entries.content
	}
	_, err := r.decoder.Token() // the end
	r.to(r.base + int(r.decoder.InputOffset()))
	return err
}
