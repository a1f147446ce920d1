package generators

import (
	"go/parser"
	"go/token"

	"github.com/kubegen/kubegen/internal/gofile"
)

// declaredNames returns the names that Go files declare in their package. Files that do not parse declare what could be read
// of them.
func declaredNames(files map[string][]byte) map[string]bool {
	names := map[string]bool{}
	for file, text := range files {
		parsed, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if parsed == nil {
			continue
		}
		for _, name := range gofile.Declarations(parsed) {
			names[name] = true
		}
	}
	return names
}
