package run

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
)

// Place sets the position of diagnostics without one to a position in kubegen.yaml: of the value that causes the
// diagnostic, or else of the output. Messages then name settings instead of flags.
func (o *Output) Place(diags diag.List) {
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
func (o *Output) placeOf(d *diag.Diagnostic) token.Position {
	pos, named := token.Position{}, false
	for _, setting := range d.Settings() {
		if o.Given[string(setting)] {
			return token.Position{}
		}
		if value, ok := o.From.Values[string(setting)]; ok && !named {
			pos, named = value.Pos, true
			for _, item := range value.Items {
				if d.Quotes(item.Text) {
					pos = item.Pos
				}
			}
		}
	}
	if !named {
		return o.mentioned(d)
	}
	return pos
}

// mentioned returns the position of the longest path in the output's settings that the message contains, or else of the
// output.
func (o *Output) mentioned(d *diag.Diagnostic) token.Position {
	pos, longest := o.From.Pos, 0
	for _, name := range slices.Sorted(maps.Keys(o.From.Values)) {
		for _, item := range o.From.Values[name].Items {
			if strings.ContainsAny(item.Text, "/.") && len(item.Text) > longest && d.Mentions(item.Text) {
				pos, longest = item.Pos, len(item.Text)
			}
		}
	}
	return pos
}
