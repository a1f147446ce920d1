package checks

import (
	"slices"

	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

func coveredRule(p *Pass, rules []model.Marker) {
	for i, m := range rules {
		for j, other := range rules {
			if i != j && covers(other, m) && (j < i || !covers(m, other)) {
				p.diags.Notef(m.Pos, "another rule of the role grants all of this one").WithRelated(other.Pos).Suggest("delete it")
				break
			}
		}
	}
}

// covers reports whether a rule grants all that another rule of the same role grants.
func covers(m, other model.Marker) bool {
	if m.String("namespace") != other.String("namespace") || m.String("roleName") != other.String("roleName") {
		return false
	}
	includes := func(granted, needed []string) bool {
		return !slices.ContainsFunc(needed, func(item string) bool { return !slices.Contains(granted, item) })
	}
	isAll := func(granted []string) bool { return slices.Contains(granted, "*") }
	if groups := markers.Groups(m); !isAll(groups) && !includes(groups, markers.Groups(other)) {
		return false
	}
	for _, key := range []string{"resources", "verbs"} {
		if granted := m.Strings(key); !isAll(granted) && !includes(granted, other.Strings(key)) {
			return false
		}
	}
	names, needed := m.Strings("resourceNames"), other.Strings("resourceNames")
	return includes(m.Strings("urls"), other.Strings("urls")) && (len(names) == 0 || len(needed) > 0 && includes(names, needed))
}
