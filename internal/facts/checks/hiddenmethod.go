package checks

import (
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// hiddenMethod finds a field with the name of a method of the metadata that Go finds at the same depth or
// before: the method of metadata in embedded structs is deeper.
func hiddenMethod(p *Pass, k *kinds.Kind) {
	meta, _ := k.Fields.Meta("ObjectMeta")
	for _, method := range model.MetadataMethods {
		f, found := k.Fields.ByName(method)
		if found && len(f.Within) <= len(meta.Within)+1 && (p.Needs.Scheme || p.Needs.Types) {
			p.diags.Errorf(f.Pos, "the field %s hides the method of that name, which clients need of kind %s", f.Name, k.Resource.Kind).
				Suggest("rename the field; its JSON tag can stay")
			return
		}
	}
}
