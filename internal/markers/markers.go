// Package markers holds the one table of the markers that kubegen understands, and reads them out of Go comments. What
// a marker means for an API is the parser's business.
package markers

import (
	"go/ast"
	"go/token"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/kubegen/kubegen/internal/diag"
)

// Target is where a marker belongs.
type Target int

// The targets.
const (
	Package Target = iota // the comments of a package
	Type                  // the comments above a type
)

// Value is what a marker expects after its "=".
type Value int

// The kinds of value.
const (
	None   Value = iota // +genclient:noStatus
	Text                // +groupName=stable.example.com
	Bool                // +k8s:client-gen=false
	Verbs               // +genclient:skipVerbs=get,list
	Method              // +genclient:method=GetScale,verb=get,subresource=scale
)

// Definition declares a marker.
type Definition struct {
	Name   string
	Target Target
	Value  Value
	Help   string // one line: what it does
}

// Definitions is the table of all markers, ordered by target and name. Names and meanings are those of
// k8s.io/code-generator v0.37, and +versionName that of sigs.k8s.io/controller-tools.
var Definitions = []Definition{
	{"groupGoName", Package, Text, "Go name of the group, where the first label of its name will not do"},
	{"groupName", Package, Text, "name of the API group; empty for the core group"},
	{"k8s:applyconfiguration-gen", Package, Bool, "false: no apply configurations for the types of this package"},
	{"k8s:client-gen", Package, Bool, "false: no clients for the types of this package"},
	{"k8s:informer-gen", Package, Bool, "false: no informers for the types of this package"},
	{"k8s:lister-gen", Package, Bool, "false: no listers for the types of this package"},
	{"versionName", Package, Text, "name of the API version, where the package's name will not do"},

	{"genclient", Type, None, "generate a client, lister and informer for this kind"},
	{"genclient:method", Type, Method, "add a client method: Name,verb=V[,subresource=S][,input=T][,result=T]"},
	{"genclient:noStatus", Type, None, "no UpdateStatus and ApplyStatus although the type has a Status field"},
	{"genclient:noVerbs", Type, None, "a client without any of the usual methods"},
	{"genclient:nonNamespaced", Type, None, "the kind is cluster-scoped"},
	{"genclient:onlyVerbs", Type, Verbs, "a client with these methods alone"},
	{"genclient:readonly", Type, None, "a client with get, list and watch alone"},
	{"genclient:skipVerbs", Type, Verbs, "a client without these methods"},
	{"resourceName", Type, Text, "name of the resource in URLs, where the plural of the kind will not do"},
}

// Lookup returns the definition of a marker.
func Lookup(name string) (Definition, bool) {
	for _, d := range Definitions {
		if d.Name == name {
			return d, true
		}
	}
	return Definition{}, false
}

// Marker is a marker as written, its name without the leading "+".
type Marker struct {
	Name  string
	Value string // what follows the "=", spaces trimmed
	Pos   token.Position
}

// Read returns the markers for a target from comments, in their order. Comment lines that are not markers, or markers
// that other tools own, are passed over; markers that are meant for kubegen but cannot be understood become errors.
func Read(fset *token.FileSet, target Target, errs *diag.List, groups ...*ast.CommentGroup) []Marker {
	var found []Marker
	for _, line := range Lines(fset, groups...) {
		for name, texts := range codetags.Extract("+", []string{line.Text}) {
			rest := strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(texts[0], name)), "()") // +groupName()=x is legal
			value, hasValue := strings.CutPrefix(rest, "=")
			m := Marker{Name: name, Value: strings.TrimSpace(value), Pos: line.Pos}
			def, known := Lookup(m.Name)
			switch {
			case m.Name == "" && target == Type && MeansGenclient(line.Text): // "+ genclient"
				errs.Errorf(m.Pos, "a space in %q", line.Text).Suggest("write +%s", strings.TrimLeft(line.Text, "+ \t"))
			case !known:
				reportUnknown(m, target, errs)
			case def.Target == target && rest != "" && !hasValue:
				errs.Errorf(m.Pos, "unexpected %q after +%s", rest, m.Name).Suggest("a marker stands on a line of its own")
			case def.Target == target && wellFormed(m, def, hasValue, errs):
				found = append(found, m)
			case def.Target == Package && target == Type && def.Value != Bool:
				errs.Errorf(m.Pos, "+%s belongs into the package comment, not above a type", m.Name).
					Suggest("move it to the comment above the package clause in doc.go")
			}
		}
	}
	return found
}

