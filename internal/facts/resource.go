package facts

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Scope, name and subresources of a resource can be declared in two ways: with +genclient and +resourceName, which the
// classic generators read, and with kubebuilder's markers for CustomResourceDefinitions. Either is enough. If they
// contradict each other, the former take precedence, so that the generated code stays the same, and a warning names
// both. In a run that also writes CustomResourceDefinitions, it is an error.

// readOwn removes markers that no classic tool knows if the policy ignores them, and reports them. Method
// readIndexes reports the ones of indexes.
func readOwn(k *kinds.Kind, policy model.Policy, diags *diag.List) {
	k.Markers = slices.DeleteFunc(k.Markers, func(m model.Marker) bool {
		def, _ := markers.Find(m.Name)
		if def.Tools != 0 || def.Name == markers.IndexMarker || !policy.NoOwnMarkers {
			return false
		}
		diags.Warnf(m.Pos, "+%s has no effect: %s", m.Name, cmp.Or(def.Classic, "the classic tools do not know it")).
			Suggest("remove it").Or("omit %s", diag.Setting("classic"))
		return true
	})
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
func readResource(k *kinds.Kind) {
	for _, m := range k.Markers {
		switch {
		case m.Name != "kubebuilder:resource":
			continue
		case k.CRD == nil:
			k.CRD = &m
		default:
			before := *k.CRD
			m.Arguments = maps.Clone(m.Arguments)
			k.CRD = &m
			for _, key := range []string{"path", "singular"} {
				if value := before.String(key); value != "" && m.Arguments[key] == nil {
					m.Arguments[key] = value
				}
			}
		}
	}
}

// readNames reads the kinds of objects and lists that differ from the names of their types, and registers the types
// under these.
func readNames(l *load.Loader, k *kinds.Kind, r *model.Resource, diags *diag.List) (ok bool) {
	m := k.Marker(markers.NamesMarker)
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
			diags.Errorf(m.Pos, "%s= of +%s is %q, which no API server accepts", name.key, m.Name, value).
				Suggest("write at most 63 letters, digits and dashes, starting with a letter")
			return false
		default:
			*name.into = value
		}
	}
	if registration := k.Types.Registration; registration != nil {
		if r.Wire != "" {
			registration.Types = slices.DeleteFunc(registration.Types, func(name string) bool { return name == r.Kind || name == r.Kind+"List" })
		}
		r.List.Name = cmp.Or(r.List.Name, r.Kind+"List")
		for _, named := range r.Registered() {
			if d, ok := l.Lookup(k.Source, named.Type); ok && d.Type != nil {
				registration.Named = append(registration.Named, named)
			}
		}
	}
	return true
}

// readSelectable reads the fields that field selectors can use.
func readSelectable(k *kinds.Kind, r *model.Resource) {
	for _, m := range k.Markers {
		if path := m.String("JSONPath"); path != "" && m.Name == "kubebuilder:selectablefield" && !slices.Contains(r.SelectableFields, path) {
			r.SelectableFields = append(r.SelectableFields, path)
		}
	}
}

// readScope determines whether the kind is namespaced.
func readScope(k *kinds.Kind, r *model.Resource, policy model.Policy) {
	scope, from, ok := argument(k.CRD, "scope")
	if ok && !policy.IgnoreKubebuilderScope {
		r.Namespaced, r.ScopeFrom = scope != "Cluster", from
	}
	if cluster := k.Marker("genclient:nonNamespaced"); cluster != nil {
		r.Namespaced, r.ScopeFrom = false, marked(*cluster)
	}
}

// readName determines the name of the resource.
func readName(k *kinds.Kind, r *model.Resource, mode markers.Mode) (diags diag.List) {
	if name, from, found := argument(k.CRD, "path"); found {
		r.Name, r.NameFrom = name, from
	}
	if k.CRD != nil {
		r.Singular = cmp.Or(k.CRD.String("singular"), r.Singular)
		r.ShortNames, r.Categories = k.CRD.Strings("shortName"), k.CRD.Strings("categories")
	}
	if override, pos, found := markers.Single(k.Markers, "resourceName", mode, &diags); found {
		r.Name, r.NameFrom = override, model.Source{Kind: model.FromMarker, Text: "+resourceName=" + override, Pos: pos}
	}
	return diags
}

