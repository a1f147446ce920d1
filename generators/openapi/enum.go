package openapi

import (
	"go/constant"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
)

// enum has the values of a string type marked +enum, and further lines of the descriptions of fields.
type enum struct{ values, description []string }

// enumOf returns the enum of a type or of the target of a pointer, or nil if it is none.
func (r *reader) enumOf(t goType) *enum {
	if t.Form == gotypes.PointerForm {
		t = r.elem(t)
	}
	if r.enums == nil {
		r.readEnums()
	}
	return r.enums[t.decl]
}

// named are the comments of the constants of an enum and their names, by their values.
type named map[string][2]string

// readEnums finds the types of the input that are enums, and all constants of these types in the input.
func (r *reader) readEnums() {
	found := map[*gotypes.Declaration]named{}
	for _, src := range r.Input {
		for _, name := range gotypes.DeclaredTypes(src) {
			d := r.Declared(src, name)
			switch t := r.declared(d); {
			case t.decl == nil || !r.marks(r.commentOf(t.decl), "enum"):
			case t.Form == gotypes.BuiltinForm && t.Name.Name == "string":
				found[t.decl] = named{}
			case t.decl == d && !src.Foreign:
				r.diags.Warnf(r.Fset.Position(d.Pos), "+enum has no effect: the underlying type of %s is not string", name).Suggest("delete it")
			}
		}
	}
	for _, src := range r.Input {
		for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
			if d := src.Decls[name]; d.Const && name != "_" {
				if constants, ok := found[r.TypeOfConstant(src, d)]; ok {
					r.add(constants, src, name, d)
				}
			}
		}
	}
	r.enums = map[*gotypes.Declaration]*enum{}
	for d, constants := range found {
		r.enums[d] = constants.enum()
	}
}

// add adds a constant. Of several with the same value, the one with the longest comment counts.
func (r *reader) add(constants named, src *load.Package, name string, d load.Decl) {
	v := gotypes.ValueOf(r.Loader, src, d.File, d.Value)
	if v == nil || v.Kind() != constant.String {
		return
	}
	near, _ := r.CommentsIn(d.File).NearAndFar(d.Node.Pos())
	value, text := constant.StringVal(v), strings.Join(linesOf(near), " ")
	before, twice := constants[value]
	if !twice || len(text) > len(before[0]) || len(text) == len(before[0]) && text < before[0] {
		constants[value] = [2]string{text, name}
	}
}

// enum returns the enum with the constants.
func (n named) enum() *enum {
	lines := []string{}
	e := &enum{}
	for value, of := range n {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(of[0]), of[1]))
		e.values = append(e.values, value)
		lines = append(lines, " - `"+strconv.Quote(value)+"` "+strings.Join(words, " "))
	}
	slices.SortFunc(e.values, func(a, b string) int { return strings.Compare(strconv.Quote(a), strconv.Quote(b)) })
	if slices.Sort(lines); len(lines) > 0 {
		e.description = append([]string{"", "Possible enum values:"}, lines...)
	}
	return e
}
