package run

import (
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
)

// flagName matches the name of a flag in a message.
var flagName = regexp.MustCompile(`--([a-z]+(?:-[a-z]+)*)`)

// Place gives diagnostics without a position one in kubegen.yaml: that of the value they are about, or else of the output.
// Their messages then name settings, not flags.
func (o *Output) Place(diags diag.List) {
	if o.From == nil {
		return
	}
	for _, d := range diags {
		if d.Pos.IsValid() {
			continue
		}
		d.Pos = o.From.Pos
		named := false
		for _, m := range flagName.FindAllStringSubmatch(d.Message, -1) {
			if o.Given[m[1]] {
				d.Pos, named = token.Position{}, true
				break
			}
			if value, ok := o.From.Values[m[1]]; ok && !named {
				d.Pos, named = value.Pos, true
				for _, item := range value.Items {
					if strings.Contains(d.Message, strconv.Quote(item.Text)) {
						d.Pos = item.Pos
					}
				}
			}
		}
		if !d.Pos.IsValid() {
			continue
		}
		if !named {
			d.Pos = o.mentioned(d.Message)
		}
		bare := func(text string) string { return flagName.ReplaceAllString(text, "$1") }
		d.Message, d.Hint = bare(d.Message), bare(d.Hint)
	}
}

// mentioned returns the position of the longest path in the output's settings that a message contains, or else of the output.
func (o *Output) mentioned(message string) token.Position {
	pos, longest := o.From.Pos, 0
	for _, name := range slices.Sorted(maps.Keys(o.From.Values)) {
		for _, item := range o.From.Values[name].Items {
			if strings.ContainsAny(item.Text, "/.") && len(item.Text) > longest && strings.Contains(message, item.Text) {
				pos, longest = item.Pos, len(item.Text)
			}
		}
	}
	return pos
}
