package charts

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

const helpers = `{{- define "c.name" -}}release-c{{- end }}
{{- define "c.labels" -}}
app: x
{{- end }}
{{- define "c.rule" -}}
- apiGroups: [extra]
  resources: [extras]
  verbs: [get]
{{- end }}
`

// newRandomChart returns a chart. It decides first what the run has and what the chart has, and then how the chart is
// written.
func newRandomChart(seed uint64) *randomChart {
	c := &randomChart{Rand: rand.New(rand.NewPCG(seed, 2)), files: map[string]string{
		"Chart.yaml":             "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"templates/_helpers.tpl": helpers,
		"templates/NOTES.txt":    "kind: CustomResourceDefinition\n",
	}}
	c.actions = c.chance(35)
	defaults := "plural: kind0s\ncrd: {enabled: true, keep: true}\nwebhook: {enabled: true}\ncertManager: {enabled: true}\nlist: [1]\n"
	for range 1 + c.IntN(2) {
		c.add(c.definition(len(c.objects)))
	}
	if c.chance(70) {
		c.add(c.role())
	}
	if c.chance(40) {
		c.add(c.webhooks())
	}
	c.files["templates/other.yaml"] = "apiVersion: v1\n" +
		"kind: ConfigMap\nmetadata:\n  name: other\n  labels:\n    {{- include \"c.labels\" . | nindent 4 }}\n"
	for i := range c.toggles {
		defaults += fmt.Sprintf("t%d: true\n", i)
	}
	c.files["values.yaml"] = defaults
	for range 4 {
		values := object{}
		for i := range c.toggles {
			values[fmt.Sprintf("t%d", i)] = c.chance(50)
		}
		c.values = append(c.values, values)
	}
	return c
}

func (c *randomChart) toggle() string {
	c.toggles++
	return fmt.Sprintf("t%d", c.toggles-1)
}

func pick[T any](c *randomChart, all ...T) T { return all[c.IntN(len(all))] }

func (c *randomChart) schema(depth int) object {
	o := object{"type": "object", "properties": object{}}
	for i := range 1 + c.IntN(4) {
		p := object{"type": pick(c, "string", "integer", "boolean")}
		if c.chance(50) {
			p["description"] = pick(c, "A {{ .b }}.", "Two\n\nlines: {{- x }}", "a: 'b' # c", "- x",
				"Long "+strings.Repeat("word ", 30)+"end.", "yes", "---\nx")
		}
		if c.chance(20) {
			p["enum"] = []any{"a", "on", "{{"}
		}
		if depth > 0 && c.chance(30) {
			p = c.schema(depth - 1)
		}
		o["properties"].(object)[fmt.Sprintf("f%d", i)] = p
	}
	if c.chance(40) {
		o["required"] = []any{"f0"}
	}
	return o
}

func (c *randomChart) definition(n int) object {
	kind := fmt.Sprintf("Kind%d", n)
	names := object{"kind": kind, "listKind": kind + "List", "plural": strings.ToLower(kind) + "s", "singular": strings.ToLower(kind)}
	if c.chance(40) {
		names["shortNames"] = []any{"k", "n"}
	}
	spec := object{"group": "example.com", "names": names, "scope": pick(c, "Namespaced", "Cluster")}
	var versions []any
	for _, name := range []string{"v1", "v1beta1", "v2"}[:1+c.IntN(3)] {
		v := object{"name": name, "served": true, "storage": name == "v1", "schema": object{"openAPIV3Schema": c.schema(2)}}
		if c.chance(30) {
			v["subresources"] = object{"status": object{}}
		}
		versions = append(versions, v)
	}
	spec["versions"] = versions
	if c.chance(40) {
		spec["conversion"] = object{"strategy": "Webhook", "webhook": object{
			"clientConfig":             object{"service": object{"name": "webhook-service", "namespace": "system", "path": "/convert"}},
			"conversionReviewVersions": []any{"v1"},
		}}
	}
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec,
		"metadata": object{"name": names["plural"].(string) + ".example.com"}}
}

func (c *randomChart) role() object {
	var rules []any
	for i := range 1 + c.IntN(5) {
		r := object{"verbs": texts(c, "get", "list", "watch", "update")}
		switch {
		case c.chance(10):
			r["nonResourceURLs"] = []any{fmt.Sprintf("/u%d", i)}
		default:
			r["apiGroups"] = pick(c, []any{""}, []any{"apps"}, []any{"apps", "batch"})
			r["resources"] = []any{fmt.Sprintf("r%d", i)}
			for j := range c.IntN(3) {
				r["resources"] = append(r["resources"].([]any), fmt.Sprintf("r%dx%d", i, j))
			}
			if c.chance(10) {
				r["resourceNames"] = []any{"n"}
			}
		}
		rules = append(rules, r)
	}
	return object{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": rules,
		"metadata": object{"name": "manager-role"}}
}

