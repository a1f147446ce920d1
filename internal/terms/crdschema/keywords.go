package crdschema

// Schema is an OpenAPI v3 schema with the keywords that CustomResourceDefinitions support. Zero values mean absent
// keywords. A new keyword is a field here and a row of Keywords.
type Schema struct {
	Description string
	Type        string
	Format      string
	Title       string
	Default     *Value
	Example     *Value

	Maximum, Minimum, MultipleOf       *float64
	ExclusiveMaximum, ExclusiveMinimum bool
	MaxLength, MinLength               *int64
	Pattern                            string
	MaxItems, MinItems                 *int64
	UniqueItems                        bool
	MaxProperties, MinProperties       *int64
	Enum                               []Value
	Nullable                           bool

	Properties           []Property
	Required             []string
	Items                *Schema
	AdditionalProperties *Schema
	AnyProperties        bool // additionalProperties: true
	NoProperties         bool // additionalProperties: false
	AllOf, AnyOf, OneOf  []*Schema
	Not                  *Schema

	PreserveUnknownFields bool
	EmbeddedResource      bool
	IntOrString           bool
	ListType, MapType     string
	ListMapKeys           []string
	Validations           []Rule
	ExternalDocs          *ExternalDocs

	Ref any // a declaration whose schema package goschema will insert here; nil in a complete schema
	Origin
}

