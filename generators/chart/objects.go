package chart

import (
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/generators/rbac"
	"github.com/kubegen/kubegen/generators/userroles"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Kinds of objects.
const (
	definitionKind = "CustomResourceDefinition"
	clusterRole    = "ClusterRole"
	role           = "Role"
	mutating       = "MutatingWebhookConfiguration"
	validating     = "ValidatingWebhookConfiguration"
)

// webhooks are the parts of a configuration. Markers cannot set selectors and conditions. What an installation decides
// stays if it is templated.
var webhooks = part{closed: true, parts: map[string]part{
	"apiVersion": {yours: true},
	"webhooks": {blocks: true, lenient: true, parts: map[string]part{
		"clientConfig":      {foreign: true},
		"namespaceSelector": selector, "objectSelector": selector, "matchConditions": selector,
		"failurePolicy": {yours: true}, "timeoutSeconds": {yours: true}, "reinvocationPolicy": {yours: true},
	}},
}}

var selector = part{optional: true, yours: true}

// conversion is the part of a definition about conversion by a webhook, whose service is the chart's.
var conversion = part{optional: true, closed: true, parts: map[string]part{
	"strategy": {yours: true}, "webhook": {optional: true, parts: map[string]part{
		"conversionReviewVersions": {yours: true}, "clientConfig": {foreign: true},
	}},
}}

// parts are the parts of objects that are the run's, by kind.
var parts = map[string]part{
	definitionKind: {closed: true, parts: map[string]part{"apiVersion": {yours: true}, "spec": {closed: true, parts: map[string]part{
		"names": {}, "scope": {}, "conversion": conversion,
		"versions": {blocks: true, parts: map[string]part{"served": {yours: true}, "storage": {yours: true}}},
	}}}},
	clusterRole: {closed: true, parts: map[string]part{"apiVersion": {yours: true}, "rules": {blocks: true},
		"aggregationRule": {optional: true},
		"metadata": {optional: true, closed: true, open: true, parts: map[string]part{
			"labels": {closed: true, open: true, parts: map[string]part{}},
		}},
	}},
	role:     {closed: true, parts: map[string]part{"apiVersion": {yours: true}, "rules": {blocks: true}}},
	mutating: webhooks, validating: webhooks,
}

// object is an object of the run.
type object struct {
	yamltext.ManifestObject
	value     map[string]any
	service   service // of its webhooks, in whose place value has unnamed
	file      string  // base name
	generator string  // "" if people wrote the file
}

func (o object) String() string {
	if o.Namespace != "" {
		return o.Kind + " " + o.Namespace + "/" + o.Name
	}
	return o.Kind + " " + o.Name
}

// forUsers reports whether the object is a role whose file decides by labels which other roles include it.
func (o object) forUsers() bool {
	return o.Kind == clusterRole && o.generator != rbac.Generator{}.Info().Name
}

// aggregates is the prefix of labels that make other roles include a role, whether Kubernetes' or a project's.
const aggregates = "rbac."

// aggregating returns the labels of an object that make other roles include it.
func aggregating(value any) map[string]any {
	labels := map[string]any{}
	all, _ := yamltext.At(value, "metadata", "labels").(map[string]any)
	for name, is := range all {
		if strings.HasPrefix(name, aggregates) {
			labels[name] = is
		}
	}
	return labels
}

// owned returns what of the object is the run's, without labels if the document has the same ones.
func (o object) owned(d *document) map[string]any {
	owned := maps.Clone(o.value)
	delete(owned, "metadata")
	if labels := aggregating(o.value); o.forUsers() && !reflect.DeepEqual(labels, aggregating(decoded(d.root))) {
		owned["metadata"] = map[string]any{"labels": labels}
	}
	return owned
}

// besides returns the hand-written files beside generated roles, and errors for files that cannot be read.
func besides(trees []output.Tree) (all []output.Tree, diags diag.List) {
	for _, tree := range trees {
		if tree.Generator != (rbac.Generator{}).Info().Name && tree.Generator != (userroles.Generator{}).Info().Name {
			continue
		}
		files := output.Tree{Dir: tree.Dir}
		entries, _ := os.ReadDir(tree.Dir) // may not exist yet
		for _, in := range entries {
			if name, text := crd.ManifestIn(tree.Dir)(in.Name()); filepath.Ext(name) == ".yaml" {
				if _, err := yamltext.Read(text); err != nil {
					pos := token.Position{Filename: name, Line: 1}
					diags.Errorf(pos, "cannot read the roles that a comment in the chart may name: %v", err).Suggest("correct the YAML")
				}
				files.Files = append(files.Files, output.File{Path: in.Name(), Content: text})
			}
		}
		all = append(all, files)
	}
	return all, diags
}

// objectsIn returns the objects in the manifests of a run. Of several sets of manifests, the first one counts.
func objectsIn(trees []output.Tree) (all []object) {
	found := map[yamltext.ManifestObject]bool{}
	for _, tree := range trees {
		for _, file := range tree.Files {
			documents, _ := yamltext.Read(file.Content) // generated
			for _, d := range documents {
				value, _ := decoded(d.Node).(map[string]any)
				o := object{
					ManifestObject: yamltext.ObjectOf(value), value: value, service: withoutService(value), file: file.Path, generator: tree.Generator,
				}
				if _, ok := parts[o.Kind]; ok && !found[o.ManifestObject] {
					found[o.ManifestObject] = true
					all = append(all, o)
				}
			}
		}
	}
	return all
}

// document is an object in a chart.
type document struct {
	*file
	from, to int  // lines
	same     bool // is a manifest of the run
	listed   bool // is in a list of objects
	kinds    []string
	name     string   // as it is written
	others   []string // names of objects in other branches of the template
	space    string
	marks    []string // objects in comments
	root     *yaml.Node
	mistakes []yamltext.Mistake
}

var (
	// kindLine matches the kind of an object in text that is not YAML: of a definition anywhere, and of others that are
	// neither indented nor in other objects, since bindings of roles have their kinds.
	kindLine = regexp.MustCompile(`^(?:[-{].*?)?["']?kind["']?\s*:(.*)|\bkind["']?\s*:\s*["']?(` + definitionKind + `)\b`)
	word     = regexp.MustCompile(`\w+`)
	yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)
	// mark matches a comment that names the object of the run.
	mark = regexp.MustCompile(`kubegen: (\w+ [^\s*]+|none)`)
)

