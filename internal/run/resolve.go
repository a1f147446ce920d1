package run

import (
	"io/fs"
	"os"
	"slices"

	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/openapi"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/imported"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Target is a generator with its output and all options.
type Target struct {
	plan.Target
	Generator render.Generator
	Options   render.Options
}

// Resolve returns the request for a plan with some of all generators. It configures these, and reads the templates and
// manifests that flags name. It returns diags, which has those about the plan, with its own.
func Resolve(all []render.Generator, p *plan.Plan, diags diag.List) (*Request, diag.List) {
	o := &Request{Plan: p, Given: map[string]bool{}, all: all}
	overlay, wrong, err := readTemplates(p.Environment, p.Flags.Templates, all)
	diags.AddError(err)
	diags = append(diags, wrong...)
	o.overlay = overlay
	wrong, configured := o.configure()
	diags = append(diags, wrong...)
	writes := func(g render.Definer) bool { return g.WritesInto(p.At(p.Flags.Manifests)) }
	if configured && p.Flags.Manifests != "" && !slices.ContainsFunc(o.definers(), writes) {
		if plan.IsGoPackage(p.Environment, p.Flags.Manifests) {
			o.module = p.Flags.Manifests
		} else {
			o.crds, err = readManifests(p.Environment, p.Flags.Manifests, &diags)
			diags.AddError(err)
		}
	}
	o.written = o.products()
	companions := model.Companions(nil)
	if p.Needs.Types && !p.Policy.PublishedOnlyOfMetaV1 {
		companions = applyconfiguration.Published
	}
	o.Loading = facts.Config{Output: o.written}.Loading(companions)
	o.Loading.Generated, o.Loading.Release = p.ClientMarks(), p.Wanted
	o.Types, diags = imported.Resolve(p, o.Loading, diags)
	return o, diags
}

// configure configures the generators of manifests. It reports whether their settings have no mistakes.
func (o *Request) configure() (diags diag.List, ok bool) {
	p := o.Plan
	ok = true
	for _, t := range o.targets(p.ManifestTargets) {
		if g, configurable := t.Generator.(render.Configurable); configurable {
			var err error
			t.Generator, err = g.Configure(render.Setup{Plan: p, Dir: t.Dir, Overlay: o.overlay}, &diags)
			diags.AddError(err)
			ok = ok && err == nil
		}
		if t.Generator != nil {
			o.Manifests = append(o.Manifests, t)
		}
	}
	return diags, ok
}

// targets returns targets of the plan with their generators.
func (o *Request) targets(planned []plan.Target) (targets []Target) {
	for _, t := range planned {
		i := slices.IndexFunc(o.all, func(g render.Generator) bool { return g.Info() == t.Info() })
		targets = append(targets, Target{t, o.all[i], render.Options{Options: t.Options, Overlay: o.overlay}})
	}
	return targets
}

// Configured returns the generator of manifests of a type that a request executes, or nil if there is none.
func Configured[G render.Generator](o *Request) *G {
	for _, t := range o.Manifests {
		if g, ok := t.Generator.(G); ok {
			return &g
		}
	}
	return nil
}

// defines reports whether the request executes a generator of CustomResourceDefinitions.
func (o *Request) defines() bool { return len(o.definers()) > 0 }

// definers returns the generators of CustomResourceDefinitions that the request executes.
func (o *Request) definers() (found []render.Definer) {
	for _, t := range o.Manifests {
		if g, ok := t.Generator.(render.Definer); ok {
			found = append(found, g)
		}
	}
	return found
}

// readStructs reads the structs that the targets need in addition to kinds.
func (o *Request) readStructs(r model.Reader) (model.Types, diag.List) {
	if !o.Plan.Needs.Types {
		return model.Types{}, nil
	}
	return applyconfiguration.Read(r, &render.Options{Options: o.Plan.Options, Overlay: o.overlay})
}

// products returns what the targets of the request write into packages of types.
func (o *Request) products() products.Output {
	p, files := o.Plan, map[string]products.Files{}
	var names products.ModelNames
	if g := Configured[openapi.Generator](o); g != nil {
		names = g.ModelNames
	}
	for _, t := range p.Targets {
		if of := files[t.Info().Name]; t.Info().InPackages() {
			files[t.Info().Name] = products.Files{Marks: append(of.Marks, t.Marks()...), Stale: append(of.Stale, p.Stale(t)...)}
		}
	}
	return products.Output{Plan: p, Files: files, ModelNames: names}
}

// readManifests reads the CustomResourceDefinitions in the files of a directory, as kubectl apply -f does.
func readManifests(e load.Environment, dir string, diags *diag.List) (definitions []*crd.Definition, err error) {
	files, err := plan.ManifestFiles(e, dir, false)
	for _, name := range files {
		var text []byte
		if err == nil {
			text, err = load.ReadNamed(name, crd.MaxManifest)
		}
		found, wrong := crd.Read(name, text)
		definitions, *diags = append(definitions, found...), append(*diags, wrong...)
	}
	if err != nil {
		return nil, diag.Errorf("%s: %w", diag.Setting("crds"), err)
	}
	if len(definitions) == 0 && !diags.HasErrors() {
		return nil, diag.Errorf("%s: no file in directory %s has a CustomResourceDefinition", diag.Setting("crds"), diag.Value(dir))
	}
	return definitions, nil
}

// readTemplates reads the templates in the directory named by a flag. The name "" means no directory.
func readTemplates(e load.Environment, dir string, all []render.Generator) (*render.Overlay, diag.List, error) {
	if dir == "" {
		return nil, nil, nil
	}
	if info, err := os.Stat(e.At(dir)); err != nil {
		return nil, nil, diag.Errorf("%s: directory %s does not exist", diag.Setting("templates"), diag.Value(dir))
	} else if !info.IsDir() {
		return nil, nil, diag.Errorf("%s: %s is a file; name the directory with templates", diag.Setting("templates"), diag.Value(dir))
	}
	overlay, diags := render.ReadOverlay(templateFS{os.DirFS(e.At(dir))}, e.At(dir), all)
	return overlay, diags, nil
}

// templateFS is the file system of a directory of templates. It limits the size of files.
type templateFS struct{ fs.FS }

// ReadFile implements fs.ReadFileFS.
func (t templateFS) ReadFile(name string) ([]byte, error) {
	info, err := fs.Stat(t.FS, name)
	if err == nil && !info.Mode().IsRegular() {
		err = &load.IrregularError{Name: name, Mode: info.Mode()}
	}
	if err != nil {
		return nil, err
	}
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return load.ReadBounded(f, name, maxTemplate)
}

// maxTemplate is the maximum size of a template in bytes. It protects against files such as /dev/zero.
const maxTemplate = 1 << 20
