// Package crd generates CustomResourceDefinitions from Go types and their markers, with the same result as
// controller-gen v0.23, for each set of feature gates.
package crd

import (
	"bytes"
	"cmp"
	"errors"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/schemas/edits"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Generator is the generator of CustomResourceDefinitions.
type Generator struct {
	Sets []GateSet // the first one has the directory of the manifests, and no name

	options              crd.Options
	anyManifest, noGates bool
}

// Flag is the name of the flag with the directory of the manifests.
const Flag = "with-crds"

// Settings of schemas, in new and in existing manifests.
const (
	gates            = "gates"
	floats           = "crd-allow-dangerous-types"
	ignoreUnexported = "crd-ignore-unexported-fields"
	preserveUnknown  = "crd-preserve-unknown-fields"
	noAnnotation     = "crd-omit-annotation" // with the name of the tool
	maxDescription   = "-max-description-length"
	embeddedMeta     = "-embedded-object-meta"
)

// Objects are the kinds of the objects in manifests, for messages.
const Objects = "CustomResourceDefinitions"

var info = &plan.Info{
	Name:      "crd",
	Manifests: &plan.Manifests{Dir: "config/crd/" + bases, Objects: Objects, Defines: true},
	EnableFlag: plan.Flag{Name: Flag,
		Usage: "also write the CustomResourceDefinitions of all kinds, whether marked +genclient or not, into config/crd/bases of the module " +
			"or into this `directory`"},
	Flags: slices.Concat([]plan.Flag{
		{Name: gates, Type: plan.ListsValue,
			Usage: "feature `gates` that are on in CustomResourceDefinitions, or sets of them for directories of their own, in the form " +
				"alpha:Foo,alpha:Bar,beta:Foo"},
		{Name: "crd" + maxDescription, Type: plan.NumberValue, Default: "-1", Shown: "no limit",
			Usage: "maximum `length` of each description in CustomResourceDefinitions; 0 leaves descriptions out"},
		{Name: "crd" + embeddedMeta, Type: plan.BoolValue, Usage: "list the fields of metadata of objects inside others, such as templates"},
		{Name: floats, Type: plan.BoolValue, Usage: "allow float32 and float64"},
		{Name: ignoreUnexported, Type: plan.BoolValue, InFile: true, Usage: "leave out unexported fields, even if they have JSON tags"},
	}, plan.HeaderFlags("crd"), []plan.Flag{
		{Name: preserveUnknown, Values: []string{"true", "false"}, InFile: true, Usage: "value of spec.preserveUnknownFields: true or false"},
		{Name: noAnnotation, Type: plan.BoolValue},
	}),
	Needs: plan.Needs{Schemas: true},
}

// Info implements render.Generator.
func (Generator) Info() *plan.Info { return info }

// Configure implements render.Configurable.
func (g Generator) Configure(s render.Setup, diags *diag.List) (render.Generator, error) {
	sets, err := Sets(s.Dir, s.Flags.Settings)
	if err != nil {
		return nil, err
	}
	options, mistakes := Options(s.Flags.Settings)
	*diags = append(*diags, mistakes...)
	g = Generator{Sets: sets, options: options, anyManifest: s.AnyManifest, noGates: s.NoGates}
	g.options.Floats = g.options.Floats || len(s.Flags.Import.Manifests) > 0 // users cannot change the numbers of an imported manifest
	if !s.Flags.Settings.Is(noAnnotation) {
		g.options.Tool = crd.Tool
	}
	if text := s.Flags.Settings.Text(preserveUnknown); text != "" {
		preserve, err := strconv.ParseBool(text)
		if err != nil {
			return nil, diag.Errorf("%s: %q is neither true nor false", diag.Setting(preserveUnknown), diag.Value(text))
		}
		g.options.PreserveUnknownFields = &preserve
	}
	var errs []error
	for _, set := range sets[1:] {
		errs = append(errs, s.CheckOutput(set.Dir, Flag))
	}
	return g, errors.Join(errs...)
}

// Options returns the options for schemas in the manifests of kinds, and the mistakes in them.
func Options(s plan.Settings) (o crd.Options, diags diag.List) {
	if listed, ok := s[plan.EditsKey].(plan.Value); ok {
		o.Edits, diags = edits.Read(listed.Pos.Filename, listed.Node)
	}
	o.Floats, o.IgnoreUnexported = s.Is(floats), s.Is(ignoreUnexported)
	SetSchemas(&o, s, info.Name)
	return o, diags
}

// SetSchemas sets the options for schemas that a generator has settings of its own for.
func SetSchemas(o *crd.Options, s plan.Settings, generator string) {
	o.EmbeddedMeta = s.Is(generator + embeddedMeta)
	if limit, err := strconv.Atoi(s.Text(generator + maxDescription)); err == nil && limit >= 0 {
		o.DescriptionLimit = &limit
	}
}

// Define implements render.Definer. It returns CustomResourceDefinitions for each set of feature gates. Manifests of
// removed kinds in the groups of this run, written by an earlier run or controller-gen, are stale.
func (g Generator) Define(in *render.Input) (trees []output.Tree, found crd.Found, diags diag.List) {
	read, found := in.Kinds, crd.NewFound()
	if g.Sets[0].Gates.Foreign {
		found.NameGates(read.Types.Fset, read.All)
	}
	var of []diag.List
	var misspelled []token.Position
	if !in.Options.Policy.AcceptMistakes { // otherwise nothing depends on them
		misspelled = crd.Misspelled(read.Types.Fset, read.Named)
	}
	for _, set := range g.Sets {
		options := g.options
		options.Converted, options.Existing = crd.ConvertedByPatches(set.Dir, crd.ManifestIn), crd.ManifestIn(set.Dir)
		if options.Header = in.Header; set.Name != "" {
			options.Header = set.Comment() + "\n" + options.Header
		}
		gates := set.With(found.Gates, g.noGates)
		defined, mistakes := crd.Generate(goschema.NewMarkers(read.Types, gates), read.Named, options)
		found.Judge(misspelled, func(respelled map[token.Position]bool) bool {
			again, diags := crd.Generate(goschema.NewMarkers(read.Types, gates).Respell(respelled), read.Named, options)
			return !diags.HasErrors() && slices.EqualFunc(again.Files, defined.Files, func(a, b crd.File) bool {
				return a.Name == b.Name && bytes.Equal(a.Content, b.Content)
			})
		})
		found.Definitions, of = append(found.Definitions, defined), append(of, mistakes)
		trees = append(trees, g.tree(set, defined))
	}
	if !g.noGates && !in.Once {
		for _, set := range g.OtherDirs() { // that an earlier run had
			trees = append(trees, output.Tree{Dir: set.Dir, Mark: set.Comment(), Stale: found.Definitions[0].Stale, Vanishes: true})
		}
	}
	if found.NeedPackages(read.Types, found.Definitions[0].Groups, read.All, read.Named) {
		return trees, found, nil
	}
	return trees, found, append(g.ofSets(of), read.Types.Refused()...)
}

// tree returns the manifests of a set.
func (g Generator) tree(set GateSet, defined crd.Manifests) output.Tree {
	tree := output.Tree{Dir: set.Dir, Mark: crd.Annotation + ":", Stale: defined.Stale}
	if g.anyManifest {
		var contents []byte
		for _, file := range defined.Files {
			contents = append(contents, file.Content...)
		}
		tree.Owned = yamltext.OwnedManifest(contents, "CustomResourceDefinition")
	}
	byKind := func(a, b crd.File) int { return cmp.Compare(a.Kind(), b.Kind()) } // as controller-gen prints manifests
	for _, file := range slices.SortedStableFunc(slices.Values(defined.Files), byKind) {
		tree.Files = append(tree.Files, output.File{Path: file.Name, Content: file.Content})
	}
	return tree
}

// ofSets returns the diagnostics of all sets of manifests, each once. The message names the sets if not all have the
// diagnostic.
func (g Generator) ofSets(of []diag.List) (all diag.List) {
	if len(of) == 1 {
		return of[0]
	}
	for i, diags := range of {
		for _, d := range diags {
			same := func(other *diag.Diagnostic) bool { return other.Equal(d) }
			var sets []string
			for j, others := range of {
				switch {
				case !slices.ContainsFunc(others, same):
				case g.Sets[j].Name == "":
					sets = append(sets, filepath.Base(g.Sets[j].Dir))
				default:
					sets = append(sets, g.Sets[j].Name)
				}
			}
			if slices.ContainsFunc(of[:i], func(earlier diag.List) bool { return slices.ContainsFunc(earlier, same) }) {
				continue
			}
			named := *d
			if len(sets) < len(of) {
				named.SetMessage("in the manifests of %s: %s", strings.Join(sets, ", "), d.Message)
			}
			all = append(all, &named)
		}
	}
	return all
}
