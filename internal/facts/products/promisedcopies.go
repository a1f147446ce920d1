package products

import (
	"go/token"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// promisedCopies returns the methods that another output generates for the types of a package that was read.
func promisedCopies(of *Reading, by *Output, src *load.Package) gotypes.Promised {
	r := newCopyReader(of.Loader, by)
	request := r.ofPackage(src, of.MarkersOf(src))
	if request == nil {
		return gotypes.Promised{Marks: by.Files[Copies].Stale}
	}
	promised := gotypes.Promised{Marks: by.Files[Copies].Marks, Methods: map[string]model.CopyMethods{}}
	for _, name := range gotypes.DeclaredTypes(src) {
		d := src.Decls[name]
		t, typ := request.types[d.Type], r.Named(src, d, nil)
		if !t.copied || !token.IsExported(name) {
			continue
		}
		isStruct := typ.Kind == model.Struct
		if kind := typ.Underlying().Kind; !isStruct && kind != model.Map && kind != model.Slice {
			continue
		}
		method := &model.CopyMethod{Pointer: isStruct, Generated: true}
		methods := model.CopyMethods{DeepCopy: method, DeepCopyInto: method}
		if isStruct {
			for _, ref := range t.interfaces {
				methods.Others = append(methods.Others, "DeepCopy"+ref.Name)
			}
		}
		promised.Methods[name] = methods
	}
	return promised
}
