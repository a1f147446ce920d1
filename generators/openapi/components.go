package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/schemas/applyschema"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// kind is a kind in a version that a server serves.
type kind struct {
	*crd.Definition
	crd.Version
	of                   *gotypes.Declaration
	group, version, kind string
	prefix               string // of names in the version, such as com.example.stable.v1
}

// component is a schema with a name.
type component struct {
	*crdschema.Schema
	of         *gotypes.Declaration // nil for a list
	extensions map[string]any
}

// components are the schemas of kinds, lists and the types that they refer to.
type components struct {
	*goschema.Reader
	definitions *reader // knows the names that markers give
	kinds       []*kind // sorted by group, version and name
	all         map[string]*component
	names       map[*gotypes.Declaration]string
	prefixes    map[*load.Package]string
}

func newComponents(schemas *goschema.Reader) *components {
	return &components{
		Reader: schemas, definitions: newReader(schemas.Types()), all: map[string]*component{}, names: map[*gotypes.Declaration]string{},
		prefixes: map[*load.Package]string{},
	}
}

// addKind adds a version of a kind. All must be added before other types.
func (c *components) addKind(d *crd.Definition, v crd.Version) {
	labels := strings.Split(d.Group.Text, ".")
	slices.Reverse(labels)
	k := &kind{d, v, v.Type(), d.Group.Text, v.Name.Text, d.Kind.Text, strings.Join(append(labels, v.Name.Text), ".")}
	c.kinds, c.names[k.of], c.prefixes[k.of.Package] = append(c.kinds, k), k.prefix+"."+k.kind, k.prefix
}

// complete adds the schemas of the kinds and all that they refer to.
func (c *components) complete() {
	slices.SortFunc(c.kinds, func(a, b *kind) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.version, b.version), cmp.Compare(a.kind, b.kind))
	})
	for _, k := range c.kinds { // whose names do not depend on other types
		c.all[c.names[k.of]] = nil
	}
	for _, k := range c.kinds {
		object := c.Part(k.of)
		c.setMeta(object, "PartialObjectMetadata")
		c.add(c.names[k.of], &component{object, k.of, k.extensions(k.kind)})
		list := &crdschema.Schema{
			Type: "object", Description: k.ListKind.Text + " is a list of " + k.kind, Required: []string{"items"},
			Properties: []crdschema.Property{{Name: "items", Schema: &crdschema.Schema{
				Type: "array", Description: "List of " + k.Plural.Text + ".", Items: &crdschema.Schema{Ref: k.of},
			}}},
		}
		c.setMeta(list, "PartialObjectMetadataList")
		c.add(k.prefix+"."+k.ListKind.Text, &component{list, nil, k.extensions(k.ListKind.Text)})
	}
}

// extensions returns the extensions of the schema of objects or lists.
func (k *kind) extensions(name string) map[string]any {
	all := map[string]any{"x-kubernetes-group-version-kind": []any{map[string]any{"group": k.group, "version": k.version, "kind": name}}}
	var selectable []any
	for _, field := range k.SelectableFields {
		selectable = append(selectable, map[string]any{"fieldPath": strings.TrimPrefix(field.Text, ".")})
	}
	if selectable != nil {
		all["x-kubernetes-selectable-fields"] = selectable
	}
	return all
}

// declared returns a declared type of a package that need not be imported, or nil if it is not found.
func (c *components) declared(importPath, name string) *gotypes.Declaration {
	types := c.Types()
	types.Preload(importPath)
	if src := types.Known[importPath]; src != nil {
		types.ReadOnce(src)
		return types.Declared(src, name)
	}
	return nil
}

// setMeta sets the properties that all objects or lists have, which a server describes like a type of meta/v1.
func (c *components) setMeta(s *crdschema.Schema, as string) {
	if d := c.declared(model.MetaV1, as); d != nil {
		common, meta := c.Part(d), &crdschema.Schema{}
		for _, name := range crdschema.ResourceFields {
			meta.Properties = append(meta.Properties, crdschema.Property{Name: name, Schema: common.Property(name)})
		}
		s.Set(meta)
	}
}

// add adds a schema and the ones that it refers to.
func (c *components) add(name string, added *component) {
	c.all[name] = added
	added.Walk(func(s *crdschema.Schema) bool {
		if d := goschema.RefOf(s); d != nil && c.names[d] == "" {
			c.addType(d)
		}
		return true
	})
}

// addType adds the schema of a type that is no kind. It returns its name.
func (c *components) addType(d *gotypes.Declaration) string {
	if c.names[d] == "" {
		name := applyschema.Name(&model.StructType{TypeRef: d.TypeRef})
		if prefix := cmp.Or(c.definitions.modelPackage(d), c.prefixes[d.Package]); prefix != "" && !c.has(prefix+"."+d.Name) {
			name = prefix + "." + d.Name
		}
		name = strings.NewReplacer("~", "_", "+", "_").Replace(name)
		unique := name
		for i := 2; c.has(unique); i++ {
			unique = fmt.Sprintf("%s_%d", name, i)
		}
		c.names[d] = unique
		c.add(unique, &component{c.Part(d), d, nil})
	}
	return c.names[d]
}

func (c *components) has(name string) bool {
	_, has := c.all[name]
	return has
}

