package generators

import (
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/conversion"
	"github.com/kubegen/kubegen/generators/deepcopy"
	"github.com/kubegen/kubegen/generators/defaulter"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/generators/reference"
	"github.com/kubegen/kubegen/generators/register"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/templates"
)

// TestOutputsNameAllTemplates checks that every template except for partial ones belongs to an output, and that every
// output has a template.
func TestOutputsNameAllTemplates(t *testing.T) {
	var named, present []string
	for _, f := range All {
		for _, o := range f.Info().Outputs {
			named = append(named, o.Template)
			if !strings.HasPrefix(o.Template, f.Info().Templates+"/") {
				t.Errorf("%s has the template %s, which is not in its directory %s", f.Info().Name, o.Template, f.Info().Templates)
			}
		}
	}
	err := fs.WalkDir(templates.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go.tmpl") {
			present = append(present, name)
		}
		return err
	})
	slices.Sort(named)
	if err != nil || !slices.Equal(named, present) {
		t.Errorf("the generators name\n%q, but there are (%v)\n%q", named, err, present)
	}
}

// TestGeneratorsDiffer checks that no name, directory, switch or replaced tool belongs to two generators.
func TestGeneratorsDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, g := range All {
		f := g.Info()
		words := slices.Compact([]string{f.Name, f.Templates})
		if f.Manifests != nil {
			words = []string{f.Name, f.EnableFlag.Name}
		}
		if f.Switch != "" {
			words = append(words, f.Switch)
		}
		for _, tool := range f.Replaces {
			words = append(words, strings.TrimSpace(tool.Name+" "+tool.File))
		}
		for _, word := range words {
			if other, ok := seen[word]; ok || word == "" {
				t.Errorf("%q is of %s, and of %s", word, f.Name, other)
			}
		}
		for _, word := range words {
			seen[word] = f.Name
		}
	}
}

// TestSwitches checks that the marker that switches a generator off is defined, and that every such marker has a
// generator.
func TestSwitches(t *testing.T) {
	var switches []string
	for _, f := range All {
		if f.Info().Switch != "" {
			switches = append(switches, f.Info().Switch)
		}
	}
	slices.Sort(switches)
	if defined := slices.Sorted(slices.Values(markers.Switches())); !slices.Equal(switches, defined) {
		t.Errorf("the generators are switched off by %q, but there are the markers %q", switches, defined)
	}
}

