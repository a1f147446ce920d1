package crdschema

import (
	"cmp"
	"go/token"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Check reports mistakes in the schema of a kind. Anything that an API server rejects is an error. Of what a server
// accepts, Check warns only of limits, fields and enums that contradict each other within one schema. CEL rules are not
// compiled. The schema must be merged. hasStatus means that the version has a status subresource. A mistake in a
// package that users cannot edit is reported at the field that uses it.
func (s *Schema) Check(fset *token.FileSet, hasStatus bool) diag.List {
	c := &checker{fset: fset}
	c.kind(s, hasStatus)
	return c.diags
}

// CheckRead returns what an API server rejects in the schema of a kind in a manifest file, at its place there. Wrong
// list types are errors, because clients depend on them. All other mistakes have the severity rejected. The advice is
// for authors of Go types.
func (s *Schema) CheckRead(file string, hasStatus bool, rejected diag.Severity) diag.List {
	c := &checker{file: file, rejected: rejected}
	c.kind(s, hasStatus)
	return c.diags
}

type checker struct {
	fset     *token.FileSet
	file     string        // the manifest with the schema, or "" for a schema derived from Go types
	rejected diag.Severity // of what an API server rejects
	diags    diag.List
	steps    []into // from the root to the current schema
}

// kind checks the schema of a kind.
func (c *checker) kind(s *Schema, hasStatus bool) {
	c.structure(s, node{pos: s.Pos})
	if hasStatus {
		c.rootWithStatus(s, node{pos: s.Pos})
	}
}

// into is a step from a schema to one inside it.
type into struct {
	level
	name string // name of a property; "" for list elements and map values
}

// level is the place of a schema in the enclosing one.
type level int

const (
	atRoot level = iota
	inElements
	inValues
	inProperty
)

// node describes the surroundings of a schema.
type node struct {
	level
	pos     token.Pos // position of the innermost enclosing field or type that has one
	steps   int       // number of steps to the schema at pos
	unknown int       // 1 plus the number of steps to the outermost list whose elements have no identity; 0 if there is no such list
	inMeta  bool      // inside the metadata of an object
	inMap   bool      // inside the values of a map, where defaults are not validated
}

// enter calls visit for a schema inside the current one, with its node.
func (c *checker) enter(s *Schema, n node, by into, visit func(*Schema, node)) {
	c.steps = append(c.steps, by)
	n.level = by.level
	if s.Pos != token.NoPos {
		n.pos, n.steps = s.Pos, len(c.steps)
	}
	visit(s, n)
	c.steps = c.steps[:len(c.steps)-1]
}

// pathOf formats steps as .field[*], with .* for the values of a map.
func pathOf(steps []into) string {
	var b strings.Builder
	for _, by := range steps {
		switch by.level {
		case inElements:
			b.WriteString("[*]")
		case inValues:
			b.WriteString(".*")
		default:
			b.WriteString("." + by.name)
		}
	}
	return b.String()
}

// at returns the position of the last marker with one of the names. Without such a marker, it returns the position of
// the enclosing field or type, and the path from there to the schema.
func (c *checker) at(n node, s *Schema, names ...string) (token.Position, string) {
	if c.file != "" {
		return c.place(s), ""
	}
	if m := s.Marker(names, nil); m.Name != "" {
		return m.Pos, ""
	}
	if edit := s.edited(); edit.IsValid() {
		return edit, pathOf(c.steps)
	}
	return c.fset.Position(n.pos), pathOf(c.steps[n.steps:])
}

// place returns the position of a schema.
func (c *checker) place(s *Schema) token.Position {
	if c.file != "" {
		return token.Position{Filename: c.file, Line: s.Line, Column: s.Column}
	}
	return c.fset.Position(s.Pos)
}

// errorf reports what an API server rejects.
func (c *checker) errorf(n node, s *Schema, names []string, format string, args ...any) *diag.Diagnostic {
	return c.add(c.rejected, n, s, names, format, args...)
}

// warnf warns of what an API server accepts, except in manifests, because these are not the user's.
func (c *checker) warnf(n node, s *Schema, names []string, format string, args ...any) *diag.Diagnostic {
	if c.file != "" {
		return &diag.Diagnostic{}
	}
	return c.add(diag.Warning, n, s, names, format, args...)
}

// neverf reports that a value is never valid: a warning, or an error if an edit sets keywords of the schema.
func (c *checker) neverf(n node, s *Schema, names []string, format string, args ...any) *diag.Diagnostic {
	if !s.SetBy.IsValid() || c.file != "" {
		return c.warnf(n, s, names, format, args...)
	}
	return c.add(diag.Error, n, editedBy(s.SetBy), names, format, args...).WithRelated(s.Marker(names, nil).Pos)
}

// editedBy returns a schema with nothing but the position of an edit, for messages.
func editedBy(edit token.Position) *Schema {
	return &Schema{Origin: Origin{Changes: Changes{Edits: []token.Position{edit}}}}
}

// listErrorf reports a list type that an API server rejects.
func (c *checker) listErrorf(n node, s *Schema, names []string, format string, args ...any) *diag.Diagnostic {
	return c.add(diag.Error, n, s, names, format, args...)
}

// add reports a diagnostic at the position that the method at returns.
func (c *checker) add(severity diag.Severity, n node, s *Schema, names []string, format string, args ...any) *diag.Diagnostic {
	pos, path := c.at(n, s, names...)
	message := diag.Textf(format, args...)
	if path != "" {
		message = diag.Textf("at %s: %s", path, message)
	}
	d := c.diags.Add(severity, pos, "%s", message)
	if edit := s.edited(); edit != pos {
		d.WithRelated(edit)
	}
	return d
}

// edited returns the position of the last edit of a schema, or else of the elements of a list. It may be none.
func (s *Schema) edited() token.Position {
	switch n := len(s.Edits); {
	case n > 0:
		return s.Edits[n-1]
	case s.SetBy.IsValid():
		return s.SetBy
	case s.Items != nil:
		return s.Items.edited()
	}
	return token.Position{}
}

var types = []string{"string", "number", "integer", "boolean", "array", "object"}

// Names of the markers that set a keyword, for Marker.
var (
	TypeMarkers     = []string{"Type"}
	DefaultMarkers  = []string{"default", "kubebuilder:default"}
	PreserveMarkers = []string{"XPreserveUnknownFields", "kubebuilder:pruning:PreserveUnknownFields"}
	EmbeddedMarkers = []string{"XEmbeddedResource", "EmbeddedResource"}
	MapTypeMarkers  = []string{"mapType", "structType"}
)

// structure checks a schema outside of allOf, anyOf, oneOf and not, and the schemas in it.
func (c *checker) structure(s *Schema, n node) {
	c.form(s, n)
	for _, k := range Keywords {
		if k.check != nil && k.has(s) {
			k.check(c, k, s, n)
		}
	}
	c.crossed(s, n)
	c.lost(s, n)
	c.unmet(s, n)
	c.list(s, n)
	if len(s.Validations) > 0 && !s.hasKnownValues() {
		c.errorf(n, s, []string{"XValidation"}, "rules cannot be about values whose type is not known").
			Suggest("delete the rule, or give the value and its parts types")
	}
	saying := map[ruleKey]model.Marker{}
	if len(s.Validations) > 0 {
		saying = s.saying()
	}
	for i := range s.Validations {
		c.rule(s, saying[ruleKey{s.Validations[i].Rule, s.Validations[i].FieldPath}], n, &s.Validations[i])
	}
	if s.Default != nil && s.Default.JSON != nil {
		c.defaultValue(s, n)
	}
	c.junctors(s, s, n, s, IsIntOrString(s.AnyOf))
	c.children(s, n)
}

// form checks the type of a schema, and keywords that depend on the type.
func (c *checker) form(s *Schema, n node) {
	switch {
	case s.Failed:
	case s.Type == "" && s.EmbeddedResource:
		c.errorf(n, s, EmbeddedMarkers, "an embedded resource must be of type object").Suggest("add +%sType=object", Validation)
	case s.Type != "" && s.Type != "object" && s.EmbeddedResource:
		c.errorf(n, s, EmbeddedMarkers, "an embedded resource must be of type object, and this is %s", KindOf(s)).
			Suggest("delete the marker, or use a struct or map")
	case s.Recursive && !s.PreserveUnknownFields && s.Items == nil && s.AdditionalProperties == nil && len(s.Properties) == 0 &&
		s.Marker(TypeMarkers, nil).Name == "":
		reportf, message := c.errorf, "the type contains itself, which a schema cannot express"
		if s.Type == "object" { // as controller-gen writes it, which servers accept
			reportf, message = c.warnf, "API servers prune what is in objects here, because the type contains itself"
		}
		reportf(n, s, TypeMarkers, "%s", message).
			Suggest("add +%sSchemaless and +kubebuilder:pruning:PreserveUnknownFields to the field", Validation)
	case s.Type == "" && !s.IntOrString && !s.PreserveUnknownFields:
		c.errorf(n, s, TypeMarkers, "the schema has no type").
			Suggest("add +%sType=object or another type, or +kubebuilder:pruning:PreserveUnknownFields if any value is allowed", Validation)
	case s.Type != "" && !slices.Contains(types, s.Type):
		c.errorf(n, s, TypeMarkers, "%q is not a type of values in JSON", s.Type).Suggest("use one of %s", strings.Join(types, ", "))
	case n.level == atRoot && s.Type != "object":
		c.errorf(n, s, TypeMarkers, "a kind must be of type object, not %s", s.Type).Suggest("delete the marker")
	case s.Type == "array" && s.Items == nil:
		c.errorf(n, s, TypeMarkers, "the elements of the list have no schema").
			Suggest("use a Go type that is a slice, or the marker +%sSchemaless for a list of any values", Validation)
	}
	if n.level == atRoot && s.Nullable {
		c.errorf(n, s, []string{"nullable"}, "the whole object would be null, which a kind cannot be").
			Suggest("delete the marker, which is on an embedded struct")
	}
	if s.IntOrString && s.PreserveUnknownFields {
		c.errorf(n, s, PreserveMarkers, "an integer or string has no fields to preserve").Suggest("delete the marker")
	}
	if s.IntOrString && (s.Items != nil || s.AdditionalProperties != nil || len(s.Properties) > 0) {
		reportf := c.warnf
		if len(s.Validations) > 0 &&
			(s.Items.hasRules() || s.AdditionalProperties.hasRules()) { // servers cannot determine the types in such rules
			reportf = c.errorf
		}
		reportf(n, s, []string{"XIntOrString"}, "an integer or string has no fields or elements").Suggest("delete the marker")
	}
	if s.EmbeddedResource {
		switch {
		case s.IntOrString:
			c.errorf(n, s, EmbeddedMarkers, "an integer or string is not a resource").Suggest("delete the marker")
		case n.inMeta:
			c.errorf(n, s, EmbeddedMarkers, "metadata cannot contain a resource").Suggest("delete the marker")
		case s.AdditionalProperties != nil || s.AnyProperties:
			c.errorf(n, s, EmbeddedMarkers, "an embedded resource cannot be a map").Suggest("use a struct or runtime.RawExtension")
		case s.Type == "object" && len(s.Properties) == 0 && !s.PreserveUnknownFields:
			c.errorf(n, s, EmbeddedMarkers, "an embedded resource must have fields of its own, or preserve all").
				Suggest("add +kubebuilder:pruning:PreserveUnknownFields")
		}
	}
	if (s.AdditionalProperties != nil || s.NoProperties) && len(s.Properties) > 0 {
		c.errorf(n, s, nil, "an object is either a map or has fields, not both").Suggest("check the embedded structs")
	}
	if n.level == atRoot && (s.AdditionalProperties != nil || s.AnyProperties || s.NoProperties) {
		c.errorf(n, s, nil, "a kind cannot be a map").Suggest("make it a struct")
	}
	if n.level == atRoot || s.EmbeddedResource {
		for _, name := range ResourceFields {
			want := "string"
			if name == "metadata" {
				want = "object"
			}
			if p := s.Property(name); p != nil && p.Type != want && !p.Failed {
				c.enter(p, n, into{inProperty, name}, func(p *Schema, n node) {
					c.errorf(n, p, TypeMarkers, "%s of a resource must be of type %s, and this is %s", name, want, KindOf(p)).
						Suggest("give the field another JSON name, or the type of the field in metav1")
				})
			}
		}
	}
}

// rootWithStatus checks the schema of a kind with a status subresource. The server derives a schema for the status
// alone from it, and supports few keywords at the root.
func (c *checker) rootWithStatus(s *Schema, n node) {
	for _, k := range Keywords {
		if !k.noStatus || !k.has(s) {
			continue
		}
		what := "such a schema"
		if m := s.Marker(k.Names(), nil); m.Name != "" {
			what = "+" + m.Name
		}
		c.errorf(n, s, k.Names(), "a kind with a status subresource cannot have %s", what).Suggest("delete it, or move it to the type of a field")
	}
}

// children checks the schemas of list elements, map values and properties.
func (c *checker) children(s *Schema, n node) {
	if s.Items != nil {
		in := n
		if s.ListType != "map" && n.unknown == 0 {
			in.unknown = len(c.steps) + 1
		}
		c.enter(s.Items, in, into{level: inElements}, c.structure)
	}
	if s.AdditionalProperties != nil {
		in := n
		in.inMap = true
		c.enter(s.AdditionalProperties, in, into{level: inValues}, c.structure)
	}
	isResource := n.level == atRoot || s.EmbeddedResource
	for _, p := range s.Properties {
		in := n
		if isResource && slices.Contains(ResourceFields, p.Name) {
			in.inMeta = true
			if n.level == atRoot && p.Name == "metadata" && !p.restrictsNames() {
				c.enter(p.Schema, n, into{inProperty, p.Name}, func(p *Schema, n node) {
					c.errorf(n, p, nil, "metadata of a kind can have a type and schemas of name and generateName, and nothing else").
						Suggest("delete the markers of the field")
				})
			}
			if n.level == atRoot && p.Default != nil {
				c.errorf(n, p.Schema, DefaultMarkers, "%s of a kind cannot have a default", p.Name).Suggest("delete the marker")
			}
		}
		c.enter(p.Schema, in, into{inProperty, p.Name}, c.structure)
	}
}

// restrictsNames reports whether the schema of metadata has nothing but its type and schemas of names.
func (s *Schema) restrictsNames() bool {
	return !slices.ContainsFunc(Keywords, func(k *Keyword) bool { return k.Name != "type" && k.Name != "properties" && k.has(s) }) &&
		!slices.ContainsFunc(s.Names(), func(name string) bool { return name != "name" && name != "generateName" })
}

// patterns holds functions that return compiled regular expressions, by their texts.
var patterns sync.Map

// compiled compiles a regular expression, once.
func compiled(text string) (*regexp.Regexp, error) {
	known, _ := patterns.LoadOrStore(text, sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(text) }))
	return known.(func() (*regexp.Regexp, error))()
}

