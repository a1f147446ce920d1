package goschema

import (
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
)

// Description returns the description that a comment contains. As in the Kubernetes API reference, it omits lines that
// begin with TODO and all lines from the first one that begins with ---, unless they are in a code block.
func Description(doc gotypes.Doc) string {
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
