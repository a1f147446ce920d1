package run

import (
	"maps"
	"slices"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// derive derives the objects of an output, if its facts have no errors.
func (o *reading) derive() {
	if o.facts != nil && !o.about.HasErrors() {
		o.objects, o.said = o.deriveObjects(o.facts)
		o.reportMissing("the manifests of a group need all its packages", o.objects.Missing, &o.said)
	}
}

// HasOwnGates reports whether the feature gates are for this run only, so that other sets remain.
func (o *Request) HasOwnGates() bool { return o.From != nil && o.Given["gates"] }

// served returns how the CustomResourceDefinitions of all outputs serve kinds. Of several for a type, the ones of the
// output itself count first, and in each output the ones of the first set.
func served(all []*reading, by *reading) map[model.TypeRef]*kinds.Served {
	found := map[model.TypeRef]*kinds.Served{}
	others := slices.DeleteFunc(slices.Clone(all), func(o *reading) bool { return o == by })
	for _, o := range append(others, by) {
		for _, m := range slices.Backward(o.objects.Definitions) {
			maps.Copy(found, m.Served())
		}
	}
	return found
}

// name names everything that an output generates, and reports all that prevents or limits it. It makes one job for all
// packages, or one for each module if the output goes into the modules.
func (r *Run) name(o *reading, served map[model.TypeRef]*kinds.Served) *Output {
	named := &Output{Request: o.Request, Objects: o.objects}
	switch {
	case o.removed:
		named.Jobs = []Job{{Targets: o.targets(o.Plan.Targets), API: &model.API{}}}
		return named
	case o.facts == nil:
		return named
	}
	jobs, diags := o.jobs(served)
	if named.Jobs = jobs; !diags.HasErrors() {
		said := named.settle(o.given, r.Purpose)
		named.diags = append(diags, said...)
		return named
	}
	for _, j := range jobs {
		for _, t := range j.Targets {
			diags = append(diags, render.Check(t.Generator, j.API, &t.Options)...)
		}
	}
	named.diags = diags
	return named
}

// jobs names everything in the packages of an output.
func (o *reading) jobs(served map[model.TypeRef]*kinds.Served) (jobs []Job, diags diag.List) {
	about := slices.Clone(o.about)
	var parts []*facts.Part
	if o.Plan.PerModule {
		parts, about = o.facts.ByModule(o.Plan.Home, about)
	} else {
		parts, about = o.facts.Together(about)
	}
	var apis []*model.API
	var switched diag.List
	for _, part := range parts {
		api, named, off := o.nameClear(part, served, about)
		apis, about, switched = append(apis, api), named, append(switched, off...)
	}
	about = o.facts.Check(parts, apis, o.definesKinds(), o.said, o.objects.Harmless, about)
	diags = slices.Concat(o.others, about, switched)
	for i, part := range parts { // for a module without kinds, files of former kinds are removed
		j := Job{Targets: o.targets(o.Plan.Targets), API: apis[i]}
		if o.Plan.PerModule {
			if part.Root == "" && diags.HasErrors() {
				continue // no package was found
			}
			targets, said := o.Plan.In(plan.DefaultOutput(part.Root))
			diags = append(diags, said...)
			if j.Targets = o.targets(targets); len(parts) > 1 {
				j.within = part.Root
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, diags
}

// definesKinds reports whether the output writes CustomResourceDefinitions.
func (o *reading) definesKinds() bool {
	return slices.ContainsFunc(o.objects.Definitions, func(m crd.Manifests) bool { return len(m.Files) > 0 })
}

// nameClear names everything in a part, with the structs that generators need. Where names clash, it switches a
// generator off for a package, with a warning, and names everything again. It returns about, the diagnostics so far,
// with those about the last names.
func (o *reading) nameClear(
	part *facts.Part, served map[model.TypeRef]*kinds.Served, about diag.List,
) (_ *model.API, named, switched diag.List) {
	for {
		reader := part.Reader()
		structs, ofStructs := o.readStructs(reader)
		api, ofNames := part.API(structs, served)
		named := slices.Concat(about, ofStructs, reader.Mistakes(), ofNames)
		if named.HasErrors() {
			return api, named, switched
		}
		warnings, off := o.switchOff(api)
		if switched = append(switched, warnings...); !off {
			return api, named, switched
		}
	}
}
