package gotypes

import (
	"bytes"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// copyMethod returns what matches the first line of a method in a generated file that is formatted by gofmt. Classes of
// characters take long to compile.
var copyMethod = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^func \((?:[\pL_][\pL\pN_]* )?(\*?)([\pL_][\pL\pN_]*)(?:\[[^\]]*\])?\) (DeepCopy[\pL\pN_]*)\(`)
})

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
	add := func(receiver, name string, m *model.CopyMethod) {
		methods := byType[receiver]
		switch name {
		case "DeepCopy":
			methods.DeepCopy = m
		case "DeepCopyInto":
			methods.DeepCopyInto = m
		default:
			methods.Others = append(methods.Others, name)
		}
		byType[receiver] = methods
	}
	for _, f := range src.Files {
		switch {
		case !bytes.Contains(f.Text, []byte(") DeepCopy")), f.Has(promised.Marks):
		case f.Syntax == nil:
			for _, match := range copyMethod().FindAllSubmatch(f.Text, -1) {
				add(string(match[2]), string(match[3]), &model.CopyMethod{Pointer: len(match[1]) > 0, Generated: true})
			}
		default:
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv.NumFields() != 1 || !strings.HasPrefix(fn.Name.Name, "DeepCopy") {
					continue
				}
				receiver := load.BaseName(fn.Recv.List[0].Type)
				if want := wantedForm(fn, receiver); want != "" {
					methods := byType[receiver]
					methods.Unusable = append(methods.Unusable, model.UnusableMethod{
						Name: fn.Name.Name, Pos: r.Fset.Position(fn.Name.Pos()), Wanted: want,
					})
					byType[receiver] = methods
					continue
				}
				_, pointer := fn.Recv.List[0].Type.(*ast.StarExpr)
				add(receiver, fn.Name.Name, &model.CopyMethod{
					Pos: r.Fset.Position(fn.Name.Pos()), Pointer: pointer, Generated: gofile.MarkOf(f.Text) != "",
				})
			}
		}
	}
	r.copies.methods[src] = byType
	return byType
}

// wantedForm returns the form that a copy method must have, or "" if it has it.
func wantedForm(fn *ast.FuncDecl, receiver string) string {
	star := ""
	if _, pointer := fn.Recv.List[0].Type.(*ast.StarExpr); pointer {
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
		return isPointer == (star != "") && load.BaseName(expr) == receiver && !qualified
	}
	switch fn.Name.Name {
	case "DeepCopy":
		if fn.Type.Params.NumFields() > 0 || !only(fn.Type.Results, star) {
			return "func (in " + star + receiver + ") DeepCopy() " + star + receiver
		}
	case "DeepCopyInto":
		if fn.Type.Results.NumFields() > 0 || !only(fn.Type.Params, "*") {
			return "func (in *" + receiver + ") DeepCopyInto(out *" + receiver + ")"
		}
	}
	return ""
}