// documents returns the objects of the kinds in a file.
func (f *file) documents() (all []*document, diags diag.List) {
	from := 0
	for line := 0; line <= len(f.shown); line++ {
		if line < len(f.shown) && (line == 0 || !strings.HasPrefix(f.shown[line], "---") && strings.TrimRight(f.shown[line], "\r") != "...") {
			continue
		}
		d := document{file: f, from: from, to: line}
		for _, text := range f.lines[from:min(line, len(f.lines))] {
			if m := mark.FindStringSubmatch(text); m != nil {
				d.marks = append(d.marks, m[1])
			}
		}
		from = line
		found, wrong := d.read()
		all, diags = append(all, found...), append(diags, wrong...)
	}
	return all, diags
}

// read returns the objects of the kinds in a document.
func (d *document) read() (all []*document, diags diag.List) {
	text := []byte(strings.Join(d.shown[d.from:d.to], "\n") + "\n")
	documents, err := yamltext.Read(text)
	if err != nil {
		line, message, kinds := 0, err.Error(), d.mayHave()
		if m := yamlLine.FindStringSubmatch(message); m != nil {
			fmt.Sscan(m[1], &line)
			message = message[len(m[0]):]
		}
		if len(kinds) > 0 {
			diags.Errorf(d.at(min(d.from+max(line, 1), d.to)-1), "cannot read this %s: %s", kinds[0], message).
				Suggest("make it YAML without its template lines, with --- between objects")
		}
		return nil, diags
	}
	for _, document := range documents {
		if len(document.Content) > 0 {
			all = append(all, d.objects(document.Content[0], document.Mistakes)...)
		}
	}
	return all, diags
}

// mayHave returns the kinds in text that is not YAML.
func (d *document) mayHave() (kinds []string) {
	list := false
	for _, text := range d.lines[d.from:min(d.to, len(d.lines))] {
		found := kindLine.FindStringSubmatch(text)
		if found == nil && list {
			found = kindLine.FindStringSubmatch(strings.TrimLeft(text, "- "))
		}
		for _, in := range found {
			kinds = append(kinds, word.FindAllString(in, -1)...)
			list = list || strings.HasSuffix(strings.Trim(in, ` "'`+"\r"), "List")
		}
	}
	return known(kinds)
}

