package crd

import (
	"bytes"
	"cmp"
	"go/token"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/openapi"
	"github.com/kubegen/kubegen/internal/yamltext"
)

// origin is where a version comes from.
type origin struct {
	pos       token.Position    // of the type
	settings  []markers.Setting // above the type
	ofPackage []markers.Setting
}

// at returns the position of the i-th marker with a name above the type, or that of the type if there is none.
func (o origin) at(name string, i int) token.Position {
	for _, s := range o.settings {
		if s.Name == "kubebuilder:"+name {
			if i == 0 {
				return s.Pos
			}
			i--
		}
	}
	return o.pos
}

// above returns the position of a marker of the package, or else of the type.
func (o origin) above(name string) token.Position {
	for _, s := range o.ofPackage {
		if s.Name == name {
			return s.Pos
		}
	}
	return o.pos
}

// last returns the position of the last marker with a name over all versions, or else of the type of the first one.
func (m *output) last(name string) token.Position {
	for _, v := range slices.Backward(m.versions) {
		if pos := v.at(name, 0); pos != v.pos {
			return pos
		}
	}
	return m.versions[0].pos
}

// check sets the diagnostics of the manifest: what an API server refuses are errors, and what it accepts although it has no effect are warnings.
func (m *output) check(fset *token.FileSet) {
	m.checkNames()
	m.checkMetadata()
	hasStatus := slices.ContainsFunc(m.versions, func(v versionEntry) bool { return v.status })
	sameSchema := sync.OnceValue(m.sameSchema)
	for i := range m.versions {
		v := &m.versions[i]
		m.checkVersion(v)
		v.schema.Check(fset, v.status || hasStatus && sameSchema(), &m.diags)
	}
	m.checkSameSelectable(sameSchema)
	m.checkSize()
}

// sameSchema reports whether all versions have the same schema, which a server then takes as one.
func (m *output) sameSchema() bool {
	var first []byte
	for i, v := range m.versions {
		var w yamltext.Writer
		v.schema.Write(&w, 0)
		if i == 0 {
			first = w.Bytes()
		} else if !bytes.Equal(first, w.Bytes()) {
			return false
		}
	}
	return true
}

// checkSameSelectable reports versions with the same selectable fields but different schemas: a server takes the fields as those of all versions, and
// then finds no schema for them.
func (m *output) checkSameSelectable(sameSchema func() bool) {
	first := m.versions[0].selectable
	if len(first) == 0 || slices.ContainsFunc(m.versions, func(v versionEntry) bool { return !slices.Equal(v.selectable, first) }) || sameSchema() {
		return
	}
	v := m.versions[len(m.versions)-1]
	m.diags.Errorf(v.at("selectablefield", 0), "API servers refuse versions that have the same selectable fields in the same order, but different schemas").
		SaidAt(m.versions[0].at("selectablefield", 0)).Suggest("write the markers in another order, or leave out one of them")
}

var (
	label     = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	nameParts = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)
)

const (
	maxLabel     = 63
	maxSubdomain = 253
)

// checkLabel checks a name that must be a DNS label.
func (m *output) checkLabel(pos token.Position, what, name string) {
	switch {
	case len(name) > maxLabel:
		m.diags.Errorf(pos, "%s %q has %d characters, and may have %d", what, name, len(name), maxLabel).Suggest("use a shorter one")
	case !label.MatchString(name):
		m.diags.Errorf(pos, "%s %q is not a DNS label", what, name).Suggest("use lower-case letters, digits and hyphens, beginning with a letter and not ending with a hyphen")
	}
}

func (m *output) checkNames() {
	first := m.versions[0]
	switch pos := first.above("groupName"); {
	case len(m.group) > maxSubdomain || !subdomain.MatchString(m.group):
		m.diags.Errorf(pos, "the API group %q is not a DNS name", m.group).Suggest("use labels of lower-case letters, digits and hyphens with dots between them")
	case !strings.Contains(m.group, "."):
		m.diags.Errorf(pos, "the API group %q has no dot, but a group with CustomResourceDefinitions must be a domain", m.group).Suggest("use a domain, such as %s.example.com", m.group)
	case len(m.plural+"."+m.group) > maxSubdomain:
		m.diags.Errorf(m.last("resource"), "the name of the manifest, %s.%s, has %d characters, and may have %d", m.plural, m.group, len(m.plural+"."+m.group), maxSubdomain).Suggest("use a shorter group or resource name")
	}
	for _, v := range m.versions {
		m.checkLabel(v.above("versionName"), "the version", v.name)
	}
	pos := m.last("resource")
	m.checkLabel(pos, "the resource name", m.plural)
	m.checkLabel(pos, "the singular name", m.singular)
	for _, name := range m.shortNames {
		m.checkLabel(pos, "the short name", name)
	}
	for _, name := range m.categories {
		m.checkLabel(pos, "the category", name)
	}
	switch list := m.kind + "List"; {
	case len(list) > maxLabel:
		m.diags.Errorf(first.pos, "the name of the kind has %d characters, and may have %d, because that of its list may have %d", len(m.kind), maxLabel-len("List"), maxLabel).Suggest("use a shorter one")
	case !label.MatchString(strings.ToLower(list)):
		m.diags.Errorf(first.pos, "the kind %q is not a DNS label, apart from capitals", m.kind).Suggest("use letters and digits")
	}
	if m.scope != "Namespaced" && m.scope != "Cluster" {
		m.diags.Errorf(pos, "the scope is Namespaced or Cluster, not %q", m.scope).Suggest("write scope=Cluster, or leave it out")
	}
}

