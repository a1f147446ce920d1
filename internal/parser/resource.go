package parser

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/resolve"
)

// Scope, name and subresources of a resource can be declared in two ways: with +genclient and +resourceName, which the
// classic generators read, and with kubebuilder's markers for CustomResourceDefinitions. Either is enough. If they
// contradict each other, the former take precedence, so that the generated code stays the same, and a warning names
// both. In a run that also writes CustomResourceDefinitions, it is an error.

// readOwn removes markers that no classic tool knows if the policy ignores them, and reports them. Package indexes
// reports its own.
func (p *Facts) readOwn(k *kind) {
	k.markers = slices.DeleteFunc(k.markers, func(m model.Marker) bool {
		def, _ := markers.Find(m.Name)
		if def.Tools != 0 || def.Name == markers.IndexMarker || !p.cfg.Policy.NoOwnMarkers {
			return false
		}
		p.Warnf(m.Pos, "+%s has no effect: %s", m.Name, cmp.Or(def.Classic, "the classic tools do not know it")).
			Suggest("remove it").Or("omit %s", diag.Setting("classic"))
		return true
	})
}

// find returns the last marker with a name. controller-gen also uses the last one.
func (k *kind) find(name string) *model.Marker {
	for i := len(k.markers) - 1; i >= 0; i-- {
		if k.markers[i].Name == name {
			return &k.markers[i]
		}
	}
	return nil
}

// marked returns the marker as the source of a fact.
func marked(m model.Marker) model.Source {
	return model.Source{Kind: model.FromMarker, Text: m.Written(), Pos: m.Pos}
}

// argument returns the value of a marker's argument and its source.
func argument(m *model.Marker, key string) (value string, from model.Source, ok bool) {
	if m == nil {
		return "", model.Source{}, false
	}
	value = m.String(key)
	return value, model.Source{Kind: model.FromMarker, Text: "+" + m.Name + ":" + key + "=" + value, Pos: m.Pos}, value != ""
}

// readResource reads +kubebuilder:resource. Of several such markers, controller-gen takes each name from the last one
// with this argument, but the scope from the last marker, whose default is Namespaced.
func (p *Facts) readResource(k *kind) {
	for _, m := range k.markers {
		switch {
		case m.Name != "kubebuilder:resource":
			continue
		case k.crd == nil:
			k.crd = &m
		default:
			before := *k.crd
			m.Arguments = maps.Clone(m.Arguments)
			k.crd = &m
			if scope := before.String("scope"); scope != "" && scope != "Namespaced" && m.Arguments["scope"] == nil {
				p.Warnf(m.Pos, "a second +kubebuilder:resource, without scope=, overrides scope=%s", scope).SaidAt(before.Pos).
					Suggest("merge the two markers")
			}
			for _, key := range []string{"path", "singular"} {
				if value := before.String(key); value != "" && m.Arguments[key] == nil {
					m.Arguments[key] = value
				}
			}
		}
		if scope := k.crd.String("scope"); scope != "" && scope != "Cluster" && scope != "Namespaced" {
			p.Errorf(k.crd.Pos, "the scope of +kubebuilder:resource must be Cluster or Namespaced, not %q", scope).Suggest("correct scope=")
		}
	}
}

