package run

import (
	"go/token"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Place sets the position of diagnostics without one to a position in kubegen.yaml: of the value that causes the
// diagnostic, or else of the output. Messages then name settings instead of flags.
func (o *Request) Place(diags diag.List) {
	if o.From == nil {
		return
	}
	for _, d := range diags {
		if d.Pos.IsValid() {
			continue
		}
		if pos := o.placeOf(d); pos.IsValid() {
			d.Reposition(pos)
		}
	}
}

// placeOf returns the position for a diagnostic, or no position if the cause is a flag on the command line.
func (o *Request) placeOf(d *diag.Diagnostic) token.Position {
	values := d.Values()
	isCause := func(item plan.Item) bool { return slices.Contains(values, diag.Value(item.Text)) }
	var first *plan.Value
	for _, setting := range d.Settings() {
		if o.Given[string(setting)] {
			return token.Position{}
		}
		if value, ok := o.From.Values[string(setting)]; ok && first == nil {
			first = &value
		}
	}
	if first != nil {
		if i := slices.IndexFunc(first.Items, isCause); i >= 0 {
			return first.Items[i].Pos
		}
		return first.Pos
	}
	for _, name := range slices.Sorted(maps.Keys(o.From.Values)) {
		items := o.From.Values[name].Items
		if i := slices.IndexFunc(items, isCause); i >= 0 {
			return items[i].Pos
		}
	}
	return o.From.Pos
}
