package openapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// operations describes the requests that a server accepts for kinds.
type operations struct {
	*components
	used map[string]bool // names of the schemas in requests and responses
}

// operation is a method of HTTP on a path.
type operation struct {
	method, action string
	verb           string // begins the name
	text           string // the description; see describe
	options        string // type of meta/v1 whose fields are parameters
	of             string // "object", "list" or the name of a schema of meta/v1: what the response has
	body           string // "object" or the name of a schema of meta/v1, or "" if the request has none
	codes          []int  // of further responses
}

var (
	reads    = []operation{{"get", "get", "read", "read OF the specified KIND", "GetOptions", "object", "", nil}}
	replaces = []operation{
		{"put", "put", "replace", "replace OF the specified KIND", "UpdateOptions", "object", "object", []int{201}},
		{"patch", "patch", "patch", "partially update OF the specified KIND", "PatchOptions", "object", "Patch", nil},
	}
	lists       = []operation{{"get", "list", "list", "list objects of kind KIND", "ListOptions", "list", "", nil}}
	collections = []operation{
		lists[0], {"post", "post", "create", "create A KIND", "CreateOptions", "object", "object", []int{201, 202}},
		{"delete", "deletecollection", "deletecollection", "delete collection of KIND", "ListOptions", "Status", "", nil},
	}
	deletes = []operation{{"delete", "delete", "delete", "delete A KIND", "DeleteOptions", "Status", "DeleteOptions", []int{202}}}
)

// objectTypes are the media types of objects.
var objectTypes = []string{"application/json", "application/yaml"}

// add adds the paths of a kind.
func (o *operations) add(paths map[string]any, k *kind) {
	root := "/apis/" + k.group + "/" + k.version + "/"
	collection, scope := root+k.Plural.Text, ""
	if k.Scope.Text == "Namespaced" {
		paths[collection] = o.path(k, collection, "ForAllNamespaces", "", lists)
		collection, scope = root+"namespaces/{namespace}/"+k.Plural.Text, "Namespaced"
	}
	paths[collection] = o.path(k, collection, scope, "", collections)
	one := collection + "/{name}"
	paths[one] = o.path(k, one, scope, "", slices.Concat(reads, replaces, deletes))
	if k.Status.Pos.IsValid() {
		paths[one+"/status"] = o.path(k, one, scope, "status", slices.Concat(reads, replaces))
	}
	if k.Scale != nil {
		paths[one+"/scale"] = o.path(k, one, scope, "scale", slices.Concat(reads, replaces))
	}
}

// path returns a path with its operations. Parameters that all of these have belong to the path.
func (o *operations) path(k *kind, path, scope, subresource string, all []operation) map[string]any {
	common := []any{parameter("query", "pretty", "string", "whether the response is indented; the default depends on the client")}
	if strings.Contains(path, "{name}") {
		common = append(common, parameter("path", "name", "string", "name of the "+k.kind))
	}
	if strings.Contains(path, "{namespace}") {
		common = append(common, parameter("path", "namespace", "string", "namespace of the object"))
	}
	item := map[string]any{}
	for _, op := range all {
		object := o.operation(k, op, scope, subresource)
		if parameters := o.parameters(op.options); len(all) == 1 {
			common = append(common, parameters...)
		} else if len(parameters) > 0 {
			object["parameters"] = parameters
		}
		item[op.method] = object
	}
	item["parameters"] = sorted(common)
	return item
}

