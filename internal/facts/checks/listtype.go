package checks

import (
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
)

// listType finds kinds without a list type, and wrong list types.
func listType(p *Pass, k *kinds.Kind) {
	if !k.Listed || k.ListFields.Opaque {
		return
	}
	kind, name := k.Resource.Kind, k.Resource.List.Name
	if k.List == nil {
		p.diags.Errorf(k.Pos, "kind %s has no list type %s", kind, name).Suggest(
			"declare it with metav1.TypeMeta, metav1.ListMeta and Items []%s, or write +genclient:skipVerbs=list,watch,deleteCollection", kind,
		)
		return
	}
	pos := p.Types.Fset.Position(k.List.Name.Pos())
	items, hasItems := k.ListFields.ByName("Items")
	switch {
	case !k.ListFields.IsStruct:
		p.diags.Errorf(pos, "list type %s is not a struct", name).Suggest("declare it with metav1.TypeMeta, metav1.ListMeta and Items []%s", kind)
		return
	case !hasItems:
		p.diags.Errorf(pos, "list type %s has no Items", name).Suggest("add Items []%s `json:\"items\"`", kind)
		return
	case !p.embeds(pos, k.ListFields, "list type "+name, []meta{typeMeta, listMeta}):
		return
	case k.Clients.Version != "":
		p.tags(k.ListFields, "list type "+name, []meta{typeMeta, listMeta})
	}
	if element, _, known := gotypes.ElementOf(k.Source, items.Type); known && element != kind {
		what := "not a slice"
		if element != "" {
			what = "a list of " + element + ", not of " + kind
		}
		p.diags.Errorf(items.Pos, "Items of %s is %s", name, what).Suggest("write Items []%s", kind)
	}
}
