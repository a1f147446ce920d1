package lister

import (
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Keys returns the text between the braces of a function that returns the index keys of an object, obj. It has no line
// breaks for a single statement.
func (i Index) Keys() gofile.Code {
	keys := i.keys()
	if strings.Contains(string(keys), "\n") {
		return "\n" + gofile.Indented(keys, 1) + "\n"
	}
	return " " + keys + " "
}

func (i Index) keys() gofile.Code {
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
	text := "var keys []string\n" + walk.text.Code() + "keys = append(keys, " + key.expression("+") + ")\n"
	for range walk.depth {
		text += "}\n"
	}
	if walk.loops > 0 {
		return text + "slices.Sort(keys)\nreturn slices.Compact(keys)"
	}
	return text + "return keys"
}

// key is the expression for an index key. Several parts are joined by slashes, and slashes are escaped in all parts
// except the last one.
type key struct{ parts, escaped []gofile.Code }

func (k *key) add(value gofile.Code, basic string, named bool) {
	part := keyOf(value, basic, named)
	k.parts = append(k.parts, part)
	if basic == "string" {
		part = "url.PathEscape(" + part + ")"
	}
	k.escaped = append(k.escaped, part)
}

// expression joins the parts with an operator. plus has blanks around it where gofmt writes them, which is not among
// several arguments.
func (k *key) expression(plus gofile.Code) gofile.Code {
	last := len(k.parts) - 1
	return gofile.Join(append(k.escaped[:last:last], k.parts[last]), plus+`"/"`+plus)
}

// keyOf returns the expression that converts a value to a key.
func keyOf(value gofile.Code, basic string, named bool) gofile.Code {
	convert := func(to gofile.Code) gofile.Code {
		if named || string(to) != basic {
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
	text  gofile.Builder
	at    gofile.Code // expression for the current value
	depth int         // number of open braces
	loops int
}

func (w *walk) open(format gofile.Code, args ...any) {
	w.text.Add(gofile.Codef(format+" {\n", args...))
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
		var conditions []gofile.Code
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
			conditions = append(conditions, at+" == "+gofile.Literal(step.Equals))
		}
		w.open("if %s", gofile.Join(conditions, " && "))
	}
}

// suffix distinguishes the variables of nested blocks.
func (w *walk) suffix() gofile.Code {
	if w.depth == 0 {
		return ""
	}
	return gofile.Codef("%d", w.depth+1)
}

// field returns the expression for a field of a struct, or of the target of a pointer that is not nil.
func field(of gofile.Code, name string) gofile.Code {
	return operand(gofile.WithoutPrefix(of, "*")) + "." + gofile.Name(name)
}

// operand returns an expression that a selector or index can follow.
func operand(expr gofile.Code) gofile.Code {
	if strings.HasPrefix(string(expr), "*") {
		return "(" + expr + ")"
	}
	return expr
}
