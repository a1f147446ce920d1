package checks

import (
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/text/diag"
)

func listType(p *Pass, k *kinds.Kind, diags *diag.List) {
	if !k.Listed || k.ListFields.Opaque {
		return
	}
	kind, name := k.Resource.Kind, k.Resource.List.Name
	if k.List == nil {
		diags.Errorf(k.Pos, "kind %s has no list type %s", kind, name).
			Suggest(
				"declare it with metav1.TypeMeta, metav1.ListMeta and Items []%s, or write +genclient:skipVerbs=list,watch,deleteCollection", kind,
			)
		return
	}
	pos := p.Types.Fset.Position(k.List.Name.Pos())
	items, hasItems := k.ListFields.ByName("Items")
	switch {
	case !k.ListFields.IsStruct:
		diags.Errorf(pos, "list type %s is not a struct", name).Suggest("declare it with metav1.TypeMeta, metav1.ListMeta and Items []%s", kind)
		return
	case !hasItems:
		diags.Errorf(pos, "list type %s has no Items", name).Suggest("add Items []%s `json:\"items\"`", kind)
		return
	case !p.embeds(pos, k.ListFields, "list type "+name, []meta{typeMeta, listMeta}, diags):
		return
	case k.Clients.Version != "":
		p.tags(k.ListFields, "list type "+name, []meta{typeMeta, listMeta}, diags)
	}
	if element, _, known := gotypes.ElementOf(k.Source, items.Type); known && element != kind {
		what := "not a slice"
		if element != "" {
			what = "a list of " + element + ", not of " + kind
		}
		diags.Errorf(items.Pos, "Items of %s is %s", name, what).Suggest("write Items []%s", kind)
	}
}
