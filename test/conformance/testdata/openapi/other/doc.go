// Package other has some types with definitions.
package other

// Plain has no definition.
type Plain struct {
	A string `json:"a"`
}

// Marked has one.
// +k8s:openapi-gen=true
type Marked struct {
	// a is a.
	A int8 `json:"a,omitempty"`
}

// Level is an enum.
// +enum
type Level string

const (
	// High is high.
	High Level = "high"
	Low  Level = "low" // trailing
	// Mid is in the middle,
	// on two lines.
	Mid Level = "mid \"x\""
)

const Fallback = "fall"

// Defaulted has a default.
// +default="x"
type Defaulted string

// Structed has one, too.
// +default={}
type Structed struct {
	Plain `json:",inline"`
}

// List is a list.
// +default=["a"]
type List[T any] []T

// Wrapped has a value.
// +k8s:openapi-gen=false
type Wrapped[T any] struct {
	// W is the value.
	W     *T        `json:"w"`
	Lists []List[T] `json:"lists"`
}