// objects returns the objects of the kinds that a node is or has in a list.
func (d document) objects(n *yaml.Node, mistakes []yamltext.Mistake) (all []*document) {
	n = yamltext.Resolved(n)
	kind := valueOf(n, "kind")
	if kind == nil {
		return nil
	}
	if items := valueOf(n, "items"); items != nil && strings.HasSuffix(kind.Value, "List") {
		d.listed = true
		for _, item := range yamltext.Resolved(items).Content {
			all = append(all, d.objects(item, mistakes)...)
		}
		return all
	}
	d.kinds = []string{kind.Value}
	templated := false
	if key := strings.Repeat(" ", n.Column-1) + "kind:"; !d.listed {
		for _, text := range d.lines[d.from:min(d.to, len(d.lines))] {
			if in, ok := strings.CutPrefix(text, key); ok { // of a branch of the template, or templated
				d.kinds = append(d.kinds, word.FindAllString(in, -1)...)
				templated = templated || strings.Contains(in, "{{")
			}
		}
	}
	if d.kinds = known(d.kinds); len(d.kinds) == 0 && templated {
		d.kinds = kindsWith(n)
	}
	d.root, d.mistakes = n, mistakes
	metadata := valueOf(n, "metadata")
	d.name, d.space = d.written(metadata, "name"), d.written(metadata, "namespace")
	if len(d.kinds) == 0 {
		return nil
	}
	d.others = d.inBranches()
	return []*document{&d}
}

// inBranches returns the names of objects that precede this one in other branches of the template, without ---.
func (d *document) inBranches() (names []string) {
	for _, m := range d.mistakes {
		first := repeatedKey.FindStringSubmatch(m.Message)
		if first == nil || m.Column != d.root.Column {
			continue
		}
		line, _ := strconv.Atoi(first[1])
		for at := d.from + line; at < d.to && (d.shown[at] == "" || indentOf(d.shown[at]) >= d.root.Column); at++ {
			if strings.HasPrefix(strings.TrimSpace(d.lines[at]), "name:") {
				names = append(names, valueIn(d.lines[at], "name"))
			}
		}
	}
	return names
}

