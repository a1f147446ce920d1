package lister

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/model"
)

// Keys returns statements that return the index keys of an object, obj, indented as the body of a function.
func (i Index) Keys() string { return string(gofile.Indented(gofile.Code(i.keys()), 1)) }

func (i Index) keys() string {
	if i.Model.Func != "" {
		return "return " + i.Ident(i.kind.Model.Package.Path, i.Model.Func) + "(obj)"
	}
	walk := i.walk()
	var key key
	for _, part := range i.Model.Parts {
		inner := walk.at
		for _, step := range part.Steps {
			walk.step(step)
		}
		key.add(walk.at, part.Type.Basic(), part.Type.Kind == model.Named)
		walk.at = inner
	}
	if walk.depth == 0 {
		return "return []string{" + key.expression(" + ") + "}"
	}
	text := "var keys []string\n" + walk.text.String() + "keys = append(keys, " + key.expression("+") + ")\n" + strings.Repeat("}\n", walk.depth)
	if walk.loops > 0 {
		return text + "slices.Sort(keys)\nreturn slices.Compact(keys)"
	}
	return text + "return keys"
}

// key is the expression for an index key. If it has several parts, they are joined by slashes, and slashes are escaped
// in all parts but the last.
type key struct{ parts, escaped []string }

func (k *key) add(value, basic string, named bool) {
	part := keyOf(value, basic, named)
	k.parts = append(k.parts, part)
	if basic == "string" {
		part = "url.PathEscape(" + part + ")"
	}
	k.escaped = append(k.escaped, part)
}

// expression joins the parts with an operator. plus has blanks around it where gofmt writes them: not among several
// arguments.
func (k *key) expression(plus string) string {
	last := len(k.parts) - 1
	return strings.Join(append(k.escaped[:last:last], k.parts[last]), plus+`"/"`+plus)
}

// keyOf returns the expression that converts a value to a key.
func keyOf(value, basic string, named bool) string {
	convert := func(to string) string {
		if named || to != basic {
			return to + "(" + value + ")"
		}
		return value
	}
	switch {
	case basic == "string":
		return convert("string")
	case basic == "bool":
		return "strconv.FormatBool(" + convert("bool") + ")"
	case basic == "byte" || strings.HasPrefix(basic, "uint"):
		return "strconv.FormatUint(" + convert("uint64") + ", 10)"
	}
	return "strconv.FormatInt(" + convert("int64") + ", 10)"
}

// Loops reports whether an object can have several values at the path.
func (i Index) Loops() bool { return i.walk().loops > 0 }

func (i Index) walk() *walk {
	w := &walk{at: "obj"}
	for _, step := range i.Model.Steps {
		w.step(step)
	}
	return w
}

// walk writes the statements that lead from an object to the values of an index.
type walk struct {
	text  strings.Builder
	at    string // expression for the value that the statements have reached
	depth int    // number of open braces
	loops int
}

func (w *walk) open(format string, args ...any) {
	fmt.Fprintf(&w.text, format+" {\n", args...)
	w.depth++
}

func (w *walk) step(step model.Step) {
	switch step.Kind {
	case model.FieldStep:
		w.at = field(w.at, step.Name)
	case model.PointerStep:
		w.open("if %s != nil", w.at)
		w.at = "*" + w.at
	case model.ElementsStep:
		index := "i" + w.suffix()
		w.open("for %s := range %s", index, w.at)
		w.at = operand(w.at) + "[" + index + "]"
		w.loops++
	case model.ValuesStep:
		value := "value" + w.suffix()
		w.open("for _, %s := range %s", value, w.at)
		w.at = value
		w.loops++
	case model.KeyStep:
		value := "value" + w.suffix()
		w.open("if %s, ok := %s[%q]; ok", value, operand(w.at), step.Name)
		w.at = value
	case model.FilterStep:
		var conditions []string
		at := w.at
		for _, step := range step.Where {
			if step.Kind == model.PointerStep {
				conditions = append(conditions, at+" != nil")
				at = "*" + at
			} else {
				at = field(at, step.Name)
			}
		}
		switch step.Equals {
		case "true":
			conditions = append(conditions, at)
		case "false":
			conditions = append(conditions, "!"+at)
		default:
			conditions = append(conditions, at+" == "+step.Equals)
		}
		w.open("if %s", strings.Join(conditions, " && "))
	}
}

// suffix distinguishes the variables of nested blocks.
func (w *walk) suffix() string {
	if w.depth == 0 {
		return ""
	}
	return strconv.Itoa(w.depth + 1)
}

// field returns the expression for a field of a struct, or of the struct that a pointer points to. The pointer is not
// nil.
func field(of, name string) string { return operand(strings.TrimPrefix(of, "*")) + "." + name }

// operand returns an expression to which a selector or index can be appended.
func operand(expr string) string {
	if strings.HasPrefix(expr, "*") {
		return "(" + expr + ")"
	}
	return expr
}
