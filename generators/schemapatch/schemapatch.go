// Package schemapatch replaces the schemas in existing CustomResourceDefinitions by the ones of Go types, with the same
// result as controller-gen v0.23.
package schemapatch

import (
	"cmp"
	"errors"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	definitions "github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Generator is the generator of schemas in existing manifests.
type Generator struct {
	Templates []*crd.Template
	Set       definitions.GateSet // has the directory of the templates
	// All means that all manifests in the directory of the templates are written into the directory of the output,
	// with or without new schemas, and that the schemas have settings of their own. Otherwise, the manifests with new
	// schemas are written where they are, with the settings of CustomResourceDefinitions.
	All bool

	options   crd.Options
	afterCRDs bool
	noGates   bool
}

// Flag is the name of the flag with the directory of the manifests.
const Flag = "patch-crds"

// Settings of gen-controller.
const (
	Manifests = "schemapatch-manifests"  // the directory of the templates, if all of them are written
	AfterCRDs = "schemapatch-after-crds" // the CustomResourceDefinitions of the run are in that directory before it is read
)

var info = &plan.Info{
	Name:      "schemapatch",
	Manifests: &plan.Manifests{Objects: definitions.Objects, Defines: true},
	EnableFlag: plan.Flag{Name: Flag,
		Usage: "also replace the schemas in the CustomResourceDefinitions of this `directory`, which are written by hand except for these"},
	Flags: []plan.Flag{
		{Name: Manifests}, {Name: AfterCRDs, Type: plan.BoolValue},
		{Name: "schemapatch-max-description-length", Type: plan.NumberValue}, {Name: "schemapatch-embedded-object-meta", Type: plan.BoolValue},
	},
	Needs: plan.Needs{Schemas: true},
}

// Info implements render.Generator.
func (Generator) Info() *plan.Info { return info }

// Configure implements render.Configurable. It reads the manifests with schemas to replace.
func (g Generator) Configure(s render.Setup, diags *diag.List) (render.Generator, error) {
	dir, setting := s.Dir, diag.Setting(Flag)
	options, mistakes := definitions.Options(s.Flags.Settings)
	*diags = append(*diags, mistakes...)
	g = Generator{options: options, noGates: s.NoGates, afterCRDs: s.Flags.Settings.Is(AfterCRDs)}
	if templates, ok := s.Flags.Settings[Manifests]; ok {
		g.All, dir, setting, g.options = true, s.At(templates.String()), diag.Setting(Manifests), crd.Options{SkipValidation: true}
		definitions.SetSchemas(&g.options, s.Flags.Settings, info.Name)
	}
	sets, err := definitions.Sets(dir, s.Flags.Settings)
	if err != nil {
		return nil, err
	}
	g.Set, g.options.Converted = sets[0], crd.ConvertedByPatches(sets[0].Dir, crd.ManifestIn)
	entries, err := os.ReadDir(dir)
	if err != nil && !(g.afterCRDs && errors.Is(err, fs.ErrNotExist)) {
		return nil, diag.Errorf("%s: %w", setting, err)
	}
	complete := true // every file could be read
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) != ".yaml" {
			continue
		}
		name := filepath.Join(dir, entry.Name())
		text, err := load.ReadNamed(name, crd.MaxManifest)
		if err != nil {
			return nil, diag.Errorf("%s: %w", setting, err)
		}
		templates, unread := crd.ReadTemplates(name, text)
		for _, d := range unread {
			if !g.All { // --verify must not pass over a definition
				d.Severity = diag.Error
				d.Or("keep the ones of a chart with %s", diag.Setting("chart"))
			}
		}
		*diags, complete = append(*diags, unread...), complete && len(unread) == 0
		for _, t := range templates {
			if g.All && !t.Leads { // as in controller-gen
				continue
			}
			g.Templates = append(g.Templates, t)
			if g.All && t.Mistake != nil {
				*diags = append(*diags, t.Mistake)
			}
		}
	}
	if len(g.Templates) == 0 && !g.afterCRDs && complete {
		complain := diags.Errorf
		if g.All {
			complain = diags.Warnf
		}
		complain(token.Position{}, "%s: no .yaml file in directory %s has a CustomResourceDefinition", setting, s.Name(dir))
	}
	return g, nil
}

