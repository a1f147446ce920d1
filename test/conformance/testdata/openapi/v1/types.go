package v1

import (
	"encoding/json"
	"time"

	"example.com/migration/featured/other"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const Local = "local"

// Kind is a kind.
//
// Deprecated: use another.
// TODO: nothing
//
//   - a list
//
//   - of things
//
//     code {
//     }
//
// And "quotes" with \ and `ticks`.
// ---
// Not for users.
// +k8s:openapi-gen=x-kubernetes-foo:bar
// +k8s:validation:maxProperties=4
// +k8s:validation:cel[0]:rule="self.a == 'x'"
// +k8s:validation:cel[0]:message="must be x"
// +k8s:validation:cel[1]:rule>self.a
// +k8s:validation:cel[1]:rule>  == 'y'
// +k8s:validation:cel[1]:messageExpression="'a' + self.a"
// +k8s:validation:cel[1]:optionalOldSelf
// +k8s:validation:cel[1]:reason="FieldValueInvalid"
// +k8s:validation:cel[1]:fieldPath=".a"
// +structType=atomic
type Kind struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Strings
	// +k8s:validation:minLength=1
	// +k8s:validation:maxLength=100
	// +k8s:validation:pattern="^a\\d+$"
	// +k8s:validation:format="date"
	// +default="abc"
	S  *string `json:"s,omitempty"`
	S2 string  `json:"s2"`
	// +optional
	S3 string `json:"s3"`
	// +required
	S4 string `json:"s4,omitempty"`
	// +k8s:optional
	S5 string `json:"s5"`
	// +k8s:required
	S6 string `json:"s6,omitempty"`
	S7 string `json:"s7,omitempty,omitzero"`
	S8 string `json:"s8,omitzero"`
	// Numbers
	// +k8s:validation:minimum=-1.5
	// +k8s:validation:maximum=1000000
	// +k8s:validation:multipleOf=0.5
	// +k8s:validation:exclusiveMaximum=true
	// +k8s:validation:exclusiveMinimum
	F float64 `json:"f"`
	// +k8s:validation:minimum=1
	// +default=1000000
	I *int64 `json:"i,omitempty"`
	// +default=1.25
	F2  *float32 `json:"f2"`
	U8  uint8    `json:"u8"`
	U16 uint16   `json:"u16"`
	U32 uint32   `json:"u32"`
	U64 uint64   `json:"u64"`
	U   uint     `json:"u"`
	I8  int8     `json:"i8"`
	I16 int16    `json:"i16"`
	I32 int32    `json:"i32"`
	B   bool     `json:"bool1"`
	// +default=true
	B2      *bool `json:"b2"`
	Quoted  int64 `json:"quoted,string"`
	Quoted2 int64 `json:"quoted2,omitempty,string"`
	// Lists
	// +listType=map
	// +listMapKey=a
	// +listMapKey=b
	// +patchStrategy=merge
	// +patchMergeKey=a
	// +k8s:validation:minItems=1
	// +k8s:validation:maxItems=10
	// +k8s:validation:uniqueItems=true
	// +k8s:validation:items:maxProperties=3
	L []Item `json:"l,omitempty" patchStrategy:"merge" patchMergeKey:"a"`
	// +listType=set
	// +k8s:validation:items:pattern="x"
	// +k8s:validation:items:cel[0]:rule="self != ''"
	// +k8s:validation:items:cel[0]:message="m"
	L2 []string `json:"l2"`
	// +k8s:listType=map
	// +k8s:listMapKey=a
	L3  []*Item       `json:"l3"`
	L4  [][]int32     `json:"l4"`
	L5  [3]string     `json:"l5"`
	L6  []byte        `json:"l6"`
	L7  []uint8       `json:"l7"`
	L8  Bytes         `json:"l8"`
	L9  Items         `json:"l9"`
	L10 []other.Level `json:"l10"`
	L11 []interface{} `json:"l11"`
	L12 []time.Time   `json:"l12"`
	// Maps
	// +mapType=granular
	// +k8s:validation:additionalProperties:maxLength=5
	M  map[string]string                       `json:"m"`
	M2 map[MyString]*Item                      `json:"m2,omitempty"`
	M3 map[string][]string                     `json:"m3,omitempty"`
	M4 map[string]map[string]resource.Quantity `json:"m4,omitempty"`
	M5 map[string]other.Level                  `json:"m5,omitempty"`
	M6 map[string]interface{}                  `json:"m6,omitempty"`
	// Structs
	Q  resource.Quantity    `json:"q"`
	Q2 *resource.Quantity   `json:"q2,omitempty"`
	T  metav1.Time          `json:"t"`
	T2 *time.Time           `json:"t2,omitempty"`
	T3 time.Time            `json:"t3"`
	D  time.Duration        `json:"d"`
	D2 metav1.Duration      `json:"d2"`
	X  intstr.IntOrString   `json:"x"`
	R  runtime.RawExtension `json:"r"`
	R2 json.RawMessage      `json:"r2"`
	R3 json.Number          `json:"r3"`
	A  interface{}          `json:"any1"`
	A2 any                  `json:"a2,omitempty"`
	A3 runtime.Object       `json:"a3,omitempty"`
	A4 Anything             `json:"a4"`
	A5 *Anything            `json:"a5"`
	A6 *any                 `json:"a6"`
	// +structType=granular
	// +k8s:validation:properties:a:minLength=2
	// +k8s:validation:minProperties=1
	In       Item            `json:"in"`
	Wrapped  Wrapped         `json:"wrapped"`
	Wrapped2 WrappedTime     `json:"wrapped2"`
	Renamed  Renamed         `json:"renamed"`
	P        PtrType         `json:"p"`
	PP       **Item          `json:"pp"`
	O        other.Marked    `json:"o"`
	O2       *other.Plain    `json:"o2"`
	O3       other.Structed  `json:"o3"`
	O4       *other.Structed `json:"o4"`
	// Enums
	// +default="high"
	E  *other.Level `json:"e"`
	E2 Phase        `json:"e2,omitempty"`
	// Defaults
	// +default=ref(Local)
	Ref *string `json:"ref"`
	// +default=ref(example.com/migration/featured/other.Fallback)
	Ref2 string           `json:"ref2,omitempty"`
	Def  *other.Defaulted `json:"def"`
	// +default=["a", 1, 2.5, null, true, {"b": [1]}]
	Def2 []interface{} `json:"def2"`
	// +default={"a": 1}
	Def3 map[string]int32 `json:"def3"`
	// +default={}
	Def4 Item `json:"def4"`
	// Other
	// +k8s:openapi-gen=false
	Off        chan int `json:"off"`
	Dash       string   `json:"-"`
	NoTag      string
	noTag      string
	unexported string `json:"unexported"`
	Empty      string `json:",omitempty"`
	Item       `json:",inline"`
	*Embedded  `json:",inline"`
	other.Plain
	Named other.Plain `json:"named"`
	// +k8s:openapi-gen=x-kubernetes-member-tag:member_test
	// +k8s:openapi-gen=x-kubernetes-other:a:b
	Ext      string `json:"ext"`
	Methods  Custom `json:"methods"`
	Methods2 *V2    `json:"methods2"`
	// SecondBlock

	// Third block
	Blocks string `json:"blocks"` // trailing comment
	After  string `json:"after"`
	/* a block comment
	   with lines */
	Block  string `json:"block"`
	AA, BB string
	Gen    MyMap `json:"gen"`
}

