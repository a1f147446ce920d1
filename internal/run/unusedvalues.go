package run

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/generators/schemapatch"
	files "github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// reportIneffective reports flags that affect only files of generators, or only other flags, if no output with the
// value has these.
func (o *Output) reportIneffective(outputs []*Output) (diags diag.List) {
	affected := plan.Affected(generators.Infos())
	for _, flag := range slices.Sorted(maps.Keys(affected)) {
		has := func(p *plan.Plan) bool {
			return p.Flags.ApplyMarkers && plan.AffectsApplying(flag) || slices.ContainsFunc(affected[flag], p.Has)
		}
		if !o.Plan.IsOff(flag) && o.sets(flag, affected[flag]) && !o.anyAlike(flag, outputs, has) {
			reportLacking(flag, affected[flag], len(o.Plan.Flags.Only) > 0, &diags)
		}
	}
	if o.sets("year", nil) && !o.anyAlike("year", outputs, (*plan.Plan).HasHeader) {
		code, manifests := diag.Setting("boilerplate"), diag.Setting(plan.ManifestHeader)
		diags.Errorf(token.Position{}, "%s has no effect without %s or %s", diag.Setting("year"), code, manifests).
			Suggest("remove it, or name the file with the word YEAR")
	}
	return diags
}

// anyAlike reports whether a plan with the same value of a flag has a property. For all outputs with the value but the
// first, it is true.
func (o *Output) anyAlike(flag string, outputs []*Output, has func(*plan.Plan) bool) bool {
	alike := o.alike(flag, outputs)
	return alike[0] != o || slices.ContainsFunc(alike, func(other *Output) bool { return !other.marked && has(other.Plan) })
}

// reportLacking reports a flag without effect, because the run lacks generators.
func reportLacking(flag string, lacking []*plan.Info, leftOut bool, diags *diag.List) {
	names, flags, requests := lacking[0].Name, []string{lacking[0].EnableFlag.Name}, diag.Textf("%s", diag.Setting(lacking[0].EnableFlag.Name))
	for _, info := range lacking[1:] {
		names += " and " + info.Name
		if enable := info.EnableFlag.Name; !slices.Contains(flags, enable) {
			flags, requests = append(flags, enable), diag.Textf("%s or %s", requests, diag.Setting(enable))
		}
	}
	setting, only := diag.Setting(flag), diag.Setting("only")
	switch {
	case len(lacking) > 3:
		diags.Errorf(token.Position{}, "%s has no effect, because %s leaves out all generators that use it", setting, only).Suggest("remove it")
	case leftOut:
		diags.Errorf(token.Position{}, "%s has no effect, because %s leaves out %s", setting, only, names).
			Suggest("remove it, or add %s to %s", strings.ReplaceAll(names, " and ", " or "), only)
	default:
		diags.Errorf(token.Position{}, "%s has no effect without %s", setting, requests).Suggest("remove it, or add %s", requests)
	}
}

// sets reports whether the command line sets a flag that affects generators, or kubegen.yaml does. The command line may
// narrow the outputs of kubegen.yaml to packages or generators that the flag has no effect on.
func (o *Output) sets(flag string, affected []*plan.Info) bool {
	if o.From == nil || o.Given[flag] {
		return o.Given[flag]
	}
	_, ok := o.From.Values[flag]
	narrows := func(info *plan.Info) bool { return o.Given[info.EnableFlag.Name] }
	return ok && o.Within == nil && !o.Given["only"] && !slices.ContainsFunc(affected, narrows)
}

// warnUnused warns about flag values that name kinds or types which no output with the same value has read.
func warnUnused(outputs []*Output) (diags diag.List) {
	for _, t := range outputs {
		if alike := t.alike("plural-exceptions", outputs); alike[0] == t {
			kinds := map[string]bool{}
			for _, other := range alike {
				for _, j := range other.Jobs {
					for resource := range j.API.Resources() {
						kinds[resource.Kind], kinds[resource.List.Name] = true, true
					}
				}
			}
			unused := unusedValues{Output: t, flag: "plural-exceptions", why: "no kind has that name"}
			for _, kind := range slices.Sorted(maps.Keys(t.Plan.PluralExceptions)) {
				if !kinds[kind] {
					unused.add(kind, kind, kinds, &diags)
				}
			}
			unused.report(&diags)
		}
		if alike := t.alike("gates", outputs); alike[0] == t && len(crd.Gates(t.Plan.Flags.Settings)) > 0 {
			diags = append(diags, t.warnUnusedGates(alike)...)
		}
		if alike := t.alike(plan.EditsKey, outputs); alike[0] == t && t.Within == nil {
			var found []files.Found
			for _, other := range alike[1:] {
				found = append(found, other.Objects.Found)
			}
			diags = append(diags, t.Objects.Unmatched(found...)...)
		}
		if alike := t.alike(schemapatch.Flag, outputs); alike[0] == t {
			t.reportUnpatched(alike, &diags)
		}
		if alike := t.alike(t.Plan.ExternalsFlag, outputs); alike[0] == t && len(t.Plan.Options.Externals) > 0 {
			types, own := map[model.TypeRef]bool{}, map[model.TypeRef]bool{}
			read := true // the types of fields
			for _, other := range alike {
				read = other.types(types, own) && read
			}
			unused := unusedValues{Output: t, flag: t.Plan.ExternalsFlag, why: "no field has that type"}
			generated := unusedValues{Output: t, flag: t.Plan.ExternalsFlag, why: "this run generates the apply configuration"}
			for _, external := range slices.SortedFunc(maps.Keys(t.Plan.Options.Externals), byName) {
				if own[external] {
					generated.names = append(generated.names, external.Path+"."+external.Name)
				} else if read && !types[external] {
					siblings := map[string]bool{}
					for other := range types {
						if other.Path == external.Path {
							siblings[other.Name] = true
						}
					}
					unused.add(external.Path+"."+external.Name, external.Name, siblings, &diags)
				}
			}
			unused.report(&diags)
			generated.report(&diags)
		}
	}
	return diags
}