// Keywords lists all keywords. If several rows reject a value, the message is from the first one.
//
// The type, required fields, CEL rules and keywords with schemas have rows for reading, writing and checks. Package
// goschema merges them by name, and crd.SchemaChanges compares them. Package goschema also sets the default, the
// documentation and the keywords for server-side apply by name, because they have several forms of markers. Checks of
// several keywords together are in check.go.
var Keywords = []*Keyword{
	{Name: "type",
		field: one(func(s *Schema) *string { return &s.Type }), merge: elsewhere, differs: "types",
		Marker: "Type", Form: "=string", Help: "the JSON type of a Go type with JSON methods", Merging: true},
	{Name: "nullable",
		field: one(func(s *Schema) *bool { return &s.Nullable }), bare: true, differs: "nullability",
		Also:    []string{"nullable"},
		changed: lost("null is no longer accepted")},
	{Name: "default",
		field: one(func(s *Schema) **Value { return &s.Default }), differs: "defaults", noStatus: true, Also: DefaultMarkers},

	{Name: "title",
		field: one(func(s *Schema) *string {
			return &s.Title
		}), Describes: true, differs: "titles", Also: []string{"kubebuilder:title"}},
	{Name: "description",
		field: one(func(s *Schema) *string { return &s.Description }), Describes: true, differs: "descriptions"},
	{Name: "example",
		field: one(func(s *Schema) **Value { return &s.Example }), Describes: true},
	{Name: "externalDocs",
		field: one(func(s *Schema) **ExternalDocs { return &s.ExternalDocs }), Describes: true},

	{Name: "multipleOf",
		field: one(func(s *Schema) **float64 { return &s.MultipleOf }), For: Numbers,
		Marker: "MultipleOf", Help: "numbers must be multiples of this one",
		fits: fitsMultiple, narrows: narrowsMultiple},
	{Name: "maximum",
		field: one(func(s *Schema) **float64 { return &s.Maximum }), For: Numbers,
		Marker: "Maximum", Help: "the maximum value", Also: []string{"k8s:maximum"},
		fits: maximum.fits, narrows: maximum.narrows},
	{Name: "minimum",
		field: one(func(s *Schema) **float64 { return &s.Minimum }), For: Numbers,
		Marker: "Minimum", Help: "the minimum value", Also: []string{"k8s:minimum"},
		fits: minimum.fits, narrows: minimum.narrows},
	{Name: "exclusiveMaximum",
		field: one(func(s *Schema) *bool { return &s.ExclusiveMaximum }), For: Numbers,
		Marker: "ExclusiveMaximum", Help: "numbers must be less than the maximum", check: maximum.check, narrows: maximum.narrows},
	{Name: "exclusiveMinimum",
		field: one(func(s *Schema) *bool { return &s.ExclusiveMinimum }), For: Numbers,
		Marker: "ExclusiveMinimum", Help: "numbers must be greater than the minimum", check: minimum.check, narrows: minimum.narrows},

	{Name: "maxLength",
		field: one(func(s *Schema) **int64 { return &s.MaxLength }), For: Strings,
		Marker: "MaxLength", Help: "the maximum length of a string",
		fits: fitsCount(most, "characters"), narrows: narrowsCount(most, "the greatest length")},
	{Name: "minLength",
		field: one(func(s *Schema) **int64 { return &s.MinLength }), For: Strings,
		Marker: "MinLength", Help: "the minimum length of a string",
		fits: fitsCount(least, "characters"), narrows: narrowsCount(least, "the least length")},
	{Name: "pattern",
		field: one(func(s *Schema) *string { return &s.Pattern }), For: Strings,
		Marker: "Pattern", Form: `="^[a-z]+$"`, Help: "a regular expression that a string must match",
		check: func(c *checker, _ *Keyword, s *Schema, n node) { c.pattern(s, n, s) }, fits: fitsPattern,
		narrows: narrowsPattern},
	{Name: "format",
		field:  one(func(s *Schema) *string { return &s.Format }),
		Marker: "Format", Form: "=int-or-string", Help: "with +kubebuilder:validation:Type: the format of the value", Merging: true,
		check: (*checker).format, narrows: narrowsText("the format %s is now required", "int64", "double")},

	{Name: "minProperties",
		field: one(func(s *Schema) **int64 { return &s.MinProperties }), byValue: true, For: Objects, noStatus: true,
		Marker: "MinProperties", Help: "the minimum number of keys of an object",
		fits: fitsCount(least, "keys"), narrows: narrowsCount(least, "the least number of fields")},
	{Name: "maxProperties",
		field: one(func(s *Schema) **int64 { return &s.MaxProperties }), byValue: true, For: Objects, noStatus: true,
		Marker: "MaxProperties", Help: "the maximum number of keys of an object",
		fits: fitsCount(most, "keys"), narrows: narrowsCount(most, "the greatest number of fields")},

	{Name: "maxItems",
		field: one(func(s *Schema) **int64 { return &s.MaxItems }), For: Lists,
		Marker: "MaxItems", Help: "the maximum length of a list", Also: []string{"k8s:maxItems"},
		fits: fitsCount(most, "elements"), narrows: narrowsCount(most, "the greatest number of elements")},
	{Name: "minItems",
		field: one(func(s *Schema) **int64 { return &s.MinItems }), For: Lists,
		Marker: "MinItems", Help: "the minimum length of a list",
		fits: fitsCount(least, "elements"), narrows: narrowsCount(least, "the least number of elements")},
	{Name: "uniqueItems",
		field: one(func(s *Schema) *bool { return &s.UniqueItems }), For: Lists,
		Marker: "UniqueItems", Help: "the elements of a list differ",
		check: (*checker).unique, narrows: narrowsFlag("elements must now differ")},

	{Name: "enum",
		field: many(func(s *Schema) *[]Value { return &s.Enum }), merge: first, noStatus: true,
		Marker: "Enum", Help: "the values allowed", Also: []string{"k8s:enum"}, check: (*checker).enum, narrows: narrowsEnum},
	{Name: "x-kubernetes-int-or-string",
		field: one(func(s *Schema) *bool { return &s.IntOrString }), bare: true, differs: "types",
		noStatus: true,
		Marker:   "XIntOrString", Help: "the field is a number or a string", Merging: true},
	{Name: "x-kubernetes-embedded-resource",
		field: one(func(s *Schema) *bool { return &s.EmbeddedResource }), bare: true,
		differs: "resources", noStatus: true,
		Marker: "XEmbeddedResource", Help: "the value is an object with apiVersion, kind and metadata",
		Also: []string{Validation + "EmbeddedResource"}, fits: fitsResource,
		changed: gained("apiVersion and kind are now required, since the value is a resource")},
	{Name: "x-kubernetes-preserve-unknown-fields",
		field: one(func(s *Schema) *bool { return &s.PreserveUnknownFields }), bare: true,
		differs: "unknown fields",
		Marker:  "XPreserveUnknownFields", Help: "same as +kubebuilder:pruning:PreserveUnknownFields", Merging: true,
		Also: []string{"kubebuilder:pruning:PreserveUnknownFields"}},

	{Name: "x-kubernetes-list-type",
		field: one(func(s *Schema) *string { return &s.ListType }), among: []string{"atomic", "set", "map"}, For: Lists,
		merge: last, differs: "list types", noStatus: true, Also: []string{"listType", "k8s:listType"},
		changed: changesChoice("list type", "atomic")},
	{Name: "x-kubernetes-list-map-keys",
		field: many(func(s *Schema) *[]string { return &s.ListMapKeys }), For: Lists,
		merge: last, differs: "keys", Also: []string{"listMapKey", "k8s:listMapKey"}, changed: changesKeys},
	{Name: "x-kubernetes-map-type",
		field: one(func(s *Schema) *string { return &s.MapType }), among: []string{"granular", "atomic"}, For: Objects,
		merge: last, differs: "map types", noStatus: true, Also: MapTypeMarkers, check: (*checker).mapType,
		changed: changesChoice("map type", "granular")},
	{Name: "x-kubernetes-validations",
		field: many(func(s *Schema) *[]Rule { return &s.Validations }), merge: elsewhere, differs: "rules",
		Also: []string{Validation + "XValidation"}},

	{Name: "properties",
		field: many(func(s *Schema) *[]Property { return &s.Properties }), For: Objects, merge: elsewhere},
	{Name: "required",
		field: many(func(s *Schema) *[]string { return &s.Required }), For: Objects, merge: elsewhere},
	{Name: "items",
		field: one(func(s *Schema) **Schema { return &s.Items }), For: Lists},
	{Name: "additionalProperties",
		field: additionalProperties, For: Objects, merge: elsewhere, differs: "values"},
	{Name: "allOf",
		field: many(func(s *Schema) *[]*Schema { return &s.AllOf }), merge: elsewhere, noStatus: true},
	{Name: "anyOf",
		field: many(func(s *Schema) *[]*Schema { return &s.AnyOf }), noStatus: true},
	{Name: "oneOf",
		field: many(func(s *Schema) *[]*Schema { return &s.OneOf }), merge: first}, // only +kubegen:schema sets it, and not
	{Name: "not",
		field: one(func(s *Schema) **Schema { return &s.Not }), merge: first},
}
