package charts

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/generators/chart"
	"github.com/kubegen/kubegen/internal/files/output"
	generator "github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

var (
	charts = flag.Int("charts", 60, "number of random `charts`")
	seed   = flag.Uint64("seed", 1, "seed of random charts")
)

// TestRandom renders random charts with random values before and after a run. Afterwards, each object is what the
// manifests of the run have, but for what the chart keeps and for blocks of the template, or the run has reported an
// error at a line and written nothing. A chart without anything that only some charts may have is never an error.
func TestRandom(t *testing.T) {
	counts := map[string]int{}
	for n := range *charts {
		c := newRandomChart(*seed*1_000_000 + uint64(n))
		dir := filepath.Join(t.TempDir(), "chart")
		for name, text := range c.files {
			write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
		}
		var before [][]object
		for _, values := range c.values {
			objects, err := tryRender(dir, values)
			if err != nil && len(c.special) == 0 { // otherwise, it may only be refused
				t.Fatalf("seed %d: chart %d is no chart: %v\n%s", *seed, n, err, c)
			}
			before = append(before, objects)
		}
		mistakes := c.renew(t, dir)
		for _, d := range mistakes {
			if d.Severity == diag.Error && (d.Pos.Line == 0 || d.Pos.Filename == "" || d.Advice(func(string) bool { return true }) == "") {
				t.Errorf("seed %d: chart %d: no position or remedy: %v", *seed, n, d)
			}
		}
		if mistakes.HasErrors() {
			counts["refused"]++
			if len(c.special) == 0 {
				t.Fatalf("seed %d: chart %d: %v\n%s", *seed, n, messages(mistakes), c)
			}
			for _, special := range c.special {
				counts["refused: "+special]++
			}
			continue
		}
		counts["renewed"]++
		for _, special := range c.special {
			counts["renewed: "+special]++
		}
		for i, values := range c.values {
			after, err := tryRender(dir, values)
			if err == nil {
				err = c.compare(before[i], after, values)
			}
			if err != nil {
				t.Fatalf("seed %d: chart %d with %v: %v\n%s\n-- after --\n%s\n%s", *seed, n, values, err, c, filesIn(t, dir), messages(mistakes))
			}
			counts["objects"] += len(after)
		}
		if again := c.renew(t, dir); again.HasErrors() || c.changed {
			t.Fatalf("seed %d: chart %d: the second run changes files: %v\n%s\n-- after --\n%s", *seed, n, messages(again), c, filesIn(t, dir))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("random charts: %s: %d\n", key, counts[key])
	}
}

func messages(list diag.List) (text string) {
	for _, d := range list {
		text += fmt.Sprintf("%s:%d:%d: %v: %s\n", filepath.Base(d.Pos.Filename), d.Pos.Line, d.Pos.Column, d.Severity, d.Message)
	}
	return text
}

func filesIn(t *testing.T, dir string) (text string) {
	t.Helper()
	for _, name := range globAll(dir) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text += "== " + strings.TrimPrefix(name, dir) + "\n" + string(content)
	}
	return text
}

func globAll(dir string) (files []string) {
	_ = filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			files = append(files, name)
		}
		return err
	})
	return files
}

// tryRender is like render for charts that may not be rendered. Keys that an object has twice are errors.
func tryRender(dir string, values object) (objects []object, err error) {
	files, err := renderFiles(dir, values)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(filepath.Base(name), "_") {
			continue
		}
		for _, document := range strings.Split("\n"+strings.ReplaceAll(files[name], "\r\n", "\n"), "\n---") {
			var o object
			if err := yaml.UnmarshalStrict([]byte(document), &o); err != nil {
				return nil, fmt.Errorf("%s: %w in\n%s", name, err, document)
			}
			if items, ok := o["items"].([]any); ok {
				for _, item := range items {
					objects = append(objects, item.(object))
				}
			} else if o != nil {
				objects = append(objects, o)
			}
		}
	}
	return objects, nil
}

// randomChart is a chart with the objects of a run. What it says about them does not come from kubegen.
type randomChart struct {
	*rand.Rand
	files   map[string]string
	objects []*randomObject
	values  []object
	toggles int
	actions bool     // in parts of the run
	special []string // what a run may refuse
	changed bool     // by the last run
}

