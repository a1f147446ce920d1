package checks

import (
	"slices"

	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

func coveredRule(p *Pass, rules []model.Marker) {
	granted := make([]grants, len(rules))
	having := map[grant][]int{} // indexes of the rules with a grant, ascending
	for i, m := range rules {
		granted[i] = grantsOf(m)
		for g := range granted[i] {
			having[g] = append(having[g], i)
		}
	}
	for i, m := range rules {
		for _, j := range mayCover(granted[i], having) {
			if i != j && granted[j].cover(granted[i]) && (j < i || !granted[i].cover(granted[j])) {
				p.diags.Notef(m.Pos, "another rule of the role grants all of this one").WithRelated(rules[j].Pos).Suggest("delete it")
				break
			}
		}
	}
}

// grant is an item in a list of a rule, or, if all is set, the grant of everything that the list could contain.
type grant struct {
	namespace, role, key, item string
	all                        bool
}

// grants are all items of a rule.
type grants map[grant]bool

func grantsOf(m model.Marker) grants {
	found := grants{}
	add := func(key, item string, all bool) {
		found[grant{m.String("namespace"), m.String("roleName"), key, item, all}] = true
	}
	for key, list := range map[string][]string{"groups": markers.Groups(m), "resources": m.Strings("resources"), "verbs": m.Strings("verbs")} {
		for _, item := range list {
			if item == "*" {
				add(key, "", true)
			} else {
				add(key, item, false)
			}
		}
	}
	for _, item := range m.Strings("urls") {
		add("urls", item, false)
	}
	names := m.Strings("resourceNames")
	for _, item := range names {
		add("resourceNames", item, false)
	}
	if len(names) == 0 {
		add("resourceNames", "", true)
	}
	return found
}

// general returns the grant of everything that the list of an item could contain.
func (g grant) general() grant { return grant{g.namespace, g.role, g.key, "", true} }

// cover reports whether the grants include others in the same role.
func (granted grants) cover(others grants) bool {
	for g := range others {
		if !granted[g] && !granted[g.general()] {
			return false
		}
	}
	return true
}

// mayCover returns the ascending indexes of the rules that include the grant of a rule which the fewest others include.
func mayCover(of grants, having map[grant][]int) (found []int) {
	var rarest grant
	fewest := -1
	for g := range of {
		if n := len(having[g]) + len(having[g.general()]); fewest < 0 || n < fewest {
			rarest, fewest = g, n
		}
	}
	found = having[rarest]
	if !rarest.all {
		found = slices.Sorted(slices.Values(slices.Concat(found, having[rarest.general()])))
	}
	return found
}
