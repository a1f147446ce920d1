package conversion

import (
	"path"
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Spoke is the view of a kind that is converted to and from a hub.
type Spoke struct {
	pkg Conversions
	*model.Spoke
}

// Spokes returns the kinds of the package that are converted to and from a hub.
func (p Conversions) Spokes() (list []Spoke) {
	for _, spoke := range p.Model.Conversions.Spokes {
		list = append(list, Spoke{p, spoke})
	}
	return list
}

// Hubs returns the kinds of the package that need the method Hub.
func (p Conversions) Hubs() []string { return p.Model.Conversions.Hubs }

// Kind, Name and Hub return the name of the kind, and the Go syntax of the type and of its hub's type.
func (s Spoke) Kind() string      { return s.In.Name.Name }
func (s Spoke) Name() gofile.Code { return s.pkg.name(s.In) }
func (s Spoke) Hub() gofile.Code  { return s.pkg.name(s.Out) }

// To and From return the names of the functions that convert the kind to the hub and back.
func (s Spoke) To() string   { return s.FuncName() }
func (s Spoke) From() string { return s.Reversed().FuncName() }

// Title returns the name of the kind as a literal.
func (s Spoke) Title() gofile.Code { return gofile.Quote(s.In.Name.Name) }

// HubInterface returns the Go syntax of controller-runtime's interface for hubs.
func (s Spoke) HubInterface() gofile.Code {
	return s.pkg.Ident("sigs.k8s.io/controller-runtime/pkg/conversion", "Hub")
}

// Keeping is the view of a function that keeps or restores fields of a struct.
type Keeping struct {
	pkg Conversions
	*keeping
}

// Keepings returns the functions that keep and restore fields.
func (p Conversions) Keepings() (list []Keeping) {
	for _, k := range p.keepings {
		list = append(list, Keeping{p, k})
	}
	return list
}

// Annotation returns the name of the annotation with the fields that a version lacks. The core group is no prefix.
func (p Conversions) Annotation() gofile.Code {
	return gofile.Quote(path.Join(p.Model.Conversions.Spokes[0].Group, "conversion-data"))
}

// keepingName returns the name of the function that keeps what a conversion loses.
func keepingName(pair model.TypePair) gofile.Code {
	return gofile.Name("keep" + pair.FuncName()[len("Convert"):])
}

// Name returns the name of the function.
func (k Keeping) Name() gofile.Code { return keepingName(k.TypePair) }

// Full and Base return the Go syntax of the struct that has the fields, and of the struct that lacks them.
func (k Keeping) Full() gofile.Code { return k.pkg.name(k.In) }
func (k Keeping) Base() gofile.Code { return k.pkg.name(k.Out) }

// To describes the struct that lacks the fields, for comments.
func (k Keeping) To() string { return path.Base(k.Out.Name.Path) + "." + k.Out.Name.Name }

// keeps returns the call that keeps and restores the fields of a converted kind, or "" if there are none.
func (p Conversions) keeps(pair model.TypePair, in, out place) gofile.Code {
	i := slices.IndexFunc(p.Model.Conversions.Spokes, func(s *model.Spoke) bool {
		return s.Identity() == pair.Identity() || s.Reversed().Identity() == pair.Identity()
	})
	if i < 0 {
		return ""
	}
	spoke := p.Model.Conversions.Spokes[i]
	from, to := spoke.Version, spoke.HubVersion
	if spoke.Identity() != pair.Identity() {
		from, to = to, from
	}
	function := func(pair model.TypePair, full, base place) gofile.Code {
		if !slices.ContainsFunc(p.keepings, func(k *keeping) bool { return k.Identity() == pair.Identity() }) {
			return "nil"
		}
		f := gofile.Local("f")
		call := gofile.Codef("%s(%s, \"\", %s, %s)", keepingName(pair), f, full.Address(), base.Address())
		return gofile.Codef("func(%s *%s) { %s }", f, p.Free("keptFields"), call)
	}
	restored, kept := function(pair.Reversed(), out, in), function(pair, in, out)
	if restored == "nil" && kept == "nil" {
		return ""
	}
	meta := func(of place) gofile.Code { return place{Base: of.Member("ObjectMeta")}.Address() }
	return gofile.Codef(
		"%s(%s, %s, %s, %s, %s,\n%s,\n%s,\n)", p.Free("carryFields"), gofile.Quote(spoke.In.Name.Name), meta(in), meta(out), gofile.Quote(to),
		gofile.Quote(from), restored, kept,
	)
}

// Body returns the indented statements of the function.
func (k Keeping) Body() gofile.Code {
	w := &writer{render.NewStatements(k.pkg.general)}
	full, base := place{Base: gofile.Local("full"), Stars: 1}, place{Base: gofile.Local("base"), Stars: 1}
	for _, f := range k.fields {
		path := gofile.Local("path")
		if f.path != "" {
			path += " + " + gofile.Quote(f.path)
		}
		field := place{Base: full.Member(gofile.Name(f.Name))}
		if f.other == nil {
			w.Linef("%s.field(%s, %s)", gofile.Local("f"), path, field.Address())
			continue
		}
		k.keepIn(w, f, model.TypePair{In: f.Type, Out: f.other.Type}, field, place{Base: base.Member(gofile.Name(f.other.Name))}, path)
	}
	return gofile.Indented(gofile.Trimmed(w.Code()), 1)
}

// keepIn writes statements for the structs in the values of a field.
func (k Keeping) keepIn(w *writer, f *keptField, pair model.TypePair, full, base place, path gofile.Code) {
	in, out := pair.In.Underlying(), pair.Out.Underlying()
	elems := model.TypePair{In: in.Elem, Out: out.Elem}
	element := func(id gofile.Code) gofile.Code {
		elem := w.Enter("elem")
		w.Linef("%s := %s.element(%s, %s)", elem, gofile.Local("f"), path, id)
		return elem
	}
	switch in.Kind {
	case model.Struct:
		w.Linef("%s(%s, %s, %s, %s)", keepingName(pair), gofile.Local("f"), path, full.Address(), base.Address())
	case model.Pointer:
		w.Linef("if %s != nil && %s != nil {", full, base)
		if jsonPath(f.Field) != "" {
			k.keepIn(w, f, elems, full.Pointee(pair.In), base.Pointee(pair.Out), path)
		} else { // JSON has no embedded pointer to a struct without values
			text, pointer := w.Enter("text"), path+" + "+gofile.Quote(":"+f.Name)
			w.Linef("if %s, _ := json.Marshal(%s); !%s.restores && string(%s) == \"{}\" {", text, base, gofile.Local("f"), text)
			w.Linef("%s.values[%s] = %s", gofile.Local("f"), pointer, text)
			w.Linef("}")
			w.Leave("text")
			k.keepIn(w, f, elems, full.Pointee(pair.In), base.Pointee(pair.Out), path)
			w.Linef("} else if %s == nil && %s == nil && %s.values[%s] != nil {", full, base, gofile.Local("f"), pointer)
			w.Linef("%s = new(%s)", full, w.typeName(in.Elem))
			w.Linef("%s(%s, %s, %s, new(%s))", keepingName(elems), gofile.Local("f"), path, full, w.typeName(out.Elem))
		}
		w.Linef("}")
	case model.Slice, model.Array:
		w.Linef("if len(%s) == len(%s) {", full, base)
		i := w.Enter("i")
		w.Linef("for %s := range %s {", i, full)
		elem := element(w.identity(f, pair, base.Index(i)))
		k.keepIn(w, f, elems, full.Index(i), base.Index(i), elem)
		w.Leave("elem")
		w.Linef("}")
		w.Leave("i")
		w.Linef("}")
	case model.Map:
		key, val, other, ok := w.Enter("key"), place{Base: w.Enter("val")}, place{Base: w.Enter("other")}, w.Enter("ok")
		w.Linef("for %s, %s := range %s {", key, val, full)
		index := key
		if !in.Key.Same(out.Key) {
			index = w.typeName(out.Key) + "(" + key + ")"
		}
		w.Linef("if %s, %s := %s; %s {", other, ok, base.Index(index), ok)
		elem := element(key)
		k.keepIn(w, f, elems, val, other, elem)
		w.Linef("if %s.restores {", gofile.Local("f"))
		w.Linef("%s = %s", full.Index(key), val)
		w.Linef("}\n}\n}")
		for _, name := range []string{"elem", "key", "val", "other", "ok"} {
			w.Leave(name)
		}
	}
}

// identity returns an expression for what identifies an element of a list: the values of its keys, or else the whole
// element. The keys of an element that a pointer points to need statements.
func (w *writer) identity(f *keptField, list model.TypePair, elem place) gofile.Code {
	t := list.Out.Underlying().Elem
	isPointer := t.Underlying().Kind == model.Pointer
	if isPointer {
		t = t.Underlying().Elem
	}
	keys := keysOf(f, list, t)
	if len(keys) == 0 {
		return elem.Code()
	}
	code := elem.Member(gofile.Name(keys[0]))
	if len(keys) > 1 {
		code = "[]any{" + code
		for _, key := range keys[1:] {
			code += ", " + elem.Member(gofile.Name(key))
		}
		code += "}"
	}
	if !isPointer {
		return code
	}
	id := w.Enter("id")
	defer w.Leave("id")
	w.Linef("var %s any", id)
	w.Linef("if %s != nil {", elem)
	w.Linef("%s = %s", id, code)
	w.Linef("}")
	return id
}