type MyString string
type Bytes []byte
type MyMap map[string]MyString
type PtrType *Item

// Items is a list.
type Items []Item

// Item is an item.
type Item struct {
	A string `json:"a"`
	B int    `json:"b,omitempty"`
}

// Embedded has fields.
type Embedded struct {
	// x is x
	EX string `json:"ex"`
}

type Wrapped struct {
	metav1.Time
}

type WrappedTime struct {
	time.Time `json:",inline"`
}

// Renamed is another Item.
type Renamed Item

// Phase is a phase.
// +enum
type Phase string

const (
	PhaseA Phase = "A"
	// PhaseB is B
	PhaseB Phase = "B"
	// PhaseOther is also B, but with a longer comment.
	PhaseOther = Phase("B")
	PhaseC     = PhaseA
)

// Custom has methods.
// +k8s:validation:maxLength=10
// +k8s:openapi-gen=x-kubernetes-int-or-string:true
type Custom struct {
	v string
}

func (Custom) OpenAPISchemaType() []string { return []string{"string"} }
func (Custom) OpenAPISchemaFormat() string { return "custom" }

// OneOf has several types.
type OneOf struct{ v string }

func (OneOf) OpenAPISchemaType() []string   { return []string{"string"} }
func (OneOf) OpenAPISchemaFormat() string   { return "" }
func (OneOf) OpenAPIV3OneOfTypes() []string { return []string{"string", "number"} }

// V3Too has a definition for version 3.
type V3Too struct{ v string }

func (V3Too) OpenAPISchemaType() []string { return []string{"string"} }
func (V3Too) OpenAPISchemaFormat() string { return "x" }
func (V3Too) OpenAPIV3Definition() common.OpenAPIDefinition {
	return common.OpenAPIDefinition{Schema: spec.Schema{SchemaProps: spec.SchemaProps{Description: "v3"}}}
}

type V2 struct{ v string }

func (V2) OpenAPIDefinition() common.OpenAPIDefinition {
	return common.OpenAPIDefinition{Schema: spec.Schema{SchemaProps: spec.SchemaProps{Description: "v2"}}}
}

type V3 struct{ v string }