// pattern checks the pattern of s. The markers belong to from.
func (c *checker) pattern(s *Schema, n node, from *Schema) {
	if s.Pattern == "" {
		return
	}
	if _, err := compiled(s.Pattern); err != nil {
		c.errorf(
			n, from.only("Pattern", s.Pattern), []string{"Pattern"}, "the pattern is wrong: %s",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "),
		).Suggest("use the syntax of Go, which has no lookaround and no backreferences")
	}
}

// format warns if servers do not know a string format.
func (c *checker) format(k *Keyword, s *Schema, n node) {
	if s.Type != "string" {
		return
	}
	name := strings.ReplaceAll(s.Format, "-", "")
	if _, ok := formats[name]; ok {
		return
	}
	d := c.warnf(n, s, k.Names(), "no server checks the format %s", s.Format)
	if nearest, ok := diag.Nearest(name, slices.Sorted(maps.Keys(formats))); ok {
		hyphens := map[string]string{"datetime": "date-time", "k8slongname": "k8s-long-name", "k8sshortname": "k8s-short-name"}
		d.Suggest("did you mean %s?", cmp.Or(hyphens[nearest], nearest))
	} else {
		d.Suggest("add +%sPattern", Validation)
	}
}

// only returns a schema whose only marker is the last one of s with this name and value. It returns s if there is none.
func (s *Schema) only(name string, value any) *Schema {
	m := s.Marker([]string{name}, func(m model.Marker) bool { return m.Value == value })
	if m.Name == "" {
		return s
	}
	changes := Changes{Edits: []token.Position{s.edited()}, SetBy: s.SetBy}
	return &Schema{Origin: Origin{Pos: s.Pos, Markers: []model.Marker{m}, Changes: changes}}
}

