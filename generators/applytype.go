package generators

import (
	"go/token"
	"path"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
)

// suffix ends the names of apply configurations.
const suffix = "ApplyConfiguration"

// applyType returns the apply configuration of a type: the one that a flag names, the one below the configured package
// for types of this API, client-go's for those of k8s.io/api, and for others the one that lies where their package's path
// ends.
func (d *Data) applyType(t model.TypeRef) string {
	name := t.Name + suffix
	if pkg, ok := d.opts.Externals[t]; ok {
		return d.ref(pkg, name)
	}
	for _, g := range d.api.Groups {
		for _, v := range g.Versions {
			for _, pkg := range v.Packages {
				if pkg.Path == t.Path {
					return d.ref(d.applyPackage(v), name)
				}
			}
		}
	}
	for _, s := range d.api.Structs {
		switch {
		case s.TypeRef != t:
		case s.Version != nil:
			return d.ref(d.applyPackage(s.Version), name)
		case s.Published != "":
			return d.ref(s.Published, name)
		}
	}
	if below, ok := strings.CutPrefix(t.Path, "k8s.io/api/"); ok {
		return d.ref("k8s.io/client-go/applyconfigurations/"+below, name)
	}
	return d.ref(path.Join(d.opts.ApplyConfigurations, path.Base(path.Dir(t.Path)), path.Base(t.Path)), name)
}

// applyPackage returns the import path of a version's apply configurations.
func (d *Data) applyPackage(v *model.Version) string {
	return path.Join(d.opts.ApplyConfigurations, strings.ToLower(v.Group.Dir), v.Dir())
}

// builder returns the apply configuration of a struct type; "" for other types, and structs that have none.
func (d *Data) builder(t *model.Type) string {
	if t.Kind != model.Struct || t.Struct == nil {
		return ""
	}
	s := t.Struct
	pkg := d.opts.Externals[s.TypeRef]
	switch {
	case pkg != "":
	case s.Version != nil:
		pkg = d.applyPackage(s.Version)
	case s.Published != "":
		pkg = s.Published
	default:
		return ""
	}
	return d.ref(pkg, s.BuilderName()+suffix)
}

// goType writes a Go type. A type of another package that is not exported is written as what it is declared as.
func (d *Data) goType(t *model.Type) string {
	switch t.Kind {
	case model.Slice:
		return "[]" + d.goType(t.Elem)
	case model.Array:
		return "[" + t.Len + "]" + d.goType(t.Elem)
	case model.Map:
		return "map[" + d.goType(t.Key) + "]" + d.goType(t.Elem)
	case model.Pointer:
		return "*" + d.goType(t.Elem)
	}
	switch exported := token.IsExported(t.Name.Name); {
	case t.Name.Name == "" && t.Kind == model.Interface:
		return "any"
	case t.Name.Path == "" && t.Name.Name != "":
		return t.Name.Name
	case exported:
		name := d.typeRef(t.Name)
		var args []string
		for _, arg := range t.Args {
			args = append(args, d.goType(arg))
		}
		if len(args) > 0 {
			name += "[" + strings.Join(args, ", ") + "]"
		}
		return name
	case t.Kind == model.Interface:
		return "any"
	case t.Elem != nil:
		return d.goType(t.Elem)
	}
	fields := t.Fields
	if t.Struct != nil {
		fields = t.Struct.Fields
	}
	var b strings.Builder
	b.WriteString("struct {\n")
	for _, f := range fields {
		if !f.Embedded {
			b.WriteString(f.Name + " ")
		}
		b.WriteString(d.goType(f.Type) + " " + d.jsonTag(f) + "\n")
	}
	return b.String() + "}"
}
