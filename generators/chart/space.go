package chart

import (
	"reflect"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// checkSpace reports an action that removes white space, so that a template renders other parts of an object than its
// file shows.
func (f *file) checkSpace(d *document, diags *diag.List) {
	of := parts[d.kinds[0]]
	shown := of.owned(decoded(d.root))
	differs := func(by int) bool {
		return !slices.ContainsFunc(of.ownedIn(f.rendered(by)), func(rendered any) bool { return reflect.DeepEqual(rendered, shown) })
	}
	if !f.template || !differs(-1) {
		return
	}
	for i, p := range f.pieces {
		if p.line >= d.from && p.line < d.to && (p.left || p.right) && differs(i) {
			diags.Errorf(f.at(p.line), "this action joins lines of the %s", d.kinds[0]).Suggest("write it without the dash")
			return
		}
	}
}

// ownedIn returns what of the objects in a text is only the run's, if they are of the kind.
func (p part) ownedIn(text string) (all []any) {
	for _, document := range strings.Split("\n"+text, "\n---") {
		documents, err := yamltext.Read([]byte(document))
		if err != nil || len(documents) == 0 {
			continue // of other objects, or the same as before
		}
		all = append(all, p.owned(decoded(documents[0].Node)))
	}
	return all
}

// owned returns what of a value is only the run's.
func (p part) owned(value any) any {
	switch v := value.(type) {
	case map[string]any:
		made := map[string]any{}
		for key, inner := range v {
			made[key] = p.of(key).owned(inner)
		}
		value = made
	case []any:
		made := make([]any, len(v))
		for i := range v {
			made[i] = part{parts: p.parts, closed: p.closed, lenient: p.lenient}.owned(v[i])
		}
		value = made
	}
	if p.foreign || p.yours || p.optional || p.absent {
		return nil
	}
	return value
}
