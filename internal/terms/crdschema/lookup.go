package crdschema

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// Field returns the schema at a path such as .spec.replicas. Maps may have any key. If a server would not find the
// field, Field returns an error.
func (s *Schema) Field(path string) (*Schema, error) { return s.field(path, false) }

// field is like Field. If brackets is true, names may also be quoted in brackets.
func (s *Schema) field(path string, brackets bool) (*Schema, error) {
	for path != "" {
		name, rest, err := firstName(path, brackets)
		if err != nil {
			return nil, err
		}
		switch in := s.Property(name); {
		case in != nil:
			s = in
		case len(s.Properties) == 0 && s.AdditionalProperties != nil:
			s = s.AdditionalProperties
		case len(s.Properties) == 0 && s.AnyProperties:
			return nil, errors.New("the values of this map have no schema")
		default:
			return nil, s.noField(name)
		}
		path = rest
	}
	return s, nil
}

// firstName splits off the first name of a path.
func firstName(path string, brackets bool) (name, rest string, err error) {
	switch {
	case path[0] == '.':
		if path = path[1:]; path == "" {
			return "", "", errors.New("a name must follow the dot")
		}
		end := strings.IndexAny(path, ".[]")
		switch {
		case end < 0:
			return path, "", nil
		case end == 0:
			return "", "", errors.New("a name must follow the dot")
		}
		return path[:end], path[end:], nil
	case path[0] == '[' && !brackets:
		return "", "", errors.New("brackets are not allowed")
	case strings.HasPrefix(path, "['"):
		name, end := unescaped(path[2:], "'")
		if rest = path[2+end:]; rest == "" {
			return "", "", errors.New("a closing quote is missing")
		}
		if rest, ok := strings.CutPrefix(rest, "']"); ok {
			return name, rest, nil
		}
		return "", "", errors.New("] must follow the name in quotes")
	case path[0] == '[':
		return "", "", errors.New("a name in single quotes must follow [")
	}
	return "", "", errors.New("it must begin with a dot")
}

// Printed returns the schema of the values that a JSON path, as in columns of kubectl get, selects in objects with this
// schema. known is false if the schema does not determine it. err describes a mistake in the path.
func (s *Schema) Printed(path string) (found *Schema, known bool, err error) {
	for path != "" {
		if s.PreserveUnknownFields || s.IntOrString || s.Type == "" || s.EmbeddedResource {
			return nil, false, nil
		}
		switch {
		case strings.HasPrefix(path, ".."), strings.HasPrefix(path, ".*"):
			return nil, false, nil
		case path[0] == '.':
			name, end := unescaped(path[1:], ".[")
			if name == "" {
				return nil, false, nil // as in .['name'], or a dot at the end
			}
			if s, err = s.printedField(name); s == nil || err != nil {
				return nil, false, err
			}
			path = path[1+end:]
		case path[0] == '[':
			inside, rest, ok := bracketed(path)
			if !ok {
				return nil, false, errors.New("a closing bracket is missing")
			}
			if quote := inside + " "; quote[0] == '\'' || quote[0] == '"' {
				if s, err = s.printedField(strings.Trim(inside, `'"`)); s == nil || err != nil {
					return nil, false, err
				}
			} else if s.Type != "array" {
				if s.Type != "object" || inside != "*" {
					return nil, false, fmt.Errorf("%s is not a list", strings.TrimPrefix(KindOf(s), "of type "))
				}
				return nil, false, nil
			} else if s = s.Items; s == nil {
				return nil, false, nil
			}
			path = rest
		default:
			return nil, false, nil
		}
	}
	return s, true, nil
}

// printedField returns the schema of a field, or nil if the field may have any value.
func (s *Schema) printedField(name string) (*Schema, error) {
	switch in := s.Property(name); {
	case in != nil:
		return in, nil
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties, nil
	case s.AnyProperties:
		return nil, nil
	}
	return nil, s.noField(name)
}

// noField returns an error for a field that does not exist.
func (s *Schema) noField(name string) error {
	nearest, _ := diag.Nearest(name, s.Names())
	e := &noFieldError{name: name, nearest: nearest}
	if field := s.LeftOut(name); field != nil {
		e.edit = field.Edit
	}
	return e
}