// ApprovedAnnotation is the key of the annotation that kinds of protected groups, such as those below k8s.io, must have (KEP-1111).
const ApprovedAnnotation = "api-approved.kubernetes.io"

// maxAnnotations is the number of bytes that all annotations of an object may have.
const maxAnnotations = 256 << 10

func (m *output) checkMetadata() {
	if m.preserve != nil && *m.preserve {
		m.diags.Warnf(token.Position{}, "API servers accept preserveUnknownFields: true only where a CustomResourceDefinition has it already, and no defaults").
			Suggest("set %s to false, and write +kubebuilder:pruning:PreserveUnknownFields above what is to be kept", diag.Setting("crd-preserve-unknown-fields"))
	}
	pos, size := m.last("metadata"), 0
	for _, key := range slices.Sorted(maps.Keys(m.annotations)) {
		m.checkKey(pos, "an annotation", strings.ToLower(key), key)
		size += len(key) + len(m.annotations[key])
	}
	if size > maxAnnotations {
		m.diags.Errorf(pos, "the annotations have %d bytes, and may have %d", size, maxAnnotations).Suggest("delete some")
	}
	for _, key := range slices.Sorted(maps.Keys(m.labels)) {
		m.checkKey(pos, "a label", key, key)
		if value := m.labels[key]; len(value) > maxLabel || value != "" && !nameParts.MatchString(value) {
			m.diags.Errorf(pos, "the value %q of the label %s is invalid", value, key).
				Suggest("use at most %d letters, digits, hyphens, underscores and dots, beginning and ending with a letter or digit", maxLabel)
		}
	}
	if !slices.ContainsFunc([]string{".k8s.io", ".kubernetes.io"}, func(suffix string) bool { return strings.HasSuffix("."+m.group, suffix) }) {
		return
	}
	value := m.annotations[ApprovedAnnotation]
	link, err := url.ParseRequestURI(value)
	switch {
	case strings.HasPrefix(value, "unapproved"), err == nil && link.Scheme != "" && link.Host != "":
	case value == "": // something else may add it before the manifest is applied
		m.diags.Warnf(pos, "the group %s is one of the Kubernetes community, so no API server accepts the manifest without the annotation %s", m.group, ApprovedAnnotation).
			Suggest(`use a group of your own, or add +kubebuilder:metadata:annotations="%s=unapproved, experimental-only" or the URL of the approval`, ApprovedAnnotation)
	default:
		m.diags.Errorf(pos, "the annotation %s is %q, which is neither a URL nor a reason that begins with unapproved", ApprovedAnnotation, value).Suggest("write one of them")
	}
}

// checkKey checks the key of an annotation or label.
func (m *output) checkKey(pos token.Position, what, key, written string) {
	prefix, name, ok := strings.Cut(key, "/")
	if !ok {
		prefix, name = "", key
	}
	if len(name) > maxLabel || !nameParts.MatchString(name) || ok && (len(prefix) > maxSubdomain || !subdomain.MatchString(prefix)) {
		m.diags.Errorf(pos, "%q cannot be the key of %s", written, what).Suggest("write it as name or example.com/name, with at most %d characters in the name", maxLabel)
	}
}

// maxWarning is the greatest length of the warning of a deprecated version.
const maxWarning = 256

func (m *output) checkVersion(v *versionEntry) {
	if v.warning != nil {
		pos := v.at("deprecatedversion", 0)
		switch text := *v.warning; {
		case text == "":
			m.diags.Errorf(pos, "the warning is empty").Suggest("write one, or delete warning=")
		case len(text) > maxWarning:
			m.diags.Errorf(pos, "the warning has %d bytes, and may have %d", len(text), maxWarning).Suggest("shorten it")
		case !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
			m.diags.Errorf(pos, "the warning has characters that cannot be printed").Suggest("delete them")
		}
	}
	for i, c := range v.columns {
		m.checkColumn(v, c, v.at("printcolumn", i))
	}
	m.checkSelectable(v)
	m.checkScale(v)
}

var (
	columnTypes   = []string{"integer", "number", "string", "boolean", "date"}
	columnFormats = []string{"int32", "int64", "float", "double", "byte", "date", "date-time", "password"}
)

