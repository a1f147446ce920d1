// This file reads kubegen.yaml, which lists the outputs of a run and their settings. It checks the YAML, keeps
// positions, and applies the settings of the whole file to each output. Callers define which settings exist.

package plan

import (
	"errors"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// ConfigName is the name of the configuration file.
const ConfigName = "kubegen.yaml"

// SchemaID is the URL at which the JSON schema of the file is published.
const SchemaID = "https://raw.githubusercontent.com/kubegen/kubegen/main/docs/kubegen.schema.json"

// ConfigVersion is the version of the file's format.
const ConfigVersion = "1"

// PackagesKey is the name of the setting that lists the patterns of packages to read or import.
const PackagesKey = "packages"

// EditsKey is the name of the setting that lists edits of schemas.
const EditsKey = "edits"

// ManifestsKey is the name of the setting that lists the manifests of an import.
const ManifestsKey = "manifests"

// ValueType is the type of a setting's value.
type ValueType int

// Types of values.
const (
	StringValue ValueType = iota
	BoolValue
	ListValue  // of strings
	MapValue   // of strings; a list of key=value is accepted as well
	ListsValue // by key, or one list; the items have the form key:value, or value
	BoolOrStringValue
	EditsValue  // read by package edits
	NumberValue // of flags
)

// String returns a description for messages, such as "a list of strings".
func (k ValueType) String() string {
	return [...]string{
		"a string", "true or false", "a list of strings", "a mapping of strings", "a list of strings or a mapping of such lists",
		"true, false or a string", "a list of edits", "a number",
	}[k]
}

// Setting describes a key in the file, which is allowed at the top for all outputs and in each output.
type Setting struct {
	Name, Help string
	Type       ValueType
	Default    string   // "" for none
	Values     []string // the allowed strings; nil if all are allowed
	Local      bool     // the setting of an output ignores the value for the whole file
}

// Settings of outputs and imports that are no flags.
var (
	OutputSettings = []Setting{
		{
			Name: PackagesKey, Type: ListValue,
			Help: "packages to read, as for go list, relative to the directory of this file (default: all packages of the module)",
		},
		{
			Name: EditsKey, Type: EditsValue,
			Help: "changes of schemas in CustomResourceDefinitions, of types and kinds, see docs/reference/edits.md",
		},
	}
	ImportSettings = []Setting{
		{
			Name: ManifestsKey, Type: ListValue,
			Help: "files and directories with CustomResourceDefinitions, relative to the directory of this file",
		},
		{
			Name: PackagesKey, Type: ListValue, Local: true,
			Help: "Go packages of types in modules that go.mod requires, such as example.com/api/v1 or example.com/api/...",
		},
	}
)

// Value is the value of a setting.
type Value struct {
	Pos   token.Position
	Items []Item     // the items of a List; otherwise one
	Node  *yaml.Node // of Edits
}

// String implements fmt.Stringer, for Settings.
func (v Value) String() string { return v.Pos.String() }

// Item is a string in the file. Booleans are "true" and "false".
type Item struct {
	Text string
	Pos  token.Position
}

// ConfigOutput holds the settings of one output.
type ConfigOutput struct {
	Pos    token.Position
	Import bool             // its packages are imported
	Values map[string]Value // by the name of the setting
}

// ReadConfig reads the text of a file and returns its outputs, imports first. Each output inherits the file's settings
// unless it overrides them. An import inherits only the settings in ofImports. A file that lists no outputs has one
// with the settings of the file, unless it contains nothing but imports. If the diagnostics contain errors, the outputs
// are incomplete.
func ReadConfig(file string, text []byte, settings, ofImports []Setting) ([]ConfigOutput, diag.List) {
	r := &configReader{file: file, settings: settings, ofImports: ofImports}
	var document, second yaml.Node
	decoder := yamltext.NewSettingsDecoder(text)
	err := decoder.Decode(&document)
	if err == nil {
		if err = decoder.Decode(&second); err == nil {
			r.diags.Errorf(r.at(&second), "a second YAML document, but the file must be one").Suggest("write a list of outputs")
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.syntax(err)
		return nil, r.diags
	}
	return r.outputs(&document), r.diags
}

// reader reads one file.
type configReader struct {
	diags               diag.List
	file                string
	settings, ofImports []Setting
}

// at returns the position of a node. The position of an empty document is the start of the file.
func (r *configReader) at(n *yaml.Node) token.Position {
	return token.Position{Filename: r.file, Line: max(n.Line, 1), Column: max(n.Column, 1)}
}

// syntax reports an error of the decoder. Only an error about aliases has a column.
func (r *configReader) syntax(err error) {
	for _, m := range yamltext.MistakesOf(err) {
		pos := token.Position{Filename: r.file, Line: m.Line, Column: m.Column}
		if m.Column > 0 {
			r.diags.Errorf(pos, "%s", m.Message).Suggest("write the values without aliases")
		} else {
			r.diags.Errorf(pos, "cannot parse this file: %s", m.Message)
		}
	}
}

// outputs reads the document.
func (r *configReader) outputs(document *yaml.Node) []ConfigOutput {
	root := document
	if document.Kind == yaml.DocumentNode {
		root = document.Content[0]
	}
	common := map[string]Value{}
	var list, imports *yaml.Node
	version := false
	if root.Kind != 0 && root.Tag != "!!null" {
		for key, value := range r.entries(root, "the file") {
			switch key.Value {
			case "version":
				version = true
				if v := yamltext.Resolved(value); v.Kind != yaml.ScalarNode || v.Value != ConfigVersion {
					r.diags.Errorf(r.at(value), "version: only %s is known", ConfigVersion).Suggest("write version: %s, or update kubegen", ConfigVersion)
				}
			case "outputs":
				list = value
			case "imports":
				imports = value
			default:
				r.set(r.settings, common, key, value, "version", "outputs", "imports")
			}
		}
	}
	if !version {
		r.diags.Errorf(r.at(root), "the file has no version").Suggest("begin it with version: %s", ConfigVersion)
	}
	var outputs []ConfigOutput
	if imports != nil {
		outputs = r.list(imports, "imports", "an import", "- manifests: [crds]", common, r.ofImports)
		for i := range outputs {
			outputs[i].Import = true
			r.require(outputs[i], ManifestsKey, PackagesKey)
			r.require(outputs[i], "output-dir")
		}
	}
	switch {
	case list != nil:
		outputs = append(outputs, r.list(list, "outputs", "an output", "- output-dir: pkg/generated", common, r.settings)...)
	case imports == nil || len(common) > 0:
		outputs = append(outputs, ConfigOutput{Pos: r.at(root), Values: common})
	}
	return outputs
}

// require reports an import without any of some settings.
func (r *configReader) require(o ConfigOutput, names ...string) {
	if !slices.ContainsFunc(names, func(name string) bool { return len(o.Values[name].Items) > 0 }) {
		r.diags.Errorf(o.Pos, "the import has no %s", strings.Join(names, " or ")).
			Suggest("an import has at least manifests, such as [crds], or packages, such as [example.com/api/v1], and output-dir")
	}
}

// list reads a list of outputs. Each output inherits the settings in common that are allowed for it and not Local.
func (r *configReader) list(n *yaml.Node, name, one, example string, common map[string]Value, settings []Setting) (outputs []ConfigOutput) {
	items := yamltext.Resolved(n)
	if items.Kind != yaml.SequenceNode || len(items.Content) == 0 {
		r.diags.Errorf(r.at(n), "%s must be a list with at least one item", name).
			Suggest("begin each %s with a dash, as in %s", strings.TrimSuffix(name, "s"), example)
		return nil
	}
	first := map[*yaml.Node]*yaml.Node{}
	for _, item := range items.Content {
		same := yamltext.Resolved(item)
		if earlier := first[same]; earlier != nil {
			r.diags.Errorf(r.at(item), "the alias repeats %s", one).WithRelated(r.at(earlier)).Suggest("delete it")
			continue
		}
		first[same] = item
		o := ConfigOutput{Pos: r.at(item), Values: map[string]Value{}}
		for key, value := range r.entries(item, one) {
			r.set(settings, o.Values, key, value)
		}
		for name, value := range common {
			known := slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == name && !s.Local })
			if _, overridden := o.Values[name]; !overridden && known {
				o.Values[name] = value
			}
		}
		outputs = append(outputs, o)
	}
	return outputs
}