// readNames reads the kinds of objects and lists that differ from the names of their types, and registers the types
// under these.
func (p *Facts) readNames(u *unit, k *kind, r *model.Resource) (ok bool) {
	m := k.find(markers.NamesMarker)
	if m == nil {
		return true
	}
	for _, name := range []struct {
		key, standard string
		into          *string
	}{{"kind", r.Kind, &r.Wire}, {"listKind", "", &r.WireList}} {
		value := m.String(name.key)
		switch {
		case value == "" || value == name.standard || name.key == "listKind" && value == r.ObjectKind()+"List":
		case !model.IsLabel(strings.ToLower(value)) || strings.ContainsFunc(value, func(r rune) bool { return r >= utf8.RuneSelf }):
			p.Errorf(m.Pos, "%s= of +%s is %q, which no API server accepts", name.key, m.Name, value).
				Suggest("write at most 63 letters, digits and dashes, starting with a letter")
			return false
		default:
			*name.into = value
		}
	}
	if registration := u.pkg.Registration; registration != nil {
		if r.Wire != "" {
			registration.Types = slices.DeleteFunc(registration.Types, func(name string) bool { return name == r.Kind || name == r.Kind+"List" })
		}
		r.List.Name = cmp.Or(r.List.Name, r.Kind+"List")
		for _, named := range r.Registered() {
			if p.declares(u, named.Type) {
				registration.Named = append(registration.Named, named)
			}
		}
	}
	return true
}

// declares reports whether a package declares a type.
func (p *Facts) declares(u *unit, name string) bool {
	d, ok := p.Lookup(u.src, name)
	return ok && d.Type != nil
}

// readServed warns about clients for a version that is not served.
func (p *Facts) readServed(k *kind, r *model.Resource) {
	for _, name := range []string{"kubebuilder:skipversion", "kubebuilder:unservedversion"} {
		if m, client := k.find(name), k.find("genclient"); m != nil {
			if client != nil {
				p.Warnf(client.Pos, "+genclient, but +%s: no API server serves this version of %s", name, r.Kind).SaidAt(m.Pos).
					Suggest("remove +genclient once the client is no longer used")
			}
		}
	}
}

// readSelectable reads the fields that field selectors can use.
func (p *Facts) readSelectable(k *kind, r *model.Resource) {
	for _, m := range k.markers {
		if path := m.String("JSONPath"); path != "" && m.Name == "kubebuilder:selectablefield" && !slices.Contains(r.SelectableFields, path) {
			r.SelectableFields = append(r.SelectableFields, path)
		}
	}
}

// readScope determines whether the kind is namespaced.
func (p *Facts) readScope(k *kind, r *model.Resource) {
	scope, from, ok := argument(k.crd, "scope")
	if ok && !p.cfg.Policy.IgnoreKubebuilderScope {
		r.Namespaced, r.ScopeFrom = scope != "Cluster", from
	}
	cluster := k.find("genclient:nonNamespaced")
	if cluster == nil {
		return
	}
	if k.crd != nil && scope != "Cluster" && !p.cfg.Manifests {
		d := p.Warnf(cluster.Pos, "+genclient:nonNamespaced, but +kubebuilder:resource means scope=Namespaced").SaidAt(k.crd.Pos)
		if !ok {
			d.Suggest("add scope=Cluster there, or remove +genclient:nonNamespaced; until then clients take no namespace")
		} else {
			d.Suggest("correct one of them; until then clients take no namespace")
		}
	}
	r.Namespaced, r.ScopeFrom = false, marked(*cluster)
}

// readName determines the name of the resource. API servers only accept a DNS label (RFC 1035) as the plural in a
// CustomResourceDefinition.
func (p *Facts) readName(k *kind, r *model.Resource) (ok bool) {
	if name, from, found := argument(k.crd, "path"); found {
		r.Name, r.NameFrom = name, from
	}
	if k.crd != nil {
		if name := k.crd.String("singular"); name != "" {
			r.Singular = name
		}
		r.ShortNames, r.Categories = k.crd.Strings("shortName"), k.crd.Strings("categories")
	}
	if override, pos, found := p.single(k.markers, "resourceName"); found {
		if k.crd != nil && r.NameFrom.Kind == model.FromMarker && r.Name != override && !p.cfg.Manifests {
			p.Warnf(pos, "+resourceName=%s, but +kubebuilder:resource says path=%s", override, r.Name).SaidAt(k.crd.Pos).
				Suggest("correct one of them; until then clients use %s", override)
		}
		r.Name, r.NameFrom = override, model.Source{Kind: model.FromMarker, Text: "+resourceName=" + override, Pos: pos}
	}
	if model.IsLabel(r.Name) {
		return true
	}
	const legal = "at most 63 lower case letters, digits and dashes, starting with a letter"
	if r.NameFrom.Kind != model.FromMarker { // an aggregated API server may allow it
		p.Warnf(k.pos, "kind %s has the resource name %q, which is not valid in a CustomResourceDefinition", r.Kind, r.Name).
			Suggest("choose one with +resourceName: %s", legal)
		return true
	}
	p.Errorf(r.NameFrom.Pos, "%q is not a valid resource name", r.Name).Suggest("use %s, as in +resourceName=crontabs", legal)
	return false
}

