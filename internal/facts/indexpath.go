package facts

import (
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// part matches the first part of a path in the syntax of kubectl: .name, ['name'], [*], .* or [?(@.name=='value')].
var part = regexp.MustCompile(
	`^(?:\.((?:[^.\[\]\\*]|\\.)+)|\['([^']*)'\]|\["([^"]*)"\]|(\[\*\]|\.\*)|\[\?\(@((?:\.[^.\[\]=! ]+)+) *== *('[^']*'|"[^"]*"|[a-z0-9-]+)\)\])`,
)

// union matches the end of a path that names several fields: ['kind','name'].
var union = regexp.MustCompile(`^\[('[^']+'(?: *, *'[^']+')+)\]$`)

// resolve follows a path from a kind.
func (r *indexReader) resolve(kindType *model.Type, path string) (fieldPath, error) {
	w := fieldPath{typ: kindType}
	rest := path
	if !strings.HasPrefix(path, ".") && !strings.HasPrefix(path, "[") {
		rest = "." + path
	}
	for rest != "" {
		if several := union.FindStringSubmatch(rest); several != nil {
			return r.parts(w.value(), strings.Split(several[1], ","))
		}
		found := part.FindStringSubmatch(rest)
		if found == nil {
			return w, fmt.Errorf("cannot read %q", rest)
		}
		rest = rest[len(found[0]):]
		name := found[1] + found[2] + found[3]
		w = w.value()
		var err error
		switch {
		case found[4] != "":
			w, err = w.each("[*]")
		case found[5] != "":
			if w, err = w.each("[?(@" + found[5] + "==" + found[6] + ")]"); err == nil {
				w, err = r.filter(w, found[5], found[6])
			}
		default:
			w, err = r.child(w, strings.ReplaceAll(name, `\`, ""))
		}
		if err != nil {
			return w, err
		}
	}
	return w.elements(), nil
}

// parts returns the path to several fields of a struct, which together form the value.
func (r *indexReader) parts(w fieldPath, quoted []string) (fieldPath, error) {
	to := w
	var names []string
	for _, name := range quoted {
		name = strings.Trim(name, " '")
		inner, err := r.child(fieldPath{within: w.path(), typ: w.typ}, name)
		if err != nil {
			return w, err
		}
		inner = inner.value()
		to.parts = append(to.parts, model.Part{Name: inner.last(), Steps: inner.steps(), Type: inner.typ})
		names = append(names, "'"+name+"'")
	}
	to.names = "[" + strings.Join(names, ",") + "]"
	return to, nil
}

// each returns the path to each element of a slice or value of a map. text is the text of the step.
func (w fieldPath) each(text string) (fieldPath, error) {
	switch t := w.typ; t.Kind {
	case model.Slice, model.Array:
		return w.step(model.Step{Kind: model.ElementsStep}, text, t.Elem), nil
	case model.Map:
		return w.step(model.Step{Kind: model.ValuesStep}, text, t.Elem), nil
	}
	return w, fmt.Errorf("%s has no elements", w.describe())
}

// describe returns the place of the path for messages.
func (w fieldPath) describe() string {
	if w.path() == "" {
		return "the kind"
	}
	return w.shown()
}

// child returns the path to the field of a struct with a name in JSON, or to the value of a map for a key.
func (r *indexReader) child(w fieldPath, name string) (fieldPath, error) {
	switch t := w.typ; t.Kind {
	case model.Map:
		if t.Key.Basic() != "string" {
			return w, fmt.Errorf("the keys of %s are not strings", w.describe())
		}
		return w.step(model.Step{Kind: model.KeyStep, Name: name}, "['"+name+"']", t.Elem), nil
	case model.Slice, model.Array:
		return w, fmt.Errorf("%s is a list: write [*] after it", w.describe())
	case model.Struct:
		if to, ok := r.fieldNamed(w, name); ok {
			return to, nil
		}
		return w, fmt.Errorf("%s has no field %s", w.describe(), name)
	case model.Unknown:
		return w, errors.New(whatIs(t))
	}
	return w, fmt.Errorf("%s has no fields", w.describe())
}

// fieldNamed returns the path to a field of a struct, or else of its inlined structs.
func (r *indexReader) fieldNamed(w fieldPath, name string) (fieldPath, bool) {
	seen := map[*model.StructType]bool{}
	var find func(w fieldPath) (fieldPath, bool)
	find = func(w fieldPath) (fieldPath, bool) {
		if seen[w.typ.Struct] && w.typ.Struct != nil {
			return w, false
		}
		seen[w.typ.Struct] = true
		fields := r.types.StructFields(w.typ)
		for _, f := range fields {
			if f.InJSON() && f.JSON() == name && token.IsExported(f.Name) {
				return w.field(f), true
			}
		}
		for _, f := range fields {
			if f.InJSON() && f.Inline() && token.IsExported(f.Name) {
				if to, ok := find(w.field(f).value()); ok {
					return to, true
				}
			}
		}
		return w, false
	}
	return find(w)
}

// filter returns the path restricted to elements that have a literal at another path.
func (r *indexReader) filter(w fieldPath, path, literal string) (fieldPath, error) {
	inner := fieldPath{typ: w.typ}
	for _, name := range strings.Split(path, ".")[1:] {
		var err error
		if inner, err = r.child(inner.value(), name); err != nil {
			return w, err
		}
	}
	inner = inner.value()
	text, wrong := literal, true
	if quote := literal[0]; quote == '\'' || quote == '"' {
		text = literal[1 : len(literal)-1]
		wrong = inner.typ.Basic() != "string"
		literal = strconv.Quote(text)
	} else if _, err := strconv.Atoi(text); err == nil {
		wrong = !inner.typ.CanIndex() || inner.typ.Basic() == "string" || inner.typ.Basic() == "bool"
	} else {
		wrong = inner.typ.Basic() != "bool" || text != "true" && text != "false"
	}
	if wrong {
		return w, fmt.Errorf("%s%s cannot be %s", w.describe(), path, literal)
	}
	return w.step(model.Step{Kind: model.FilterStep, Where: inner.steps(), Equals: literal}, "", w.typ), nil
}