// entries iterates over the keys and values of a mapping, and reports keys that occur twice. what describes the mapping
// in messages.
func (r *configReader) entries(n *yaml.Node, what string) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		mapping := yamltext.Resolved(n)
		if mapping.Kind != yaml.MappingNode {
			r.diags.Errorf(r.at(n), "%s must consist of settings", what).Suggest("write each as name: value")
			return
		}
		repeated := yamltext.Repeated(mapping)
		for key, value := range yamltext.Entries(mapping) {
			if first := repeated[key]; first != nil {
				r.diags.Errorf(r.at(key), "%s is set twice", key.Value).WithRelated(r.at(first))
			} else if !yield(key, value) {
				return
			}
		}
	}
}

// set reads the value of a setting. If the setting is unknown, the hint may propose one of the other keys.
func (r *configReader) set(settings []Setting, values map[string]Value, key, value *yaml.Node, others ...string) {
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == key.Value })
	if i < 0 {
		for _, s := range settings {
			others = append(others, s.Name)
		}
		r.diags.Errorf(r.at(key), "unknown key %q", key.Value).Suggest("%s", r.instead(key.Value, others))
		return
	}
	s := settings[i]
	v := Value{Pos: r.at(value)}
	nodes := []*yaml.Node{value}
	if s.Type == EditsValue {
		v.Node = value
		values[s.Name] = v
		return
	}
	if (s.Type == MapValue || s.Type == ListsValue) && yamltext.Resolved(value).Kind == yaml.MappingNode {
		v.Items = r.pairs(s, value)
		values[s.Name] = v
		return
	}
	if s.Type == ListValue || s.Type == MapValue || s.Type == ListsValue {
		list := yamltext.Resolved(value)
		if list.Kind != yaml.SequenceNode {
			d := r.diags.Errorf(r.at(value), "%s must be %s", s.Name, s.Type)
			if s.Type == MapValue {
				d.Suggest("write each as KEY: VALUE, on a line of its own")
			} else {
				d.Suggest("write it as [a, b], or each item on a line of its own after a dash")
			}
			return
		}
		nodes = list.Content
	}
	if s.Name == PackagesKey && len(nodes) == 0 {
		r.diags.Errorf(r.at(value), "%s is empty", s.Name).Suggest("leave it out for all packages of the module")
		return
	}
	for _, n := range nodes {
		if text, ok := r.text(s, n); ok {
			v.Items = append(v.Items, Item{text, r.at(n)})
		}
	}
	values[s.Name] = v
}

