package openapi

import (
	"strings"
	"unicode"

	"github.com/kubegen/kubegen/internal/gotypes"
)

// description returns the text of a comment for a schema. As in the Kubernetes API reference, lines that begin with TODO are left out, and
// so are all lines after one that begins with ---, unless they are in a block of code.
func description(doc gotypes.Doc) string {
	if doc.Text == "" {
		return ""
	}
	if !doc.Block && !strings.Contains(doc.Text, "TODO") && !strings.Contains(doc.Text, "---") {
		return strings.TrimSuffix(doc.Text, "\n")
	}
	var kept []string
	inCode := false
	for _, line := range strings.Split(strings.TrimSuffix(doc.Text, "\n"), "\n") {
		if doc.Block {
			line = strings.TrimSpace(line)
		}
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			inCode = !inCode
		}
		if !inCode && strings.HasPrefix(line, "TODO") {
			continue
		}
		if !inCode && strings.HasPrefix(line, "---") {
			break
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// LimitDescriptions shortens the descriptions in a schema to a number of bytes, at the end of a sentence or word; 0 removes them.
func (s *Schema) LimitDescriptions(limit int) {
	s.Walk(func(s *Schema) bool {
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