// operation returns an operation without parameters.
func (o *operations) operation(k *kind, op operation, scope, subresource string) map[string]any {
	schema := func(of string) any {
		switch {
		case of == "object" && subresource == "scale":
			return o.ref("k8s.io/api/autoscaling/v1", "Scale")
		case of == "object":
			return o.refTo(k.prefix + "." + k.kind)
		case of == "list":
			return o.refTo(k.prefix + "." + k.ListKind.Text)
		}
		return o.ref(model.MetaV1, of)
	}
	responses := map[string]any{"401": map[string]any{"description": "Unauthorized"}}
	for _, code := range append([]int{200}, op.codes...) {
		responses[strconv.Itoa(code)] = map[string]any{"description": http.StatusText(code), "content": content(schema(op.of), objectTypes...)}
	}
	verb, collection := strings.CutSuffix(op.verb, "collection")
	name := k.kind + identifier(subresource, true)
	if scope == "ForAllNamespaces" {
		name += scope
	} else {
		name = scope + name
	}
	if collection {
		name = "Collection" + name
	}
	id := verb + identifier(strings.TrimSuffix(k.group, ".k8s.io"), true) + identifier(k.version, true) + name
	object := map[string]any{
		"operationId": id, "description": describe(op, k.kind, subresource), "responses": responses, "x-kubernetes-action": op.action,
		"tags":                            []any{identifier(strings.TrimSuffix(k.group, ".k8s.io"), false) + "_" + k.version},
		"x-kubernetes-group-version-kind": map[string]any{"group": k.group, "version": k.version, "kind": k.kind},
	}
	if op.body != "" {
		types := objectTypes
		if op.body == "Patch" {
			types = []string{"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"}
		}
		body := map[string]any{"content": content(schema(op.body), types...)}
		if op.method != "delete" {
			body["required"] = true
		}
		object["requestBody"] = body
	}
	return object
}

// describe returns the description that servers give of an operation, with the kind, its article and the subresource.
func describe(op operation, kind, subresource string) string {
	article, of := "a ", ""
	switch {
	case strings.HasSuffix(kind, "s") && !strings.HasSuffix(kind, "ss"):
		article = ""
	case strings.ContainsRune("aeiou", unicode.ToLower(rune(kind[0]))):
		article = "an "
	}
	if subresource != "" {
		of = subresource + " of "
	}
	return strings.NewReplacer("KIND", kind, "A ", article, "OF ", of).Replace(op.text)
}

// identifier returns a text without the characters that an identifier cannot have. The letters after them are capital.
func identifier(text string, capital bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_':
			capital = true
			return -1
		case capital:
			capital, r = false, unicode.ToUpper(r)
		}
		return r
	}, text)
}

func content(schema any, types ...string) map[string]any {
	all := map[string]any{}
	for _, name := range types {
		all[name] = map[string]any{"schema": schema}
	}
	return all
}

// refTo returns a reference to a schema.
func (o *operations) refTo(name string) any {
	o.used[name] = true
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// ref returns a reference to the schema of a type, or the schema of any object if the type is not found.
func (o *operations) ref(importPath, name string) any {
	if d := o.declared(importPath, name); d != nil {
		return o.refTo(o.addType(d))
	}
	return map[string]any{"type": "object"}
}

func parameter(in, name, typ, description string) map[string]any {
	p := map[string]any{"name": name, "in": in, "schema": map[string]any{"type": typ, "uniqueItems": true}}
	if description != "" {
		p["description"] = description
	}
	if in == "path" {
		p["required"] = true
	}
	return p
}

// parameters returns the fields of a type as parameters.
func (o *operations) parameters(name string) (all []any) {
	d := o.declared(model.MetaV1, name)
	if d == nil {
		return nil
	}
	for _, p := range o.Part(d).Properties {
		typ := p.Type
		if p.Items != nil {
			typ = p.Items.Type
		}
		if goschema.RefOf(p.Schema) == nil && p.Name != "apiVersion" && p.Name != "kind" {
			all = append(all, parameter("query", p.Name, typ, p.Description))
		}
	}
	return sorted(all)
}

// sorted sorts parameters by name.
func sorted(parameters []any) []any {
	name := func(p any) string { return p.(map[string]any)["name"].(string) }
	slices.SortFunc(parameters, func(a, b any) int { return cmp.Compare(name(a), name(b)) })
	return parameters
}
