package checks

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

// hasLiteral reports whether the code of a package has a string literal with a value, such as the path of a handler
// that it registers.
func (p *Pass) hasLiteral(value string) bool {
	for _, src := range p.Sources {
		for f := range src.Parsed(value) {
			for literal := range load.Nodes[*ast.BasicLit](f.Syntax) {
				if text, err := strconv.Unquote(literal.Value); literal.Kind == token.STRING && err == nil && text == value {
					return true
				}
			}
		}
	}
	return false
}

// webhookPath reports paths of the form that controller-runtime gives to handlers of types, but for no group and
// version of the webhook.
func webhookPath(p *Pass) {
	for _, m := range slices.Concat(p.Webhooks.Found...) {
		path, groups, versions := m.String("path"), markers.Groups(m), m.Strings("versions")
		if !strings.HasPrefix(path, "/mutate-") && !strings.HasPrefix(path, "/validate-") || slices.Contains(groups, "*") ||
			slices.Contains(versions, "*") {
			continue
		}
		verb := "/validate-"
		if m.Bool("mutating") {
			verb = "/mutate-"
		}
		var likely []string
		for _, group := range groups {
			for _, version := range versions {
				likely = append(likely, verb+strings.ReplaceAll(group, ".", "-")+"-"+version+"-")
			}
		}
		matches := func(prefix string) bool {
			named := strings.Replace(prefix, "--", "-", 1) // a handler with a name of its own
			return strings.HasPrefix(path, prefix) || strings.HasPrefix(path, named)
		}
		if len(likely) > 0 && !slices.ContainsFunc(likely, matches) && !p.hasLiteral(path) && !p.hasLiteral(path[1:]) {
			p.diags.Warnf(m.Pos, "controller-runtime's builder serves no handler at path=%s for this group and version", path).
				Suggest("write path=%sKIND, with the kind in lower case", likely[0]).Or("register the handler with this path as a string literal")
		}
	}
}
