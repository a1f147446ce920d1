package openapi

import (
	"bytes"
	"encoding/json"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	definitions "github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// Documents is the generator of OpenAPI documents and JSON Schemas. As API servers do, it describes the schemas of
// CustomResourceDefinitions, but with a definition for each Go type.
type Documents struct{ options crd.Options }

var documents = &plan.Info{
	Name:      "openapi-documents",
	Manifests: &plan.Manifests{Dir: "api/openapi-spec", Objects: "OpenAPI documents", Ext: ".json"},
	EnableFlag: plan.Flag{
		Name: "with-openapi",
		Usage: "also write OpenAPI documents of the versions of API groups, a Swagger document of all, and JSON Schemas of kinds into this " +
			"`directory`",
	},
	Needs: plan.Needs{Schemas: true},
}

// Info implements render.Generator.
func (Documents) Info() *plan.Info { return documents }

// Configure implements render.Configurable.
func (Documents) Configure(s render.Setup, diags *diag.List) (render.Generator, error) {
	options, mistakes := definitions.Options(s.Flags.Settings)
	*diags = append(*diags, mistakes...)
	options.Floats = true // what a server accepts does not matter here
	return Documents{options}, nil
}

// sourceKey is the key of the packages that a document describes. It marks generated documents.
const sourceKey = "x-kubegen-source"

// schemasDir is the directory below which each group has one for the JSON Schemas of its kinds.
const schemasDir = "schemas"

// Generate implements render.ObjectGenerator. If the run also writes CustomResourceDefinitions, the mistakes in types
// are reported there. Otherwise they are warnings.
func (g Documents) Generate(in *render.Input) ([]output.Tree, diag.List) {
	types := in.Kinds.Types
	reader := goschema.NewReader(goschema.NewMarkers(types, nil), g.options.Options)
	found, _, diags := crd.Describe(reader, in.Kinds.All, g.options)
	if slices.ContainsFunc(in.Earlier, func(t output.Tree) bool { return t.Generator == definitions.Generator{}.Info().Name }) {
		diags = nil
	}
	crd.CheckFiles(found, true, &diags)
	c := newComponents(reader)
	for _, src := range types.Input {
		if !src.Foreign {
			c.definitions.contradictory(src, in.Options.Policy)
		}
	}
	diags = append(diags, c.definitions.diags...)
	for _, d := range found {
		for _, v := range d.Versions {
			if pos := types.Fset.Position(v.Type().Pos); !model.IsSubdomain(d.Group.Text + "." + v.Name.Text) { // may be no name of a file
				diags.Errorf(pos, "the API group %q or the version %q is not a DNS name", d.Group.Text, v.Name.Text).
					Suggest("use lower-case letters, digits, hyphens and dots in +groupName and +versionName")
			} else if v.Served.Text == "true" {
				c.addKind(d, v)
			}
		}
	}
	if diags.HasErrors() {
		return nil, diags
	}
	c.complete()
	d := &directory{Input: in, trees: map[string]*output.Tree{}, diags: diags}
	d.tree("")
	d.tree("v3")
	old, _ := os.ReadDir(filepath.Join(in.Dir, schemasDir)) // may not exist yet
	for _, group := range old {
		if group.IsDir() {
			d.tree(filepath.Join(schemasDir, group.Name())).Vanishes = true
		}
	}
	if len(c.kinds) > 0 {
		d.add("", "swagger.json", c.kinds, c.swagger())
	}
	for _, kinds := range c.versions() {
		d.add("v3", "apis__"+kinds[0].group+"__"+kinds[0].version+"_openapi.json", kinds, c.openapi(kinds))
	}
	for _, k := range c.kinds {
		name := strings.ToLower(k.kind) + "_" + k.version + ".json"
		d.add(filepath.Join(schemasDir, k.group), name, []*kind{k}, c.jsonSchema(k))
	}
	var trees []output.Tree
	for _, dir := range slices.Sorted(maps.Keys(d.trees)) {
		trees = append(trees, *d.trees[dir])
	}
	return trees, d.diags
}

// directory is the directory of documents.
type directory struct {
	*render.Input
	trees map[string]*output.Tree // by directory below it
	diags diag.List
}

// tree returns the tree of a directory. Documents that an earlier run has written there for packages of this run are
// stale.
func (d *directory) tree(dir string) *output.Tree {
	if d.trees[dir] == nil {
		covers := d.Covers // the tree must not keep the input
		d.trees[dir] = &output.Tree{
			Dir: filepath.Join(d.Dir, dir), Mark: `"` + sourceKey + `":`, Stale: func(_ string, text []byte) bool {
				sources := sourcesIn(text)
				return sources != nil && !slices.ContainsFunc(sources, func(importPath string) bool { return !covers(importPath) })
			},
		}
	}
	return d.trees[dir]
}

// add adds a document about kinds to a directory.
func (d *directory) add(dir, file string, kinds []*kind, document map[string]any) {
	var sources []string
	for _, k := range kinds {
		sources = append(sources, k.of.Path)
	}
	slices.Sort(sources)
	sources = slices.Compact(sources)
	tree := d.tree(dir)
	name, earlier := crd.ManifestIn(tree.Dir)(file)
	for _, importPath := range sourcesIn(earlier) {
		if !d.Covers(importPath) && !slices.Contains(sources, importPath) {
			at := token.Position{Filename: name, Line: 1}
			d.diags.Errorf(at, "the document also describes package %s, which this run does not read", importPath).
				Suggest("name this package, too, or delete the document if the package no longer belongs there")
		}
	}
	document[sourceKey] = sources
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		d.diags.Errorf(token.Position{Filename: name}, "%v", err)
	}
	tree.Vanishes = false
	tree.Files = append(tree.Files, output.File{Path: file, Content: text.Bytes()})
}

// sourcesIn returns the packages that a document of an earlier run describes, or nil for other texts.
func sourcesIn(text []byte) []string {
	var document struct {
		Source []string `json:"x-kubegen-source"`
	}
	_ = json.Unmarshal(text, &document) // another text has none
	return document.Source
}
