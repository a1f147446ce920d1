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
	var syntax gofile.SyntaxError
	var duplicate gofile.Duplicate
	o := pkg[0].opts.Overlay
	for _, one := range pkg {
		if o == nil || !o.own[one.out.Template] {
			continue
		}
		pos := o.position(one.out.Template, 1, 0)
		switch {
		case errors.As(err, &syntax) && syntax.File == one.path:
			diags.Errorf(pos, "this template makes %s invalid Go: %v", one.path, syntax.Err)
			return diags
		case errors.As(err, &duplicate) && (duplicate.First == one.path || duplicate.Second == one.path):
			other := duplicate.First
			if other == one.path {
				other = duplicate.Second
			}
			diags.Errorf(pos, "%s declares %s, as %s does", one.path, duplicate.Name, other).Suggest("choose another name")
			return diags
		}
	}
	if errors.As(err, &duplicate) {
		if c, ok := culprit(duplicate, pkg); ok {
			c.report(&diags)
			return diags
		}
	}
	var unimportable gofile.Unimportable
	if errors.As(err, &unimportable) {
		i := slices.IndexFunc(pkg, func(one *file) bool { return one.path == unimportable.File })
		pos := pkg[i].place()
		for _, of := range pkg[i].Model.Packages {
			if of.Path == unimportable.Path {
				pos = of.Pos
			}
		}
		diags.Errorf(
			pos, "the %s code of %s cannot import %s, which is internal", pkg[0].generator.Info().Name, pkg[0].packagePath(), unimportable.Path,
		).Suggest("move the internal package, or generate below the directory that contains it")
		return diags
	}
	var hidden gofile.Hidden
	if errors.As(err, &hidden) {
		i := slices.IndexFunc(pkg, func(one *file) bool { return one.path == hidden.File })
		pos := pkg[i].place()
		if of := pkg[i].pkg; of != nil {
			pos = cmp.Or(of.Hides[hidden.Name], pos)
		}
		diags.Errorf(pos, "package %s declares %s as something else, but its %s code needs Go's", pkg[i].packagePath(), hidden.Name,
			pkg[i].generator.Info().Name).Suggest("rename %s", hidden.Name).Once("hidden " + pkg[i].packagePath() + "." + hidden.Name)
		return diags
	}
	var refused gofile.Refused
	if errors.As(err, &refused) {
		i := slices.IndexFunc(pkg, func(one *file) bool { return one.path == refused.File })
		diags.Errorf(pkg[max(i, 0)].place(), "%v", refused)
		return diags
	}
	diags.Errorf(noPosition, "%v", err)
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
func culprit(duplicate gofile.Duplicate, pkg []*file) (c Clash, ok bool) {
	generator := pkg[0].generator
	_, optional := generator.(StructGenerator)
	_, member, isMember := strings.Cut(duplicate.Name, ".")
	if duplicate.First == duplicate.Second {
		duplicate.Second = ""
	}
	without := ""
	for _, one := range pkg {
		if (one.path == duplicate.First || one.path == duplicate.Second) && one.out.Without != "" {
			without = one.out.Without
		}
	}
	collision := func(of *model.Package, pos token.Position, what, name, other string) (Clash, bool) {
		again := " twice"
		if other != "" {
			again = ", as " + other + " does"
		}
		c := Clash{Generator: generator, Package: of, Pos: pos, hint: "rename the " + what}
		c.Message = fmt.Sprintf("the %s code for %s %s declares %s%s", generator.Info().Name, what, name, duplicate.Name, again)
		switch {
		case what == "group":
			c.hint = "choose another Go name with +groupGoName in the package comment"
		case what == "kind" && without != "":
			c.hint = without
		case what == "kind" && optional:
			c.hint = ""
		}
		return c, true
	}
	if pkg[0].group == nil && isMember {
		for _, v := range pkg[0].versions() {
			if packages := v.Model.Packages; len(packages) > 0 && (member == v.GroupGoName() || member == v.GoVersion()) {
				return collision(nil, packages[0].Pos, "group", cmp.Or(v.GroupName(), "core"), duplicate.Second)
			}
		}
	}
	for _, one := range pkg {
		if one.resource == nil || duplicate.First != one.path && duplicate.Second != one.path {
			continue
		}
		for _, m := range one.resource.Methods {
			if isMember && m.Name == member {
				return collision(one.resource.Package, m.Pos, "method", m.Name+" of "+one.resource.Kind, duplicate.Second)
			}
		}
	}
	for _, one := range pkg {
		other := duplicate.First
		switch one.path {
		case duplicate.First:
			other = duplicate.Second
		case duplicate.Second:
		default:
			continue
		}
		switch {
		case one.resource != nil:
			return collision(one.resource.Package, one.resource.Pos, "kind", one.resource.Kind, other)
		case one.of != nil && one.of.Resource != nil:
			return collision(one.of.Package, one.of.Resource.Pos, "kind", one.of.Resource.Kind, other)
		case one.of != nil:
			return collision(one.of.Package, one.of.Pos, "type", one.of.Name, other)
		}
	}
	if pkg[0].version == nil {
		return Clash{}, false
	}
	// In a file for all kinds of a version, each name begins with the name of its kind.
	var longest *model.Resource
	for _, r := range Resources(generator, pkg[0].version) {
		if strings.HasPrefix(duplicate.Name, r.Kind) && (longest == nil || len(r.Kind) > len(longest.Kind)) {
			longest = r
		}
	}
	if longest == nil {
		return Clash{}, false
	}
	return collision(longest.Package, longest.Pos, "kind", longest.Kind, duplicate.First)
}
