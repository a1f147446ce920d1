package goschema

import (
	"strings"

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
