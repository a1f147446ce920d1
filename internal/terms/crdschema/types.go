package crdschema

import "github.com/kubegen/kubegen/internal/terms/model"

// Basics maps Go's predeclared types to their types and formats in schemas.
var Basics = map[string]struct{ Type, Format string }{
	"bool": {Type: "boolean"}, "string": {Type: "string"},
	"int": {Type: "integer"}, "int8": {Type: "integer"}, "int16": {Type: "integer"}, "int32": {"integer", "int32"},
	"int64": {"integer", "int64"},
	"uint":  {Type: "integer"}, "uint8": {Type: "integer"}, "uint16": {Type: "integer"}, "uint32": {"integer", "int32"},
	"uint64":  {"integer", "int64"},
	"uintptr": {Type: "integer"}, "byte": {Type: "integer"}, "rune": {"integer", "int32"},
	"float32": {Type: "number"}, "float64": {Type: "number"},
}

const metaV1, apiMachinery = model.MetaV1, "k8s.io/apimachinery/pkg/"

// APIExtensions are the modules that declare the types of CustomResourceDefinitions, newest first. In v0.38, the types
// moved to the former, and the latter has aliases.
var APIExtensions = []string{"k8s.io/apiextensions-api", "k8s.io/apiextensions-apiserver"}

// JSONIn returns the type of a module that holds any value in JSON, in a version of the API.
func JSONIn(module, version string) model.TypeRef {
	return model.TypeRef{Path: module + "/pkg/apis/apiextensions/" + version, Name: "JSON"}
}

// JSONTypes returns the types that hold any value in JSON.
func JSONTypes() (types []model.TypeRef) {
	for _, module := range APIExtensions {
		types = append(types, JSONIn(module, "v1"), JSONIn(module, "v1beta1"))
	}
	return types
}

// Known maps types whose Go declaration does not show their JSON form to their schemas.
var Known = map[model.TypeRef]*Schema{
	{Path: metaV1, Name: "ObjectMeta"}: {Type: "object", Origin: Origin{Metadata: true}},
	{Path: metaV1, Name: "Time"}:       {Type: "string", Format: "date-time"},
	{Path: metaV1, Name: "MicroTime"}:  {Type: "string", Format: "date-time"},
	{Path: metaV1, Name: "Duration"}:   {Type: "string"},
	{Path: metaV1, Name: "Fields"}:     {Type: "object", AnyProperties: true},
	{Path: apiMachinery + "api/resource", Name: "Quantity"}: {
		IntOrString: true, AnyOf: IntOrString,
		Pattern: `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
	},
	{Path: apiMachinery + "runtime", Name: "RawExtension"}:                   {Type: "object", PreserveUnknownFields: true},
	{Path: apiMachinery + "apis/meta/v1/unstructured", Name: "Unstructured"}: {Type: "object"},
	{Path: apiMachinery + "util/intstr", Name: "IntOrString"}:                {IntOrString: true, AnyOf: IntOrString},
	{Path: "encoding/json", Name: "Number"}:                                  {Type: "number"},
}

func init() {
	for _, t := range JSONTypes() {
		Known[t] = &Schema{PreserveUnknownFields: true}
	}
}

// IntOrString lists the alternatives in the schema of an integer or string.
var IntOrString = []*Schema{{Type: "integer"}, {Type: "string"}}

// EmbeddedMeta is the schema of an ObjectMeta inside an object, with the fields that users set.
var EmbeddedMeta = &Schema{Type: "object", Properties: []Property{
	{"name", text}, {"namespace", text}, {"annotations", texts}, {"labels", texts}, {"finalizers", &Schema{Type: "array", Items: text}},
}}

var (
	text  = &Schema{Type: "string"}
	texts = &Schema{Type: "object", AdditionalProperties: text}
)
