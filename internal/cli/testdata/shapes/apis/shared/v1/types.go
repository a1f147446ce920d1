// Package v1 has no kinds, but a type that kinds of another group have fields of.
//
// +groupName=shared.example.com
package v1

type Part struct {
	Key   string `json:"key"`
	Count *int32 `json:"count,omitempty"`
}
