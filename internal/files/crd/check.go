package crd

import (
	"cmp"
	"go/token"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// origin is the source of a version: its type and the markers of the type and its package.
type origin struct {
	pos       token.Position // of the type
	marked    []model.Marker // above the type
	ofPackage []model.Marker
}

// at returns the position of the i-th marker with a name above the type, or of the type if there are fewer.
func (o origin) at(name string, i int) token.Position {
	if all := o.all(name); i < len(all) {
		return all[i]
	}
	return o.pos
}

// all returns the positions of the markers with a name above the type.
func (o origin) all(name string) (all []token.Position) {
	for _, s := range o.marked {
		if s.Name == "kubebuilder:"+name || s.Name == name {
			all = append(all, s.Pos)
		}
	}
	return all
}

// above returns the position of the first marker with a name in the package, or else of the type.
func (o origin) above(name string) token.Position {
	return cmp.Or(markers.First(o.ofPackage, name).Pos, o.pos)
}

// last returns the position of a marker above the last version that has it, or else of the type of the first version.
func (m *output) last(name string) token.Position {
	for _, v := range slices.Backward(m.Versions) {
		if pos := v.at(name, 0); pos != v.pos {
			return pos
		}
	}
	return m.Versions[0].pos
}

// check fills m.diags: errors where an API server refuses the manifest, warnings where it accepts a setting without
// effect.
func (m *output) check(fset *token.FileSet) {
	m.checkNames()
	m.checkMetadata()
	sameSchema := sync.OnceValue(m.sameSchema)
	for i := range m.Versions {
		v := &m.Versions[i]
		m.checkVersion(v)
		m.diags = append(m.diags, v.written().Check(fset, m.statusIn(*v, sameSchema))...)
		pruned := prunedMetadata(v.written())
		for _, pos := range slices.Sorted(maps.Keys(pruned)) {
			m.diags.Warnf(fset.Position(pos), "API servers prune labels and annotations in %s of this field, which the schema does not list",
				strings.TrimPrefix(pruned[pos], ".")).Like("embedded metadata").Suggest("add %s", diag.Setting("crd-embedded-object-meta"))
		}
	}
	m.checkSameSelectable(sameSchema)
	if len(m.Versions) > 1 && !m.converted && !m.Versions[0].Type().Package.Foreign {
		m.warnOfLosses(fset)
	}
}

// statusIn reports whether API servers check the schema of a version as a schema with a status subresource.
func (d *Definition) statusIn(v Version, sameSchema func() bool) bool {
	hasStatus := func(v Version) bool { return v.Status.Pos.IsValid() }
	return hasStatus(v) || slices.ContainsFunc(d.Versions, hasStatus) && sameSchema()
}

// sameSchema reports whether all versions have the same schema. API servers then treat it as the schema of the whole
// definition.
func (d *Definition) sameSchema() bool {
	texts := map[string]bool{}
	for _, v := range d.Versions {
		s, _ := v.Schema()
		if s == nil {
			return false
		}
		texts[s.JSON()] = true
	}
	return len(texts) < 2
}

// checkSameSelectable reports versions with the same selectable fields but different schemas. API servers treat equal
// selectable fields as fields of the whole definition, which then has no schema for them.
func (m *output) checkSameSelectable(sameSchema func() bool) {
	first := m.Versions[0].SelectableFields
	if len(first) == 0 ||
		slices.ContainsFunc(m.Versions, func(v Version) bool { return !slices.Equal(Texts(v.SelectableFields), Texts(first)) }) || sameSchema() {
		return
	}
	last := m.Versions[len(m.Versions)-1].SelectableFields
	m.diags.Errorf(last[0].Pos, "API servers refuse versions that have the same selectable fields in the same order, but different schemas").
		WithRelated(first[0].Pos).Suggest("write the markers in another order, or leave out one of them")
}

var nameParts = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)

const (
	maxLabel     = 63
	maxSubdomain = 253
)

