package chart

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// grants are the lists of a rule, which grants each combination of their elements.
var grants = [...]string{"apiGroups", "resources", "nonResourceURLs", "verbs"}

// without returns the rules of a run without what elements grant that stay where they are: in a block of the template,
// or kept. Such elements are true in granted. An element that is kept and grants only in part what a rule grants is an
// error.
func (e *editor) without(all []entry, rules []any, stay []bool, same func(int, any) bool, path string) (rest []any, granted map[int]bool) {
	whole := func(rule any) bool { // an element is equal to it
		for i := range all {
			if same(i, rule) {
				return true
			}
		}
		return false
	}
	rest, granted = rules, map[int]bool{}
	for i, in := range all {
		if !stay[i] || slices.ContainsFunc(rules, func(rule any) bool { return same(i, rule) }) {
			continue
		}
		var made []any
		var resources []string
		more := []any{decoded(in.value)} // what no rule grants
		for _, rule := range rules {
			var left []any
			for _, piece := range more {
				pieces, _ := subtract(e.resolved(in, piece, rule), rule)
				left = append(left, pieces...)
			}
			more = left
		}
		for _, rule := range rest {
			pieces, common := subtract(rule, e.resolved(in, decoded(in.value), rule))
			if common == nil || whole(rule) {
				pieces = []any{rule}
			} else {
				resources = append(resources, common...)
			}
			made = append(made, pieces...)
		}
		switch {
		case len(resources) > 0 && len(more) == 0:
			rest, granted[i] = made, true
		case len(resources) > 0 && e.kept(in, part{}):
			e.diags.Errorf(e.at(in.start), "%s: this rule is kept and grants only a part of what the run grants for %s, or more",
				path, strings.Join(resources, ", ")).Suggest("write a rule with nothing but grants of the run, and another one for the rest")
		}
	}
	return rest, granted
}

// subtract returns rules for what one rule grants and another one does not, and the resources or paths of common
// grants.
func subtract(rule, other any) (pieces []any, common []string) {
	left, _ := rule.(map[string]any)
	right, _ := other.(map[string]any)
	if !reflect.DeepEqual(left[names], right[names]) {
		return []any{rule}, nil
	}
	for _, key := range grants {
		mine, ok := left[key].([]any)
		others, also := right[key].([]any)
		isCommon := func(value any) bool { return slices.Contains(others, value) }
		both := slices.DeleteFunc(slices.Clone(mine), func(value any) bool { return !isCommon(value) })
		if ok != also || ok && len(both) == 0 {
			return []any{rule}, nil
		}
		if !ok {
			continue
		}
		if rest := slices.DeleteFunc(slices.Clone(mine), isCommon); len(rest) > 0 {
			piece := maps.Clone(left)
			piece[key] = rest
			pieces = append(pieces, piece)
		}
		if key == "resources" || key == "nonResourceURLs" {
			for _, value := range both {
				common = append(common, fmt.Sprint(value))
			}
		}
		left = maps.Clone(left)
		left[key] = both
	}
	return pieces, common
}
