package render

import (
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Struct is the view for templates of files for a struct.
type Struct struct {
	*Version
	Model *model.StructType
}

// Kind returns the name of the struct. For a kind, it is the name of the kind.
func (s *Struct) Kind() string { return s.Model.Name }

// IsKind reports whether the struct is a kind.
func (s *Struct) IsKind() bool { return s.Model.Resource != nil }

// IsGeneric reports whether the struct is an instance of a generic type.
func (s *Struct) IsGeneric() bool { return len(s.Model.Args) > 0 }

// Namespaced reports whether the struct is a namespaced kind.
func (s *Struct) Namespaced() bool { return s.IsKind() && s.Model.Resource.Namespaced }

// Type returns the Go type of the struct.
func (s *Struct) Type() gofile.Code { return s.TypeRef(s.Model.TypeRef) }

// Doc returns the lines of the struct's comment.
func (s *Struct) Doc() []string { return s.Model.Doc }

// APIVersion returns the group and version: "stable.example.com/v1".
func (s *Struct) APIVersion() string { return s.Version.Model.GroupVersion().String() }

// GroupVersion returns an expression for the schema.GroupVersion of the struct's package.
func (s *Struct) GroupVersion() gofile.Code { return s.groupVersionIn(s.Model.Package) }