func (m *output) checkNames() {
	r, first := rules{&m.diags}, m.Versions[0]
	r.names(&m.Definition)
	if len(m.Group.Text) <= maxSubdomain && len(m.Name()) > maxSubdomain {
		m.diags.Errorf(
			m.Plural.Pos, "the name of the manifest, %s, has %d characters, but at most %d are allowed", m.Name(), len(m.Name()), maxSubdomain,
		).Suggest("use a shorter group or resource name")
	}
	switch named := m.last(markers.NamesMarker); {
	case m.Kind.Text == m.ListKind.Text:
		m.diags.Errorf(named, "objects and lists have the kind %s", m.Kind.Text).Suggest("give lists another one with listKind=")
	case named != first.pos: // a marker sets the names
		r.kind("the kind", Value{m.Kind.Text, named})
		r.kind("the kind of lists", Value{m.ListKind.Text, named})
	case len(m.ListKind.Text) > maxLabel:
		m.diags.Errorf(
			first.pos, "the name of the kind has %d characters, but at most %d are allowed, because the name of its list may have %d",
			len(m.Kind.Text), maxLabel-len("List"), maxLabel,
		).Suggest("use a shorter one")
	case !model.IsLabel(strings.ToLower(m.ListKind.Text)):
		m.diags.Errorf(first.pos, "the kind %q is not a DNS label, even in lower case", m.Kind.Text).Suggest("use letters and digits")
	}
}

// ApprovedAnnotation is the annotation that API servers require in the groups k8s.io and kubernetes.io and their
// subdomains (KEP-1111).
const ApprovedAnnotation = "api-approved.kubernetes.io"

// maxAnnotations is the maximum size of all annotations of an object in bytes.
const maxAnnotations = 256 << 10

func (m *output) checkMetadata() {
	if m.preserve != nil && *m.preserve {
		m.diags.Warnf(
			token.Position{},
			"API servers accept preserveUnknownFields: true only if the CustomResourceDefinition on the server has it, and only without defaults",
		).Suggest(
			"set %s to false, and write +kubebuilder:pruning:PreserveUnknownFields above the fields to be kept",
			diag.Setting("crd-preserve-unknown-fields"),
		)
	}
	pos, size := m.last("metadata"), 0
	for _, key := range slices.Sorted(maps.Keys(m.annotations)) {
		m.checkKey(pos, "an annotation", strings.ToLower(key), key)
		size += len(key) + len(m.annotations[key])
	}
	if size > maxAnnotations {
		m.diags.Errorf(pos, "the annotations have %d bytes, but at most %d are allowed", size, maxAnnotations).Suggest("delete some")
	}
	for _, key := range slices.Sorted(maps.Keys(m.labels)) {
		m.checkKey(pos, "a label", key, key)
		if value := m.labels[key]; len(value) > maxLabel || value != "" && !nameParts.MatchString(value) {
			m.diags.Errorf(pos, "the value %q of the label %s is invalid", value, key).
				Suggest("use at most %d letters, digits, hyphens, underscores and dots, beginning and ending with a letter or digit", maxLabel)
		}
	}
	if !slices.ContainsFunc([]string{".k8s.io", ".kubernetes.io"}, func(suffix string) bool {
		return strings.HasSuffix("."+m.Group.Text, suffix)
	}) {
		return
	}
	value := m.annotations[ApprovedAnnotation]
	link, err := url.ParseRequestURI(value)
	switch {
	case strings.HasPrefix(value, "unapproved"), err == nil && link.Scheme != "" && link.Host != "":
	case value == "": // another tool may add it before the manifest is applied
		m.diags.Warnf(
			pos, "the group %s belongs to the Kubernetes community, so API servers require the annotation %s", m.Group.Text, ApprovedAnnotation,
		).Suggest(
			`use a group of your own, or add +kubebuilder:metadata:annotations="%s=unapproved, experimental-only" or the URL of the approval`,
			ApprovedAnnotation,
		)
	default:
		m.diags.Errorf(
			pos, "the annotation %s is %q, which is neither a URL nor a reason that begins with unapproved", ApprovedAnnotation, value,
		).Suggest("write one of them")
	}
}

// checkKey checks the key of an annotation or label.
func (m *output) checkKey(pos token.Position, what, key, written string) {
	prefix, name, ok := strings.Cut(key, "/")
	if !ok {
		prefix, name = "", key
	}
	if len(name) > maxLabel || !nameParts.MatchString(name) || ok && !model.IsSubdomain(prefix) {
		m.diags.Errorf(pos, "%q cannot be the key of %s", written, what).
			Suggest("write it as name or example.com/name, with at most %d characters in the name", maxLabel)
	}
}