// crdMarkers are the markers that imply a CustomResourceDefinition.
var crdMarkers = []string{
	"kubebuilder:resource", "kubebuilder:skipversion", "kubebuilder:storageversion", "kubebuilder:subresource:scale", "kubebuilder:unservedversion",
}

// readStatus determines whether there is a status subresource. If not, it returns the reason.
//
// As in the classic generators, a Status field implies the subresource. If the kind's CustomResourceDefinition lacks
// the subresource, either the field or the definition is probably wrong.
func (p *Facts) readStatus(k *kind, r *model.Resource) (why string) {
	field, hasField := k.fields.ByName("Status")
	served, no := k.find("kubebuilder:subresource:status"), k.find("genclient:noStatus")
	switch {
	case no != nil:
		r.StatusFrom = marked(*no)
		if served != nil {
			p.Warnf(no.Pos, "+genclient:noStatus, but +kubebuilder:subresource:status").SaidAt(served.Pos).
				Suggest("remove one of them; until then clients have no UpdateStatus")
		}
		return "is marked +genclient:noStatus"
	case served != nil && (hasField || k.fields.Opaque): // the field may be in an embedded struct of another package
		r.HasStatus, r.StatusFrom = true, marked(*served)
	case served != nil:
		p.Warnf(served.Pos, "+kubebuilder:subresource:status, but %s has no Status field", r.Kind).SaidAt(k.pos).
			Suggest("add the field, or remove the marker; until then clients have no UpdateStatus")
		return "has no Status field"
	case hasField:
		r.HasStatus = true
		r.StatusFrom = model.Source{Kind: model.FromDeclaration, Text: "Status", Pos: field.Pos}
		for _, name := range crdMarkers {
			if crd := k.find(name); crd != nil && !p.cfg.Manifests {
				p.Warnf(r.StatusFrom.Pos, "clients of %s have UpdateStatus because of the Status field, but there is +%s without +kubebuilder:subresource:status", r.Kind, name).
					SaidAt(crd.Pos).Suggest("add +kubebuilder:subresource:status, or +genclient:noStatus")
				break
			}
		}
	default:
		return "has no Status field"
	}
	return ""
}

// scalePaths parses the arguments of +kubebuilder:subresource:scale. They are JSON paths that consist of dots and
// names. It returns nil if one of them is invalid.
func scalePaths(m model.Marker) *model.Scale {
	var scale model.Scale
	for key, to := range map[string]*[]string{"specpath": &scale.SpecReplicas, "statuspath": &scale.StatusReplicas, "selectorpath": &scale.Selector} {
		path := m.String(key)
		rest, ok := strings.CutPrefix(path, ".")
		if path == "" && key == "selectorpath" {
			continue
		}
		if *to = strings.Split(rest, "."); !ok || slices.Contains(*to, "") || strings.ContainsAny(rest, "[]()*@") {
			return nil
		}
	}
	return &scale
}

// readScale adds the methods for +kubebuilder:subresource:scale, unless +genclient:method declares them.
func (p *Facts) readScale(k *kind, r *model.Resource) {
	m := k.find("kubebuilder:subresource:scale")
	if m == nil {
		return
	}
	r.Scale = scalePaths(*m)
	if !p.cfg.Policy.IgnoreKubebuilderScale {
		resolve.AddScale(r, marked(*m))
	}
}