// TestResources checks what is generated for a kind, depending on its verbs and on what its package switches off.
func TestResources(t *testing.T) {
	all := model.NewVerbs(model.AllVerbs()...)
	v := &model.Version{Group: &model.Group{Name: "g"}, Name: "v1"}
	for _, test := range []struct {
		kind    string
		verbs   model.Verbs
		noVerbs bool
		off     []string
		want    string
	}{
		{"All", all, false, nil, "applyconfiguration clientset lister informer"},
		{"NoVerbs", all, true, nil, "applyconfiguration clientset lister"},
		{"NoGet", all.Without(model.VerbGet), false, nil, "applyconfiguration clientset lister informer"},
		{"NoList", all.Without(model.VerbList), false, nil, "applyconfiguration clientset"},
		{"NoWatch", all.Without(model.VerbWatch), false, nil, "applyconfiguration clientset lister"},
		{"OnlyList", model.NewVerbs(model.VerbList), false, nil, "clientset"},
		{"NoApply", all, false, []string{"k8s:applyconfiguration-gen"}, "clientset lister informer"},
		{"NoClients", all, false, []string{"k8s:client-gen"}, "applyconfiguration lister informer"},
		{"NoListers", all, false, []string{"k8s:lister-gen"}, "applyconfiguration clientset informer"},
		{"NoInformers", all, false, []string{"k8s:informer-gen"}, "applyconfiguration clientset lister"},
	} {
		v.Resources = []*model.Resource{{Kind: test.kind, Verbs: test.verbs, NoVerbs: test.noVerbs, Package: &model.Package{SwitchedOff: test.off}}}
		var got []string
		for _, f := range []render.Generator{applyconfiguration.Generator{}, clientset.Generator{}, lister.Generator{}, informer.Generator{}} {
			if len(render.Resources(f, v)) == 1 {
				got = append(got, f.Info().Name)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: there are %v, want %s", test.kind, got, test.want)
		}
	}
}

// TestRenderNothing checks that a generator without any kind to generate for writes no files, not even those for the
// whole API.
func TestRenderNothing(t *testing.T) {
	pkg := &model.Package{Path: "example.com/apis/v1", Name: "v1"}
	v := &model.Version{Group: &model.Group{Name: "g", GoName: "G", Dir: "g"}, Name: "v1", Packages: []*model.Package{pkg}}
	v.Group.Versions = []*model.Version{v}
	v.Resources = []*model.Resource{{Version: v, Package: pkg, Kind: "Foo", Plural: "Foos", Name: "foos", Verbs: model.NewVerbs(model.AllVerbs()...)}}
	api := &model.API{Groups: []*model.Group{v.Group}}
	for _, g := range All {
		f := g.Info()
		if f.Always || f.Manifests != nil {
			continue
		}
		pkg.SwitchedOff = []string{f.Switch}
		opts := &render.Options{Options: plan.Options{Roots: map[string]plan.Root{f.Templates: {Path: "example.com/p"}}}}
		if files, diags := render.Files(g, api, opts); len(files)+len(diags) > 0 {
			t.Errorf("%s makes %d files (%v), want none", f.Name, len(files), diags)
		}
		if packages := render.Packages(g, api, opts); len(packages) > 0 {
			t.Errorf("%s would write %v", f.Name, packages)
		}
	}
}

// TestTemplatesImportClientGoAlone checks that generated code imports only packages of modules that every user of
// client-go has in go.mod. structured-merge-diff and klog are among these: client-go's API refers to them. Only the
// directory of templates for --with-consistency refers to the module that this flag needs.
func TestTemplatesImportClientGoAlone(t *testing.T) {
	for qualifier, importPath := range templates.Imports {
		if !token.IsIdentifier(qualifier) {
			t.Errorf("%q cannot qualify anything", qualifier)
		}
		first, _, _ := strings.Cut(importPath, "/")
		known := slices.ContainsFunc([]string{
			"k8s.io/client-go/", "k8s.io/apimachinery/", "k8s.io/klog/v2", "sigs.k8s.io/structured-merge-diff/", "sigs.k8s.io/randfill",
		}, func(module string) bool { return strings.HasPrefix(importPath, module) })
		if own, ok := strings.CutPrefix(importPath, "github.com/kubegen/kubegen/"); ok && strings.HasPrefix(own, "conversion/") {
			continue // only for kinds with hubs
		}
		if importPath == load.Consistency {
			refers := regexp.MustCompile(`(?m)(^|[^.\w])` + qualifier + `\.[A-Z]`)
			err := fs.WalkDir(templates.FS, ".", func(name string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() || path.Dir(name) == templates.Consistency {
					return err
				}
				text, err := fs.ReadFile(templates.FS, name)
				if refers.Match(text) {
					t.Errorf("%s refers to %s, which only --with-consistency needs", name, importPath)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		} else if strings.Contains(first, ".") && !known {
			t.Errorf("templates import %s; generated code may depend on what client-go depends on only", importPath)
		}
	}
}

// TestTemplatesDocumentation checks that the view of each section in docs/reference/template-data.md has the methods
// that are listed there.
func TestTemplatesDocumentation(t *testing.T) {
	text, err := os.ReadFile("../docs/reference/template-data.md")
	if err != nil {
		t.Fatal(err)
	}
	views := map[string]reflect.Type{
		"## Anywhere":              reflect.TypeFor[*render.API](),
		"## Of a group":            reflect.TypeFor[*render.Group](),
		"## Of a version":          reflect.TypeFor[*render.Version](),
		"## Of a kind":             reflect.TypeFor[*render.Kind](),
		"The values of `.Methods`": reflect.TypeFor[*render.Method](),
		"In `listers`":             reflect.TypeFor[lister.Lister](),
		"The values of `.Indexes`": reflect.TypeFor[lister.Index](),
		"## Of a package":          reflect.TypeFor[register.Registration](),
		"In `deepcopy`":            reflect.TypeFor[*deepcopy.Type](),
		"In `conversion`":          reflect.TypeFor[*conversion.Function](),
		"In `defaulter`":           reflect.TypeFor[*defaulter.Type](),
		"## Of a page":             reflect.TypeFor[*reference.Page](),
		"A kind and a type have":   reflect.TypeFor[*reference.Type](),
		"## Of a struct":           reflect.TypeFor[*applyconfiguration.Struct](),
	}
	promise := regexp.MustCompile("^\\| `\\.([A-Z]\\w*)")
	var view reflect.Type
	promised := 0
	for line := range strings.Lines(string(text)) {
		for start, t := range views {
			if strings.HasPrefix(line, start) {
				view = t
			}
		}
		match := promise.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		promised++
		_, ok := view.MethodByName(match[1])
		if !ok && view.Kind() == reflect.Pointer {
			_, ok = view.Elem().FieldByName(match[1])
		}
		if !ok {
			t.Errorf("docs/reference/template-data.md promises .%s, which %v does not have", match[1], view)
		}
	}
	if promised < 50 {
		t.Errorf("docs/reference/template-data.md has %d methods", promised)
	}
	page, err := os.ReadFile("../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "are for: `"+render.TemplatesVersion+"`") {
		t.Errorf("docs/templates.md is not about version %s", render.TemplatesVersion)
	}
}

// TestTemplatesOfUsers checks that the templates of examples, and those that docs/templates.md names, are in
// directories that kubegen's own templates have: others would lead to files beside the generated packages.
func TestTemplatesOfUsers(t *testing.T) {
	text, err := os.ReadFile("../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]string{} // where a path is named
	for _, match := range regexp.MustCompile("`(\\w+/[\\w/]*\\bgroup/\\S*?)[^/`]*`").FindAllStringSubmatch(string(text), -1) {
		places[match[1]] = "docs/templates.md"
	}
	const examples = "../examples/templates"
	err = filepath.WalkDir(examples, func(name string, entry fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(examples, filepath.Dir(name)); err == nil && strings.HasSuffix(name, ".tmpl") {
			places[filepath.ToSlash(rel)] = name
		}
		return err
	})
	if err != nil || len(places) < 3 {
		t.Fatalf("only %d directories, %v", len(places), err)
	}
	for dir, where := range places {
		dir = strings.TrimSuffix(dir, "/")
		if info, err := fs.Stat(templates.FS, dir); err != nil || !info.IsDir() {
			t.Errorf("%s: there is no directory of templates %s", where, dir)
		}
	}
}

// TestTemplatesIntroduction checks that docs/templates.md names the directories of all generators.
func TestTemplatesIntroduction(t *testing.T) {
	text, err := os.ReadFile("../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	introduction, _, _ := strings.Cut(string(text), "\n- ")
	for _, f := range All {
		if f.Info().Manifests == nil && !strings.Contains(introduction, "`"+f.Info().Templates+"`") {
			t.Errorf("docs/templates.md does not begin with the directory %s", f.Info().Templates)
		}
	}
}

// TestReadOverlayOfOwnTemplates checks that kubegen's own templates, read as those of a user, add nothing.
func TestReadOverlayOfOwnTemplates(t *testing.T) {
	overlay, diags := render.ReadOverlay(os.DirFS("../templates"), "../templates", All)
	if len(diags) > 0 {
		t.Error(diags)
	}
	for _, f := range All {
		outputs := render.Outputs(f, &render.Options{Overlay: overlay})
		if len(outputs) != len(f.Info().Outputs) || f.Info().Manifests == nil && !overlay.Has(f.Info().Templates) {
			t.Errorf("%s is another with its own templates", f.Info().Name)
		}
	}
	none, diags := render.ReadOverlay(fstest.MapFS{}, "none", All)
	outputs := render.Outputs(All[0], &render.Options{Overlay: none})
	if len(diags) > 0 || len(outputs) != len(All[0].Info().Outputs) || none.Has(All[0].Info().Templates) {
		t.Errorf("no templates change something: %v", diags)
	}
}

// TestReadOverlayParts checks that a template name has one definition: a file of the user's templates with that path,
// or kubegen's.
func TestReadOverlayParts(t *testing.T) {
	for text, want := range map[string]string{
		`{{define "applyconfigurations/group/version/identify.tmpl"}}x{{end}}`: `"applyconfigurations/group/version/identify.tmpl" is already defined by kubegen`,
		`{{define "mine"}}x{{end}}`:  `"mine" is already defined by ` + templates.Listers + `/a.tmpl`,
		`{{define "other"}}x{{end}}`: "",
	} {
		_, diags := render.ReadOverlay(fstest.MapFS{
			templates.Listers + "/a.tmpl":              {Data: []byte(`{{define "mine"}}x{{end}}`)},
			templates.VersionListers + "/b.go.tmpl":    {Data: []byte(text)},
			templates.TypedClients + "/signature.tmpl": {Data: []byte("x")},
		}, "dir", All)
		got := ""
		if len(diags) > 0 {
			got = diags[0].Message
			if filepath.Base(diags[0].Pos.Filename) != "b.go.tmpl" {
				t.Errorf("%s is reported at %v", text, diags[0].Pos)
			}
		}
		if got != want || len(diags) > 1 {
			t.Errorf("%s: got %v, want %q", text, diags, want)
		}
	}
}

// TestProducts compares the list of products with the generators that write into packages of types.
func TestProducts(t *testing.T) {
	var names, writing []string
	for _, p := range products.All {
		names = append(names, p.Generator)
	}
	for _, g := range All {
		if g.Info().InPackages() {
			writing = append(writing, g.Info().Name)
		}
	}
	slices.Sort(names)
	slices.Sort(writing)
	if !slices.Equal(names, writing) {
		t.Errorf("facts knows the products %q, but %q write into packages of types", names, writing)
	}
}

// TestInfos compares what generators say of themselves with the interfaces that they implement.
func TestInfos(t *testing.T) {
	for _, g := range All {
		info := g.Info()
		_, inPackages := g.(render.PackageGenerator)
		_, defines := g.(render.Definer)
		if info.InPackages() != inPackages || (info.Manifests != nil && info.Manifests.Defines) != defines {
			t.Errorf("the Info of %s contradicts its methods", info.Name)
		}
	}
}
