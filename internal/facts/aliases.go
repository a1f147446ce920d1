package facts

import (
	"cmp"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// alias is a declaration "type Name = Target" with the comments above it.
type alias struct{ near, far *ast.CommentGroup }

// aliases returns the aliases that a package declares for its own types, by type and ordered by name. The classic
// generators use the comments above an alias for a type without comments.
func aliases(outline *gotypes.Reader, src *load.Package) map[string][]alias {
	found := map[string][]alias{}
	for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
		d := src.Decls[name]
		if d.Type == nil || !d.Type.Assign.IsValid() || d.File.Err != nil {
			continue
		}
		if target, ok := d.Type.Type.(*ast.Ident); ok {
			near, far := outline.CommentsIn(d.File).NearAndFar(d.Type.Pos())
			found[target.Name] = append(found[target.Name], alias{near, far})
		}
	}
	return found
}

// throughAliases returns the comments of a type, including comments above its aliases, and none for an alias.
func throughAliases(outline *gotypes.Reader, aliases map[string][]alias, f *load.File, t *ast.TypeSpec) []*ast.CommentGroup {
	if t.Assign.IsValid() {
		return nil
	}
	near, far := outline.CommentsIn(f).NearAndFar(t.Pos())
	for _, a := range aliases[t.Name.Name] {
		near, far = cmp.Or(near, a.near), cmp.Or(far, a.far)
	}
	return slices.DeleteFunc([]*ast.CommentGroup{far, near}, func(group *ast.CommentGroup) bool { return group == nil })
}

// reportAlias reports the effect of +genclient above a type that is an alias.
func reportAlias(outline *gotypes.Reader, src *load.Package, aliases map[string][]alias, f *load.File, t *ast.TypeSpec, diags *diag.List) {
	if !t.Assign.IsValid() {
		return
	}
	near, far := outline.CommentsIn(f).NearAndFar(t.Pos())
	lines := markers.Lines(outline.Fset, near, far)
	i := slices.IndexFunc(lines, func(line markers.Line) bool { return strings.HasPrefix(line.Text, markers.Genclient) })
	if i < 0 {
		return
	}
	line := lines[i]
	d := diags.Warnf(line.Pos, "%s is above the alias %s: it has no effect", line.Text, t.Name.Name)
	d.Suggest("mark the aliased type")
	target, ok := t.Type.(*ast.Ident)
	if !ok {
		return
	}
	decl, ok := outline.Lookup(src, target.Name)
	if !ok || decl.Type == nil {
		return
	}
	for _, group := range throughAliases(outline, aliases, decl.File, decl.Type) {
		if group == near && near != nil || group == far && far != nil {
			d.SetMessage("%s is above the alias %s: it applies to %s", line.Text, t.Name.Name, target.Name)
			d.Suggest("move it above %s", target.Name)
		}
	}
}