// readStatus determines whether there is a status subresource. If not, it returns the reason.
//
// As in the classic generators, a Status field implies the subresource. If the kind's CustomResourceDefinition lacks
// the subresource, either the field or the definition is probably wrong.
func readStatus(k *kinds.Kind, r *model.Resource, isImported bool) (why string) {
	field, hasField := k.Fields.ByName("Status")
	served, no := k.Marker("kubebuilder:subresource:status"), k.Marker("genclient:noStatus")
	switch {
	case k.Served != nil && slices.Contains(k.Served.Subresources, "status") && (hasField || k.Fields.Opaque):
		r.HasStatus, r.StatusFrom = true, k.Served.From
	case k.Served != nil:
		r.StatusFrom = k.Served.From
		return "has no status subresource"
	case no != nil:
		r.StatusFrom = marked(*no)
		return "is marked +genclient:noStatus"
	case served != nil && (hasField || k.Fields.Opaque): // the field may be in an embedded struct of another package
		r.HasStatus, r.StatusFrom = true, marked(*served)
	case served == nil && hasField && isImported && k.Marker("genclient") == nil && k.Defined != (model.Source{}):
		return "has no +kubebuilder:subresource:status"
	case served == nil && hasField:
		r.HasStatus = true
		r.StatusFrom = model.Source{Kind: model.FromDeclaration, Text: "Status", Pos: field.Pos}
	default:
		return "has no Status field"
	}
	return ""
}

// definedBy returns the first marker above a type which shows that controller-gen writes its CustomResourceDefinition,
// or the zero Source.
func definedBy(above []markers.Line) model.Source {
	for _, line := range above {
		def, _ := markers.Find(line.Text)
		_, value, _ := strings.Cut(line.Text, "=")
		if def.Effect&markers.Manifests != 0 && strings.HasPrefix(def.Name, "kubebuilder:") ||
			def.Name == model.ObjectMarker+":root" && value != "false" {
			return model.Source{Kind: model.FromMarker, Text: "+" + def.Name, Pos: line.Pos}
		}
	}
	return model.Source{}
}