func texts(c *randomChart, all ...string) (some []any) {
	for _, text := range all {
		if c.chance(50) {
			some = append(some, text)
		}
	}
	if some == nil {
		return []any{all[0]}
	}
	return some
}

func (c *randomChart) webhooks() object {
	var webhooks []any
	for i := range 1 + c.IntN(3) {
		webhooks = append(webhooks, object{
			"name": fmt.Sprintf("w%d.kb.io", i), "sideEffects": "None", "admissionReviewVersions": []any{"v1"}, "failurePolicy": "Fail",
			"clientConfig": object{"service": object{"name": "webhook-service", "namespace": "system", "path": fmt.Sprintf("/p%d", i)}},
			"rules": []any{object{"apiGroups": []any{"example.com"}, "apiVersions": []any{"v1"}, "operations": texts(c, "CREATE", "UPDATE"),
				"resources": []any{fmt.Sprintf("r%d", i)}}},
		})
	}
	return object{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"metadata": object{"name": "validating-webhook-configuration"}, "webhooks": webhooks}
}

func clone[T any](value T) (copied T) {
	data, _ := json.Marshal(value)
	_ = json.Unmarshal(data, &copied)
	return copied
}

// outdated returns an earlier form of a value of the run.
func (c *randomChart) outdated(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch {
			case key == "name" || key == "kind" || key == "plural" || key == "clientConfig":
			case c.chance(5) && key != "versions" && key != "type":
				delete(v, key)
			default:
				v[key] = c.outdated(v[key])
			}
		}
		if v["type"] == "object" && c.chance(10) && v["properties"] != nil {
			v["properties"].(object)["gone"] = object{"type": "string"}
		}
	case []any:
		if len(v) > 1 && c.chance(5) {
			return v[1:]
		}
		for i := range v {
			v[i] = c.outdated(v[i])
		}
	case string:
		if c.chance(3) {
			return v + "Old"
		}
	}
	return value
}

// add adds an object of the run, and perhaps writes it into a file of the chart.
func (c *randomChart) add(want object) {
	o := &randomObject{want: clone(want), toggles: map[string]any{}, kept: map[string]any{}}
	c.objects = append(c.objects, o)
	if c.chance(10) {
		return // the chart lacks it
	}
	old := clone(want)
	isDefinition := want["kind"] == "CustomResourceDefinition"
	if c.chance(70) {
		for _, key := range []string{"rules", "webhooks"} {
			if old[key] != nil {
				old[key] = c.outdated(old[key])
			}
		}
		if spec, ok := old["spec"].(object); ok {
			for _, key := range []string{"scope", "names", "versions"} {
				spec[key] = c.outdated(spec[key])
			}
		}
	}
	w := &writer{randomChart: c, o: o, list: pick(c, 0, 2), crlf: c.chance(5)}
	file, name := fmt.Sprintf("templates/o%d.yaml", len(c.objects)), `{{ include "c.name" . }}-`+nameOf(want)
	o.name = "release-c-" + nameOf(want)
	if isDefinition {
		name, o.name = nameOf(want), nameOf(want)
	}
	plain := isDefinition && c.chance(15)
	w.plain = plain
	switch {
	case plain:
		file = fmt.Sprintf("crds/o%d.yaml", len(c.objects))
		if old["spec"].(object)["conversion"] != nil {
			c.special = append(c.special, "conversion in crds")
		}
	case isDefinition && c.chance(10):
		dir := pick(c, "charts/sub", "charts/sub/charts/deep")
		file = fmt.Sprintf("%s/templates/o%d.yaml", dir, len(c.objects))
		c.files["charts/sub/Chart.yaml"] = "apiVersion: v2\nname: sub\nversion: 1.0.0\n"
		c.files[dir+"/Chart.yaml"] = "apiVersion: v2\nname: " + path.Base(dir) + "\nversion: 1.0.0\n"
		w.sub = true
	case isDefinition && len(c.objects) == 1 && c.chance(15):
		name = "{{ $.Values.plural }}.example.com"
	}
	old["metadata"] = object{"labels": object{"a": "b"}, "name": name}
	if spec, ok := old["spec"].(object); ok && spec["conversion"] != nil && (plain || c.chance(40)) {
		delete(spec, "conversion")
	}
	text := w.document(old)
	if c.chance(8) && !plain && !w.sub {
		o.toggle = c.toggle()
		text = fmt.Sprintf("{{- if $.Values.%s }}\n%s{{- end }}\n", o.toggle, text)
	}
	if c.chance(8) && !plain && !w.sub {
		text = "{{- range $.Values.list }}\n" + text + "{{- end }}\n"
	}
	switch {
	case c.chance(5):
		text = "\ufeff" + text
	case c.chance(10):
		text = "# First.\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: first" + fmt.Sprint(len(c.objects)) + "\n---\n" + text
	}
	if w.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if c.chance(5) {
		c.files[".helmignore"] = "ignored*\n"
		c.files["templates/ignored.yaml"] = "kind: " + want["kind"].(string) + "\nmetadata:\n  name: " + nameOf(want) + "\n"
	}
	c.files[file] = text
}