type noFieldError struct {
	name, nearest string
	edit          token.Position
}

func (e *noFieldError) Error() string {
	if e.edit.IsValid() {
		return "an edit drops the field " + e.name
	}
	return "there is no field " + e.name
}

// DroppedBy returns the position of the edit that drops the field which Field or Printed lacks. It may be none.
func DroppedBy(err error) (edit token.Position) {
	missing := new(noFieldError)
	_ = errors.As(err, &missing)
	return missing.edit
}

// Metadata is the schema of the metadata of every object. Schemas of kinds do not contain it.
var Metadata = &Schema{Type: "object", Properties: []Property{
	{"annotations", &Schema{Type: "object", AdditionalProperties: &Schema{Type: "string"}}},
	{"creationTimestamp", &Schema{Type: "string", Format: "date-time"}},
	{"deletionGracePeriodSeconds", &Schema{Type: "integer"}},
	{"deletionTimestamp", &Schema{Type: "string", Format: "date-time"}},
	{"finalizers", &Schema{Type: "array", Items: &Schema{Type: "string"}}},
	{"generateName", &Schema{Type: "string"}},
	{"generation", &Schema{Type: "integer"}},
	{"labels", &Schema{Type: "object", AdditionalProperties: &Schema{Type: "string"}}},
	{"managedFields", &Schema{Type: "array", Items: &Schema{Type: "object", AnyProperties: true}}},
	{"name", &Schema{Type: "string"}},
	{"namespace", &Schema{Type: "string"}},
	{"ownerReferences", &Schema{Type: "array", Items: &Schema{Type: "object", AnyProperties: true}}},
	{"resourceVersion", &Schema{Type: "string"}},
	{"selfLink", &Schema{Type: "string"}},
	{"uid", &Schema{Type: "string"}},
}}

// Meant suggests a path in place of one for which Field or Printed returned err: a path whose fields have similar
// names, or the same fields at another place. It returns "" if it finds no path or several.
func (s *Schema) Meant(path string, err error) string {
	var missing *noFieldError
	if !errors.As(err, &missing) || missing.edit.IsValid() {
		return ""
	}
	if strings.HasPrefix(path, ".") && !strings.ContainsAny(path, `[\`) {
		names := strings.Split(path[1:], ".")
		if meant := s.meant(names); meant != nil {
			return "did you mean ." + strings.Join(meant, ".") + "?"
		}
	}
	if missing.nearest == "" {
		return ""
	}
	return "did you mean " + missing.nearest + "?"
}

// meant returns the names of existing fields that resemble names, or nil.
func (s *Schema) meant(names []string) []string {
	in := s
	names = slices.Clone(names)
	for i, name := range names {
		next := cmp.Or(in.Property(name), in.AdditionalProperties)
		if next == nil {
			nearest, ok := diag.Nearest(name, in.Names())
			if !ok {
				return s.elsewhere(names[i:])
			}
			names[i], next = nearest, in.Property(nearest)
		}
		in = next
	}
	return names
}

// maxSearched limits the number of fields that elsewhere visits.
const maxSearched = 10_000

// elsewhere returns the only path of fields that ends with names, or nil if there is none or more than one.
func (s *Schema) elsewhere(names []string) (found []string) {
	searched, unique := 0, true
	var search func(in *Schema, at []string)
	search = func(in *Schema, at []string) {
		end := in
		for _, name := range names {
			if end = end.Property(name); end == nil {
				break
			}
		}
		if end != nil {
			unique = unique && found == nil
			found = slices.Concat(at, names)
		}
		for _, p := range in.Properties {
			if searched++; searched <= maxSearched {
				search(p.Schema, append(at, p.Name))
			}
		}
	}
	if search(s, nil); !unique {
		return nil
	}
	return found
}

// bracketed returns the text inside the brackets at the beginning of path, and the rest of the path.
func bracketed(path string) (inside, rest string, ok bool) {
	depth := 0
	quote := byte(0)
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return path[1:i], path[i+1:], true
			}
		}
	}
	return "", "", false
}