// maxWarning is the maximum size of a deprecation warning in bytes.
const maxWarning = 256

func (m *output) checkVersion(v *Version) {
	if v.Warning != nil {
		rules{&m.diags}.warning(v.warningAt, *v.Warning)
	}
	columns := v.all("printcolumn")
	for i, c := range v.Columns {
		pos := v.pos
		if i < len(columns) {
			pos = columns[i]
		}
		m.checkColumn(v, c, pos)
	}
	v.CheckSelectable(v.written(), &m.diags)
	m.checkScale(v)
}

var (
	columnTypes   = []string{"integer", "number", "string", "boolean", "date"}
	columnFormats = []string{"int32", "int64", "float", "double", "byte", "date", "date-time", "password"}
)

func (m *output) checkColumn(v *Version, c Column, pos token.Position) {
	if !(rules{&m.diags}).column(c, func(string) token.Position { return pos }) {
		return
	}
	s, known, err := withMetadata(v.written()).Printed(c.Path)
	switch {
	case err != nil:
		isNowhere(m.diags.Warnf(pos, "the column %s is always empty, because its path %s leads nowhere: %v", c.Name, c.Path, err), v, c.Path, err)
	case known && !prints(c.Type, s):
		m.diags.Warnf(
			pos, "the column %s is always empty, because its type is %s and values at %s are of type %s", c.Name, c.Type, c.Path, s.Type,
		).Suggest("correct the type or path")
	}
}

// withMetadata returns a copy of the schema of a version, with the fields of metadata.
func withMetadata(schema *crdschema.Schema) *crdschema.Schema {
	s := *schema
	s.Properties = slices.Clone(s.Properties)
	if i := s.Index("metadata"); i >= 0 {
		s.Properties[i].Schema = crdschema.Metadata
	}
	return &s
}

// isNowhere adds advice to a warning about a path that was rejected with err. It is an error if an edit is the reason.
func isNowhere(d *diag.Diagnostic, v *Version, path string, err error) {
	edit := crdschema.DroppedBy(err)
	if !edit.IsValid() {
		d.Suggest("%s", correctPath(v.written(), path, err))
		return
	}
	d.Severity = diag.Error
	d.WithRelated(edit).Suggest("keep the field, or remove the path")
}

// correctPath returns advice on how to correct a path that was rejected with err.
func correctPath(schema *crdschema.Schema, path string, err error) string {
	return cmp.Or(withMetadata(schema).Meant(path, err), "correct the path")
}

// inMetadata reports whether a path leads to metadata, whose fields the schema does not contain.
func inMetadata(path string) bool {
	rest, ok := strings.CutPrefix(path, ".metadata")
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// prints reports whether a column of a type can show values of a schema.
func prints(columnType string, s *crdschema.Schema) bool {
	if s.Type == "" || s.IntOrString {
		return true
	}
	switch columnType {
	case "integer", "number":
		return s.Type == "integer" || s.Type == "number"
	case "boolean":
		return s.Type == "boolean"
	case "date":
		return s.Type == "string"
	}
	return true
}

// maxSelectable is the maximum number of selectable fields of a version.
const maxSelectable = 8

func (m *output) checkScale(v *Version) {
	if v.Scale == nil {
		return
	}
	pos := v.at("subresource:scale", 0)
	check := func(argument, path, typ string, parents ...string) {
		if !(rules{&m.diags}).scalePath(pos, argument+"=", path, parents...) {
			return
		}
		s, known, err := v.written().Printed(path)
		if err != nil {
			isNowhere(m.diags.Warnf(pos, "%s= of the scale subresource leads nowhere: %v", argument, err), v, path, err)
		} else if known && s.Type != typ && s.Type != "" {
			m.diags.Warnf(pos, "%s= of the scale subresource leads to values of type %s, which must be of type %s", argument, s.Type, typ).
				Suggest("correct the path, or the type of the field")
		}
	}
	check("specpath", v.Scale.SpecReplicas.Text, "integer", ".spec.")
	check("statuspath", v.Scale.StatusReplicas.Text, "integer", ".status.")
	if selector := v.Scale.Selector.Text; selector != "" {
		check("selectorpath", selector, "string", ".status.", ".spec.")
	}
}