// writer writes an object in a random style, with lines of a template in and around it.
type writer struct {
	*randomChart
	o                *randomObject
	list             int // indent of sequences
	crlf, plain, sub bool
	shift            int // of all lines, in a list
}

// inject returns lines that may be in the parts of the run, at an indent.
func (w *writer) inject(indent int) string {
	if w.plain || !w.actions || !w.chance(2) {
		return ""
	}
	at := strings.Repeat(" ", indent)
	w.special = append(w.special, "an action in a part")
	return pick(w.randomChart,
		fmt.Sprintf("%s{{- include \"c.labels\" . | nindent %d }}\n", at, indent+w.shift),
		fmt.Sprintf("%s{{- with $.Values.none }}\n%s{{- toYaml . | nindent %d }}\n%s{{- end }}\n", at, at, indent+w.shift, at),
		at+"{{- /* A comment. */}}\n", at+"{{- /* A comment. */ -}}\n", at+"{{/* A comment. */}}\n", at+"{{- $x := 1 }}\n",
		fmt.Sprintf("%s{{ template \"c.labels\" . }}\n", at),
		fmt.Sprintf("%s{{- range $.Values.list }}\n%sr: {{ . }}\n%s{{- end }}\n", at, at, at))
}

// document returns an object.
func (w *writer) document(o object) string {
	if !w.plain && w.chance(4) {
		w.special = append(w.special, "a list")
		w.shift = 2
		return "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(w.mapping(o, 0, "")), "\n", "\n  ") + "\n"
	}
	if w.chance(4) {
		w.special = append(w.special, "flow style")
		data, _ := json.Marshal(o)
		return w.escaped(strings.ReplaceAll(string(data), "\\\"", "'")) + "\n"
	}
	return w.mapping(o, 0, "")
}

// names are the actions in names of objects.
var names = strings.NewReplacer(`{{ include "c.name" . }}`, "\x00", `{{ include 'c.name' . }}`, "\x00", "{{ $.Values.plural }}", "\x01")

func (w *writer) escaped(text string) string {
	if w.plain {
		return text
	}
	text = strings.ReplaceAll(names.Replace(text), "{{", pick(w.randomChart, `{{ "{{" }}`, "{{ `{{` }}"))
	return strings.NewReplacer("\x00", `{{ include "c.name" . }}`, "\x01", "{{ $.Values.plural }}").Replace(text)
}

// mapping writes the entries of an object.
func (w *writer) mapping(o object, indent int, path string) (text string) {
	keys := slices.Sorted(maps.Keys(o))
	if w.chance(20) {
		w.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	at, owned := strings.Repeat(" ", indent), strings.HasPrefix(path, ".spec.") || path == ".spec" || strings.HasPrefix(path, ".webhooks.")
	for i, key := range keys {
		if owned {
			text += w.inject(indent)
		}
		if w.chance(3) {
			text += at + "# A comment.\n"
		}
		text += w.entry(key, o[key], indent, path+"."+key)
		switch {
		case path == ".metadata.labels" && !w.plain && !w.sub && i == len(keys)-1 && w.chance(40):
			text += fmt.Sprintf("%s{{- include \"c.labels\" . | nindent %d }}\n", at, indent+w.shift)
		case path == ".spec.names" && !w.plain && !w.sub && i == len(keys)-1 && w.chance(8):
			text += fmt.Sprintf("%s# kubegen: keep\n%s{{- include \"c.labels\" . | nindent %d }}\n", at, at, indent+w.shift)
			w.o.keptKey = true
			w.special = append(w.special, "a kept key")
		}
	}
	if owned && len(keys) > 0 {
		text += w.inject(indent)
	}
	return text
}

func (w *writer) entry(key string, value any, indent int, path string) string {
	at := strings.Repeat(" ", indent)
	head := at + pick(w.randomChart, key, key, key, key, `"`+key+`"`, "'"+key+"'") + ":"
	if strings.HasPrefix(path, ".kind") || strings.HasPrefix(path, ".metadata") {
		head = at + key + ":"
	}
	data, _ := json.Marshal(value)
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 || path != ".spec" && path != ".metadata" && path != ".spec.conversion" && path != ".metadata.labels" && w.chance(10) {
			return head + " " + w.escaped(string(data)) + "\n"
		}
		return head + "\n" + w.mapping(v, indent+pick(w.randomChart, 2, 2, 4), path)
	case []any:
		lists := path == ".spec.versions" || path == ".webhooks" || path == ".rules"
		if len(v) == 0 || !lists && w.chance(30) {
			return head + " " + w.escaped(string(data)) + "\n"
		}
		return head + "\n" + w.sequence(v, indent+w.list, path, lists)
	case string:
		if strings.Contains(v, "\n") && !strings.HasPrefix(v, "\n") && w.chance(60) {
			return head + " |-\n" + at + "  " + w.escaped(strings.ReplaceAll(v, "\n", "\n"+at+"  ")) + "\n"
		}
		if plainText(v) && w.chance(60) || names.Replace(v) != v {
			return head + " " + v + "\n"
		}
	}
	return head + " " + w.escaped(string(data)) + "\n"
}

