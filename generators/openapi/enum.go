package openapi

import (
	"go/constant"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
)

// enum has the values of a string type marked +enum, and further lines of the descriptions of fields.
type enum struct{ values, description []string }

// enumOf returns the enum of a type or of the target of a pointer, or nil if it is none.
func (r *reader) enumOf(t goType) *enum {
	if t.Form == gotypes.PointerForm {
		t = r.elem(t)
	}
	if t.decl == nil || t.Form != gotypes.BuiltinForm || t.Name.Name != "string" {
		return nil
	}
	found, ok := r.enums[t.decl]
	if !ok {
		if r.marks(r.commentOf(t.decl), "enum") {
			found = r.readEnum(t.decl)
		}
		r.enums[t.decl] = found
	}
	return found
}

// readEnum reads the constants of a type. Of several with the same value, the one with the longest comment counts.
func (r *reader) readEnum(d *gotypes.Declaration) *enum {
	comments, lines := map[string]string{}, []string{}
	for _, c := range r.Constants(d) {
		if c.Value == nil || c.Value.Kind() != constant.String {
			continue
		}
		decl, _ := r.Lookup(d.Package, c.Name)
		near, _ := r.CommentsIn(decl.File).NearAndFar(decl.Node.Pos())
		value, text := constant.StringVal(c.Value), strings.Join(linesOf(near), " ")
		before, twice := comments[value]
		_, earlier, _ := strings.Cut(before, "\x00")
		if !twice || len(text) > len(earlier) || len(text) == len(earlier) && text < earlier {
			comments[value] = c.Name + "\x00" + text
		}
	}
	e := &enum{}
	for value, named := range comments {
		name, text, _ := strings.Cut(named, "\x00")
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(text), name))
		e.values = append(e.values, value)
		lines = append(lines, " - `"+strconv.Quote(value)+"` "+strings.Join(words, " "))
	}
	slices.SortFunc(e.values, func(a, b string) int { return strings.Compare(strconv.Quote(a), strconv.Quote(b)) })
	if slices.Sort(lines); len(lines) > 0 {
		e.description = append([]string{"", "Possible enum values:"}, lines...)
	}
	return e
}
