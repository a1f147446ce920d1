package openapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kubegen/kubegen/internal/markers"
)

// Field returns the schema to which a path such as .spec.replicas leads. Maps may have any key. It is an error if a server would not find the field.
func (s *Schema) Field(path string) (*Schema, error) { return s.field(path, false) }

// field is like Field; brackets says that names may also be in quotes and brackets.
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
			return nil, fmt.Errorf("the values of this map have no schema")
		default:
			return nil, s.noField(name)
		}
		path = rest
	}
	return s, nil
}

// firstName returns the first name in a path, and what follows.
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
		var b strings.Builder
		for i := 2; i < len(path); i++ {
			switch {
			case path[i] == '\\' && i+1 < len(path):
				i++
				b.WriteByte(path[i])
			case path[i] == '\'':
				if !strings.HasPrefix(path[i+1:], "]") {
					return "", "", errors.New("] must follow the name in quotes")
				}
				return b.String(), path[i+2:], nil
			default:
				b.WriteByte(path[i])
			}
		}
		return "", "", errors.New("a closing quote is missing")
	case path[0] == '[':
		return "", "", errors.New("a name in single quotes must follow [")
	}
	return "", "", errors.New("it must begin with a dot")
}

// Printed returns the schemas of the values that a JSON path, as in columns of kubectl get, can lead to in objects with this schema. known is false if
// that cannot be told; err says why the path is wrong.
func (s *Schema) Printed(path string) (found *Schema, known bool, err error) {
	for path != "" {
		if s.PreserveUnknownFields || s.IntOrString || s.Type == "" || s.EmbeddedResource {
			return nil, false, nil
		}
		switch {
		case strings.HasPrefix(path, ".."), strings.HasPrefix(path, ".*"):
			return nil, false, nil
		case path[0] == '.':
			name, rest := dotted(path[1:])
			if name == "" {
				return nil, false, nil // as in .['name'], or a dot at the end
			}
			if s, err = s.printedField(name); s == nil || err != nil {
				return nil, false, err
			}
			path = rest
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
					return nil, false, fmt.Errorf("%s is no list", strings.TrimPrefix(KindOf(s), "of type "))
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

// printedField returns the schema of a field; nil if any may be there.
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

// noField returns the error that there is no field of a name.
func (s *Schema) noField(name string) error {
	if nearest, ok := markers.Nearest(name, fieldNames(s)); ok {
		return fmt.Errorf("there is no field %s; did you mean %s?", name, nearest)
	}
	return fmt.Errorf("there is no field %s", name)
}

// dotted returns the name after a dot, in which a backslash stands before dots, and what follows.
func dotted(path string) (name, rest string) {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch {
		case path[i] == '\\' && i+1 < len(path):
			i++
			b.WriteByte(path[i])
		case path[i] == '.' || path[i] == '[':
			return b.String(), path[i:]
		default:
			b.WriteByte(path[i])
		}
	}
	return b.String(), ""
}

// bracketed returns what is in the brackets at the beginning of a path, and what follows.
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