// versions returns the kinds by group and version.
func (c *components) versions() (all [][]*kind) {
	for i, k := range c.kinds {
		if i == 0 || c.kinds[i-1].prefix != k.prefix {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], k)
	}
	return all
}

// reached returns the schemas of some names, and those that they refer to, as values for documents.
func (c *components) reached(value func(*crdschema.Schema) map[string]any, names ...string) map[string]any {
	found := map[string]any{}
	for ; len(names) > 0; names = names[1:] {
		of := c.all[names[0]]
		if found[names[0]] != nil || of == nil {
			continue
		}
		object := value(of.Schema)
		maps.Copy(object, of.extensions)
		found[names[0]] = object
		of.Walk(func(s *crdschema.Schema) bool {
			if d := goschema.RefOf(s); d != nil {
				names = append(names, c.names[d])
			}
			return true
		})
	}
	return found
}

// v3 returns a schema as a server publishes it in version 3.
func (c *components) v3(s *crdschema.Schema) map[string]any {
	object := c.embedded(s).Object(func(_ string, s *crdschema.Schema) any { return c.v3(s) })
	return c.referring(object, s, "#/components/schemas/")
}

// referring returns an object with the reference of a schema, if it has one. Other keywords beside it would have no
// effect.
func (c *components) referring(object map[string]any, s *crdschema.Schema, place string) map[string]any {
	d := goschema.RefOf(s)
	if d == nil {
		return object
	}
	ref := map[string]any{"$ref": place + c.names[d]}
	if len(object) == 0 {
		return ref
	}
	parts, _ := object["allOf"].([]any)
	object["allOf"] = append([]any{ref}, parts...)
	return object
}

// embedded returns the schema of an embedded object with the properties of all objects.
func (c *components) embedded(s *crdschema.Schema) *crdschema.Schema {
	if !s.EmbeddedResource {
		return s
	}
	with := *s
	with.Properties = slices.Clone(s.Properties)
	c.setMeta(&with, "PartialObjectMetadata")
	with.Required = slices.Clone(s.Required)
	for _, name := range []string{"kind", "apiVersion"} {
		if !slices.Contains(with.Required, name) {
			with.Required = append(with.Required, name)
		}
	}
	return &with
}

// openapi returns the document of a version of a group.
func (c *components) openapi(kinds []*kind) map[string]any {
	ops := &operations{c, map[string]bool{}}
	paths := map[string]any{}
	for _, k := range kinds {
		ops.add(paths, k)
	}
	schemas := c.reached(c.v3, slices.Sorted(maps.Keys(ops.used))...)
	info := map[string]any{"title": kinds[0].group + "/" + kinds[0].version, "version": kinds[0].version}
	return map[string]any{"openapi": "3.0.0", "info": info, "paths": paths, "components": map[string]any{"schemas": schemas}}
}

// swagger returns the document of all kinds, without paths.
func (c *components) swagger() map[string]any {
	schemas := c.reached(c.v2, slices.Sorted(maps.Keys(c.all))...)
	for name, of := range c.all {
		if of.of != nil {
			c.setPatches(of.of, schemas[name].(map[string]any)["properties"], 0)
		}
	}
	title := c.kinds[0].group
	if owner := c.kinds[0].of.Package.Owner; owner != nil {
		title = owner.Path
	}
	info := map[string]any{"title": title, "version": "unversioned"}
	return map[string]any{"swagger": "2.0", "info": info, "paths": map[string]any{}, "definitions": schemas}
}

// v2 returns a schema for a Swagger document, without keywords that version 2 lacks.
func (c *components) v2(s *crdschema.Schema) map[string]any {
	object := s.Object(func(_ string, s *crdschema.Schema) any { return c.v2(s) })
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "not"} {
		delete(object, keyword)
	}
	if s.Nullable {
		delete(object, "nullable")
		object["x-nullable"] = true
	}
	if s.IntOrString {
		object["type"], object["format"] = "string", "int-or-string"
	}
	if s.ListType == "map" || s.ListType == "set" { // strategic merge patches, as kustomize has, merge what a server merges
		object[extensionsOf["patchStrategy"]] = "merge"
	}
	if len(s.ListMapKeys) > 0 {
		object[extensionsOf["patchMergeKey"]] = s.ListMapKeys[0]
	}
	if d := goschema.RefOf(s); d != nil {
		object["$ref"] = "#/definitions/" + c.names[d]
	}
	return object
}

// setPatches sets the extensions of a struct's properties that its struct tags have.
func (c *components) setPatches(d *gotypes.Declaration, properties any, depth int) {
	all, ok := properties.(map[string]any)
	if _, in := c.Types().Underlying(d); ok && in != nil {
		d = in
	}
	for _, f := range d.Fields {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if property, ok := all[name].(map[string]any); ok {
			for _, key := range []string{"patchStrategy", "patchMergeKey"} {
				if value := f.Tag.Get(key); value != "" {
					property[extensionsOf[key]] = value
				}
			}
		}
		if embedded := c.Types().Follow(d, f.Type.Target()); f.Name == "" && name == "" && embedded != nil && depth < maxDepth {
			c.setPatches(embedded, properties, depth+1)
		}
	}
}