// randomObject is an object in a chart.
type randomObject struct {
	want    object
	name    string         // as it is rendered; "" if the chart lacks the object
	toggle  string         // value that decides whether it is rendered, or ""
	toggles map[string]any // toggles by element: the name of a version or webhook, or a grant
	kept    map[string]any // likewise, of elements that the run does not have
	keptKey bool           // an include adds a key to names
}

func (c *randomChart) chance(percent int) bool { return c.IntN(100) < percent }

func (c *randomChart) String() (text string) {
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		text += "== " + name + "\n" + c.files[name]
	}
	for _, o := range c.objects {
		content, _ := yaml.Marshal(o.want)
		text += "== want\n" + string(content)
	}
	return fmt.Sprintln(text, c.special)
}

// renew runs kubegen's generator and writes its files, unless it has reported an error.
func (c *randomChart) renew(t *testing.T, dir string) diag.List {
	t.Helper()
	manifests := output.Tree{Generator: "rbac", Dir: filepath.Join(filepath.Dir(dir), "config")}
	for i, o := range c.objects {
		content, err := yaml.Marshal(o.want)
		if err != nil {
			t.Fatal(err)
		}
		manifests.Files = append(manifests.Files, output.File{Path: fmt.Sprintf("%d.yaml", i), Content: content})
	}
	var diags diag.List
	setup := generator.Setup{Plan: &plan.Plan{Environment: load.Environment{Dir: filepath.Dir(dir)}, Flags: &plan.Flags{}}, Dir: dir}
	g, err := chart.Generator{}.Configure(setup, &diags)
	if err != nil {
		t.Fatal(err)
	}
	trees, more := g.(generator.ObjectGenerator).Generate(&generator.Input{Earlier: []output.Tree{manifests}})
	diags = append(diags, more...)
	if c.changed = false; diags.HasErrors() {
		return diags
	}
	for _, tree := range trees {
		for _, file := range tree.Files {
			name := filepath.Join(tree.Dir, filepath.FromSlash(file.Path))
			old, _ := os.ReadFile(name)
			c.changed = c.changed || string(old) != string(file.Content)
			write(t, name, file.Content)
		}
	}
	return diags
}

// compare compares the objects that the chart renders with those that it rendered before, and with the run's.
func (c *randomChart) compare(before, after []object, values object) error {
	count := map[string]int{}
	for _, o := range after {
		key := fmt.Sprint(o["kind"], nameOf(o))
		if count[key]++; count[key] > 1 {
			return fmt.Errorf("%s is rendered %d times", key, count[key])
		}
	}
	for _, o := range c.objects {
		on := o.toggle == "" || values[o.toggle] == true
		name := o.name
		if name == "" { // the chart lacked the object
			on, name = true, nameOf(o.want)
			if o.want["kind"] != "CustomResourceDefinition" {
				name = "release-" + name
			}
		}
		old, now := named(before, o.want, name), named(after, o.want, name)
		switch {
		case !on && now == nil:
			continue
		case !on || now == nil:
			return fmt.Errorf("%v is rendered: %v", name, now != nil)
		}
		if err := o.compare(now, values); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if old != nil && !reflect.DeepEqual(foreign(old), foreign(now)) {
			return fmt.Errorf("%s: more is changed than what the run has", name)
		}
	}
	for _, old := range before {
		isRun := func(o *randomObject) bool { return o.name == nameOf(old) && o.want["kind"] == old["kind"] }
		if !slices.ContainsFunc(c.objects, isRun) && !reflect.DeepEqual(old, named(after, old, nameOf(old))) {
			return fmt.Errorf("%v %s has changed", old["kind"], nameOf(old))
		}
	}
	return nil
}

func named(objects []object, like object, name string) object {
	for _, o := range objects {
		if o["kind"] == like["kind"] && nameOf(o) == name {
			return o
		}
	}
	return nil
}

