package chart

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

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
var webhooks = part{closed: true, parts: map[string]part{"webhooks": {blocks: true, lenient: true, parts: map[string]part{
	"clientConfig":      {foreign: true},
	"namespaceSelector": selector, "objectSelector": selector, "matchConditions": selector,
	"failurePolicy": {yours: true}, "timeoutSeconds": {yours: true}, "reinvocationPolicy": {yours: true},
}}}}

var selector = part{optional: true, yours: true}

// parts are the parts of objects that are the run's, by kind.
var parts = map[string]part{
	definitionKind: {closed: true, parts: map[string]part{"spec": {closed: true, parts: map[string]part{
		"names": {}, "scope": {}, "versions": {blocks: true, parts: map[string]part{"served": {yours: true}, "storage": {yours: true}}},
	}}}},
	clusterRole: {closed: true, parts: map[string]part{"rules": {blocks: true}}},
	role:        {closed: true, parts: map[string]part{"rules": {blocks: true}}},
	mutating:    webhooks, validating: webhooks,
}

// object is an object of the run.
type object struct {
	yamltext.ManifestObject
	value map[string]any
	file  string // base name
}

func (o object) String() string {
	if o.Namespace != "" {
		return o.Kind + " " + o.Namespace + "/" + o.Name
	}
	return o.Kind + " " + o.Name
}

// objectsIn returns the objects in the manifests of a run. Of several sets of manifests, the first one counts.
func objectsIn(trees []output.Tree) (all []object) {
	found := map[yamltext.ManifestObject]bool{}
	for _, tree := range trees {
		for _, file := range tree.Files {
			documents, _ := yamltext.Read(file.Content.Bytes()) // generated
			for _, d := range documents {
				value, _ := decoded(d.Node).(map[string]any)
				o := object{value: value, file: file.Path}
				o.Kind, _ = value["kind"].(string)
				o.Name, _ = at(value, "metadata", "name").(string)
				o.Namespace, _ = at(value, "metadata", "namespace").(string)
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
	kinds    []string
	name     string // as it is written
	space    string
	marks    []string // objects in comments
	root     *yaml.Node
	mistakes []yamltext.Mistake
}

var (
	kindLine = regexp.MustCompile(`^kind:(.*)`)
	word     = regexp.MustCompile(`\w+`)
	yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)
	// mark matches a comment that names the object of the run.
	mark = regexp.MustCompile(`kubegen: (\w+ [^\s*]+|none)`)
)

// documents returns the objects of the kinds in a file.
func (f *file) documents(diags *diag.List) (all []*document) {
	from := 0
	for line := 0; line <= len(f.shown); line++ {
		if line < len(f.shown) && (line == 0 || !strings.HasPrefix(f.shown[line], "---")) {
			continue
		}
		d := &document{file: f, from: from, to: line}
		for _, text := range f.lines[from:min(line, len(f.lines))] {
			if m := kindLine.FindStringSubmatch(text); m != nil {
				d.kinds = append(d.kinds, word.FindAllString(m[1], -1)...)
			}
			if m := mark.FindStringSubmatch(text); m != nil {
				d.marks = append(d.marks, m[1])
			}
		}
		from = line
		d.kinds = slices.DeleteFunc(d.kinds, func(kind string) bool { _, ok := parts[kind]; return !ok })
		if len(d.kinds) > 0 && d.read(diags) {
			all = append(all, d)
		}
	}
	return all
}

// read parses a document.
func (d *document) read(diags *diag.List) bool {
	text := []byte(strings.Join(d.shown[d.from:d.to], "\n") + "\n")
	documents, err := yamltext.Read(text)
	documents = slices.DeleteFunc(documents, func(d yamltext.Document) bool {
		return len(d.Content) == 0 || d.Content[0].Kind != yaml.MappingNode
	})
	switch {
	case err != nil:
		line, message := 0, err.Error()
		if m := yamlLine.FindStringSubmatch(message); m != nil {
			fmt.Sscan(m[1], &line)
			message = message[len(m[0]):]
		}
		diags.Errorf(d.at(min(d.from+max(line, 1), d.to)-1), "cannot read this %s: %s", d.kinds[0], message).
			Suggest("make it YAML without its template lines, with --- between objects")
		return false
	case len(documents) != 1:
		return false
	}
	d.root, d.mistakes = documents[0].Content[0], documents[0].Mistakes
	metadata := valueOf(d.root, "metadata")
	d.name, d.space = d.written(metadata, "name"), d.written(metadata, "namespace")
	return true
}

// written returns the scalar of a key as it is in the file, with actions, and without quotes.
func (d *document) written(object *yaml.Node, key string) string {
	n := valueOf(object, key)
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	if text := valueIn(d.lines[d.from+n.Line-1], key); strings.Contains(text, "{{") {
		return text
	}
	return n.Value
}

// valueIn returns the value of a key in a line, also of one in braces, without quotes around it.
func valueIn(line, key string) string {
	for _, found := range valuesIn.FindAllStringSubmatch(line, -1) {
		if found[1] == key {
			return strings.TrimSpace(found[2] + found[3] + found[4])
		}
	}
	return ""
}

// valuesIn matches a key with its value, in quotes or not. Both may have actions.
var valuesIn = regexp.MustCompile(`(\w+):\s+(?:'((?:\{\{.*?\}\}|[^'])*)'|"((?:\{\{.*?\}\}|[^"])*)"` +
	`|((?:\{\{.*?\}\}|[^'"{},])(?:\{\{.*?\}\}|[^{},])*))`)

// valueOf returns the value of a key, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// find returns the documents with an object. ok is false if it cannot be decided.
// bound has the names of roles that the chart binds to an account.
func find(o object, objects []object, documents []*document, bound map[string]bool, diags *diag.List) (found []*document, ok bool) {
	var exact, similar, ofKind []*document
	for _, d := range documents {
		switch {
		case !slices.Contains(d.kinds, o.Kind):
		case slices.Contains(d.marks, o.String()):
			found = append(found, d)
		case len(d.marks) > 0:
		case d.name == o.Name && d.mayBeIn(o.Namespace):
			exact = append(exact, d)
		case o.Kind != definitionKind && endsIn(d.name, o.Name) && d.mayBeIn(o.Namespace):
			similar = append(similar, d)
		default:
			ofKind = append(ofKind, d)
		}
	}
	isWebhook := o.Kind == mutating || o.Kind == validating
	others := slices.ContainsFunc(objects, func(other object) bool { return other.Kind == o.Kind && other.Name != o.Name })
	switch {
	case len(found) > 0 || o.Kind == definitionKind:
		return append(found, exact...), true
	case len(exact) > 0:
		found = exact
	case len(similar) > 0:
		found = similar
	case isWebhook && !others:
		found = ofKind
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

// mayBeIn reports whether an object may be in a namespace: it may also be that of the release.
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
	for _, r := range resourcesOf(at(decoded(d.root), "rules")) {
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
		groups, _ := at(rule, "apiGroups").([]any)
		names, _ := at(rule, "resources").([]any)
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
