package render

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// explain reports why a package cannot be formatted. The cause is a user's template that is not valid Go or declares a
// name of another file, or a part of the API whose generated names collide.
func explain(err error, pkg []*file) (diags diag.List) {
	named := func(path string) *file { // or the first one, if gofile names none of them
		return pkg[max(0, slices.IndexFunc(pkg, func(one *file) bool { return one.path == path }))]
	}
	o := pkg[0].opts.Overlay
	isOwn := func(path string) bool { return o != nil && o.own[named(path).out.Template] && named(path).path == path }
	template := func(path string) token.Position { return o.position(named(path).out.Template, 1, 0) }
	var m gofile.Mistake
	errors.As(err, &m)
	f := named(m.File)
	pos := f.place()
	switch {
	case m.Cause == gofile.Invalid && isOwn(m.File):
		diags.Errorf(template(m.File), "this template makes %s invalid Go: %s", m.File, m.Name)
	case m.Cause == gofile.Duplicate && isOwn(m.First):
		diags.Errorf(template(m.First), "%v", m).Suggest("choose another name")
	case m.Cause == gofile.Duplicate && isOwn(m.File):
		diags.Errorf(template(m.File), "%v", m).Suggest("choose another name")
	case m.Cause == gofile.Duplicate:
		if c, ok := culprit(m, pkg); ok {
			c.report(&diags)
		} else {
			diags.Errorf(noPosition, "%v", err)
		}
	case m.Cause == gofile.Unimportable:
		for _, of := range f.Model.Packages {
			if of.Path == m.Name {
				pos = of.Pos
			}
		}
		diags.Errorf(pos, "the %s code of %s cannot import %s, which is internal", f.generator.Info().Name, f.packagePath(), m.Name).
			Suggest("move the internal package, or generate below the directory that contains it")
	case m.Cause == gofile.Hidden:
		if f.pkg != nil {
			pos = cmp.Or(f.pkg.Hides[m.Name], pos)
		}
		diags.Errorf(
			pos, "package %s declares %s as something else, but its %s code needs Go's", f.packagePath(), m.Name, f.generator.Info().Name,
		).Suggest("rename %s", m.Name).Once("hidden " + f.packagePath() + "." + m.Name)
	case m.Cause == gofile.Refused:
		diags.Errorf(pos, "%v", m)
	default:
		diags.Errorf(noPosition, "%v", err)
	}
	return diags
}

// place returns the position of the kind, struct, version or package that the file is generated for.
func (f *file) place() token.Position {
	switch {
	case f.of != nil:
		return f.of.Pos
	case f.resource != nil:
		return f.resource.Pos
	case f.version != nil && len(f.version.Resources) > 0:
		return f.version.Resources[0].Pos
	case f.pkg != nil:
		return f.pkg.Pos
	}
	return noPosition
}

// culprit returns the part of the API that causes a duplicate name: a group, method, kind or struct. ok is false if
// there is none.
func culprit(duplicate gofile.Mistake, pkg []*file) (c Clash, ok bool) {
	generator := pkg[0].generator
	_, member, isMember := strings.Cut(duplicate.Name, ".")
	because := func(of *model.Package, pos token.Position, what, name, hint string) (Clash, bool) {
		message := fmt.Sprintf("%v in the %s code for %s %s", duplicate, generator.Info().Name, what, name)
		return Clash{Generator: generator, Package: of, Pos: pos, Message: message, hint: hint}, true
	}
	if pkg[0].group == nil && isMember {
		for _, v := range pkg[0].versions() {
			if packages := v.Model.Packages; len(packages) > 0 && (member == v.GroupGoName() || member == v.GoVersion()) {
				return because(
					nil, packages[0].Pos, "group", cmp.Or(v.GroupName(), "core"), "choose another Go name with +groupGoName in the package comment",
				)
			}
		}
	}
	involved := slices.DeleteFunc(slices.Clone(pkg), func(one *file) bool {
		return one.path != duplicate.First && one.path != duplicate.File
	})
	hint := "rename the kind"
	if _, optional := generator.(StructGenerator); optional {
		hint = ""
	}
	var kind *model.Resource
	for _, one := range involved {
		hint = cmp.Or(one.out.Without, hint)
		if one.resource == nil {
			continue
		}
		kind = cmp.Or(kind, one.resource)
		for _, m := range one.resource.Methods {
			if isMember && m.Name == member {
				return because(one.resource.Package, m.Pos, "method", m.Name+" of "+one.resource.Kind, "rename the method")
			}
		}
	}
	for _, one := range involved {
		switch {
		case kind != nil || one.of == nil:
		case one.of.Resource != nil:
			kind = one.of.Resource
		default:
			return because(one.of.Package, one.of.Pos, "type", one.of.Name, "rename the type")
		}
	}
	if kind == nil && pkg[0].version != nil { // in a file for all kinds of a version, each name begins with the name of its kind
		for _, r := range Resources(generator, pkg[0].version) {
			if strings.HasPrefix(duplicate.Name, r.Kind) && (kind == nil || len(r.Kind) > len(kind.Kind)) {
				kind = r
			}
		}
	}
	if kind == nil {
		return Clash{}, false
	}
	return because(kind.Package, kind.Pos, "kind", kind.Kind, hint)
}