func byName(a, b model.TypeRef) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Name, b.Name))
}

// alike returns the outputs that have the value of a flag from the same place: the command line, or a position in
// kubegen.yaml.
func (o *Output) alike(flag string, outputs []*Output) []*Output {
	if o.From == nil || o.Given[flag] {
		return outputs
	}
	pos := o.From.Values[flag].Pos
	return slices.DeleteFunc(slices.Clone(outputs), func(other *Output) bool { return other.From.Values[flag].Pos != pos })
}

// types adds the types that kinds contain to refs, and the types with an apply configuration in this output to own. It
// reports whether the types of fields were read.
func (o *Output) types(refs, own map[model.TypeRef]bool) (read bool) {
	for _, j := range o.Jobs {
		read = read || len(j.API.Structs) > 0
		mentioned(j.API, refs)
		for _, s := range j.API.Structs {
			if s.Version != nil && !s.External {
				own[s.TypeRef] = true
			}
		}
	}
	return read
}

// unusedValues collects the values of a flag that have no effect.
type unusedValues struct {
	*Output
	flag, why string
	names     []string
}

// at returns the position in kubegen.yaml of the value that begins with name, and the name of the flag for messages.
func (u *unusedValues) at(name string) (token.Position, fmt.Stringer) {
	if u.From != nil && !u.Given[u.flag] {
		for _, item := range u.From.Values[u.flag].Items {
			if item.Text == name || strings.HasPrefix(item.Text, name+":") {
				return item.Pos, diag.Textf("%s", u.flag)
			}
		}
	}
	return token.Position{}, diag.Setting(u.flag)
}

// add adds a value for an unknown name. A probable misspelling is reported immediately.
func (u *unusedValues) add(full, name string, known map[string]bool, diags *diag.List) {
	if nearest, ok := diag.Nearest(name, slices.Sorted(maps.Keys(known))); ok {
		pos, flag := u.at(full)
		diags.Warnf(pos, "%s: %s has no effect, since %s (did you mean %s?)", flag, full, u.why, nearest)
		return
	}
	u.names = append(u.names, full)
}

// report reports the remaining values. Values on the command line are combined in one diagnostic. It is only a note for
// the classic tools, whose scripts pass the same values to many commands.
func (u *unusedValues) report(diags *diag.List) {
	complain := diags.Warnf
	if u.Plan.Policy.AcceptEmpty {
		complain = diags.Notef
	}
	var names []string
	for _, name := range u.names {
		if pos, flag := u.at(name); pos.IsValid() {
			complain(pos, "%s: %s has no effect, since %s", flag, name, u.why)
		} else {
			names = append(names, name)
		}
	}
	const shown = 3
	verb := "has"
	if len(names) == 0 {
		return
	}
	if len(names) > 1 {
		verb = "have"
	}
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if more := len(names) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	complain(token.Position{}, "%s: %s %s no effect, since %s", diag.Setting(u.flag), list, verb, u.why)
}

// mentioned adds the types that kinds contain, and the input and result types of their methods.
func mentioned(api *model.API, types map[model.TypeRef]bool) {
	seen := map[*model.Type]bool{} // types may be recursive
	var visit func(*model.Type)
	fields := func(list []*model.Field) {
		for _, f := range list {
			visit(f.Type)
		}
	}
	visit = func(t *model.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		types[t.Name] = true
		if t.Struct != nil {
			types[t.Struct.TypeRef] = true // its fields are in api.Structs
		}
		for _, part := range append([]*model.Type{t.Elem, t.Key}, t.Args...) {
			visit(part)
		}
		fields(t.JSONFields())
	}
	for _, s := range api.Structs {
		types[s.TypeRef] = true
		fields(s.JSONFields())
	}
	for r := range api.Resources() {
		for _, m := range r.Methods {
			types[m.Input], types[m.Result] = true, true
		}
	}
}

// warnUnusedGates warns about feature gates in the value of a flag that no marker of an output with the same value
// names.
func (o *Output) warnUnusedGates(alike []*Output) (diags diag.List) {
	named, manifests := map[string]bool{}, false
	for _, other := range alike {
		manifests = manifests || other.defines()
		maps.Copy(named, other.Objects.Gates)
	}
	if !manifests {
		return nil
	}
	unused := unusedValues{Output: o, flag: "gates", why: "no marker names this feature gate"}
	for _, value := range crd.Gates(o.Plan.Flags.Settings) {
		_, gate, _ := crd.CutGate(value)
		if gate != "" && !named[gate] {
			unused.add(value, gate, named, &diags)
		}
	}
	unused.report(&diags)
	return diags
}

// reportUnpatched reports that the directory in --patch-crds has manifests, but none for a kind of an output with the
// same value.
func (o *Output) reportUnpatched(alike []*Output, diags *diag.List) {
	patched := func(other *Output) bool { return other.Objects.WrittenBy(schemapatch.Generator{}.Info().Name) }
	patch := Configured[schemapatch.Generator](o.Request)
	if patch == nil || patch.All || len(patch.Templates) == 0 || slices.ContainsFunc(alike, patched) {
		return
	}
	dir := o.Plan.Flags.Settings.Text(schemapatch.Flag)
	pos, flag := (&unusedValues{Output: o, flag: schemapatch.Flag}).at(dir)
	diags.Errorf(pos, "%s: no CustomResourceDefinition in directory %s is of a kind and version in these packages", flag, dir).
		Suggest("name the packages of its kinds, or another directory")
}
