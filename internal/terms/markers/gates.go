package markers

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Names of the markers of feature gates. GateMarker has two forms: +kubegen:gate=Foo is for the declaration below, and
// +kubegen:gate(Foo)=+kubebuilder:validation:MaxLength=5 for the marker in it. EnableMarker and AwareMarker are OpenShift's.
const (
	GateMarker   = "kubegen:gate"
	EnableMarker = "openshift:enable:FeatureGate"
	FieldMarker  = "k8s:featureGate"                       // of KEP-5975, also in the form +k8s:featureGate(drop: true)=Foo
	AwareMarker  = "openshift:validation:FeatureGateAware" // prefix
)

// gateMarkers lists the markers of feature gates.
var gateMarkers = []Definition{
	{Name: GateMarker, Targets: []Target{Field, Type, Constant}, Effect: Manifests, Type: String, Adds: true, Form: "=Foo",
		Help: "the field, the version of the kind, or the value of the enum is only in manifests with this feature gate; " +
			"+kubegen:gate(Foo)=+MARKER is for another marker",
		Elsewhere: &Definition{
			Targets: forPackages, Type: String, Adds: true, Form: "=Foo",
			Help: "the kinds of the package are only in manifests with this feature gate",
		}},
	{Name: FieldMarker, Targets: anywhere, Effect: Manifests, Tools: CodeGenerator, Type: String, Adds: true, Form: "=Foo",
		Help: "with --gates, the field is only in manifests with this feature gate"},
	{Name: EnableMarker, Targets: anywhere, Effect: Manifests, Type: Strings, Adds: true, Form: "=Foo",
		Help: "the field, or the version of the kind, is only in manifests with one of these feature gates"},
	{Name: AwareMarker + "Enum", Targets: anywhere, Effect: Manifests, Type: Named, Adds: true,
		Form:      `:featureGate=Foo,enum=a;b`,
		Arguments: slices.Concat(awareArguments, []Argument{{"enum", Strings, false}}),
		Help:      "the values allowed with one of these feature gates"},
	{Name: AwareMarker + "MaxItems", Targets: anywhere, Effect: Manifests, Type: Named, Adds: true,
		Form:      `:featureGate=Foo,maxItems=5`,
		Arguments: slices.Concat(awareArguments, []Argument{{"maxItems", Int, false}}),
		Help:      "the maximum length of a list with one of these feature gates"},
	{Name: AwareMarker + "XValidation", Targets: anywhere, Effect: Manifests, Type: Named, Adds: true,
		Form:      `:featureGate=Foo,rule="self.min <= self.max"`,
		Arguments: slices.Concat(awareArguments, []Argument{{"rule", String, false}, {"message", String, true}}),
		Help:      "a CEL rule with one of these feature gates"},
}

var awareArguments = []Argument{{"featureGate", Strings, true}, {"requiredFeatureGate", Strings, true}}

// Gates are the feature gates of a set of manifests. With nil Gates, markers of feature gates have no effect.
type Gates struct {
	On      map[string]bool
	Foreign bool            // they also apply to packages of other modules
	Named   map[string]bool // the gates that markers name; ReadManifest adds to it
}

// Gate is an expression of feature gates in a marker, as in build constraints of Go: Foo && !Bar.
type Gate struct {
	constraint.Expr
	Text string
}

// parseGate parses an expression. ok is false if it is malformed.
func parseGate(text string) (g Gate, ok bool) {
	expr, err := constraint.Parse("//go:build " + text)
	return Gate{expr, strings.TrimSpace(text)}, err == nil
}

// IsGate reports whether text is the name of a feature gate: letters, digits, underscores and dots.
func IsGate(text string) bool {
	g, ok := parseGate(text)
	_, single := g.Expr.(*constraint.TagExpr)
	return ok && single && g.Text == text
}

// Names returns the names of the gates in the expression.
func (g Gate) Names() (names []string) {
	g.Eval(func(name string) bool { names = append(names, name); return true })
	return names
}

// on reports whether the gates satisfy an expression.
func (g *Gates) on(expr Gate) bool {
	g.name(expr.Names()...)
	return expr.Eval(func(name string) bool { return g.On[name] })
}

func (g *Gates) name(names ...string) {
	for _, name := range names {
		if name != "" && g.Named != nil {
			g.Named[name] = true
		}
	}
}

// Off reports whether feature gates leave a declaration out of manifests, by the markers that ReadManifest returns for
// it, and returns the text of the first such marker.
func Off(found []model.Marker) (text string, off bool) {
	for _, m := range found {
		if on, ok := m.Value.(bool); ok && !on && leavesOut(m.Name) {
			return m.Text, true
		}
	}
	return "", false
}

