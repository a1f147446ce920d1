package conversion

import (
	"bytes"
	"encoding/json"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Defaults and HubDefaults return the schemas of the kind and of its hub as literals, as far as these have defaults, or
// "".
func (s Spoke) Defaults() gofile.Code    { return literal(s.Spoke.Defaults) }
func (s Spoke) HubDefaults() gofile.Code { return literal(s.Spoke.HubDefaults) }

const maxLiteral = 100 // bytes of JSON in one line

func literal(text string) gofile.Code {
	if text == "" {
		return ""
	}
	if len(text) > maxLiteral {
		var lines bytes.Buffer
		_ = json.Indent(&lines, []byte(text), "", "\t") // it is JSON
		text = lines.String()
	}
	return gofile.QuoteLines(text)
}

// GivenUp and HubGivenUp return the paths of the fields of the kind and of its hub that markers exclude from the
// conversion, as a list of literals.
func (s Spoke) GivenUp() gofile.Code    { return gofile.QuoteAll(s.givenUp(s.TypePair)) }
func (s Spoke) HubGivenUp() gofile.Code { return gofile.QuoteAll(s.givenUp(s.Reversed())) }

// givenUp returns the paths of fields of a type that markers exclude from the conversion to another type. In paths, []
// stands for the elements of lists and maps.
func (s Spoke) givenUp(pair model.TypePair) (paths []string) {
	inside := map[string]bool{}
	dropped := map[string]bool{} // pairs of types whose fields a function drops
	for _, f := range s.pkg.Model.Conversions.Functions {
		if f.Drop {
			dropped[f.Identity()], dropped[f.Reversed().Identity()] = true, true
		}
	}
	var visit func(path string, pair model.TypePair)
	visit = func(path string, pair model.TypePair) {
		in, out := pair.In.Underlying(), pair.Out.Underlying()
		id := pair.Identity()
		if in == out || in.Kind != out.Kind || inside[id] {
			return
		}
		inside[id] = true
		defer delete(inside, id)
		switch in.Kind {
		case model.Pointer:
			visit(path, pair.Elems())
		case model.Slice, model.Array, model.Map:
			visit(path+"[]", pair.Elems())
		case model.Struct:
			others := model.Counterparts(fieldsOf(in), fieldsOf(out))
			for _, f := range fieldsOf(in) {
				below := path
				if name := nameInJSON(f); name != "" {
					below += "." + name
				}
				other := others[f]
				switch {
				case isOff(f), other != nil && isOff(other):
					paths = append(paths, below)
				case other == nil || f.Type.Same(other.Type): // such as metadata
				case dropped[(model.TypePair{In: f.Type, Out: other.Type}).Identity()]:
					paths = append(paths, below)
				default:
					visit(below, model.TypePair{In: f.Type, Out: other.Type})
				}
			}
		}
	}
	visit("", pair)
	return paths
}

// Fillers returns an expression for the functions of the package's tests that fill random objects, or "" if there are
// none.
func (s Spoke) Fillers() gofile.Code {
	codecs := gofile.Codef(
		"%s(%s())", s.pkg.Ident("k8s.io/apimachinery/pkg/runtime/serializer", "NewCodecFactory"), s.pkg.Ident("k8s.io/apimachinery/pkg/runtime", "NewScheme"),
	)
	var calls []gofile.Code
	for _, name := range s.pkg.Model.Conversions.Fillers {
		calls = append(calls, gofile.Codef("%s(%s)", gofile.Name(name), codecs))
	}
	code := gofile.Join(calls, ", ")
	if len(calls) > 1 {
		code = gofile.Codef("%s(%s)", s.pkg.Ident("slices", "Concat"), code)
	}
	return code
}
