package crd

import (
	"go/token"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// prunedMetadata returns the fields and types with metadata of objects inside others whose schema lists no fields, so
// that API servers prune it. For each, it returns the first path of metadata in it.
func prunedMetadata(s *crdschema.Schema) map[token.Pos]string {
	found := map[token.Pos]string{}
	var visit func(s *crdschema.Schema, pos token.Pos, path string)
	visit = func(s *crdschema.Schema, pos token.Pos, path string) {
		if s == nil {
			return
		}
		if s.Pos.IsValid() && s.Pos != pos && !s.Metadata {
			pos, path = s.Pos, ""
		}
		if _, known := found[pos]; s.Metadata && !known && !s.PreserveUnknownFields && len(s.Properties) == 0 {
			found[pos] = path
		}
		visit(s.Items, pos, path+"[*]")
		visit(s.AdditionalProperties, pos, path+"[*]")
		for _, p := range s.Properties {
			if !s.EmbeddedResource || p.Name != "metadata" {
				visit(p.Schema, pos, path+"."+p.Name)
			}
		}
	}
	visit(s, s.Pos, "")
	return found
}