func (V3) OpenAPIV3Definition() common.OpenAPIDefinition {
	return common.OpenAPIDefinition{Schema: spec.Schema{SchemaProps: spec.SchemaProps{Description: "v3"}}}
}

type Both struct {
	V2
	v string
}

func (Both) OpenAPIDefinition() common.OpenAPIDefinition {
	return common.OpenAPIDefinition{Schema: spec.Schema{SchemaProps: spec.SchemaProps{Description: "v2"}}}
}
func (Both) OpenAPIV3Definition() common.OpenAPIDefinition {
	return common.OpenAPIDefinition{Schema: spec.Schema{SchemaProps: spec.SchemaProps{Description: "v3"}}}
}

// Union is a union.
// +union
type Union struct {
	// +unionDiscriminator
	// +required
	Kind string `json:"kind"`
	// +optional
	FieldA *string `json:"fieldA,omitempty"`
	// +optional
	FieldB *Item `json:"fieldB,omitempty"`
}

// Unions has several.
type Unions struct {
	Union `json:",inline"`
	// +unionDiscriminator
	// +optional
	Which string `json:"which,omitempty"`
	// +unionDeprecated
	// +optional
	Old *string `json:"old,omitempty"`
	// +unionDeprecated
	// +optional
	Old2 *string `json:"old2,omitempty"`
}

// Off has no definition.
// +k8s:openapi-gen=false
type Off struct {
	A func()
}

type private struct {
	A string `json:"a"`
}

// UsesPrivate does.
type UsesPrivate struct {
	// Inlined
	private `json:",inline"`
	C       *Cycle `json:"c"`
}

// Cycle contains itself.
type Cycle struct {
	Next *Cycle           `json:"next"`
	All  []Cycle          `json:"all"`
	By   map[string]Cycle `json:"by"`
}

// Coded encodes itself.
type Coded struct {
	hidden string
	Shown  string `json:"shown"`
}

func (c Coded) MarshalJSON() ([]byte, error) { return nil, nil }
func (c *Coded) UnmarshalJSON([]byte) error  { return nil }

// HasCoded has it.
type HasCoded struct {
	C Coded   `json:"c"`
	P *Coded  `json:"p"`
	L []Coded `json:"l"`
}

// KindList is a list.
type KindList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Kind `json:"items"`
}

// BadList is out of order.
type BadList struct {
	metav1.ListMeta `json:"metadata"`
	metav1.TypeMeta `json:"typeMeta"`
	// +listType=atomic
	Items []Kind `json:"items,omitempty" protobuf:"bytes,1,rep,name=items"`
}

// Names is named badly.
type Names struct {
	HTTPJSONSpec string            `json:"httpJSONSpec"`
	JSONSpec     string            `json:"jsonspec"`
	PodSpec      string            `json:"PodSpec"`
	Under_score  string            `json:"under_score"`
	X            string            `json:"x,omitEmpty"`
	Dash         []string          `json:"-"`
	DashPointers []*byte           `json:"-"`
	Dash2        []string          `json:"-,"`
	ObjectMeta   metav1.ObjectMeta `json:"objectMeta"`
	URL          string            `json:"url"`
	Bytes        []byte            `json:"bytes"`
	Bytes2       []uint8           `json:"bytes2"`
	Arr          [2]string         `json:"arr"`
}

// Alias is one.
type Alias = other.Plain

// +k8s:openapi-model-package=com.example.special
type Special struct {
	Kind *Kind `json:"kind"`
}

type UsesNamed struct {
	S Special              `json:"s"`
	M metav1.LabelSelector `json:"m"`
}

type Anything any

type (
	// Map is a map.
	Map[K ~string, V any] map[K]other.List[V]
	Strings               other.List[string]
	Text[T any]           string
	Optional[T any]       *T
	WrappedItem           other.Wrapped[Item]
	Slice[T any]          = []T
)

// Pair is for two values.
// +k8s:openapi-gen=false
type Pair[A, B any] struct {
	First  A `json:"first"`
	Second B `json:"second,omitempty"`
}

// AtPair has instances of generic types. Its name is before the one of Pair, since openapi-gen reads one instance only.
type AtPair struct {
	Pair[*Item, other.List[other.Level]] `json:",inline"`
	// +listType=set
	// +k8s:validation:maxItems=3
	L  other.List[string]           `json:"l"`
	L2 *other.List[Item]            `json:"l2"`
	L3 []other.List[*int32]         `json:"l3"`
	L4 Slice[Slice[bool]]           `json:"l4"`
	B  other.List[byte]             `json:"b"`
	M  Map[other.Level, Text[Item]] `json:"m"`
	M2 map[string]Map[string, Item] `json:"m2"`
	T  Text[bool]                   `json:"t"`
	O  Optional[Item]               `json:"o"`
	S  Strings                      `json:"s"`
	W  WrappedItem                  `json:"w"`
}
