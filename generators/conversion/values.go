package conversion

import (
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// fromValues determines how a struct is converted from url.Values. A field is set to the values of the key in its JSON
// tag. Fields without a key are left out.
func (c *converter) fromValues(t *model.Type) *function {
	pair := model.TypePair{In: c.Values, Out: t}
	f := &function{TypePair: pair, values: true, byHand: c.byHand[pair.Identity()] != nil}
	list := c.Values.Underlying().Elem
	for _, out := range fieldsOf(t) {
		key, _, _ := strings.Cut(out.Tag.Get("json"), ",")
		if isOff(out) || key == "" {
			continue
		}
		one := &field{Field: out, key: key}
		f.fields = append(f.fields, one)
		types := model.TypePair{In: list, Out: out.Type}
		switch byHand := c.byHand[types.Identity()]; {
		case byHand != nil:
			one.step = &step{how: call, pair: types, byHand: byHand}
		case out.Type.Name == model.TypeRef{Name: "string"}:
			one.step = &step{how: first, pair: types}
		case types.In.Same(types.Out.Underlying()):
			one.step = &step{how: assign, pair: types}
		case !f.byHand:
			c.diags.Warnf(
				out.Pos, "field %s of %s is not set from %s: no function converts %s to %s", out.Name, c.name(t), c.name(c.Values), c.name(list),
				c.name(out.Type),
			).Suggest("write %s, or mark the field +%s=false", c.signature(types), model.ConversionMarker)
		}
	}
	return f
}
