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

// keepingName returns the name of the function that visits what a conversion loses.
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

// keepPackage is the import path of the package that keeps and restores fields.
const keepPackage = "github.com/kubegen/kubegen/conversion/keep"

// Visitor returns the type of what visits the fields.
func (p Conversions) Visitor() gofile.Code { return p.Ident(keepPackage, "Fields") }

// keeps writes the statements that keep and restore the fields of a converted kind, and return the error. It returns
// false if there are none.
func (w *writer) keeps(p Conversions, pair model.TypePair, in, out place) bool {
	i := slices.IndexFunc(p.Model.Conversions.Spokes, func(s *model.Spoke) bool {
		return s.Identity() == pair.Identity() || s.Reversed().Identity() == pair.Identity()
	})
	if i < 0 {
		return false
	}
	spoke := p.Model.Conversions.Spokes[i]
	from, to := spoke.Version, spoke.HubVersion
	if spoke.Identity() != pair.Identity() {
		from, to = to, from
	}
	function := func(pair model.TypePair) gofile.Code {
		if !slices.ContainsFunc(p.keepings, func(k *keeping) bool { return k.Identity() == pair.Identity() }) {
			return "nil"
		}
		return keepingName(pair)
	}
	restore, keep := function(pair.Reversed()), function(pair)
	if restore == "nil" && keep == "nil" {
		return false
	}
	w.Linef(
		"%s := %s{Annotation: %s, Kind: %s, From: %s, To: %s, Stored: %s}", gofile.Local("c"), p.Ident(keepPackage, "Conversion"), p.Free("conversionData"),
		gofile.Quote(spoke.In.Name.Name), gofile.Quote(from), gofile.Quote(to), gofile.Quote(spoke.Stored),
	)
	w.Linef("return %s(%s, %s, %s, %s, %s)", p.Ident(keepPackage, "Carry"), gofile.Local("c"), in, out, restore, keep)
	return true
}

// Body returns the indented statements of the function.
func (k Keeping) Body() gofile.Code {
	w := &writer{render.NewStatements(k.pkg.general)}
	full, base := place{Base: gofile.Local("full"), Stars: 1}, place{Base: gofile.Local("base"), Stars: 1}
	for _, f := range k.fields {
		field := place{Base: full.Member(gofile.Name(f.Name))}
		switch {
		case f.other != nil:
			other := place{Base: base.Member(gofile.Name(f.other.Name))}
			k.visit(w, f, f.inJSON, model.TypePair{In: f.Type, Out: f.other.Type}, field, other)
		case f.inJSON == "":
			w.Linef("%s.Unnamed(%s, %s)", gofile.Local("f"), gofile.Quote(f.Name), field.Address())
		default:
			w.Linef("%s.Value(%s, %s)", gofile.Local("f"), gofile.Quote(f.inJSON), field.Address())
		}
	}
	return gofile.Indented(gofile.Trimmed(w.Code()), 1)
}

// visit writes a statement for the structs in a value with a name in JSON, or "" for an element or an embedded struct.
func (k Keeping) visit(w *writer, f *keptField, name string, pair model.TypePair, full, base place) {
	in, out := pair.In.Underlying(), pair.Out.Underlying()
	call := func(function string, name string, full, base gofile.Code, keys ...string) {
		code := gofile.Codef("%s(%s, %s, %s, %s, %s", k.pkg.Ident(keepPackage, function), gofile.Local("f"), gofile.Quote(name), full, base,
			k.visitor(w, f, pair.Elems()))
		for _, key := range keys {
			code += ", " + gofile.Quote(key)
		}
		w.Linef("%s)", code)
	}
	switch {
	case in.Kind == model.Struct && name == "":
		w.Linef("%s(%s, %s, %s)", keepingName(pair), gofile.Local("f"), full.Address(), base.Address())
	case in.Kind == model.Struct:
		w.Linef("%s(%s.In(%s), %s, %s)", keepingName(pair), gofile.Local("f"), gofile.Quote(name), full.Address(), base.Address())
	case in.Kind == model.Pointer && name == "" && f.Embedded && pair.In == f.Type:
		call("Embedded", f.Name, full.Address(), base.Code())
	case in.Kind == model.Pointer:
		call("Pointer", name, full.Code(), base.Code())
	case in.Kind == model.Slice:
		call("List", name, full.Code(), base.Code(), keysOf(f, pair, out.Elem.Deref())...)
	case in.Kind == model.Array:
		call("List", name, full.Slice(), base.Slice(), keysOf(f, pair, out.Elem.Deref())...)
	case in.Kind == model.Map:
		call("Map", name, full.Code(), base.Code())
	}
}

// visitor returns the function that visits the structs in values of a type.
func (k Keeping) visitor(w *writer, f *keptField, pair model.TypePair) gofile.Code {
	if pair.In.Underlying().Kind == model.Struct {
		return keepingName(pair)
	}
	inner, full, base := &writer{render.NewStatements(k.pkg.general)}, gofile.Local("full"), gofile.Local("base")
	k.visit(inner, f, "", pair, place{Base: full, Stars: 1}, place{Base: base, Stars: 1})
	return gofile.Codef(
		"func(%s *%s, %s *%s, %s *%s) {\n%s\n}", gofile.Local("f"), k.pkg.Visitor(), full, w.typeName(pair.In), base, w.typeName(pair.Out),
		gofile.Trimmed(inner.Code()),
	)
}