// GateOf returns the expression of feature gates without which a declaration with these lines of comments is not in
// manifests, or "" if it is always there.
func GateOf(lines []Line, target Target) string {
	found, _ := ReadManifest(lines, target, &Gates{Foreign: true})
	if i := slices.IndexFunc(found, func(m model.Marker) bool { return leavesOut(m.Name) }); i >= 0 {
		return found[i].Text
	}
	return ""
}

// LeavesOut reports whether the marker leaves the declaration below it out of manifests, depending on feature gates.
func (d Definition) LeavesOut() bool { return leavesOut(d.Name) }

func leavesOut(name string) bool {
	return name == GateMarker || name == EnableMarker || name == FieldMarker
}

// ofGates reports whether a line may have a marker of feature gates.
func ofGates(line string) bool {
	return strings.HasPrefix(line, "+"+GateMarker) || strings.HasPrefix(line, "+openshift:") || strings.HasPrefix(line, "+"+FieldMarker)
}

// gated splits a line of the form +kubegen:gate(Foo)=+MARKER into the expression and the marker.
func (line Line) gated() (expr string, inner Line, ok bool) {
	rest, found := strings.CutPrefix(line.Text, "+"+GateMarker+"(")
	expr, text, closed := strings.Cut(rest, ")=")
	if !found || !closed || !strings.HasPrefix(text, "+") {
		return "", line, false
	}
	inner = Line{Text: text, Pos: line.Pos}
	at := len(line.Text) - len(text)
	inner.Pos.Column += at
	inner.Pos.Offset += at
	return expr, inner, true
}

// gateReader reads the markers of feature gates among the markers of a declaration.
type gateReader struct {
	*Gates
	diags     *diag.List
	own       token.Position // of +kubegen:gate=
	enable    *model.Marker  // all +openshift:enable:FeatureGate together
	aware     []model.Marker
	overrides []model.Marker // gated markers, which override others of the same name
	presence  *model.Marker  // the last gated marker of presences
}

// presences lists the markers that determine whether a field may be absent.
var presences = []string{Validation + "Optional", Validation + "Required", "optional", "required", "k8s:optional", "k8s:required"}

// expression parses the expression of a marker, and reports mistakes.
func (r *gateReader) expression(pos token.Position, text string) (Gate, bool) {
	g, ok := parseGate(text)
	if !ok {
		r.diags.Errorf(pos, "cannot parse +%s: %q is not an expression of feature gates", GateMarker, text).
			Suggest("write names as in Foo, Foo || Bar, Foo && !Bar")
	}
	return g, ok
}

// read reads a line with a marker of feature gates for a target. If it returns no marker, the marker is kept for
// finish, or has no effect.
func (r *gateReader) read(line Line, target Target) []model.Marker {
	expr, inner, ok := line.gated()
	if !ok {
		r.diags.Errorf(line.Pos, "cannot parse %s", line.Text).
			Suggest("write +%s=Foo, or +%s(Foo)=+MARKER for another marker", GateMarker, GateMarker)
		return nil
	}
	g, ok := r.expression(line.Pos, expr)
	m, def, wrong := inner.manifest(target)
	*r.diags = append(*r.diags, wrong...)
	switch {
	case !ok || def == nil:
		return nil
	case !def.gateable():
		r.diags.Errorf(inner.Pos, "+%s cannot have a feature gate, because generated code or merging depends on it", def.Name).
			Suggest("write it without %s(%s)=", GateMarker, g.Text)
		return nil
	case !r.on(g):
		return nil
	case def.Overrides():
		r.overrides = append(r.overrides, m)
		return nil
	case slices.Contains(presences, def.Name):
		r.presence = &m
		return nil
	}
	return []model.Marker{m}
}

// gateable reports whether feature gates can apply to the marker: only manifests depend on it, and it names no gates.
func (d *Definition) gateable() bool {
	return (d.onlyManifests() || d.Name == "kubebuilder:storageversion") && d.Tools&OpenShift == 0 && !leavesOut(d.Name)
}

