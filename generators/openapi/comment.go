package openapi

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// comment has the lines of the comment that ends on the line above a declaration, with markers.
type comment []string

func linesOf(group *ast.CommentGroup) comment {
	if text := strings.TrimRight(group.Text(), "\n"); text != "" {
		return strings.Split(text, "\n")
	}
	return nil
}

// commentAt returns the comment above a position in the file of a declaration.
func (r *reader) commentAt(d *gotypes.Declaration, pos token.Pos) comment {
	return linesOf(r.groupAt(d, pos))
}

func (r *reader) groupAt(d *gotypes.Declaration, pos token.Pos) *ast.CommentGroup {
	decl, _ := r.Lookup(d.Package, d.Name)
	near, _ := r.CommentsIn(decl.File).NearAndFar(pos)
	return near
}

// commentOf returns the comment above a declared type of the input, or the one of an alias in its place. The comments
// above generic types other than structs do not apply to their instances.
func (r *reader) commentOf(d *gotypes.Declaration) comment {
	if d != nil && len(d.Params) > 0 && d.Type.Form != gotypes.StructForm {
		return nil
	} else if c, replaced := r.ofAliases[d]; replaced || d == nil || !r.input[d.Package] {
		return c
	}
	return r.commentAt(d, d.Pos)
}

// readAliases finds the comments of aliases that take the place of those above types. The last one that is read counts:
// the types of packages are read before the types of their imports, ordered by name.
func (r *reader) readAliases() {
	var visit func(src *load.Package)
	done := map[*load.Package]bool{nil: true}
	visit = func(src *load.Package) {
		if done[src] || !r.input[src] {
			return
		}
		done[src] = true
		var imports []string
		for f := range src.Parsed() {
			imports = append(imports, f.Imports()...)
		}
		for _, name := range slices.Sorted(maps.Keys(src.Decls)) {
			switch d := r.Declared(src, name); {
			case d == nil:
			case !d.Alias:
				if !r.ownComments || len(r.commentAt(d, d.Pos)) > 0 {
					delete(r.ofAliases, d)
				}
			default:
				target, lines := r.declared(d).decl, r.commentAt(d, d.Pos)
				if target != nil && (!r.ownComments || len(lines) > 0 && len(r.commentOf(target)) == 0) {
					r.ofAliases[target] = lines
				}
			}
		}
		slices.Sort(imports)
		for _, path := range imports {
			visit(r.Known[path])
		}
	}
	for _, src := range r.Input {
		visit(src)
	}
}

// packageComments returns the comments of a package in doc.go, and those in other files.
func (r *reader) packageComments(src *load.Package) (groups [2][]*ast.CommentGroup) {
	for _, group := range gotypes.PackageComments(src) {
		i := 1
		if gotypes.InDoc(r.Fset.Position(group.Pos())) {
			i = 0
		}
		groups[i] = append(groups[i], group)
	}
	return groups
}

// ofPackage returns the values of the markers of a name for a package of the input: in doc.go, or else in other files.
func (r *reader) ofPackage(src *load.Package, name string) (values []string) {
	if !r.input[src] {
		return nil
	}
	for _, groups := range r.packageComments(src) {
		for _, group := range groups {
			values = append(values, r.values(linesOf(group), name)...)
		}
		if len(values) > 0 {
			break
		}
	}
	return values
}

// written matches a marker with its value. Releases with declarative validation allow an argument in parentheses.
var written = regexp.MustCompile(`^[ \t]*\+([a-zA-Z_][\w.:-]*)(?:\([^)]*\))?(?:=(.*?)[ \t]*)?$`)

// values returns the values of the markers of a name, which are "" without an equals sign.
func (r *reader) values(c comment, name string) (values []string) {
	for _, line := range c {
		if !r.declarative && name != modelMarker {
			if key, value, _ := strings.Cut(strings.Trim(line, " "), "="); key == "+"+name {
				values = append(values, value)
			}
		} else if strings.Contains(line, name) {
			if match := written.FindStringSubmatch(line); match != nil && match[1] == name {
				values = append(values, match[2])
			}
		}
	}
	return values
}

// marks reports whether a comment has a marker, or the one of declarative validation that means the same.
func (r *reader) marks(c comment, name string) bool {
	return len(r.values(c, name)) > 0 || r.declarative && len(r.values(c, "k8s:"+name)) > 0
}

// modelMarker names the package in the name of a definition.
const modelMarker = "k8s:openapi-model-package"

// modelPackage returns its value for a type, or "".
func (r *reader) modelPackage(d *gotypes.Declaration) string {
	return cmp.Or(append(r.values(r.commentOf(d), modelMarker), "")[0], append(r.ofPackage(d.Package, modelMarker), "")[0])
}

