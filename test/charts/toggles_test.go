package charts

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
)

// toggled returns the values of a chart: as they are, and with each of its Booleans changed, by what is changed.
func toggled(t *testing.T, dir string, values object) map[string]object {
	t.Helper()
	chart, err := loader.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]object{"": values}
	var visit func(at []string, in object)
	visit = func(at []string, in object) {
		for key, value := range in {
			path := append(slices.Clip(at), key)
			switch v := value.(type) {
			case object:
				visit(path, v)
			case bool:
				changed := object{path[len(path)-1]: !v}
				for _, name := range slices.Backward(path[:len(path)-1]) {
					changed = object{name: changed}
				}
				all[strings.Join(path, ".")] = chartutil.CoalesceTables(changed, chartutil.CoalesceTables(object{}, values))
			}
		}
	}
	both, err := chartutil.CoalesceValues(chart, values)
	if err != nil {
		t.Fatal(err)
	}
	visit(nil, both)
	return all
}

// renderedBy returns the objects of a chart by kind and name.
func renderedBy(t *testing.T, dir string, values object) (map[string]object, error) {
	t.Helper()
	files, err := renderFiles(dir, values)
	if err != nil {
		return nil, err
	}
	objects := map[string]object{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !isManifest(name) {
			continue
		}
		for _, o := range objectsIn(t, files[name]) {
			key := fmt.Sprint(o["kind"], " ", nameOf(o))
			for objects[key] != nil {
				key += "'"
			}
			objects[key] = o
		}
	}
	return objects, nil
}

// lists are the lists of the run in objects, by kind.
var lists = map[string][]string{
	"CustomResourceDefinition": {"spec", "versions"}, "ClusterRole": {"rules"}, "Role": {"rules"},
	"MutatingWebhookConfiguration": {"webhooks"}, "ValidatingWebhookConfiguration": {"webhooks"},
}

// split returns the elements of the list of the run in an object, and the object without what is the run's.
func split(o object) (elements []any, rest object) {
	path := lists[fmt.Sprint(o["kind"])]
	rest = maps.Clone(o)
	in := rest
	for i, name := range path {
		if i == len(path)-1 {
			elements, _ = in[name].([]any)
			delete(in, name)
		} else {
			inner, _ := in[name].(object)
			in[name] = maps.Clone(inner)
			in = in[name].(object)
		}
	}
	for _, name := range []string{"names", "scope"} {
		if o["kind"] == "CustomResourceDefinition" {
			delete(in, name)
		}
	}
	return elements, rest
}

// trimmed returns what of an element of the run's lists is the run's, and what stays of a webhook.
func trimmed(element any) (_, stays any) {
	webhook, ok := element.(object)
	if !ok || webhook["clientConfig"] == nil {
		return element, nil
	}
	webhook, kept := maps.Clone(webhook), object{}
	for _, key := range []string{"clientConfig", "namespaceSelector", "objectSelector", "matchConditions"} {
		kept[key] = webhook[key]
		delete(webhook, key)
	}
	for _, key := range []string{"failurePolicy", "timeoutSeconds", "reinvocationPolicy"} { // which an installation may decide
		delete(webhook, key)
	}
	return webhook, kept
}

// compareToggled renders a chart before and after a run, with its values and with each Boolean changed. What differs is
// in the manifests: elements that are new are there, those that are gone are not, and nothing else differs.
func compareToggled(t *testing.T, before, after string, values object, manifests []object) {
	t.Helper()
	wanted := map[string]bool{}
	for _, m := range manifests {
		elements, _ := split(m)
		for _, element := range elements {
			element, _ = trimmed(element)
			wanted[fmt.Sprint(m["kind"], " ", text(t, element))] = true
		}
	}
	all := toggled(t, before, values)
	compared := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, err := renderedBy(t, before, all[name])
		is, after := renderedBy(t, after, all[name])
		if (err == nil) != (after == nil) {
			t.Errorf("%s changed: rendered before with %v, after with %v", name, err, after)
		}
		if err != nil || after != nil {
			continue
		}
		compared++
		for key, old := range was {
			now := is[key]
			if now == nil {
				t.Errorf("%s changed: %s is gone", name, key)
				continue
			}
			if lists[fmt.Sprint(old["kind"])] == nil {
				if !reflect.DeepEqual(old, now) {
					t.Errorf("%s changed: %s differs", name, key)
				}
				continue
			}
			oldElements, oldRest := split(old)
			nowElements, nowRest := split(now)
			if !reflect.DeepEqual(oldRest, nowRest) {
				t.Errorf("%s changed: %s differs:\n%s\nbefore:\n%s", name, key, text(t, nowRest), text(t, oldRest))
			}
			had := map[string]bool{}
			stayed := map[string]bool{}
			for _, element := range oldElements {
				element, stays := trimmed(element)
				had[text(t, element)] = true
				stayed[text(t, stays)] = true
			}
			has := map[string]bool{}
			for _, element := range nowElements {
				element, stays := trimmed(element)
				new := text(t, element)
				has[new] = true
				if !had[new] && !wanted[fmt.Sprint(old["kind"], " ", new)] {
					t.Errorf("%s changed: %s has something that neither the chart had nor the manifest has:\n%s", name, key, new)
				}
				if stays != nil && !stayed[text(t, stays)] {
					t.Errorf("%s changed: %s: something that is not the run's:\n%s", name, key, text(t, stays))
				}
			}
			for element := range had {
				if !has[element] && wanted[fmt.Sprint(old["kind"], " ", element)] {
					t.Errorf("%s changed: %s lost what the manifest has:\n%s", name, key, element)
				}
			}
		}
		for key, o := range is {
			if was[key] == nil && !slices.ContainsFunc(manifests, func(m object) bool { return m["kind"] == o["kind"] && strings.HasSuffix(nameOf(o), nameOf(m)) }) {
				t.Errorf("%s changed: %s is new", name, key)
			}
		}
	}
	t.Logf("rendered with %d of %d values", compared, len(all))
	if compared == 0 {
		t.Error("nothing is rendered")
	}
}