// foreign returns an object without what the run has.
func foreign(o object) object {
	o = maps.Clone(o)
	delete(o, "rules")
	if spec, ok := o["spec"].(object); ok {
		spec = maps.Clone(spec)
		for _, key := range []string{"names", "scope", "versions", "conversion"} {
			delete(spec, key)
		}
		o["spec"] = spec
	}
	webhooks := []any{}
	for _, w := range list(o["webhooks"]) {
		webhooks = append(webhooks, fmt.Sprint(w.(object)["name"], w.(object)["clientConfig"]))
	}
	delete(o, "webhooks")
	return o
}

func list(value any) []any {
	all, _ := value.([]any)
	return all
}

// compare compares what the run has with a rendered object.
func (o *randomObject) compare(now, values object) error {
	on := func(toggle any) bool { return toggle == nil || toggle == true || values[toggle.(string)] == true }
	wanted, got := elements(o.want), elements(now)
	for key, element := range wanted {
		toggle, inBlock := o.toggles[key]
		switch has, ok := got[key]; {
		case inBlock && !on(toggle) && ok:
			return fmt.Errorf("%s is rendered without %v", key, toggle)
		case inBlock && !on(toggle):
		case !ok:
			return fmt.Errorf("%s is missing", key)
		case !reflect.DeepEqual(has, element) && o.kept[key] == nil:
			return fmt.Errorf("%s is\n%v, want\n%v", key, has, element)
		}
	}
	for key := range got {
		toggle, kept := o.kept[key]
		if _, ok := wanted[key]; !ok && (!kept || !on(toggle)) {
			return fmt.Errorf("%s is rendered, but the run does not have it", key)
		}
	}
	for key, toggle := range o.kept {
		if _, ok := got[key]; ok != on(toggle) && wanted[key] == nil {
			return fmt.Errorf("%s is kept, and rendered: %v", key, ok)
		}
	}
	wantSpec, _ := o.want["spec"].(object)
	spec, _ := now["spec"].(object)
	for _, key := range []string{"names", "scope"} {
		got := spec[key]
		if names, ok := got.(object); ok && o.keptKey {
			names = maps.Clone(names)
			delete(names, "app")
			got = names
		}
		if !reflect.DeepEqual(got, wantSpec[key]) {
			return fmt.Errorf("%s: %v, want %v", key, got, wantSpec[key])
		}
	}
	if want, ok := wantSpec["conversion"].(object); ok {
		conversion, _ := spec["conversion"].(object)
		if !reflect.DeepEqual(conversionOf(conversion), conversionOf(want)) {
			return fmt.Errorf("conversion: %v, want %v", conversion, want)
		}
	}
	return nil
}

// conversionOf returns a conversion without the names of the service.
func conversionOf(c object) any {
	webhook, _ := c["webhook"].(object)
	client, _ := webhook["clientConfig"].(object)
	service, _ := client["service"].(object)
	return []any{c["strategy"], webhook["conversionReviewVersions"], service["path"], service["name"] != nil, service["namespace"] != nil}
}

// elements returns versions, webhooks without clientConfig, and grants by name.
func elements(o object) map[string]any {
	found := map[string]any{}
	spec, _ := o["spec"].(object)
	for i, v := range append(list(spec["versions"]), list(o["webhooks"])...) {
		v := maps.Clone(v.(object))
		delete(v, "clientConfig")
		key := fmt.Sprint(v["name"])
		if _, ok := found[key]; ok {
			key += fmt.Sprint(i)
		}
		found[key] = v
	}
	for _, r := range list(o["rules"]) {
		maps.Copy(found, grantsOf(r.(object)))
	}
	return found
}

func grantsOf(rule object) map[string]any {
	found := map[string]any{}
	for _, group := range list(rule["apiGroups"]) {
		for _, resource := range list(rule["resources"]) {
			for _, verb := range list(rule["verbs"]) {
				found[fmt.Sprint(group, "/", resource, " ", verb, rule["resourceNames"])] = true
			}
		}
	}
	for _, url := range list(rule["nonResourceURLs"]) {
		for _, verb := range list(rule["verbs"]) {
			found[fmt.Sprint(url, " ", verb)] = true
		}
	}
	return found
}