func (m *output) checkColumn(v *versionEntry, c Column, pos token.Position) {
	if c.Name == "" {
		m.diags.Errorf(pos, "the column has no name").Suggest("add name=")
	}
	if !slices.Contains(columnTypes, c.Type) {
		m.diags.Errorf(pos, "the column has the type %q", c.Type).Suggest("use one of %s", strings.Join(columnTypes, ", "))
	}
	if c.Format != "" && !slices.Contains(columnFormats, c.Format) {
		m.diags.Errorf(pos, "the column has the format %q", c.Format).Suggest("use one of %s", strings.Join(columnFormats, ", "))
	}
	if !strings.HasPrefix(c.Path, ".") {
		m.diags.Errorf(pos, "the path %q of the column does not begin with a dot", c.Path).Suggest("write it as in .status.phase")
		return
	}
	if inMetadata(c.Path) {
		return
	}
	s, known, err := v.schema.Printed(c.Path)
	switch {
	case err != nil:
		m.diags.Warnf(pos, "the column %s is always empty, because its path %s leads nowhere: %v", c.Name, c.Path, err).Suggest("correct the path")
	case known && !prints(c.Type, s):
		m.diags.Warnf(pos, "the column %s is always empty, because its type is %s and values at %s are of type %s", c.Name, c.Type, c.Path, s.Type).Suggest("correct the type or path")
	}
}

// inMetadata reports whether a path leads to metadata, of which the schema says nothing.
func inMetadata(path string) bool {
	rest, ok := strings.CutPrefix(path, ".metadata")
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// prints reports whether a column of a type shows values of a schema.
func prints(columnType string, s *openapi.Schema) bool {
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

// maxSelectable is the greatest number of selectable fields of a version.
const maxSelectable = 8

func (m *output) checkSelectable(v *versionEntry) {
	seen := map[string]bool{}
	for i, path := range v.selectable {
		pos := v.at("selectablefield", i)
		s, err := v.schema.Field(path)
		switch {
		case path == "":
			m.diags.Errorf(pos, "the path of the selectable field is empty").Suggest("write it as in .spec.color")
			continue
		case inMetadata(path):
			m.diags.Errorf(pos, "%s is in metadata, whose fields cannot be made selectable", path).Suggest("delete the marker")
		case err != nil:
			m.diags.Errorf(pos, "the path %q of the selectable field is wrong: %v", path, err).Suggest("correct the path")
			continue
		case s.Type != "string" && s.Type != "boolean" && s.Type != "integer":
			m.diags.Errorf(pos, "%s cannot be selectable, because its type is %s", path, cmp.Or(s.Type, "not known")).Suggest("use a field of type string, boolean or integer")
		}
		if seen[path] {
			m.diags.Errorf(pos, "%s is made selectable twice", path).Suggest("delete one of the markers")
		}
		seen[path] = true
		if len(seen) == maxSelectable+1 {
			m.diags.Errorf(pos, "more than %d fields are selectable", maxSelectable).Suggest("delete some of the markers")
		}
	}
}

func (m *output) checkScale(v *versionEntry) {
	if v.scale == nil {
		return
	}
	pos := v.at("subresource:scale", 0)
	check := func(argument, path, typ string, parents ...string) {
		switch {
		case path == "":
			m.diags.Errorf(pos, "%s= of the scale subresource is empty", argument).Suggest("write it as in %sreplicas", parents[0])
		case !slices.ContainsFunc(parents, func(parent string) bool { return strings.HasPrefix(path, parent) }):
			m.diags.Errorf(pos, "%s= of the scale subresource must begin with %s, and is %q", argument, strings.Join(parents, " or "), path).Suggest("correct the path")
		default:
			s, known, err := v.schema.Printed(path)
			if err != nil {
				m.diags.Warnf(pos, "%s= of the scale subresource leads nowhere: %v", argument, err).Suggest("correct the path")
			} else if known && s.Type != typ && s.Type != "" {
				m.diags.Warnf(pos, "%s= of the scale subresource leads to values of type %s, which must be of type %s", argument, s.Type, typ).Suggest("correct the path, or the type of the field")
			}
		}
	}
	check("specpath", v.scale.specReplicas, "integer", ".spec.")
	check("statuspath", v.scale.statusReplicas, "integer", ".status.")
	if s := v.scale.selector; s != nil && *s != "" {
		check("selectorpath", *s, "string", ".status.", ".spec.")
	}
}

// maxRequest is the number of bytes that a request to etcd has by default.
const maxRequest = 3 << 19

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func (m *output) checkSize() {
	size := m.jsonSize
	annotations := len(lastApplied) + size + len("\n")
	for key, value := range m.annotations {
		annotations += len(key) + len(value)
	}
	pos := m.versions[0].pos
	limit := diag.Textf("leave out descriptions with %s 0", diag.Setting("crd-max-description-length"))
	switch {
	case size > maxRequest:
		m.diags.Warnf(pos, "the manifest has %d bytes, but etcd accepts %d by default", size, maxRequest).Suggest("%s", limit)
	case annotations > maxAnnotations:
		m.diags.Warnf(pos, "kubectl apply fails, because the annotations would have %d bytes with the one that it adds, and may have %d", annotations, maxAnnotations).
			Suggest("apply the manifest with kubectl apply --server-side, or %s", limit)
	}
}
