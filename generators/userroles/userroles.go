// Package userroles generates roles for the people who use an API: three ClusterRoles for each kind, which Kubernetes'
// own roles admin, edit and view include. Names and files are as in kubebuilder's projects.
package userroles

import (
	"fmt"
	"slices"
	"strings"

	definitions "github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/generators/schemapatch"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// Generator is the generator of roles for users.
type Generator struct {
	options crd.Options // of kinds without manifests in the run
	project project
}

var info = &plan.Info{
	Name:      "userroles",
	Manifests: &plan.Manifests{Dir: "config/rbac", Objects: "roles for users"},
	EnableFlag: plan.Flag{Name: "with-user-roles",
		Usage: "also write roles for the users of each kind, which Kubernetes' own roles admin, edit and view include, into config/rbac of the " +
			"module or into this `directory`"},
	Flags: plan.HeaderFlags("userroles"),
	Needs: plan.Needs{Schemas: true},
}

// Info implements render.Generator.
func (Generator) Info() *plan.Info { return info }

// Configure implements render.Configurable.
func (Generator) Configure(s render.Setup, _ *diag.List) (render.Generator, error) {
	options, _ := definitions.Options(s.Flags.Settings) // mistakes in schemas do not matter
	g := Generator{options, readProject(s)}
	g.options.Floats = true
	return g, nil
}

// project is what kubebuilder's file PROJECT says about names.
type project struct {
	domain     string // the end of API groups
	multigroup bool   // names begin with the group
}

// readProject reads the file in the module of the roles, if there is one. kubebuilder reports what cannot be read.
func readProject(s render.Setup) (p project) {
	root, _, _ := s.FindModule(s.Dir)
	_, text := crd.ManifestIn(root)("PROJECT")
	p.domain, _ = yamltext.At(sole(text), "domain").(string)
	p.multigroup, _ = yamltext.At(sole(text), "multigroup").(bool)
	return p
}

// names returns what the names of roles for a kind begin with: its name, below that of its group if the project has
// several, or if another group of the run has a kind of this name. formerly is the other one of the two.
func (p project) names(d *crd.Definition, all []*crd.Definition) (names, formerly []string) {
	kind := strings.ToLower(d.Kind.Text)
	short, long := []string{kind}, []string{strings.TrimSuffix(d.Group.Text, "."+p.domain), kind}
	if d.Group.Text == p.domain {
		long = short // kubebuilder has no name for this group
	}
	isAlike := func(other *crd.Definition) bool { return other != d && strings.ToLower(other.Kind.Text) == kind }
	if !p.multigroup && !slices.ContainsFunc(all, isAlike) {
		return short, long
	}
	return long, short
}

// Generate implements render.ObjectGenerator. A generated role whose kind is gone is stale if its group has a package
// of the run, or if the run reads the whole module.
func (g Generator) Generate(in *render.Input) ([]output.Tree, diag.List) {
	served, diags := g.served(in)
	tree, adopted := output.Tree{Dir: in.Dir, Mark: mark}, map[string]bool{}
	for _, d := range served {
		names, formerly := g.project.names(d, served)
		for _, l := range levels {
			role, name := l.role(d, l.join(names, "-")), l.join(names, "_")+".yaml"
			if file, text := crd.ManifestIn(in.Dir)(name); text != nil {
				adopted[string(text)] = l.replace(role, d, file, text, &diags)
			} else if _, old := crd.ManifestIn(in.Dir)(l.join(formerly, "_") + ".yaml"); groupOf(old) == d.Group.Text && gofile.HasMark(old, mark) {
				l.replace(role, d, "", old, &diags) // the file gets another name
			}
			tree.Files = append(tree.Files, output.File{Path: name, Content: yamltext.WriteManifest(mark+"\n"+in.Header, role)})
		}
	}
	groups, complete := map[string]bool{}, in.Complete // the tree must not keep the input
	for _, pkg := range in.Kinds.Named {
		marked := goschema.NewMarkers(in.Kinds.Types, nil).OfPackage(pkg.Source).Markers
		gv, _ := pkg.ForManifests(marked)
		groups[gv.Group] = true
	}
	tree.Owned = func(text []byte) bool { return gofile.HasMark(text, mark) || adopted[string(text)] }
	tree.Stale = func(file string, text []byte) bool {
		name := yamltext.At(sole(text), "metadata", "name")
		isCopy := strings.ReplaceAll(strings.TrimSuffix(file, ".yaml"), "_", "-") != name
		return gofile.HasMark(text, mark) && !isCopy && (groups[groupOf(text)] || complete())
	}
	return []output.Tree{tree}, diags
}

// groupOf returns the group in the first rule of a role.
func groupOf(text []byte) string {
	return strings.Trim(fmt.Sprint(yamltext.At(sole(text), "rules", "apiGroups")), "[]") // such as [stable.example.com]
}

// served returns the CustomResourceDefinitions with served versions, by name: those that the run writes, or could write
// if it writes none.
func (g Generator) served(in *render.Input) (all []*crd.Definition, diags diag.List) {
	trees := slices.DeleteFunc(slices.Clone(in.Earlier), func(t output.Tree) bool {
		return t.Generator != definitions.Generator{}.Info().Name && t.Generator != schemapatch.Generator{}.Info().Name
	})
	for _, tree := range trees {
		for _, file := range tree.Files {
			found, _ := crd.Read(tree.At(file.Path), file.Content) // generated
			all = append(all, found...)
		}
	}
	if len(trees) == 0 {
		reader := goschema.NewReader(goschema.NewMarkers(in.Kinds.Types, nil), g.options.Options)
		all, _, diags = crd.Describe(reader, in.Kinds.All, g.options)
		crd.CheckFiles(all, false, &diags)
	}
	slices.SortStableFunc(all, func(a, b *crd.Definition) int { return strings.Compare(a.Name(), b.Name()) })
	all = slices.CompactFunc(all, func(a, b *crd.Definition) bool { return a.Name() == b.Name() }) // the first set of manifests counts
	return slices.DeleteFunc(all, func(d *crd.Definition) bool { return !slices.ContainsFunc(d.Versions, isServed) }), diags
}

func isServed(v crd.Version) bool { return v.Served.Text == "true" }
