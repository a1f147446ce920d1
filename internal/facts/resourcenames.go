package facts

import (
	"cmp"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// pluralOf returns the exported English plural of a kind, and the setting that determines it, if there is one.
// exceptions maps kinds to other plurals, both as in Go: {"Endpoints": "Endpoints"}. The namer treats the first byte as
// the first letter, so longer first letters are kept aside.
func pluralOf(kind string, exceptions map[string]string) (string, model.Source) {
	regular := namer.NewPublicPluralNamer(exceptions)
	plural := func(name string) string { return regular.Name(&types.Type{Name: types.Name{Name: name}}) }
	if exceptions[kind] != "" {
		return plural(kind), model.Source{Kind: model.FromFlag, Text: diag.Setting("plural-exceptions").String()}
	}
	if _, size := utf8.DecodeRuneInString(kind); size > 1 {
		return kind[:size] + plural("X" + kind[size:])[1:], model.Source{}
	}
	return plural(kind), model.Source{}
}

// NewResource returns a kind declared at a position, with defaults: it is namespaced, has all verbs except the ones for
// a status, and names derived from the name of the kind, with exceptions for its plural.
func NewResource(pkg *model.Package, kind string, pos token.Position, exceptions map[string]string) *model.Resource {
	r := &model.Resource{
		Package: pkg, Pos: pos, Kind: kind, Singular: strings.ToLower(kind), Namespaced: true, List: model.List{Name: kind + "List"},
	}
	r.Plural, r.NameFrom = pluralOf(kind, exceptions)
	r.Name = strings.ToLower(r.Plural)
	r.Verbs = model.NewVerbs(model.AllVerbs()...).Without(model.VerbUpdateStatus, model.VerbApplyStatus)
	return r
}

const autoscalingv1 = "k8s.io/api/autoscaling/v1"

// AddScale adds methods for the scale subresource, for verbs that the kind has, unless they exist. from is the origin
// of the subresource. In CustomResourceDefinitions, the scale always has the type of autoscaling/v1. There is no
// ApplyScale, because API servers do not support apply for the scale of custom resources.
func AddScale(r *model.Resource, from model.Source) {
	if r.NoVerbs {
		return
	}
	scale := model.TypeRef{Path: autoscalingv1, Name: "Scale"}
	for _, method := range []model.Method{
		{Name: "GetScale", Verb: model.VerbGet},
		{Name: "UpdateScale", Verb: model.VerbUpdate, Input: scale},
	} {
		method.Pos, method.From, method.Implied, method.Subresource, method.Result = from.Pos, from, true, "scale", scale
		method.Input = cmp.Or(method.Input, r.Type())
		if r.Package.Path != scale.Path {
			method.Schemes = []string{scale.Path}
		}
		if r.Verbs.Has(method.Verb) && !slices.ContainsFunc(r.Methods, func(other model.Method) bool {
			return other.Name == method.Name || other.Subresource == "scale" && other.Verb == method.Verb
		}) {
			r.Methods = append(r.Methods, method)
		}
	}
}
