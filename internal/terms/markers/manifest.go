package markers

import (
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// ReadManifest returns the markers for manifests in the lines of a declaration. A mistake in a value is an error.
// Markers without effect on the target are warnings, except for misspelled ones, see Misspellings. Like controller-gen,
// it accepts a colon before the equals sign. Of markers that depend on feature gates, it returns those with an effect;
// see also Off.
func ReadManifest(lines []Line, target Target, gates *Gates) (found []model.Marker, diags diag.List) {
	var r *gateReader
	for _, line := range lines {
		isGated := IsGated(line.Text)
		if isGated && gates == nil {
			continue
		}
		if (isGated || gates != nil && ofGates(line.Text)) && r == nil {
			r = &gateReader{Gates: gates, diags: &diags}
		}
		if isGated {
			found = append(found, r.read(line, target)...)
			continue
		}
		m, def, wrong := line.manifest(target)
		diags = append(diags, wrong...)
		switch {
		case def == nil:
		case !ofGates(line.Text):
			found = append(found, m)
		case gates != nil:
			found = append(found, r.take(m, target)...)
		}
	}
	if r != nil {
		found = r.finish(found)
	}
	return found, diags
}

// manifest returns the marker for manifests in a line with its definition, or no definition if it has no effect on the
// target.
func (line Line) manifest(target Target) (m model.Marker, _ *Definition, diags diag.List) {
	if arguments, isField := strings.CutPrefix(line.Text, "+"+FieldMarker+"("); isField { // of code for Kubernetes' own server
		_, value, _ := strings.Cut(arguments, ")")
		line.Text = "+" + FieldMarker + value
	}
	def, long, rest := find(line.Text[1:], manifest)
	if def == nil || !def.Has(target) {
		if target != Package { // they may belong to a type
			diags = reportManifest(line, long, def)
		}
		return m, nil, diags
	}
	if m = (model.Marker{Name: def.Name, Pos: line.Pos}); !def.read(&m, rest, false, false, &diags) {
		return m, nil, diags
	}
	return m, def, diags
}

// find returns the definition that the text of a marker names, without the +, the text before its equals sign, and the
// text of its value or arguments. known returns the definition with a name, or nil, and so does find.
func find(text string, known func(name string) *Definition) (def *Definition, name, rest string) {
	name, rest, hasValue := strings.Cut(text, "=")
	argument := name[strings.LastIndexByte(name, ':')+1:]
	if def = known(name); def == nil && hasValue && argument != name {
		def = known(name[:len(name)-len(argument)-1])
	}
	if def != nil && def.Type == Named && hasValue {
		rest = argument + "=" + rest
	}
	return def, name, rest
}

// ParseOption parses an option of controller-gen's command line, which has the form of a marker with or without the +.
// It returns the option's definition, which is nil if known does not contain it, and its value or arguments.
func ParseOption(text string, known []Definition) (def *Definition, value any, arguments map[string]any, err error) {
	def, _, rest := find(strings.TrimPrefix(text, "+"), func(name string) *Definition {
		if i := slices.IndexFunc(known, func(d Definition) bool { return d.Name == name }); i >= 0 {
			return &known[i]
		}
		return nil
	})
	if def == nil {
		return nil, nil, nil, nil
	}
	value, arguments, _, err = def.parse(rest, false)
	return def, value, arguments, err
}

// reportManifest reports a marker without effect at its place.
func reportManifest(line Line, name string, def *Definition) (diags diag.List) {
	if def != nil {
		if def.Targets[0] != Package {
			diags.Warnf(line.Pos, "+%s has no effect here", def.Name).Suggest("it is for %s", def.For())
		}
		return diags
	}
	if bare, after, ok := strings.Cut(name, " "); ok && manifest(bare) != nil {
		diags.Warnf(line.Pos, "+%s has no effect, because %q follows", bare, after).Suggest("put the marker on a line of its own")
		return diags
	}
	return ReportUnknown(line)
}

// ReportUnknown warns about a marker with the prefix of controller-gen that controller-gen does not know. Markers that
// misspell a known one are left to Misspellings.
func ReportUnknown(line Line) (diags diag.List) {
	name := strings.TrimSuffix(nameIn(line.Text), ":") // as in +kubebuilder:default:=1
	if !strings.HasPrefix(name, "kubebuilder:") || IsKnown(name) || misspells(line.Text) {
		return nil
	}
	d := diags.Warnf(line.Pos, "unknown marker +%s: it has no effect", name)
	prefix, last := name[:strings.LastIndexByte(name, ':')+1], name[strings.LastIndexByte(name, ':')+1:]
	var longer []string
	for _, def := range All {
		if rest, ok := strings.CutPrefix(def.Name, prefix); ok && def.Effect&Manifests != 0 && !strings.Contains(rest, ":") &&
			strings.HasSuffix(rest, last) {
			longer = append(longer, "+"+def.Name)
		}
	}
	if len(longer) > 0 {
		d.Suggest("did you mean %s?", strings.Join(longer, " or "))
	} else {
		d.Suggest("correct or delete it")
	}
	return diags
}

// OfManifest returns the definition of the marker in a line if the marker affects only kinds and their manifests. If it
// has a feature gate, the definition describes the marker behind the gate.
func OfManifest(line string) (def Definition, ok bool) {
	_, inner, _ := Line{Text: line}.gated()
	name, ok := strings.CutPrefix(inner.Text, "+")
	name = strings.TrimSuffix(nameIn(name), ":")
	found := withoutArgument(name)
	ofManifests := slices.ContainsFunc([]string{"kubebuilder:", "kubegen:schema", ConversionMarker}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	}) || ofGates(inner.Text)
	if !ok || found == nil || found.Effect&ofFiles != 0 || !ofManifests && !(found.Effect&Manifests != 0 && found.Has(Package)) {
		return Definition{}, false
	}
	return *found, true
}