func plainText(text string) bool {
	for _, c := range text {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '.' {
			return false
		}
	}
	return len(text) > 1 && text != "yes" && text != "on"
}

// sequence writes the elements of a list. Those of the run may be in blocks of the template.
func (w *writer) sequence(all []any, indent int, path string, lists bool) (text string) {
	at := strings.Repeat(" ", indent)
	for _, v := range all {
		element := at + "- " + w.value(v, indent+2, path)
		if o, ok := v.(object); ok && len(o) > 0 {
			element = w.mapping(o, indent+2, path+".")
			first := len(element) - len(strings.TrimLeft(element, " "))
			if first != indent+2 {
				element = at + "-\n" + element // begins with a comment or an action
			} else {
				element = at + "- " + element[indent+2:]
			}
		}
		if lists {
			element = w.block(v.(object), element, at, path)
		}
		text += element
	}
	if lists && path == ".rules" && w.chance(8) {
		text += at + "# kubegen: keep\n" + fmt.Sprintf("%s{{- include \"c.rule\" . | nindent %d }}\n", at, indent+w.shift)
		w.o.kept["extra/extras get<nil>"] = true
	}
	return text
}

func (w *writer) value(v any, indent int, path string) string {
	data, _ := json.Marshal(v)
	if text, ok := v.(string); ok && plainText(text) && w.chance(50) {
		return text + "\n"
	}
	return w.escaped(string(data)) + "\n"
}

// block writes an element of the run's lists, perhaps in a block, with a part of it, or an element that is kept.
func (w *writer) block(v object, element, at, path string) string {
	if w.plain || w.sub {
		return element
	}
	found := elements(w.o.want)
	keys := map[string]any{fmt.Sprint(v["name"]): v}
	if path == ".rules" {
		keys = grantsOf(v)
	}
	isRun := len(keys) > 0
	for key := range keys {
		isRun = isRun && found[key] != nil
	}
	begin := func(toggle string) string {
		word := pick(w.randomChart, "if", "if", "with")
		return at + pick(w.randomChart, "{{- ", "{{- ", "{{ ") + word + " $.Values." + toggle + " }}\n"
	}
	end := at + pick(w.randomChart, "{{- end }}\n", "{{ end }}\n")
	switch {
	case isRun && w.chance(15):
		toggle := w.toggle()
		for key := range keys {
			w.o.toggles[key] = toggle
		}
		if w.chance(30) {
			for key := range keys {
				w.o.kept[key] = toggle
			}
			return begin(toggle) + at + "# kubegen: keep\n" + element + end
		}
		return begin(toggle) + element + end
	case isRun && path == ".rules" && w.chance(15) && v["resources"] != nil && len(v["resources"].([]any)) > 1:
		return w.split(v, at, begin, end)
	case path == ".rules" && w.chance(10):
		toggle := w.toggle()
		w.o.kept["kept/"+toggle+" get<nil>"] = toggle
		return element + begin(toggle) + at + "# kubegen: keep\n" + at + "- {apiGroups: [kept], resources: [" + toggle + "], verbs: [get]}\n" + end
	case w.chance(2):
		w.special = append(w.special, "a range")
		return at + "{{- range $.Values.list }}\n" + element + at + "{{- end }}\n"
	}
	return element
}

// split writes a rule as two, of which one is in a block.
func (w *writer) split(rule object, at string, begin func(string) string, end string) string {
	toggle := w.toggle()
	one, two := clone(rule), clone(rule)
	resources := rule["resources"].([]any)
	one["resources"], two["resources"] = resources[:1], resources[1:]
	keep := pick(w.randomChart, "", at+"# kubegen: keep\n")
	data, _ := json.Marshal(two)
	for key := range grantsOf(two) {
		w.o.toggles[key] = toggle
	}
	first, _ := json.Marshal(one)
	return at + "- " + string(first) + "\n" + begin(toggle) + keep + at + "- " + string(data) + "\n" + end
}
