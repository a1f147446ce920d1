package kinds

import (
	"go/token"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// PromisedCopies returns the methods that an output with a configuration generates for the types of a package that
// was read, with some markers. That output reports mistakes in these.
func PromisedCopies(l *load.Loader, cfg CopyConfig, src *load.Package, found []model.Marker) gotypes.Promised {
	var ofOutput diag.List
	r := newReader(l, cfg)
	request := r.ofPackage(src, found, &ofOutput)
	if request == nil {
		return gotypes.Promised{Marks: cfg.Stale}
	}
	promised := gotypes.Promised{Marks: cfg.Marks, Methods: map[string]model.CopyMethods{}}
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
