package gotypes

import (
	"go/ast"
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Promised are the methods that another output of the run generates for the types of a package.
type Promised struct {
	Marks   gofile.ToolMarks             // of the files that have the methods, whose content on disk does not matter
	Methods map[string]model.CopyMethods // by the name of their type
}

// IsObject reports whether a type gets a DeepCopyObject method.
func (p Promised) IsObject(name string) bool {
	return slices.Contains(p.Methods[name].Others, "DeepCopyObject")
}

// copyMethods returns the methods that copy values of the types of a package, by the name of the type.
func (r *Reader) copyMethods(src *load.Package) map[string]model.CopyMethods {
	if known, ok := r.copies.methods[src]; ok {
		return known
	}
	r.ReadOnce(src)
	var promised Promised
	if !slices.Contains(r.copies.packages, src) && r.copies.promised != nil {
		promised = r.copies.promised(src)
	}
	byType := maps.Clone(promised.Methods)
	if byType == nil {
		byType = map[string]model.CopyMethods{}
	}
	for _, f := range src.Files {
		if f.Has(promised.Marks) {
			continue
		}
		for m := range f.Methods("DeepCopy") {
			found, wanted := &model.CopyMethod{Pointer: m.Pointer, Generated: m.Decl == nil || gofile.MarkOf(f.Text) != ""}, ""
			if m.Decl != nil {
				found.Pos, wanted = r.Fset.Position(m.Decl.Name.Pos()), wantedForm(m)
			}
			methods := byType[m.Receiver]
			switch {
			case wanted != "":
				methods.Unusable = append(methods.Unusable, model.UnusableMethod{Name: m.Name, Pos: found.Pos, Wanted: wanted})
			case m.Name == "DeepCopy":
				methods.DeepCopy = found
			case m.Name == "DeepCopyInto":
				methods.DeepCopyInto = found
			default:
				methods.Others = append(methods.Others, m.Name)
			}
			byType[m.Receiver] = methods
		}
	}
	r.copies.methods[src] = byType
	return byType
}

// wantedForm returns the form that a copy method must have, or "" if it has it.
func wantedForm(m load.Method) string {
	fn, star := m.Decl.Type, ""
	if m.Pointer {
		star = "*"
	}
	only := func(list *ast.FieldList, star string) bool {
		if list.NumFields() != 1 {
			return false
		}
		expr := list.List[0].Type
		pointer, isPointer := expr.(*ast.StarExpr)
		if isPointer {
			expr = pointer.X
		}
		_, qualified := expr.(*ast.SelectorExpr)
		return isPointer == (star != "") && load.BaseName(expr) == m.Receiver && !qualified
	}
	switch m.Name {
	case "DeepCopy":
		if fn.Params.NumFields() > 0 || !only(fn.Results, star) {
			return "func (in " + star + m.Receiver + ") DeepCopy() " + star + m.Receiver
		}
	case "DeepCopyInto":
		if fn.Results.NumFields() > 0 || !only(fn.Params, "*") {
			return "func (in *" + m.Receiver + ") DeepCopyInto(out *" + m.Receiver + ")"
		}
	}
	return ""
}
