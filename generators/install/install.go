// Package install generates a package with CustomResourceDefinitions and a function that installs them on a server.
package install

import (
	"context"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	definitions "github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Generator is the generator of the package.
type Generator struct {
	load.Environment
}

const flag = "with-install"

var info = &plan.Info{
	Name:      "install",
	Manifests: &plan.Manifests{Dir: "config/crd", Objects: "installers", Ext: ".go"},
	EnableFlag: plan.Flag{Name: flag,
		Usage: "also write a Go package that installs the CustomResourceDefinitions of the run, into config/crd of the module or into this " +
			"`directory`, which has those of --with-crds in or below it"},
}

// Info implements render.Generator.
func (Generator) Info() *plan.Info { return info }

// Configure implements render.Configurable.
func (Generator) Configure(s render.Setup, _ *diag.List) (render.Generator, error) {
	return Generator{s.Environment}, nil
}

const (
	file      = "zz_generated.install.go"
	installer = "github.com/kubegen/kubegen/crdinstall"
)

// Generate implements render.ObjectGenerator. The package embeds the manifests where they are.
func (g Generator) Generate(in *render.Input) ([]output.Tree, diag.List) {
	complete := in.Complete // the tree must not keep the input
	tree := output.Tree{Dir: in.Dir, Mark: info.GeneratedBy(), Stale: func(other string, _ []byte) bool { return other == file && complete() }}
	var diags diag.List
	i := slices.IndexFunc(in.Earlier, func(t output.Tree) bool { return t.Generator == definitions.Generator{}.Info().Name })
	if i < 0 {
		diags.Errorf(token.Position{}, "%s: this run writes no CustomResourceDefinitions to install", diag.Setting(flag)).
			Suggest("add %s", diag.Setting(definitions.Flag))
		return nil, diags
	}
	manifests := in.Earlier[i]
	below, err := filepath.Rel(in.Dir, manifests.Dir)
	if err != nil || !filepath.IsLocal(below) {
		diags.Errorf(
			token.Position{}, "%s: Go embeds files in and below a package, but the CustomResourceDefinitions are in %s, and not in or below %s",
			diag.Setting(flag), g.Name(manifests.Dir), g.Name(in.Dir),
		).Suggest("name %s, or a directory above it, or write them there with %s", g.Name(manifests.Dir), diag.Setting(definitions.Flag))
		return nil, diags
	}
	found, err := g.read(manifests)
	if diags.AddError(err); err != nil || len(found) == 0 {
		return []output.Tree{tree}, diags
	}
	embeddable(manifests, found, &diags)
	importPath, _ := g.ImportPath(in.Dir)
	pkg, err := tree.PackageName(model.PackageName(path.Base(importPath)))
	if err != nil {
		diags.AddError(err)
		return []output.Tree{tree}, diags
	}
	text, err := write(&gofile.File{Name: file, Path: importPath, Package: pkg}, in.Options.Header, filepath.ToSlash(below), found)
	diags.AddError(err)
	tree.Files = []output.File{{Path: file, Content: text}}
	if f := load.NewModules(context.Background(), g.Environment, 0).Above(in.Dir); f != nil && !load.Requires(f, installer) {
		diags.Warnf(token.Position{Filename: f.Syntax.Name, Line: 1}, "generated code imports %s, which go.mod does not require", installer).
			Run("go get %s and then go mod tidy", installer)
	}
	return []output.Tree{tree}, diags
}

// read returns the definitions in a directory by file: of the run, and of other runs and tools, unless they
// are stale.
func (g Generator) read(manifests output.Tree) (map[string][]*crd.Definition, error) {
	found := map[string][]*crd.Definition{}
	add := func(name string, text []byte) {
		if in, _ := crd.Read(name, text); len(in) > 0 { // patches and other kinds are not installed
			found[name] = in
		}
	}
	snapshot, err := new(output.Disk).ReadOthers(manifests.Dir, ".yaml", gofile.ToolMark{Line: manifests.Mark})
	if err != nil {
		return nil, err
	}
	generated := snapshot.Generated()
	for name, text := range snapshot.HandWritten(".", generated) {
		if _, ok := generated[name]; !ok || manifests.Stale == nil || !manifests.Stale(name, text) {
			add(name, text)
		}
	}
	for _, f := range manifests.Files {
		add(f.Path, f.Content)
	}
	return found, nil
}

// embeddable reports names of files that a go:embed comment cannot have, and definitions that are in two files, which
// crdinstall refuses.
func embeddable(manifests output.Tree, found map[string][]*crd.Definition, diags *diag.List) {
	files := map[string]string{} // by the name of a definition
	for _, name := range slices.Sorted(maps.Keys(found)) {
		at := token.Position{Filename: manifests.At(name), Line: 1}
		if module.CheckFilePath(name) != nil || strings.Contains(name, "[") {
			diags.Errorf(at, "Go cannot embed a file of this name for %s", diag.Setting(flag)).Suggest("rename it")
		}
		for _, d := range found[name] {
			if other, ok := files[d.Name()]; ok {
				diags.Errorf(at, "%s is in %s, too, and cannot be installed twice", d.Name(), other).Suggest("remove it from one of them")
			}
			files[d.Name()] = name
		}
	}
}

// write returns the content of the file f. dir is the directory of the manifests from there.
func write(f *gofile.File, header gofile.Code, dir string, manifests map[string][]*crd.Definition) ([]byte, error) {
	f.Header = header + gofile.Mark(info.GeneratedBy()) + "\n"
	var names []string
	var embedded, list gofile.Builder
	kinds := map[string][]string{} // resources by group
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		embedded.Add("//go:embed ", gofile.Quote(path.Join(dir, name)), "\n")
		for _, d := range manifests[name] {
			names = append(names, d.Name())
			kinds[d.Group.Text] = append(kinds[d.Group.Text], d.Plural.Text)
			list.Add(gofile.Comment("", "  - "+d.Name()))
		}
	}
	f.Doc = "Package " + f.Package + " installs the CustomResourceDefinitions in its manifests."
	ref := func(path, name string) gofile.Code { return f.Ref(gofile.Ident{Path: path, Name: name}) }
	f.Body = gofile.Codef(`
// Roles of programs that call Install need these rules. The last two are for crdinstall.Migrate.
//
%s
// Manifests are the files with the definitions:
//
%s//
%svar Manifests %s

// Install installs the definitions on the server of a config, and returns when it serves them, see crdinstall.Install.
func Install(ctx %s, config *%s, options ...%s) ([]%s, error) {
	return %s(ctx, config, Manifests, options...)
}
`, rules(names, kinds), list.Code(), embedded.Code(), ref("embed", "FS"), ref("context", "Context"), ref("k8s.io/client-go/rest", "Config"),
		ref(installer, "Option"), ref(installer, "Result"), ref(installer, "Install"))
	contents, err := gofile.Format([]*gofile.File{f}, nil, nil)
	if err != nil {
		return nil, err
	}
	return contents[0], nil
}

// rules returns the markers of the rules that an installation needs.
func rules(names []string, kinds map[string][]string) gofile.Code {
	var b gofile.Builder
	add := func(group, resource string, names []string, verbs string) {
		text := "kubebuilder:rbac:groups=" + group + ",resources=" + resource
		if len(names) > 0 {
			text += ",resourceNames=" + strings.Join(names, ";")
		}
		b.Add(gofile.Marker("", text+",verbs="+verbs))
	}
	const group, resource = "apiextensions.k8s.io", "customresourcedefinitions"
	add(group, resource, nil, "create")
	add(group, resource, names, "get;patch")
	add(group, resource+"/status", names, "patch")
	for _, group := range slices.Sorted(maps.Keys(kinds)) {
		add(group, strings.Join(kinds[group], ";"), nil, "list;patch")
	}
	add("storagemigration.k8s.io", "storageversionmigrations", nil, "create;delete;get")
	return b.Code()
}