// modelName returns the name that markers give to the definition of a type, or "".
func (r *reader) modelName(d *gotypes.Declaration) string {
	if of := r.modelPackage(d); of != "" {
		return of + "." + d.Name
	}
	return ""
}

// hasModelName reports whether a method names the definition of a type. A method in a generated file counts only if
// markers request it, since runs write it anew.
func (r *reader) hasModelName(d *gotypes.Declaration) bool {
	return r.modelNames && (r.methodsOf(d)["OpenAPIModelName"] == "string" || r.modelPackage(d) != "")
}

// writesName reports whether a generator decides if a type has a method OpenAPIModelName: no file but its own has one.
func (r *reader) writesName(d *gotypes.Declaration, g Generator) bool {
	if !r.modelNames || !g.writesInto(d.Package) || !token.IsExported(d.Name) || len(d.Params) > 0 || !r.declared(d).isStruct() {
		return false
	}
	r.ParseMentioning(d.Package, ") OpenAPIModelName(")
	return !slices.ContainsFunc(d.Package.Methods(d.Name), func(fn *ast.FuncDecl) bool {
		return fn.Name.Name == "OpenAPIModelName" && filepath.Base(r.Fset.Position(fn.Pos()).Filename) != g.names
	})
}

// modelPackages matches packages in names of models, which references have without escapes.
var modelPackages = regexp.MustCompile(`^[\w.-]*$`)

// contradictory reports markers of a package or type that contradict each other, and values that name no models.
func (r *reader) contradictory(src *load.Package, policy model.Policy) {
	before, mode := len(r.diags), markers.ModeOf(policy)
	check := func(groups ...*ast.CommentGroup) {
		var found []model.Marker
		for _, line := range markers.Lines(r.Fset, groups...) {
			for _, name := range []string{marker, modelMarker} {
				for _, value := range r.values(comment{line.Text}, name) {
					if name == modelMarker && !modelPackages.MatchString(value) {
						r.diags.Mistakef(mode == markers.Classic, line.Pos, "", "%q in +%s cannot be part of the name of a model", value, name).
							Suggest("use letters, digits, dots, hyphens and underscores, as in com.example.stable.v1")
					}
					// openapi-gen allows both values of the marker, and prefers the one that the package does not have.
					if name == modelMarker || mode == markers.Strict && !strings.HasPrefix(value, "x-") {
						found = append(found, model.Marker{Name: name, Text: value, Pos: line.Pos})
					}
				}
			}
		}
		markers.Single(found, modelMarker, mode, &r.diags)
		markers.Single(found, marker, mode, &r.diags)
	}
	for _, groups := range r.packageComments(src) { // the latter have no effect if there are others in doc.go
		check(groups...)
	}
	for _, name := range gotypes.DeclaredTypes(src) {
		d := r.Declared(src, name)
		check(r.groupAt(d, d.Pos))
	}
	for _, d := range r.diags[before:] {
		d.Once(d.Pos.String()) // definitions and documents depend on these markers
	}
}

// misplaced warns of markers that only determine definitions at places where they have no effect.
func (r *reader) misplaced(src *load.Package) {
	targets := map[*ast.CommentGroup]markers.Target{}
	for _, group := range gotypes.PackageComments(src) {
		targets[group] = markers.Package
	}
	for _, name := range gotypes.DeclaredTypes(src) {
		d := r.Declared(src, name)
		for _, f := range d.Fields {
			targets[r.groupAt(d, f.Pos)] = markers.Field
		}
		targets[r.groupAt(d, d.Pos)] = markers.Type // also above a field on the same line
	}
	for f := range src.Parsed("+enum", "+k8s:openapi-", "+k8s:validation:") {
		for _, group := range f.Syntax.Comments {
			target, isRead := targets[group]
			for _, line := range markers.Lines(r.Fset, group) {
				def, _ := markers.Find(line.Text)
				if def.Effect&markers.OpenAPI != 0 && (!isRead || !def.Has(target)) {
					r.diags.Warnf(line.Pos, "+%s has no effect here", def.Name).Suggest("write it directly above %s", def.Above())
				}
			}
		}
	}
}

// description returns the description that a comment gives.
func description(lines comment) string {
	var text []byte
	join := func() { text = text[:max(0, len(text)-1)] }
	for _, line := range lines {
		if line == "---" {
			break
		}
		line = strings.TrimRight(line, " ")
		start := strings.TrimLeft(line, " ")
		switch {
		case line == "":
			join()
			text = append(text, "\n\n"...)
		case strings.HasPrefix(start, "TODO"), strings.HasPrefix(start, "+"):
		case line[0] == ' ', line[0] == '\t':
			join()
			text = append(append(append(text, '\n'), line...), '\n')
		default:
			text = append(append(text, line...), ' ')
		}
	}
	return strings.TrimSpace(string(text))
}
