package crdschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Limits on the depth of nested schemas and values, and on their number after expansion of aliases. Larger objects do
// not fit into the storage of API servers.
const (
	maxDepth = 500
	maxNodes = 250_000
)

// Parse returns the schema in a node of a manifest and the mistakes in it. Like API servers, it ignores unknown
// keywords. All schemas have the line of the manifest in their Origin.
func Parse(n *yaml.Node) (*Schema, []yamltext.Mistake) {
	p := &schemaParser{}
	return p.schema(n), p.errs
}

type schemaParser struct {
	errs    []yamltext.Mistake
	nodes   int
	depth   int  // of the current schema
	stopped bool // a limit was exceeded
}

// enter counts a schema or value, and reports whether it is within the limits. After the first one beyond a limit,
// nothing more is read.
func (p *schemaParser) enter(n *yaml.Node, depth int) bool {
	if p.stopped {
		return false
	}
	switch p.nodes++; {
	case p.nodes > maxNodes:
		p.fail(n, "the schema is too large: it has more than "+strconv.Itoa(maxNodes)+" parts")
	case depth > maxDepth:
		p.fail(n, "parts are nested deeper than "+strconv.Itoa(maxDepth))
	default:
		return true
	}
	p.stopped = true
	return false
}

func (p *schemaParser) fail(n *yaml.Node, message string) {
	if p.stopped {
		return // mistakes in unread parts are unknown
	}
	p.errs = append(p.errs, yamltext.Mistake{Line: n.Line, Column: n.Column, Message: message})
}

// entries calls each for the entries of a mapping, except for null values, which are equivalent to absent keys.
func (p *schemaParser) entries(n *yaml.Node, each func(key, value *yaml.Node)) {
	if n = yamltext.Resolved(n); n.Kind != yaml.MappingNode {
		p.fail(n, "an object is expected")
		return
	}
	for key, value := range yamltext.Entries(n) {
		if value = yamltext.Resolved(value); value.Kind != yaml.ScalarNode || value.Tag != "!!null" {
			each(key, value)
		}
	}
}

// elements returns the elements of a list, with aliases resolved.
func (p *schemaParser) elements(n *yaml.Node) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "a list is expected")
		return nil
	}
	found := slices.Clone(n.Content)
	for i := range found {
		found[i] = yamltext.Resolved(found[i])
	}
	return found
}

func (p *schemaParser) schema(n *yaml.Node) *Schema {
	n = yamltext.Resolved(n)
	s := &Schema{Origin: Origin{Line: n.Line, Column: n.Column}}
	if !p.enter(n, p.depth) {
		return s
	}
	p.depth++
	p.entries(n, func(key, value *yaml.Node) {
		if k := byName[key.Value]; k != nil {
			k.parse(p, value, s)
		}
	})
	p.depth--
	return s
}

func (p *schemaParser) docs(n *yaml.Node) *ExternalDocs {
	found := &ExternalDocs{}
	p.entries(n, func(key, value *yaml.Node) {
		switch key.Value {
		case "description":
			found.Description = p.text(value)
		case "url":
			found.URL = p.text(value)
		}
	})
	return found
}

func (p *schemaParser) rule(n *yaml.Node) (r Rule) {
	p.entries(n, func(key, value *yaml.Node) {
		switch key.Value {
		case "rule":
			r.Rule = p.text(value)
		case "message":
			r.Message = p.text(value)
		case "messageExpression":
			r.MessageExpression = p.text(value)
		case "reason":
			r.Reason = p.oneOf(value, Reasons...)
		case "fieldPath":
			r.FieldPath = p.text(value)
		case "optionalOldSelf":
			optional := p.boolean(value)
			r.OptionalOldSelf = &optional
		}
	})
	return r
}

func (p *schemaParser) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		p.fail(n, "text is expected")
		return ""
	}
	return n.Value
}

// oneOf reads a text. If there are known texts, any other text is a mistake.
func (p *schemaParser) oneOf(n *yaml.Node, known ...string) string {
	text := p.text(n)
	if n.Kind == yaml.ScalarNode && len(known) > 0 && !slices.Contains(known, text) {
		p.fail(n, fmt.Sprintf("%q is not one of %s", text, strings.Join(known, ", ")))
	}
	return text
}

func (p *schemaParser) boolean(n *yaml.Node) bool {
	value, ok := p.value(n, 0).(bool)
	if !ok {
		p.fail(n, "true or false is expected")
	}
	return value
}

func (p *schemaParser) number(n *yaml.Node) *float64 {
	value, ok := yamltext.Float(p.value(n, 0))
	if !ok {
		p.fail(n, "a number is expected")
		return nil
	}
	return &value
}

func (p *schemaParser) integer(n *yaml.Node) *int64 {
	switch value := p.value(n, 0).(type) {
	case int64:
		return &value
	case float64:
		p.fail(n, "an integer is expected")
	default:
		p.fail(n, "a number is expected")
	}
	return nil
}

// value returns the JSON value of a node, with numbers as returned by Number.
func (p *schemaParser) value(n *yaml.Node, depth int) any {
	switch n = yamltext.Resolved(n); {
	case !p.enter(n, depth):
		return nil
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		for _, element := range n.Content {
			list = append(list, p.value(element, depth+1))
		}
		return list
	case n.Kind == yaml.MappingNode:
		object := map[string]any{}
		for key, inner := range yamltext.Entries(n) {
			object[key.Value] = p.value(inner, depth+1)
		}
		return object
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		var value bool
		if n.Decode(&value) == nil {
			return value
		}
	case "!!int", "!!float":
		if value, ok := Number(strings.ReplaceAll(n.Value, "_", "")); ok {
			return value
		}
		var value float64
		if n.Decode(&value) == nil {
			return fromFloat(value)
		}
	}
	return n.Value
}