// junctors checks the schemas in allOf, anyOf, oneOf and not. They may only restrict values. The two alternatives of
// int-or-string are the one exception. from and whole are as for nested.
func (c *checker) junctors(s, from *Schema, n node, whole *Schema, skipAnyOf bool) {
	for i, part := range s.AllOf {
		c.nested(part, from, n, whole, i == 0 && IsIntOrString(part.AnyOf))
	}
	for _, part := range s.alternatives(skipAnyOf) {
		c.nested(part, from, n, whole, false)
	}
}

// alternatives returns the schemas in anyOf, unless it is skipped, then those in oneOf and not.
func (s *Schema) alternatives(skipAnyOf bool) []*Schema {
	parts := slices.Concat(s.AnyOf, s.OneOf, []*Schema{s.Not})
	if skipAnyOf {
		parts = parts[len(s.AnyOf):]
	}
	return slices.DeleteFunc(parts, func(part *Schema) bool { return part == nil })
}

// IsIntOrString reports whether anyOf allows exactly integers and strings.
func IsIntOrString(anyOf []*Schema) bool {
	return slices.EqualFunc(anyOf, IntOrString, func(a, b *Schema) bool {
		return reflect.DeepEqual(*a, Schema{Type: b.Type, Origin: a.Origin})
	})
}

