package place

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "sigs.k8s.io/yaml"
)

// An Error is an error at a place in a file.
type Error struct {
	File         string
	Line, Column int // from 1; Column is 0 if the error is one of the whole line
	Err          error
}

// Error returns the place, in the form file:line:column or file:line, and the error.
func (e *Error) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Join returns errors of a file in the order of their places, as [errors.Join] does.
func Join(errs ...*Error) error {
	slices.SortStableFunc(errs, func(a, b *Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	var all []error
	for _, err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// An Object is one that a document has, alone or in a list.
type Object struct {
	Document
	Node *yaml.Node // with the lines and columns of the file
	Kind schema.GroupVersionKind

	data func() ([]byte, error)
}

// JSON returns the object in JSON, without repeated keys.
func (o Object) JSON() ([]byte, error) { return o.data() }

// At returns an error at a node of the object.
func (o Object) At(node *yaml.Node, format string, args ...any) *Error {
	return &Error{o.File, node.Line, node.Column, fmt.Errorf(format, args...)}
}

// Mistyped returns an error of package json for the object or a field in it with its place.
func (o Object) Mistyped(err error, field string) *Error {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		field = strings.Trim(field+"."+mistyped.Field, ".")
		err = fmt.Errorf("%s must be of type %s, not %s", field, typeName(mistyped.Type), mistyped.Value)
	}
	key, _ := Find(o.Node, field)
	return o.At(key, "%w", err)
}

// typeName returns the name that JSON has for a type.
func typeName(t reflect.Type) string {
	switch kind := t.Kind(); kind {
	case reflect.Slice:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Pointer:
		return typeName(t.Elem())
	default:
		return kind.String()
	}
}

// Repeated returns the keys of the object that are there twice.
func (o Object) Repeated() (errs []*Error) {
	for _, key := range repeated(o.Node, nil) {
		errs = append(errs, o.At(key, "the key %q is there twice", key.Value))
	}
	return errs
}

// repeated adds the keys of maps below a node that are there before.
func repeated(node *yaml.Node, keys []*yaml.Node) []*yaml.Node {
	seen := map[string]bool{}
	for i, inner := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && inner.Kind == yaml.ScalarNode {
			if seen[inner.Value] {
				keys = append(keys, inner)
			}
			seen[inner.Value] = true
		}
		keys = repeated(inner, keys)
	}
	return keys
}

// Objects returns the object of the document or, if that is a list such as a list of kubectl get, the objects in it.
// Without a kind and version, those in a list are of the list's. The error is an *[Error]: the text is no YAML.
func (d Document) Objects() ([]Object, error) {
	root := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(d.Text), root); err != nil {
		return nil, d.malformed(err)
	}
	if root.Kind == 0 {
		return nil, nil // comments
	}
	d.place(root)
	whole := Object{Document: d, Node: root.Content[0]}
	whole.Node.FootComment += "\n" + root.HeadComment + "\n" + root.FootComment // which package yaml gives to the document
	whole.Kind = kindOf(whole.Node)
	whole.data = sync.OnceValues(func() ([]byte, error) { return utilyaml.YAMLToJSON([]byte(d.Text)) })
	return whole.items(), nil
}

// items returns the objects in a list, or else the object. An item that is an alias is no list: it may contain itself.
func (o Object) items() (all []Object) {
	_, items := Child(o.Node, "items")
	items = Resolved(items)
	of, isList := strings.CutSuffix(o.Kind.Kind, "List")
	if !isList || items == nil || items.Kind != yaml.SequenceNode {
		return []Object{o}
	}
	list := sync.OnceValues(func() (list struct{ Items []json.RawMessage }, err error) {
		data, err := o.JSON()
		if err == nil {
			err = json.Unmarshal(data, &list)
		}
		return list, err
	})
	for i, node := range items.Content {
		item := Object{Document: o.Document, Node: Resolved(node)}
		if item.Kind = kindOf(item.Node); item.Kind.Empty() && of != "" {
			item.Kind = o.Kind.GroupVersion().WithKind(of)
		}
		item.data = func() ([]byte, error) {
			all, err := list()
			if err != nil {
				return nil, err
			}
			return all.Items[i], nil
		}
		if node.Kind == yaml.AliasNode {
			all = append(all, item)
		} else {
			all = append(all, item.items()...)
		}
	}
	return all
}

// kindOf returns the kind of an object, which is empty if it has none.
func kindOf(node *yaml.Node) schema.GroupVersionKind {
	_, version := Child(node, "apiVersion")
	_, kind := Child(node, "kind")
	if version, kind = Resolved(version), Resolved(kind); version == nil || kind == nil {
		return schema.GroupVersionKind{}
	}
	return schema.FromAPIVersionAndKind(version.Value, kind.Value)
}

// place moves a node, which has places in the text of the document, to its place in the file.
func (d Document) place(node *yaml.Node) {
	if node.Line == 1 {
		node.Column += d.first
	}
	node.Line, node.Column = node.Line+d.Line-1, node.Column+d.spaces
	for _, inner := range node.Content {
		d.place(inner)
	}
}

// LineOf matches the line in an error of package yaml.
var LineOf = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)

// malformed returns an error of package yaml with its place in the file.
func (d Document) malformed(err error) *Error {
	at := &Error{File: d.File, Line: d.Line}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if found := LineOf.FindStringSubmatch(err.Error()); found != nil {
		line, _ := strconv.Atoi(found[1])
		at.Line += line - 1
		message = LineOf.ReplaceAllString(err.Error(), "")
	}
	at.Err = errors.New("this is no YAML: " + message)
	return at
}
