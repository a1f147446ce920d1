// Package v1 has no kinds, but a type for fields of kinds of another group.
//
// +groupName=shared.example.com
package v1

type Part struct {
	Key   string `json:"key"`
	Count *int32 `json:"count,omitempty"`
}