// GateNames implements render.Definer.
func (g Generator) GateNames() []string { return slices.Sorted(maps.Keys(g.Set.Gates.On)) }

// WritesInto implements render.Definer. The manifests are written by hand, except for their schemas.
func (g Generator) WritesInto(string) bool { return false }

// Define implements render.Definer. Like controller-gen, gen-controller writes nothing if no package imports the
// metadata of objects, and all manifests otherwise.
func (g Generator) Define(in *render.Input) (trees []output.Tree, found crd.Found, diags diag.List) {
	read, found := in.Kinds, crd.NewFound()
	if g.All && !slices.ContainsFunc(read.Named, func(pkg *kinds.Package) bool { return pkg.Source.Imports(model.MetaV1) }) {
		return nil, found, nil
	}
	if g.Set.Gates.Foreign {
		found.NameGates(read.Types.Fset, read.All)
	}
	templates, diags := g.templates(in.Earlier)
	var misspelled []token.Position
	if !in.Options.Policy.AcceptMistakes { // otherwise nothing depends on them
		misspelled = crd.Misspelled(read.Types.Fset, read.Named)
	}
	gates := g.Set.With(found.Gates, g.noGates)
	patch := func(respelled map[token.Position]bool) (crd.Manifests, diag.List) {
		return crd.Patch(templates, goschema.NewMarkers(read.Types, gates).Respell(respelled), read.Named, g.options)
	}
	patched, mistakes := patch(nil)
	found.Patched, diags = patched, append(diags, mistakes...)
	found.Judge(misspelled, func(respelled map[token.Position]bool) bool {
		before := contents(templates)
		_, diags := patch(respelled)
		same := contents(templates) == before && !diags.HasErrors()
		patch(nil) // the templates hold the schemas
		return same
	})
	diags = append(diags, read.Types.Refused()...)
	tree := output.Tree{Dir: in.Dir, Owned: func(text []byte) bool { return yamltext.HoldsKinds(text, "CustomResourceDefinition") }}
	for _, t := range templates {
		content, ok, err := t.Update()
		if g.All {
			ok = true
			content, err = t.Content()
		}
		if err != nil {
			diags.Errorf(token.Position{Filename: t.File()}, "cannot write this manifest: %v", err)
		}
		if ok {
			tree.Files = append(tree.Files, output.File{Path: filepath.Base(t.File()), Content: content})
		}
	}
	if found.NeedPackages(read.Types, found.Patched.Groups, read.All, read.Named) {
		diags = nil
	}
	return []output.Tree{tree}, found, diags
}

// contents returns the texts of manifests with new schemas.
func contents(templates []*crd.Template) string {
	var all strings.Builder
	for _, t := range templates {
		content, _ := t.Content()
		all.Write(content)
	}
	return all.String()
}

// templates returns the manifests whose schemas are replaced: the ones on disk, and in place of them the ones of this
// run that are written before.
func (g Generator) templates(earlier []output.Tree) (all []*crd.Template, diags diag.List) {
	if !g.afterCRDs {
		return g.Templates, nil
	}
	all = slices.Clone(g.Templates)
	for _, tree := range earlier {
		if tree.Generator != (definitions.Generator{}).Info().Name {
			continue
		}
		for _, file := range tree.Files {
			name := tree.At(file.Path)
			all = slices.DeleteFunc(all, func(t *crd.Template) bool { return t.File() == name })
			written, mistakes := crd.ReadTemplates(name, file.Content)
			all, diags = append(all, written...), append(diags, mistakes...)
		}
	}
	slices.SortStableFunc(all, func(a, b *crd.Template) int { return cmp.Compare(a.File(), b.File()) })
	return all, diags
}