// nested checks a schema in allOf, anyOf, oneOf or not. from is the enclosing schema, which has the markers. whole is
// the part of from that applies to the same values, or nil. Servers refuse such values only at the root.
func (c *checker) nested(s, from *Schema, n node, whole *Schema, skipAnyOf bool) {
	if whole == nil && n.level == atRoot {
		c.errorf(n, from, nil, "parts of the schema have values of their own").Suggest("check the embedded structs and the markers of the type")
		return
	}
	whole = cmp.Or(whole, noKeywords)
	differ := func(names []string, what string) {
		c.errorf(n, from, names, "parts of the schema have different %s", what).
			Suggest("check the embedded structs, and the markers of the field and of its type")
	}
	for _, k := range Keywords {
		if k.differs != "" && k.has(s) {
			differ(k.Names(), k.differs)
		}
	}
	if s.Property("metadata") != nil {
		differ(nil, "metadata")
	}
	c.pattern(s, n, from)
	c.junctors(s, from, n, whole, skipAnyOf)
	if s.Items != nil {
		c.nested(s.Items, from, n, whole.Items, false)
	}
	property := whole.Lookup()
	for _, p := range s.Properties {
		if field := whole.dropped(p.Name); field != nil {
			c.errorf(n, editedBy(field.Edit), nil, "allOf, anyOf, oneOf or not has the dropped field %s", p.Name).
				Suggest(keepField)
			continue
		}
		c.nested(p.Schema, from, n, property(p.Name), false)
	}
}