// OfKinds reports whether the marker determines manifests, and has no effect above other types than kinds.
func (d Definition) OfKinds() bool {
	return d.Effect&Manifests != 0 && slices.Equal(d.Targets, onTypes) && !strings.HasPrefix(d.Name, Validation)
}

// OfSchemas reports whether the marker determines the schema of a type.
func (d Definition) OfSchemas() bool { return d.Effect&Manifests != 0 && d.Has(Type) && !d.OfKinds() }

// For returns the targets of the marker for a message, such as "types and fields".
func (d Definition) For() string {
	return d.join("and", map[Target]string{Package: "packages", Type: "types", Field: "fields", Constant: "constants", File: "files"})
}

// Above returns the place of the marker for a message, such as "a type or a field".
func (d Definition) Above() string {
	return d.join("or", map[Target]string{
		Package: "the package clause", Type: "a type", Field: "a field", Constant: "a constant of an enum",
		File: "a blank line, outside declarations",
	})
}

func (d Definition) join(conjunction string, words map[Target]string) string {
	var list []string
	for _, target := range d.targets() {
		list = append(list, words[target])
	}
	return diag.Joined(list, conjunction)
}

// IsGated reports whether the marker in a line has a feature gate.
func IsGated(line string) bool { return strings.HasPrefix(line, "+"+GateMarker+"(") }

// Overrides reports whether the marker overrides an earlier one of the same name.
func (d Definition) Overrides() bool { return d.Effect&Manifests != 0 && d.Type != NoValue && !d.Adds }

// Affects returns the effects of a marker with a known name, perhaps with arguments.
func Affects(name string) Effect {
	if def := withoutArgument(name); def != nil {
		return def.Effect
	}
	return 0
}

// withoutArgument returns the definition of a marker from its name, which the key of an argument may follow, or nil.
func withoutArgument(name string) *Definition {
	if def := byName[name]; def != nil {
		return def
	}
	if def := byName[name[:max(0, strings.LastIndexByte(name, ':'))]]; def != nil && def.Type == Named {
		return def
	}
	return nil
}