// wellFormed checks a known marker's value.
func wellFormed(m Marker, def Definition, hasValue bool, errs *diag.List) bool {
	switch def.Value {
	case None:
		if hasValue {
			errs.Errorf(m.Pos, "+%s takes no value", m.Name).Suggest("write +%s, or remove the marker to switch it off", m.Name)
			return false
		}
	case Bool:
		if m.Value != "true" && m.Value != "false" {
			errs.Errorf(m.Pos, "the value of +%s is true or false, not %q", m.Name, m.Value).Suggest("%s", def.Help)
			return false
		}
	case Text, Verbs, Method:
		if !hasValue || m.Value == "" && def.Name != "groupName" {
			errs.Errorf(m.Pos, "+%s needs a value", m.Name).Suggest("%s; such as %s", def.Help, example(def))
			return false
		}
	}
	return true
}

func example(def Definition) string {
	return "+" + def.Name + map[Value]string{
		Text: "=NAME", Verbs: "=get,list", Method: "=GetScale,verb=get,subresource=scale",
	}[def.Value]
}

// MeansGenclient reports whether the text of a marker is +genclient or one of its family, or was likely meant to be.
func MeansGenclient(text string) bool {
	name := strings.ToLower(strings.TrimLeft(text, "+ \t"))
	if end := strings.IndexAny(name, ":=( \t"); end >= 0 {
		name = name[:end]
	}
	_, near := Nearest(name, []string{"genclient"})
	return near || strings.HasPrefix(name, "genclient")
}

// reportUnknown complains of markers that look like ours. Those of other tools are none of our business.
func reportUnknown(m Marker, target Target, errs *diag.List) {
	folded := strings.ToLower(m.Name)
	if target == Type && (folded == "nonnamespaced" || folded == "readonly") {
		errs.Errorf(m.Pos, "+%s is no longer a marker", m.Name).Suggest("write +genclient:%s", m.Name)
		return
	}
	if target == Type && MeansGenclient(m.Name) {
		d := errs.Errorf(m.Pos, "unknown marker +%s", m.Name)
		if nearest, ok := Nearest(m.Name, names("genclient")); ok {
			d.Suggest("did you mean +%s?", nearest)
		} else {
			d.Suggest("known are +%s", strings.Join(names("genclient"), ", +"))
		}
		return
	}
	for _, def := range Definitions {
		if def.Target == target && strings.EqualFold(def.Name, m.Name) {
			errs.Errorf(m.Pos, "unknown marker +%s", m.Name).Suggest("did you mean +%s?", def.Name)
		}
	}
}

func names(prefix string) []string {
	var list []string
	for _, d := range Definitions {
		if strings.HasPrefix(d.Name, prefix) {
			list = append(list, d.Name)
		}
	}
	return list
}

// Line is one line of a comment, without comment signs and surrounding space.
type Line struct {
	Text string
	Pos  token.Position
}

// Lines returns the lines of comments that can be markers, those that start with "+".
func Lines(fset *token.FileSet, groups ...*ast.CommentGroup) []Line {
	var lines []Line
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			text := comment.Text
			offset := 2 // past the comment sign
			if strings.HasPrefix(text, "/*") {
				text = strings.TrimSuffix(text, "*/")
			}
			for _, raw := range strings.Split(text[offset:], "\n") {
				trimmed := strings.TrimLeft(raw, " \t*")
				if strings.HasPrefix(trimmed, "+") {
					at := comment.Slash + token.Pos(offset+len(raw)-len(trimmed))
					lines = append(lines, Line{Text: strings.TrimSpace(trimmed), Pos: fset.Position(at)})
				}
				offset += len(raw) + 1
			}
		}
	}
	return lines
}