// instead says what to write instead of an unknown key, where the other keys are known.
func (r *configReader) instead(key string, known []string) string {
	word := strings.ReplaceAll(key, "_", "-")
	nearest, ok := diag.Nearest(word, known)
	if !ok {
		const with = "with-"
		var switches []string
		for _, name := range known {
			if what, is := strings.CutPrefix(name, with); is {
				switches = append(switches, what)
			}
		}
		nearest, ok = diag.Nearest(word, switches)
		nearest = with + nearest
	}
	switch {
	case slices.Contains([]string{"version", "outputs", "imports"}, key):
		return "write it at the top of the file"
	case slices.ContainsFunc(r.settings, func(s Setting) bool { return s.Name == key }):
		return "imports do not have it; write it into an output, or at the top of the file"
	case slices.ContainsFunc(r.ofImports, func(s Setting) bool { return s.Name == key }):
		return "only imports have it"
	case ok:
		return "did you mean " + strconv.Quote(nearest) + "?"
	}
	return "the keys are the flags in kubegen --help without the dashes, but for those of a single run"
}

// pairs reads a Map or Lists.
func (r *configReader) pairs(s Setting, n *yaml.Node) (items []Item) {
	for key, value := range r.entries(n, s.Name) {
		if s.Type == ListsValue {
			list := yamltext.Resolved(value)
			if list.Kind != yaml.SequenceNode {
				r.diags.Errorf(r.at(value), "%s of %s must be a list of strings", s.Name, key.Value)
				continue
			}
			if len(list.Content) == 0 {
				items = append(items, Item{key.Value + ":", r.at(key)})
			}
			for _, item := range list.Content {
				if text, ok := r.text(s, item); ok {
					items = append(items, Item{key.Value + ":" + text, r.at(item)})
				}
			}
			continue
		}
		if text, ok := r.text(s, value); ok {
			items = append(items, Item{key.Value + "=" + text, r.at(key)})
		}
	}
	return items
}

// text reads a String, a Bool or a BoolOrString.
func (r *configReader) text(s Setting, n *yaml.Node) (string, bool) {
	scalar := yamltext.Resolved(n)
	quoted := scalar.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	switch {
	case (s.Type == BoolValue || s.Type == BoolOrStringValue) && scalar.Kind == yaml.ScalarNode && scalar.Tag == "!!bool":
		var value bool
		_ = scalar.Decode(&value)
		return strconv.FormatBool(value), true
	case s.Type == BoolValue, scalar.Kind != yaml.ScalarNode:
		r.diags.Errorf(r.at(n), "%s must be %s", s.Name, s.Type)
	case scalar.Tag == "!!null" || scalar.Tag == "!!bool" && !quoted:
		r.diags.Errorf(r.at(n), "%s must be %s, not %s", s.Name, s.Type, strings.TrimPrefix(scalar.Tag, "!!")).
			Suggest("write it in quotes if you mean the word")
	case s.Type == BoolOrStringValue && !quoted && slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(scalar.Value)):
		r.diags.Errorf(r.at(n), "%s must be %s, not %s", s.Name, s.Type, scalar.Value).
			Suggest("write true or false, or quote it if you mean the word")
	case s.Values != nil && !slices.Contains(s.Values, scalar.Value):
		r.diags.Errorf(r.at(n), "%s: unknown value %q", s.Name, scalar.Value).
			Meant(scalar.Value, s.Values, "known are %s", strings.Join(s.Values, ", "))
	default:
		return scalar.Value, true
	}
	return "", false
}