// kindsWith returns the kinds that an object whose kind is templated may have: those of roles if it has rules, or those
// of configurations if it has webhooks.
func kindsWith(n *yaml.Node) (kinds []string) {
	for _, kind := range slices.Sorted(maps.Keys(parts)) {
		for key := range parts[kind].parts {
			if kind != definitionKind && key != "apiVersion" && valueOf(n, key) != nil {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// known returns the kinds that have links to manifests.
func known(kinds []string) []string {
	return slices.DeleteFunc(kinds, func(kind string) bool { _, ok := parts[kind]; return !ok })
}

// written returns the scalar of a key as it is in the file, with actions, and without quotes.
func (d *document) written(object *yaml.Node, key string) string {
	n := valueOf(object, key)
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	for _, text := range allIn(d.lines[d.from+n.Line-1], key) {
		if s, err := readSource("", "'"+text, true); err == nil && strings.Contains(text, "{{") && s.shown[0] == "'"+n.Value {
			return text
		}
	}
	return n.Value
}

// valueIn returns the first value of a key in a line, also of one in braces, without quotes around it.
func valueIn(line, key string) string { return append(allIn(line, key), "")[0] }

func allIn(line, key string) (all []string) {
	for _, found := range valuesIn.FindAllStringSubmatch(line, -1) {
		if found[1] == key {
			all = append(all, strings.TrimSpace(found[2]+found[3]+found[4]))
		}
	}
	return all
}

// valuesIn matches a key with its value, in quotes or not. Both may have actions.
var valuesIn = regexp.MustCompile(`(\w+)(?:["']?:\s+|["']:)(?:'((?:\{\{.*?\}\}|[^'])*)'|"((?:\{\{.*?\}\}|[^"])*)"` +
	`|((?:\{\{.*?\}\}|[^'"{},])(?:\{\{.*?\}\}|[^{},])*))`)

// valueOf returns the value of a key, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for name, value := range yamltext.Entries(n) {
		if name.Value == key {
			return value
		}
	}
	return nil
}

// find returns the documents with an object. ok is false if it cannot be decided.
// bound has the names of roles that the chart binds to an account.
func find(o object, objects []object, documents []*document, bound map[string]bool, diags *diag.List) (found []*document, ok bool) {
	var exact, similar, ofKind, below []*document // below: in charts of the chart
	for _, d := range documents {
		isNamed := func(name string) bool {
			return (name == o.Name || o.Kind != definitionKind && endsIn(name, o.Name)) && d.mayBeIn(o.Namespace)
		}
		is := d.name == o.Name && d.mayBeIn(o.Namespace) || o.Kind == definitionKind && (d.defines(o) || slices.Contains(d.others, o.Name))
		switch {
		case !slices.Contains(d.kinds, o.Kind):
		case slices.Contains(d.marks, o.String()):
			found = append(found, d)
		case len(d.marks) > 0:
		case d.sub && o.Kind != definitionKind:
			if is || isNamed(d.name) {
				below = append(below, d)
			}
		case is:
			exact = append(exact, d)
		case isNamed(d.name) || slices.ContainsFunc(d.others, isNamed):
			similar = append(similar, d)
		default:
			ofKind = append(ofKind, d)
		}
	}
	isWebhook := o.Kind == mutating || o.Kind == validating
	others := slices.ContainsFunc(objects, func(other object) bool { return other.Kind == o.Kind && other.Name != o.Name })
	switch {
	case o.Kind == definitionKind:
		return append(found, exact...), true
	case len(found) > 0:
		return append(found, exact...), true
	case len(exact) > 0:
		found = exact
	case len(similar) > 0:
		found = similar
	case isWebhook && !others && len(ofKind) > 0:
		found = ofKind
	case len(below) > 0:
		diags.Errorf(below[0].position(), "this may be %v, in a chart below this one", o).
			Suggest("add the comment # kubegen: %v if it is, and # kubegen: none otherwise", o)
		return nil, false
	case !isWebhook:
		i := slices.IndexFunc(ofKind, func(d *document) bool { return bound[d.name] && d.resembles(o) })
		if i < 0 {
			return nil, true
		}
		diags.Errorf(ofKind[i].position(), "this may be %v, because most of its rules are for the same resources", o).
			Suggest("add the comment # kubegen: %v if it is, and # kubegen: none otherwise", o)
		return nil, false
	}
	if len(found) > 1 {
		first, second := found[0], found[1]
		diags.Errorf(second.position(), "this may be %v, and so may be the %s in %s:%d", o, o.Kind, first.shownPath, first.position().Line).
			Suggest("add the comment # kubegen: %v to the one that it is", o)
		return nil, false
	}
	return found, true
}

// defines reports whether a definition with a templated name is an object of the run, by its group and plural.
func (d *document) defines(o object) bool {
	spec := valueOf(d.root, "spec")
	group, plural := valueOf(spec, "group"), valueOf(valueOf(spec, "names"), "plural")
	return strings.Contains(d.name, "{{") && group != nil && plural != nil && plural.Value+"."+group.Value == o.Name
}

// mayBeIn reports whether an object may be in a namespace, which may also be the release's.
func (d *document) mayBeIn(namespace string) bool {
	return namespace == "" || d.space == "" || d.space == namespace || strings.Contains(d.space, "{{")
}

// bindings returns the names of roles in the bindings of a file.
func (f *file) bindings() (names []string) {
	for i, line := range f.lines {
		if strings.TrimSpace(line) != "roleRef:" {
			continue
		}
		for _, line := range f.lines[i+1 : min(i+4, len(f.lines))] {
			if strings.HasPrefix(strings.TrimSpace(line), "name:") {
				names = append(names, valueIn(line, "name"))
			}
		}
	}
	return names
}

// resembles reports whether more than half of the resources in the rules of a role are also in the document, by name or
// as all resources of their group.
func (d *document) resembles(o object) bool {
	here, both := map[resource]bool{}, 0
	for _, r := range resourcesOf(yamltext.At(decoded(d.root), "rules")) {
		here[r] = true
	}
	all := resourcesOf(o.value["rules"])
	for _, r := range all {
		if here[r] || here[resource{r.group, "*"}] {
			both++
		}
	}
	return 2*both > len(all)
}

// resource is a resource in a rule.
type resource struct{ group, name any }

// resourcesOf returns the resources in rules.
func resourcesOf(rules any) (all []resource) {
	list, _ := rules.([]any)
	for _, rule := range list {
		groups, _ := yamltext.At(rule, "apiGroups").([]any)
		names, _ := yamltext.At(rule, "resources").([]any)
		for _, group := range groups {
			for _, name := range names {
				all = append(all, resource{group, name})
			}
		}
	}
	return all
}

// endsIn reports whether a name with actions ends in another name, or an action in it has an argument that does.
func endsIn(text, name string) bool {
	if !strings.Contains(text, "{{") {
		return strings.HasSuffix(text, "-"+name)
	}
	return slices.ContainsFunc(textsIn(text), func(text string) bool { return text == name || strings.HasSuffix(text, "-"+name) })
}
