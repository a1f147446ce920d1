package importer

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/crd"
	"github.com/kubegen/kubegen/internal/crdschema"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/fieldpaths"
)

// Field is a field of a slice.
type Field struct {
	Kind string          // as in Options.Kinds; "" for all selected kinds
	Path fieldpaths.Path // from the kind
	Text string          // the field in the form of ParseField
}

// ParseField parses PATH or KIND:PATH.
func ParseField(text string) (Field, error) {
	f := Field{Text: text}
	path := text
	if kind, rest, ok := strings.Cut(text, ":"); ok && kind != "" && !strings.ContainsAny(kind, `[\`) {
		f.Kind, path = kind, rest
	}
	var err error
	f.Path, err = fieldpaths.Parse(path)
	return f, err
}

// slice restricts the schema of a kind to the fields that are selected, if there are any. It reports fields that do not
// exist.
func (s *source) slice(p *Package, diags *diag.List) {
	for _, f := range p.Fields {
		if f.Kind != "" && !s.Names(f.Kind) {
			continue
		}
		if s.fields == nil {
			s.fields = &fieldpaths.Tree{}
		}
		s.fields.Add(f.Path)
		schema, path := s.schema, f.Path
		if path[0] == "metadata" {
			schema = &crdschema.Schema{Properties: []crdschema.Property{{Name: "metadata", Schema: crdschema.Metadata}}}
		}
		if missing := schema.Missing(path); missing != nil && path[0] != "apiVersion" && path[0] != "kind" {
			s.reportMissing(f, missing, diags)
		}
	}
	if s.fields != nil && !diags.HasErrors() {
		s.schema = s.schema.Slice(s.fields)
	}
}

// reportMissing reports a field that does not exist.
func (s *source) reportMissing(f Field, missing *crdschema.Missing, diags *diag.List) {
	at := s.Kind.Text + " " + s.Version.Name.Text
	if len(missing.At) > 0 {
		at = missing.At.String() + " of " + at
	}
	pos := token.Position{Filename: s.Kind.Pos.Filename, Line: missing.In.Line, Column: missing.In.Column}
	known, what := len(missing.In.Properties) > 0, "field "+missing.Name
	if !known {
		what = "fields"
	}
	d := diags.Errorf(token.Position{}, "%s: %s: %s has no %s", diag.Setting("fields"), f.Text, at, what)
	if pos.Line > 0 {
		d.WithRelated(pos)
	}
	switch nearest := missing.Nearest(); {
	case nearest != "":
		d.Suggest("did you mean %s?", append(slices.Clip(missing.At), nearest))
	case !known:
		d.Suggest("keep it as a whole, with %s", missing.At)
	case f.Kind == "":
		d.Suggest("if the field is one of another kind, write the kind before it, as in Certificate:spec.secretName")
	}
}

// has reports whether the kind is imported as a whole, or the slice has the field at a JSON path.
func (s *source) has(path crd.Value) bool {
	_, err := s.schema.Field(path.Text)
	return s.fields == nil || err == nil
}

// doc returns the comment above a slice, or "" for a kind that is imported as a whole.
func (s *source) doc() string {
	if s.fields == nil {
		return ""
	}
	var fields strings.Builder
	for _, path := range s.fields.Paths() {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata"}, path[0]) {
			fields.WriteString("  - " + path.String() + "\n")
		}
	}
	only := "metadata.\n"
	if fields.Len() > 0 {
		only = "the metadata and these fields:\n" + fields.String()
	}
	return s.goName() + " is a slice of its kind: it has only " + only + `
An update with a slice would remove all other fields. So its client has no Create, Update and UpdateStatus: change
objects with Apply and Patch.`
}
