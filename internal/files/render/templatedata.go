// This file explains errors of templates in the terms of their data.

package render

import (
	"regexp"
	"strings"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// evaluated matches the messages of package text/template about a field in an expression: a type without the field, or
// no value.
var evaluated = regexp.MustCompile(
	`^<(?s:.*)>: (?:can't evaluate field (\w+) in type .+|(\w+) is an unexported field of struct type .+|nil pointer evaluating .+\.(\w+))$`,
)

// goType matches a Go type of a package in a message.
var goType = regexp.MustCompile(`\*?\b[a-z]+\.([A-Z]\w*)`)

// explainTemplate replaces Go types in a message of package text/template by what a template's author knows.
func explainTemplate(d *diag.Diagnostic, message string) {
	found := evaluated.FindStringSubmatch(message)
	const notList = "range can't iterate over " // and the value
	switch before, _, ok := strings.Cut(message, notList); {
	case found != nil && found[3] != "":
		d.SetMessage("there is no value before .%s here", found[3])
		d.Suggest("write {{with}} around it, which leaves out what is absent")
	case found != nil:
		d.SetMessage(".%s does not exist in this template's scope", found[1]+found[2])
		d.Suggest("docs/reference/template-data.md lists what each scope has")
	case ok:
		d.SetMessage("%srange needs a list, a map or a number", before)
	default:
		d.SetMessage("%s", goType.ReplaceAllString(message, "$1"))
	}
}
