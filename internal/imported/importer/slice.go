package importer

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Field is a field of a slice.
type Field struct {
	Kind string         // as in Options.Kinds; "" for all selected kinds
	Path crdschema.Path // from the kind
	Text string         // the field in the form of ParseField
}

// ParseField parses PATH or KIND:PATH.
func ParseField(text string) (Field, error) {
	f := Field{Text: text}
	path := text
	if kind, rest, ok := strings.Cut(text, ":"); ok && kind != "" && !strings.ContainsAny(kind, `[\`) {
		f.Kind, path = kind, rest
	}
	var err error
	f.Path, err = crdschema.ParsePath(path)
	return f, err
}

// selectFields sets the fields of a slice, if there are any. It reports fields that do not exist.
func (s *source) selectFields(p *Package) (diags diag.List) {
	for _, f := range p.Fields {
		if f.Kind != "" && !s.Names(f.Kind) {
			continue
		}
		if s.fields == nil {
			s.fields = &crdschema.PathTree{}
		}
		s.fields.Add(f.Path)
		schema, path := s.schema, f.Path
		if path[0] == "metadata" {
			schema = &crdschema.Schema{Properties: []crdschema.Property{{Name: "metadata", Schema: crdschema.Metadata}}}
		}
		if i, in := schema.Missing(path); in != nil && path[0] != "apiVersion" && path[0] != "kind" {
			pos := token.Position{Filename: s.Kind.Pos.Filename, Line: in.Line, Column: in.Column}
			if pos.Line == 0 {
				pos = token.Position{}
			}
			d := f.ReportMissing(s.Kind.Text+" "+s.Version.Name.Text, i, in.Names(), pos, &diags)
			if d != nil && f.Kind == "" {
				d.Suggest("if the field is one of another kind, write the kind before it, as in Certificate:spec.secretName")
			}
		}
	}
	return diags
}

// ReportMissing reports that a kind does not have the i-th field of the path. names are the fields in its place, and
// related is the position of what contains these, or zero. It returns the diagnostic if it has no advice, or else nil.
func (f Field) ReportMissing(kind string, i int, names []string, related token.Position, diags *diag.List) *diag.Diagnostic {
	at, name := f.Path[:i], f.Path[i]
	if i > 0 {
		kind = at.String() + " of " + kind
	}
	if len(names) == 0 {
		diags.Errorf(token.Position{}, "%s: %s: %s has no fields", diag.Setting("fields"), diag.Value(f.Text), kind).WithRelated(related).
			Suggest("keep it as a whole, with %s", at)
		return nil
	}
	d := diags.Errorf(token.Position{}, "%s: %s: %s has no field %s", diag.Setting("fields"), diag.Value(f.Text), kind, name).
		WithRelated(related)
	if nearest, ok := diag.Nearest(name, names); ok {
		d.Suggest("did you mean %s?", append(slices.Clip(at), nearest))
		return nil
	}
	return d
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
	return SliceDoc(s.goName(), s.fields.Paths())
}

// SliceDoc returns the comment above a slice with the fields at some paths.
func SliceDoc(name string, paths []crdschema.Path) string {
	var fields strings.Builder
	for _, path := range paths {
		if !slices.Contains(crdschema.ResourceFields, path[0]) {
			fields.WriteString("  - " + path.String() + "\n")
		}
	}
	only := "metadata.\n"
	if fields.Len() > 0 {
		only = "the metadata and these fields:\n" + fields.String()
	}
	return name + " is a slice of its kind: it has only " + only + `
An update with a slice would remove all other fields. So its client has no Create, Update and UpdateStatus: change
objects with Apply and Patch.`
}