// check warns of an excluded limit that is absent.
func (e edge) check(c *checker, k *Keyword, s *Schema, n node) {
	if limit, _ := e.of(s); limit == nil {
		c.warnf(n, s, k.Names(), "+%s%s has no effect without a %s", Validation, k.Marker, e.what).
			Suggest("add +%s%s", Validation, strings.TrimPrefix(k.Marker, "Exclusive"))
	}
}

func (c *checker) unique(k *Keyword, s *Schema, n node) {
	c.errorf(n, s, k.Names(), "no API server accepts unique items, because the time to compare them grows with the square of their number").
		Suggest("use +listType=set")
}

func (c *checker) mapType(k *Keyword, s *Schema, n node) {
	if s.Type != "object" {
		c.errorf(n, s, k.Names(), "a map type is for objects, and this is %s", KindOf(s)).Suggest("delete the marker")
	}
}

// crossed reports lower limits above the upper ones.
func (c *checker) crossed(s *Schema, n node) {
	for _, limits := range [][2]string{
		{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"},
	} {
		lower, upper := byName[limits[0]], byName[limits[1]]
		if s.IntOrString || !lower.has(s) || !upper.has(s) {
			continue
		}
		least, _ := yamltext.Float(lower.value(s))
		if most, _ := yamltext.Float(upper.value(s)); least > most {
			c.neverf(
				n, s, slices.Concat(lower.Names(), upper.Names()), "no value is valid, because %s is %s and %s is %s",
				lower.Name, InJSON(lower.value(s)), upper.Name, InJSON(upper.value(s)),
			).Suggest("correct one of them")
		}
	}
}

// lost reports required fields that servers remove.
func (c *checker) lost(s *Schema, n node) {
	if n.inMeta || s.Type != "object" || s.PreserveUnknownFields || s.EmbeddedResource || s.AnyProperties || s.AdditionalProperties != nil {
		return
	}
	for _, name := range s.Required {
		if s.Index(name) < 0 && !(n.level == atRoot && slices.Contains(ResourceFields, name)) {
			c.neverf(n, s, nil, "no value is valid, because the field %s is required and has no schema", name).
				Suggest("change required, or give the field a schema in properties")
		}
	}
}

const keepField = "keep the field, or drop the alternatives by drop: [validation]"

// unmet reports the dropped fields that a part of allOf requires, or one by each alternative of anyOf or oneOf.
func (c *checker) unmet(s *Schema, n node) {
	groups := [][]*Schema{s.AnyOf, s.OneOf}
	for i := range s.AllOf {
		groups = append(groups, s.AllOf[i:i+1])
	}
	for _, parts := range groups {
		var fields []*GatedField
		for _, part := range parts {
			if i := slices.IndexFunc(part.Required, func(name string) bool { return s.dropped(name) != nil }); i >= 0 {
				fields = append(fields, s.dropped(part.Required[i]))
			}
		}
		if len(fields) < len(parts) {
			continue // some objects meet another part
		}
		for _, field := range fields {
			c.errorf(n, editedBy(field.Edit), nil, "allOf, anyOf or oneOf requires the dropped field %s", field.Name).Suggest(keepField)
		}
	}
}

// enum reports values of another type.
func (c *checker) enum(k *Keyword, s *Schema, n node) {
	for _, v := range s.Enum {
		if p := s.fitsType(v.JSON); p != nil {
			c.neverf(n, s, k.Names(), "the value %s is never valid, because %s", InJSON(v.JSON), p.text).
				Suggest("correct the value, or the type and its other markers")
		}
	}
}

// list checks the list type and keys of a schema.
func (c *checker) list(s *Schema, n node) {
	names := []string{"listType"}
	if s.ListType != "" && s.Type != "array" {
		c.listErrorf(n, s, names, "a list type is for lists, and this is %s", KindOf(s)).Suggest("delete the marker")
		return
	}
	if len(s.ListMapKeys) > 0 && s.ListType != "map" {
		c.listErrorf(n, s, []string{"listMapKey"}, "only lists of type map have keys, and this one is %s", cmp.Or(s.ListType, "atomic")).
			Suggest("use +listType=map, or delete +listMapKey")
	}
	if s.Items == nil || s.Items.Failed || s.ListType != "set" && s.ListType != "map" {
		return
	}
	if s.Items.Nullable {
		c.listErrorf(n, s, names, "elements of a list of type %s cannot be null", s.ListType).
			Suggest("delete the marker nullable of the elements")
	}
	if s.ListType == "set" {
		switch {
		case s.Items.Type == "array" && s.Items.ListType != "" && s.Items.ListType != "atomic":
			c.listErrorf(n, s, names, "elements of a set that are lists must be atomic").Suggest("use +listType=atomic on their type")
		case s.Items.Type == "object" && s.Items.MapType != "atomic":
			c.listErrorf(n, s, names, "elements of a set that are objects must be atomic").
				Suggest("use +structType=atomic on their type, or +listType=map with +listMapKey")
		case s.Items.Type == "array" || s.Items.Type == "object":
			c.warnf(n, s, names, "server-side apply and rules do not treat lists of %ss as sets", s.Items.Type).Suggest("use +listType=atomic")
		}
		return
	}
	if len(s.ListMapKeys) == 0 {
		c.listErrorf(n, s, names, "a list of type map needs keys").Suggest("add +listMapKey with the JSON name of a field of the elements")
	}
	if s.Items.Type != "object" {
		c.listErrorf(n, s, names, "elements of a list of type map must be objects, and these are %s", KindOf(s.Items)).
			Suggest("use +listType=set or +listType=atomic")
		return
	}
	for _, key := range s.ListMapKeys {
		c.listMapKey(s.only("listMapKey", key), n, key, s.Items)
	}
}

// listMapKey checks a key of a list of type map. s has the marker of the key.
func (c *checker) listMapKey(s *Schema, n node, key string, items *Schema) {
	names := []string{"listMapKey"}
	p := items.Property(key)
	switch {
	case p == nil:
		c.listErrorf(n, s, names, "elements of the list have no field %s", key).
			Meant(key, items.Names(), "use the JSON name of one of their fields")
	case p.Type == "array" || p.Type == "object":
		c.listErrorf(n, s, names, "field %s cannot be a key, because it is %s", key, KindOf(p)).
			Suggest("use a field that is a string, number or Boolean")
	case p.Nullable:
		c.listErrorf(n, s, names, "field %s cannot be a key, because it can be null", key).Suggest("delete its marker nullable")
	case p.Default == nil && !slices.Contains(items.Required, key):
		c.listErrorf(n, s, names, "field %s cannot be a key, because it may be absent", key).WithRelated(c.place(p)).
			Suggest("make it required, or give it a default")
	}
}

// defaultValue checks the default of a schema.
func (c *checker) defaultValue(s *Schema, n node) {
	value := s.Default.JSON
	reportf, then := c.errorf, ""
	if n.inMap { // servers do not validate these
		reportf, then = c.warnf, ", so objects with it are invalid"
	}
	if unknown := s.prune("", value); len(unknown) > 0 && !n.inMeta {
		reportf(n, s, DefaultMarkers, "the default has fields that the schema lacks: %s", strings.Join(unknown, ", ")).
			Suggest("correct the default")
		return
	}
	if p := s.fits(value); p != nil {
		at := ""
		if p.path != "" {
			at = " at " + p.path
		}
		reportf(n, s, DefaultMarkers, "the default %s is invalid%s, because %s%s", InJSON(value), at, p.text, then).
			Suggest("correct the default or the schema")
	}
}

// hasRules reports whether the schema or one inside it has rules.
func (s *Schema) hasRules() (found bool) {
	s.Walk(func(s *Schema) bool {
		found = found || len(s.Validations) > 0
		return !found
	})
	return found
}

// hasKnownValues reports whether CEL rules can refer to values of the schema and, in lists and maps, to their elements.
func (s *Schema) hasKnownValues() bool {
	switch {
	case s.IntOrString:
		return true
	case s.Type == "array":
		return s.Items != nil && s.Items.hasKnownValues()
	case s.Type == "object" && s.AdditionalProperties != nil:
		return s.AdditionalProperties.hasKnownValues()
	}
	return s.Type != ""
}

var lineBreak = regexp.MustCompile(`[\n\r]`)

// ruleKey identifies a rule.
type ruleKey struct{ rule, fieldPath string }

// saying returns the markers that declare the rules of a schema.
func (o *Origin) saying() map[ruleKey]model.Marker {
	found := map[ruleKey]model.Marker{}
	for _, m := range o.Markers {
		if withoutPrefix(m.Name) == "XValidation" {
			found[ruleKey{m.String("rule"), m.String("fieldPath")}] = m
		}
	}
	return found
}

// rule checks a rule without compiling it. m is the marker that declares it, or zero.
func (c *checker) rule(s *Schema, m model.Marker, n node, rule *Rule) {
	at := s
	if m.Name != "" {
		at = &Schema{Origin: Origin{Pos: s.Pos, Markers: []model.Marker{m}}}
	}
	fail := func(hint, format string, args ...any) {
		c.errorf(n, at, []string{"XValidation"}, format, args...).Suggest("%s", hint)
	}
	message := strings.TrimSpace(rule.Message)
	switch text := strings.TrimSpace(rule.Rule); {
	case text == "":
		fail("write a CEL expression", "the rule is empty")
	case rule.Message != "" && message == "":
		fail("write one, or delete message=", "the message of the rule is blank")
	case lineBreak.MatchString(message):
		fail("write it on one line", "the message of the rule has line breaks")
	case lineBreak.MatchString(text) && message == "":
		fail("add message=", "a rule of several lines needs a message")
	}
	if rule.MessageExpression != "" && strings.TrimSpace(rule.MessageExpression) == "" {
		fail("write one, or delete messageExpression=", "the message expression of the rule is blank")
	}
	if rule.Reason != "" && !slices.Contains(Reasons, rule.Reason) {
		fail("use one of "+strings.Join(Reasons, ", "), "the reason of the rule is %q", rule.Reason)
	}
	uses := UsesOldSelf(rule.Rule)
	switch {
	case rule.OptionalOldSelf != nil && !uses && strings.TrimSpace(rule.Rule) != "":
		fail("delete optionalOldSelf=", "optionalOldSelf= is for rules that use oldSelf")
	case uses && n.unknown > 0:
		fail(
			"move the rule to the list, or to the field that contains it",
			"oldSelf cannot be used in elements of %s, which is not a list of type map: servers cannot match its elements with the former ones",
			pathOf(c.steps[:n.unknown-1]),
		)
	}
	if rule.FieldPath == "" {
		return
	}
	switch _, err := s.field(rule.FieldPath, true); {
	case strings.TrimSpace(rule.FieldPath) == "" || lineBreak.MatchString(rule.FieldPath):
		fail("write one such as .spec, or delete fieldPath=", "the field path of the rule is blank or has line breaks")
	case err != nil:
		fail(
			cmp.Or(s.Meant(rule.FieldPath, err), "write a path from here, such as .name"), "the field path %q of the rule leads nowhere: %v",
			rule.FieldPath, err,
		)
	}
}

var (
	celString = regexp.MustCompile(`(?s)[rR]?("""(\\.|[^\\])*?"""|'''(\\.|[^\\])*?'''|"(\\.|[^"\\])*"|'(\\.|[^'\\])*')`)
	oldSelf   = regexp.MustCompile(`(^|[^.\w\s])\s*oldSelf\b|(^|[^.\s])\s+oldSelf\b`)
)

// UsesOldSelf reports whether a rule uses the variable oldSelf.
func UsesOldSelf(rule string) bool {
	if !strings.Contains(rule, "oldSelf") {
		return false
	}
	return oldSelf.MatchString(WithoutStrings(rule))
}

// WithoutStrings returns a rule with empty strings in place of those in it.
func WithoutStrings(rule string) string { return celString.ReplaceAllString(rule, `""`) }
