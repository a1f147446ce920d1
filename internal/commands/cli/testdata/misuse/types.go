/* [block] */

// [above] File Package

// Package v1 is an API.
// [package] File Package
// +groupName=NAME.example.com
// +kubebuilder:object:generate=true
package v1

// [top] File

import (
	// [import]
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1" // [behind import]
	// [end of imports]
)

// [near constant] File

// [constant]
const Answer = 42 // [behind constant]

// Color is an enum.
// [string] Type
// +k8s:enum
type Color string

const ( // [behind parenthesis]

	// [in constants]

	// [value] Constant
	Red Color = "red" // [behind value]

	Blue Color = "blue"
	// [end of constants]
)

// [variable]
var Numbers = []int{
	// [in variable]
	1,
}

// [function]
func F() { // [behind func]

	// [body]
	Numbers = nil // [behind statement]
	type local struct {
		// [local field]
		A int
	}
} // [behind function] File

// [free] File

// [near kind] File Kind

// Kind is a kind.
// [kind] Kind
// +genclient
// +kubebuilder:object:root=true
type Kind struct { // [behind brace] Field

	// [metadata] Field
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// [in kind] Field

	// [field of kind] Field
	Spec Spec `json:"spec"` // [behind field]
	// [end of kind]
} // [behind kind]

// KindList is a list of kinds.
// [list]
// +kubebuilder:object:root=true
type KindList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	// [items]
	Items []Kind `json:"items"`
}

// [near struct] File Type

// Spec is a struct.
// [struct] Type
type Spec struct {
	// [field] Field
	Text string `json:"text"`
	// [list field] Field
	List []string `json:"list"`
	/* [block of field] */
	Color Color `json:"color"`
	// [hidden field]
	Hidden string `json:"-"`
}

// [interface] Type
type Interface interface {
	// [method of interface]
	M()
}

// [group]
type (
	// [unused struct] Type
	Unused struct {
		// [unused field] Field
		Text string `json:"text"`
	}
)

// [alias] Type
type Other = Unused

/*
[block of lines]
*/

// [near method] File

// [method]
func (Kind) M() {
}

// [end] File