// take evaluates a marker of feature gates, or keeps it for finish.
func (r *gateReader) take(m model.Marker, target Target) []model.Marker {
	switch {
	case m.Name == GateMarker:
		g, ok := r.expression(m.Pos, m.Text)
		if r.own.IsValid() {
			r.diags.Errorf(m.Pos, "+%s is written twice above the same declaration", GateMarker).WithRelated(r.own).
				Suggest("write one expression, as in +%s=Foo && Bar", GateMarker)
			return nil
		}
		if r.own = m.Pos; ok {
			m.Value = r.on(g)
			return []model.Marker{m}
		}
	case m.Name == FieldMarker:
		if m.Text == "" {
			return nil
		}
		if !r.Foreign { // it is only for Kubernetes' own server
			if target == Field {
				r.diags.Warnf(m.Pos, "+%s has no effect without feature gates: the field is in the manifest", m.Name).
					Suggest("list the gates that are on with %s, or remove the marker", diag.Setting("gates")).
					Once("without gates in " + path.Dir(filepath.ToSlash(m.Pos.Filename)))
			}
			return nil
		}
		r.name(m.Text)
		m.Value = r.On[m.Text]
		return []model.Marker{m}
	case m.Name == EnableMarker:
		names := m.Strings("")
		r.name(names...)
		on := slices.ContainsFunc(names, func(name string) bool { return r.On[name] })
		if r.enable == nil {
			r.enable = &m
			m.Value = on
		} else if r.enable.Text += " || " + m.Text; on {
			r.enable.Value = true
		}
	case strings.HasPrefix(m.Name, AwareMarker):
		anyOf, allOf := m.Strings("featureGate"), m.Strings("requiredFeatureGate")
		r.name(slices.Concat(anyOf, allOf)...)
		if len(anyOf)+len(allOf) == 0 {
			r.diags.Errorf(m.Pos, "+%s has neither featureGate= nor requiredFeatureGate=", m.Name).
				Suggest("add one of them").Once(Doubt(m, "featureGate"))
			return nil
		}
		r.aware = append(r.aware, m)
	}
	return nil
}

// finish returns all markers of a declaration: those that were found, and those that were kept and have an effect.
func (r *gateReader) finish(found []model.Marker) []model.Marker {
	if r.enable != nil {
		found = append(found, *r.enable)
	}
	found = append(found, r.overrides...)
	if r.presence != nil {
		found = slices.DeleteFunc(found, func(m model.Marker) bool { return slices.Contains(presences, m.Name) })
		found = append(found, *r.presence)
	}
	for _, name := range []string{"Enum", "MaxItems", "XValidation"} {
		all := slices.DeleteFunc(slices.Clone(r.aware), func(m model.Marker) bool { return m.Name != AwareMarker+name })
		for i, m := range r.holding(all) {
			m.Name = Validation + name
			switch name {
			case "Enum":
				m.Value, m.Arguments = m.Arguments["enum"], nil
			case "MaxItems":
				m.Value, m.Arguments = m.Arguments["maxItems"], nil
			default: // before other rules, as in OpenShift's manifests
				found = slices.Insert(found, i, m)
				continue
			}
			found = append(found, m)
		}
	}
	return found
}

// holding returns the markers among those of one name with an effect. As in OpenShift's tools, which merge a manifest
// without gates, one for each gate in the order of their names, and then one for each combination that a marker
// requires, the last of these with such a marker counts.
func (r *gateReader) holding(all []model.Marker) (last []model.Marker) {
	alone, combined := map[string]bool{}, map[string][]string{}
	isOff := func(name string) bool { return !r.On[name] }
	for _, m := range all {
		for _, name := range m.Strings("featureGate") {
			alone[name] = alone[name] || r.On[name]
		}
		if names := m.Strings("requiredFeatureGate"); len(names) > 0 && !slices.ContainsFunc(names, isOff) {
			combined[strings.Join(names, "+")] = names
		}
	}
	manifests := [][]string{{""}}
	for _, name := range slices.Sorted(maps.Keys(alone)) {
		if alone[name] {
			manifests = append(manifests, []string{name})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(combined)) {
		manifests = append(manifests, combined[key])
	}
	for _, on := range manifests {
		isOn := func(name string) bool { return slices.Contains(on, name) }
		holds := slices.DeleteFunc(slices.Clone(all), func(m model.Marker) bool {
			required := m.Strings("requiredFeatureGate")
			satisfied := len(required) > 0 || slices.ContainsFunc(m.Strings("featureGate"), isOn)
			return !satisfied || slices.ContainsFunc(required, func(name string) bool { return !isOn(name) })
		})
		if len(holds) > 0 {
			last = holds
		}
	}
	return last
}

// NamedGate is a feature gate that a marker names.
type NamedGate struct {
	Name string
	Pos  token.Position
}

// NamedGates returns the feature gates in the markers of comments, in order.
func NamedGates(fset *token.FileSet, groups ...*ast.CommentGroup) (found []NamedGate) {
	for _, line := range Lines(fset, groups...) {
		if !ofGates(line.Text) {
			continue
		}
		gates := Gates{Named: map[string]bool{}}
		_, _ = ReadManifest([]Line{line}, Type, &gates) // which names the gates
		for _, name := range slices.Sorted(maps.Keys(gates.Named)) {
			found = append(found, NamedGate{name, line.Pos})
		}
	}
	return found
}
