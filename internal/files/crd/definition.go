package crd

import (
	"cmp"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// rules holds checks that API servers make, for definitions that are read and for generated ones. They add errors to
// diags.
type rules struct{ diags *diag.List }

// label checks a name that must be a DNS label.
func (r rules) label(what string, v Value) {
	switch {
	case len(v.Text) > maxLabel:
		r.diags.Errorf(v.Pos, "%s %q has %d characters, but at most %d are allowed", what, v.Text, len(v.Text), maxLabel).
			Suggest("use a shorter one")
	case !model.IsLabel(v.Text):
		r.diags.Errorf(v.Pos, "%s %q is not a DNS label", what, v.Text).
			Suggest("use lower-case letters, digits and hyphens, beginning with a letter and not ending with a hyphen")
	}
}

// kind checks the name of a kind: a DNS label, but with capitals allowed.
func (r rules) kind(what string, v Value) {
	if !model.IsLabel(strings.ToLower(v.Text)) || strings.ContainsFunc(v.Text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		r.diags.Errorf(v.Pos, "%s %q is not a DNS label, even in lower case", what, v.Text).Suggest("use at most %d letters and digits", maxLabel)
	}
}

func (r rules) group(pos token.Position, group string) {
	switch {
	case !model.IsSubdomain(group):
		r.diags.Errorf(pos, "the API group %q is not a DNS name", group).
			Suggest("use labels of lower-case letters, digits and hyphens with dots between them")
	case !strings.Contains(group, "."):
		r.diags.Errorf(pos, "the API group %q has no dot, but a group with CustomResourceDefinitions must be a domain", group).
			Suggest("use a domain, such as %s.example.com", group)
	}
}

// warning checks the warning of a deprecated version.
func (r rules) warning(pos token.Position, text string) {
	switch {
	case text == "":
		r.diags.Errorf(pos, "the warning is empty").Suggest("write one, or leave it out")
	case len(text) > maxWarning:
		r.diags.Errorf(pos, "the warning has %d bytes, but at most %d are allowed", len(text), maxWarning).Suggest("shorten it")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
		r.diags.Errorf(pos, "the warning has characters that cannot be printed").Suggest("delete them")
	}
}

// column checks a column except for its path in the schema, and reports whether the path can be followed. at returns
// the position of a key.
func (r rules) column(c Column, at func(key string) token.Position) bool {
	if c.Name == "" {
		r.diags.Errorf(at("name"), "the column has no name").Suggest("add one")
	}
	if !slices.Contains(columnTypes, c.Type) {
		r.diags.Errorf(at("type"), "the column has the type %q", c.Type).Suggest("use one of %s", strings.Join(columnTypes, ", "))
	}
	if c.Format != "" && !slices.Contains(columnFormats, c.Format) {
		r.diags.Errorf(at("format"), "the column has the format %q", c.Format).Suggest("use one of %s", strings.Join(columnFormats, ", "))
	}
	if !strings.HasPrefix(c.Path, ".") {
		r.diags.Errorf(at("jsonPath"), "the path %q of the column does not begin with a dot", c.Path).Suggest("write it as in .status.phase")
		return false
	}
	return true
}

// scalePath checks a path of the scale subresource and reports whether it can be followed.
func (r rules) scalePath(pos token.Position, name, path string, parents ...string) bool {
	switch {
	case path == "":
		r.diags.Errorf(pos, "%s of the scale subresource is empty", name).Suggest("write it as in %sreplicas", parents[0])
	case !slices.ContainsFunc(parents, func(parent string) bool { return strings.HasPrefix(path, parent) }):
		r.diags.Errorf(pos, "%s of the scale subresource must begin with %s, and is %q", name, strings.Join(parents, " or "), path).
			Suggest("correct the path")
	default:
		return true
	}
	return false
}

// names checks the names of a definition, except for kinds, and its scope.
func (r rules) names(d *Definition) {
	r.group(d.Group.Pos, d.Group.Text)
	for _, v := range d.Versions {
		r.label("the version", v.Name)
	}
	r.label("the resource name", d.Plural)
	if d.Singular.Text != "" {
		r.label("the singular name", d.Singular)
	}
	for _, name := range d.ShortNames {
		r.label("the short name", name)
	}
	for _, name := range d.Categories {
		r.label("the category", name)
	}
	if scope := d.Scope.Text; scope != "Namespaced" && scope != "Cluster" {
		r.diags.Errorf(d.Scope.Pos, "the scope is Namespaced or Cluster, not %q", scope).Suggest("write one of them")
	}
}

// Statuses returns the versions with a status subresource, as KIND.GROUP/VERSION.
func (d *Definition) Statuses() (all []string) {
	for _, v := range d.Versions {
		if v.Status.Pos.IsValid() {
			all = append(all, d.Kind.Text+"."+d.Group.Text+"/"+v.Name.Text)
		}
	}
	return all
}

// Check returns errors where API servers refuse a definition. It does not check schemas and settings that depend
// on schemas.
func (d *Definition) Check() (diags diag.List) {
	r := rules{&diags}
	r.names(d)
	r.kind("the kind", d.Kind)
	if d.ListKind.Text != "" {
		r.kind("the kind of lists", d.ListKind)
		if d.ListKind.Text == d.Kind.Text {
			diags.Errorf(d.ListKind.Pos, "%s is the kind of objects and of lists", d.Kind.Text).Suggest("write %sList", d.Kind.Text)
		}
	}
	if d.Metadata.Text != "" && d.Metadata.Text != d.Name() {
		diags.Errorf(d.Metadata.Pos, "the name of the CustomResourceDefinition is %q, and must be %q", d.Metadata.Text, d.Name()).
			Suggest("correct it, or the plural or group")
	}
	first := map[string]token.Position{}
	for _, v := range d.Versions {
		if pos, twice := first[v.Name.Text]; twice {
			diags.Errorf(v.Name.Pos, "version %s is listed twice", v.Name.Text).WithRelated(pos).Suggest("keep one of them")
		}
		first[v.Name.Text] = v.Name.Pos
		r.version(v)
	}
	return diags
}

// CheckWhole returns errors where API servers refuse a definition that was read.
func (d *Definition) CheckWhole() diag.List {
	diags := d.Check()
	stored := slices.DeleteFunc(slices.Clone(d.Versions), func(v Version) bool { return v.Storage.Text != "true" })
	switch {
	case len(d.Versions) == 0:
		diags.Errorf(d.Kind.Pos, "it has no versions")
	case len(stored) == 0:
		diags.Errorf(d.Versions[0].Name.Pos, "no version is the storage version")
	case len(stored) > 1:
		diags.Errorf(stored[1].Name.Pos, "versions %s and %s are both storage versions", stored[0].Name.Text, stored[1].Name.Text).
			WithRelated(stored[0].Name.Pos)
	}
	if text := d.Conversion.Text; d.Conversion.Pos.IsValid() && text != "None" && text != webhook {
		diags.Errorf(d.Conversion.Pos, "the strategy of the conversion is None or Webhook, not %q", text)
	}
	for _, v := range d.Versions {
		schema, mistakes := v.Schema()
		switch diags = append(diags, mistakes...); {
		case schema == nil:
			diags.Errorf(v.Name.Pos, "version %s has no schema", v.Name.Text)
		case !mistakes.HasErrors():
			diags = append(diags, d.CheckSchema(v, schema, diag.Error)...)
			v.CheckSelectable(schema, &diags)
		}
	}
	for _, refused := range diags {
		refused.SetMessage("API servers refuse this manifest: %s", refused.Message)
		refused.Elsewhere(diag.Textf("correct it, or generate it again"))
	}
	return diags
}

// CheckSchema returns what API servers refuse in the schema of a version of a definition that was read. It has the
// severity refused, except for wrong list types, which are errors.
func (d *Definition) CheckSchema(v Version, schema *crdschema.Schema, refused diag.Severity) diag.List {
	return schema.CheckRead(v.Name.Pos.Filename, d.statusIn(v, d.sameSchema), refused)
}

// version checks a version except for settings that depend on its schema.
func (r rules) version(v Version) {
	switch {
	case v.Warning == nil:
	case !v.Deprecated:
		r.diags.Errorf(v.warningAt, "version %s has a warning, but is not deprecated", v.Name.Text).
			Suggest("write deprecated: true, or leave it out")
	default:
		r.warning(v.warningAt, *v.Warning)
	}
	for i, c := range v.Columns {
		r.column(c, func(key string) token.Position {
			if value := v.columns[i].at(key); value.node != nil {
				return value.pos()
			}
			return v.columns[i].pos()
		})
	}
	if s := v.Scale; s != nil {
		at := func(value Value) token.Position { return cmp.Or(value.Pos, s.Pos) }
		r.scalePath(at(s.SpecReplicas), "specReplicasPath", s.SpecReplicas.Text, ".spec.")
		r.scalePath(at(s.StatusReplicas), "statusReplicasPath", s.StatusReplicas.Text, ".status.")
		if s.Selector.Text != "" {
			r.scalePath(at(s.Selector), "labelSelectorPath", s.Selector.Text, ".status.", ".spec.")
		}
	}
}

// CheckSelectable adds errors to diags where API servers refuse the selectable fields of a version with a schema.
func (v Version) CheckSelectable(schema *crdschema.Schema, diags *diag.List) {
	seen := map[string]bool{}
	for _, field := range v.SelectableFields {
		path, pos := field.Text, cmp.Or(field.Pos, v.Name.Pos)
		s, err := schema.Field(path)
		switch {
		case path == "":
			diags.Errorf(pos, "the path of the selectable field is empty").Suggest("write it as in .spec.color")
			continue
		case inMetadata(path):
			diags.Errorf(pos, "%s is in metadata, whose fields cannot be made selectable", path).Suggest("leave it out")
		case err != nil:
			diags.Errorf(pos, "the path %q of the selectable field is wrong: %v", path, err).Suggest("%s", correctPath(schema, path, err))
			continue
		case s.Type != "string" && s.Type != "boolean" && s.Type != "integer":
			diags.Errorf(pos, "%s cannot be selectable, because its type is %s", path, cmp.Or(s.Type, "not known")).
				Suggest("use a field of type string, boolean or integer")
		}
		if seen[path] {
			diags.Errorf(pos, "%s is made selectable twice", path).Suggest("leave one of them out")
		}
		seen[path] = true
		if len(seen) == maxSelectable+1 {
			diags.Errorf(pos, "more than %d fields are selectable", maxSelectable).Suggest("leave some of them out")
			return
		}
	}
}
