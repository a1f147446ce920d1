package crd

import (
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// limitDescriptions shortens all descriptions in a schema to at most limit bytes plus "...", at the end of a sentence
// or word. A limit of 0 removes them.
func limitDescriptions(s *crdschema.Schema, limit int) {
	s.Walk(func(s *crdschema.Schema) bool {
		if len(s.Description) > limit {
			s.Description = shortened(s.Description, limit)
		}
		return true
	})
}

func shortened(text string, limit int) string {
	text = text[:limit]
	if end := strings.LastIndexFunc(text, func(r rune) bool { return unicode.Is(unicode.STerm, r) }); end > 0 {
		return text[:end+1]
	}
	if end := strings.LastIndexFunc(text, func(r rune) bool { return unicode.Is(unicode.White_Space, r) }); end > 0 {
		return text[:end] + "..."
	}
	if limit == 0 {
		return ""
	}
	return text + "..."
}