// scalePaths parses the arguments of +kubebuilder:subresource:scale. They are JSON paths that consist of dots and
// names. It returns nil if one of them is invalid.
func scalePaths(m model.Marker) *model.Scale {
	var scale model.Scale
	for key, to := range map[string]*[]string{
		"specpath": &scale.SpecReplicas, "statuspath": &scale.StatusReplicas, "selectorpath": &scale.Selector,
	} {
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
func readScale(k *kinds.Kind, r *model.Resource, policy model.Policy) {
	m := k.Marker("kubebuilder:subresource:scale")
	if m == nil {
		return
	}
	r.Scale = scalePaths(*m)
	if !policy.IgnoreKubebuilderScale {
		AddScale(r, marked(*m))
	}
}

// readVerbs determines the verbs of the client. Markers accumulate: several skipVerbs lines skip all verbs in them, and
// skipped verbs are removed from the verbs selected by onlyVerbs and readonly.
//
// The classic generators only use the first marker with a name, and keep selected verbs even if they are skipped.
func readVerbs(k *kinds.Kind, r *model.Resource, policy model.Policy, isImported bool) (diags diag.List) {
	mode := markers.ModeOf(policy)
	var only, skipped model.Verbs
	var onlyPos token.Position
	limited := false
	seen := map[string]token.Position{}
	for _, m := range k.Markers {
		switch m.Name {
		case "genclient:readonly", "genclient:onlyVerbs", "genclient:skipVerbs", "genclient:noVerbs":
			r.VerbsFrom = append(r.VerbsFrom, marked(m))
		}
		if first, again := seen[m.Name]; again && policy.FirstVerbList && (m.Name == "genclient:onlyVerbs" || m.Name == "genclient:skipVerbs") {
			diags.Warnf(m.Pos, "only the first +%s of %s has an effect", m.Name, r.Kind).WithRelated(first).Suggest("list all verbs in it")
			continue
		}
		seen[m.Name] = m.Pos
		switch m.Name {
		case "genclient:readonly":
			only |= model.NewVerbs(model.VerbGet, model.VerbList, model.VerbWatch)
			onlyPos, limited = m.Pos, true
		case "genclient:onlyVerbs":
			only |= markers.ParseVerbs(m, mode, &diags)
			onlyPos, limited = m.Pos, true
		case "genclient:skipVerbs":
			skipped |= markers.ParseVerbs(m, mode, &diags)
		case "genclient:noVerbs":
			r.NoVerbs = true
		}
	}
	if both := (only & skipped).List(); len(both) > 0 {
		diags.Mistakef(
			policy.AcceptMistakes, onlyPos, "the skipped verbs are generated nevertheless", "%s both skips and selects %s", r.Kind,
			markers.Join(both),
		).Suggest("remove the verb from +genclient:skipVerbs, or from the marker that selects it")
	}
	if limited && policy.SelectedVerbsWin {
		skipped = 0
	}
	if skipped.Has(model.VerbDelete) && !only.Has(model.VerbDeleteWithResult) && !policy.SkippedAlone {
		skipped |= model.NewVerbs(model.VerbDeleteWithResult)
	}
	if r.NoVerbs && only|skipped != 0 {
		diags.Warnf(k.Pos, "the other verb markers of %s have no effect together with +genclient:noVerbs", r.Kind).
			Suggest("remove one or the other")
	}
	r.Verbs = model.NewVerbs(model.AllVerbs()...)
	if only != 0 || limited && policy.SelectedVerbsWin {
		r.Verbs = only
	}
	r.Verbs = r.Verbs.Without(skipped.List()...)

	status := readStatus(k, r, isImported)
	if r.HasStatus {
		return diags
	}
	for _, verb := range []model.Verb{model.VerbUpdateStatus, model.VerbApplyStatus} {
		if only.Has(verb) {
			diags.Warnf(onlyPos, "%s of %s is selected but cannot be generated: the type %s", verb, r.Kind, status)
		}
	}
	r.Verbs = r.Verbs.Without(model.VerbUpdateStatus, model.VerbApplyStatus)
	return diags
}

// RequireVerbs reports the verbs in markers that clients of a release do not have, and a deletion that skipVerbs=delete
// leaves. It passes over packages that users cannot edit.
func RequireVerbs(api *model.API, client model.Client, policy model.Policy) (diags diag.List) {
	for v := range api.Versions() {
		for _, r := range v.Filter(func(r *model.Resource) bool { return !r.Package.Foreign }) {
			leaves := policy.SkippedAlone && client.Knows(model.VerbDeleteWithResult) && !r.NoVerbs &&
				r.Verbs.Has(model.VerbDeleteWithResult) && !r.Verbs.Has(model.VerbDelete)
			for _, m := range r.Markers {
				switch m.Name {
				case "genclient:onlyVerbs":
					leaves = false
					markers.RequireVerbs(m, client, markers.ModeOf(policy), &diags)
				case "genclient:skipVerbs":
					markers.RequireVerbs(m, client, markers.ModeOf(policy), &diags)
				}
			}
			if leaves {
				diags.Warnf(r.VerbsFrom[0].Pos, "+genclient:skipVerbs=delete of %s leaves DeleteWithResult", r.Kind).
					Suggest("add deleteWithResult to the marker")
			}
		}
	}
	return diags
}

// readHelpers determines whether helpers are generated for a kind: the kind or its package must have the marker, and
// its client the required verbs.
func readHelpers(k *kinds.Kind, r *model.Resource, policy model.Policy) {
	able := func(verbs ...model.Verb) bool {
		return !r.NoVerbs && !slices.ContainsFunc(verbs, func(v model.Verb) bool { return !r.Verbs.Has(v) })
	}
	possible := able(model.VerbList) || able(model.VerbGet, model.VerbUpdate) || able(model.VerbGet, model.VerbUpdateStatus)
	asked := cmp.Or(markers.First(k.Markers, model.HelpersMarker).Pos, k.Helpers)
	if possible && asked.IsValid() && !policy.NoOwnMarkers && !k.Types.Off(model.ClientSwitch) {
		r.HelpersFrom = model.Source{Kind: model.FromMarker, Text: "+" + model.HelpersMarker, Pos: asked}
	}
}
