// Package openapi generates the OpenAPI definitions of Go types, as an aggregated API server needs them, and methods
// with the names of these definitions.
package openapi

import (
	"bytes"
	"cmp"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Generator is the generator of OpenAPI definitions, for all packages and types whose markers request them.
type Generator struct {
	path        string // import path of the definitions
	file, names string // of the definitions, and of the file with methods in each package of types, or "" for none
	report      string // file for violations of API rules, "-" for messages, or "" for none
	readOnly    []string
	complete    bool // with the definitions of machinery
}

// machinery are the packages whose definitions every aggregated API server needs, for its kinds and for discovery.
// kube_codegen.sh adds them, and openapi-gen does not.
var machinery = []string{
	"k8s.io/apimachinery/pkg/api/resource", model.MetaV1, "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/version",
}

// Settings of gen-openapi, for which kubegen has no flags.
const (
	PackageSetting  = "output-pkg"
	FileSetting     = "openapi-file"
	NamesSetting    = "openapi-model-names"
	ReadOnlySetting = "openapi-readonly"
	ReportFlag      = "openapi-report"
)

var info = &plan.Info{
	Name:      "openapi",
	Manifests: &plan.Manifests{Dir: "pkg/generated/openapi", Objects: "OpenAPI definitions", Ext: ".go", Files: "*.go"},
	EnableFlag: plan.Flag{
		Name:  "with-openapi-definitions",
		Usage: "also write the OpenAPI definitions of packages marked +k8s:openapi-gen into this `directory`",
	},
	Flags: []plan.Flag{
		{Name: PackageSetting}, {Name: FileSetting, Mistake: fileMistake(FileSetting)}, {Name: ReadOnlySetting},
		{
			Name: NamesSetting, Default: "zz_generated.model_name.go", Mistake: fileMistake(NamesSetting), InFile: true,
			Usage: "`name` of the file with OpenAPIModelName methods in packages marked +k8s:openapi-model-package; false for none",
		},
		{Name: ReportFlag, Usage: "write the violations of API rules in types with OpenAPI definitions into this `file`; - prints them"},
	},
	Nothing:    "no package or type is marked +k8s:openapi-gen=true",
	EnableHint: "put +k8s:openapi-gen=true into doc.go of packages whose types are to have definitions",
	Needs:      plan.Needs{Schemas: true},
}

func fileMistake(flag string) func(string) error {
	return func(name string) error { return plan.FileMistake(flag, name) }
}

// Info implements render.Generator.
func (Generator) Info() *plan.Info { return info }

// Configure implements render.Configurable.
func (Generator) Configure(s render.Setup, diags *diag.List) (render.Generator, error) {
	text := s.Flags.Settings.Text
	g := Generator{
		file: cmp.Or(text(FileSetting), "zz_generated.openapi.go"), names: text(NamesSetting),
		report: text(ReportFlag), readOnly: s.Flags.Settings.List(ReadOnlySetting), complete: s.Flags.Settings[PackageSetting] == nil,
	}
	flag := diag.Setting(info.EnableFlag.Name)
	if _, ok := s.ImportPath(s.Dir); !ok && s.Flags.Settings[PackageSetting] == nil {
		return nil, diag.Errorf("%s: %s is not in a module, so that Go cannot import it", flag, diag.Value(s.Name(s.Dir)))
	}
	importPath, said, err := plan.PackageOf(s.Environment, s.Dir, text(PackageSetting), flag)
	if err != nil {
		return nil, err
	}
	*diags = append(*diags, said...)
	g.path = importPath
	if g.names == "false" {
		g.names = ""
	}
	if g.report != "" && g.report != "-" {
		g.report = s.At(g.report)
	}
	return g, nil
}

// Generate implements render.ObjectGenerator. Each tree has one file at most.
func (g Generator) Generate(in *render.Input) ([]output.Tree, diag.List) {
	types := in.Kinds.Types
	r := newReader(types)
	var imports []string
	read := func(src *load.Package) {
		r.parse(src)
		for f := range src.Parsed() {
			imports = append(imports, f.Imports()...)
		}
	}
	for _, src := range types.Input {
		read(src)
	}
	added := g.additions(types, imports)
	for _, src := range added {
		r.input[src] = true
		read(src)
	}
	types.Preload(slices.DeleteFunc(imports, model.IsStandard)...)
	r.readAliases()
	trees := []output.Tree{r.tree(in.Dir, func(string) bool { return true })}
	var structs, wanted []*gotypes.Declaration // the latter are the exported ones
	for i, src := range slices.Concat(types.Input, added) {
		if !src.Foreign {
			r.misplaced(src)
			r.contradictory(src, in.Options.Policy)
		}
		all := slices.Contains(r.ofPackage(src, marker), "true")
		var named []*gotypes.Declaration
		for _, name := range gotypes.DeclaredTypes(src) {
			d := types.Declared(src, name)
			if !r.declared(d).isStruct() {
				continue
			}
			value := strconv.FormatBool(!all) // above the type, it decides against or for the definition
			if exported := token.IsExported(name); slices.Contains(r.values(r.commentOf(d), marker), value) != all {
				if i < len(types.Input) {
					structs = append(structs, d)
				}
				if exported && len(d.Params) > 0 {
					r.errorf(d.Pos, "%s is generic, so that it has no definition", name).Suggest("mark it +%s=false", marker)
				} else if exported || !r.modelNames {
					wanted = append(wanted, d)
				}
			}
			if i < len(types.Input) && r.writesName(d, g) && r.modelName(d) != "" {
				named = append(named, d)
			}
		}
		if i >= len(types.Input) || !g.writesInto(src) {
			continue
		}
		tree := r.tree(src.Dir(), func(rel string) bool { return rel == g.names })
		if len(named) > 0 {
			tree.Files = r.file(in, g.names, src.Path, src.Name, func(w *writer) { w.methodsFor(r, named) })
		}
		trees = append(trees, tree)
	}
	if len(wanted) > 0 {
		pkg, err := trees[0].PackageName(model.PackageName(path.Base(g.path)))
		if err != nil {
			r.diags.AddError(err)
			return nil, r.diags
		}
		trees[0].Files = r.file(in, g.file, g.path, pkg, func(w *writer) {
			if w.definitions(r, wanted); g.complete && types.Modules.RequiresDirectly(in.Dir, "k8s.io/apiserver") {
				w.warn(r, wanted, g.file)
			}
		})
	} else if g.complete && slices.ContainsFunc(trees, func(t output.Tree) bool { return len(t.Files) > 0 }) {
		r.diags.Warnf(token.Position{}, "%s, so that models have names, but no definitions", info.Nothing).Suggest("%s", info.EnableHint)
	}
	return append(trees, g.violations(r, structs)...), r.diags
}

// writesInto reports whether the run owns the file with methods OpenAPIModelName of a package.
func (g Generator) writesInto(src *load.Package) bool {
	return g.names != "" && !src.Foreign && !slices.Contains(g.readOnly, src.Path)
}

// ModelNames is a products.ModelNames.
func (g Generator) ModelNames(types *gotypes.Reader, reads func(*load.Package) bool) func(*gotypes.Declaration) (string, bool) {
	r := newReader(types)
	return func(d *gotypes.Declaration) (string, bool) {
		if d == nil || !reads(d.Package) {
			return "", false
		}
		r.input[d.Package] = true // also for other outputs
		written := r.writesName(d, g)
		return r.modelName(d), written
	}
}

// additions returns the packages of machinery, unless there are no kinds in the input or it names some of them.
func (g Generator) additions(types *gotypes.Reader, imports []string) (added []*load.Package) {
	hasSome := slices.ContainsFunc(types.Input, func(src *load.Package) bool { return slices.Contains(machinery, src.Path) })
	if !g.complete || hasSome || !slices.Contains(imports, model.MetaV1) {
		return nil
	}
	types.Preload(machinery...)
	for _, importPath := range machinery {
		if src := types.Known[importPath]; src != nil {
			added = append(added, src)
		}
	}
	return added
}

// tree returns a tree without files where files with some names are stale.
func (r *reader) tree(dir string, isStale func(rel string) bool) output.Tree {
	mark := info.GeneratedBy()
	return output.Tree{
		Dir: dir, Mark: mark, Adopt: gofile.ToolMarks{{Line: gofile.MarkLine("openapi-gen")}, {Line: plan.ByMain}},
		Stale: func(rel string, top []byte) bool { return isStale(rel) && gofile.HasMark(top, mark) },
	}
}

// file returns a file of a package.
func (r *reader) file(in *render.Input, name, importPath, pkg string, write func(*writer)) []output.File {
	w := &writer{
		file: &gofile.File{Name: name, Path: importPath, Package: pkg, Clean: true}, path: importPath, names: map[string]bool{},
		refs: map[string]*gotypes.Declaration{},
	}
	write(w)
	w.file.Header = "//go:build !ignore_autogenerated\n\n" + in.Options.Header + gofile.Mark(info.GeneratedBy()) + "\n"
	w.file.Body = w.body.Code()
	contents, err := gofile.Format([]*gofile.File{w.file}, gofile.Imports{"common": commonPackage, "spec": specPackage}, r.Names())
	if err != nil {
		r.diags.Errorf(token.Position{}, "%v", err)
		return nil
	}
	return []output.File{{Path: name, Content: contents[0]}}
}

// violations returns the report of violations, or notes them.
func (g Generator) violations(r *reader, structs []*gotypes.Declaration) []output.Tree {
	if g.report == "" || g.report == os.DevNull {
		return nil
	}
	var all []violation
	for _, d := range structs {
		all = append(all, r.violations(d)...)
	}
	slices.SortFunc(all, func(a, b violation) int { return strings.Compare(a.text, b.text) })
	var text strings.Builder
	for _, v := range all {
		if text.WriteString(v.text + "\n"); g.report == "-" {
			r.diags.Notef(r.Fset.Position(v.Pos), "%s", v.text)
		}
	}
	if g.report == "-" {
		return nil
	}
	report := output.File{Path: filepath.Base(g.report), Content: []byte(text.String())}
	return []output.Tree{{Dir: filepath.Dir(g.report), Owned: isReport, Files: []output.File{report}}}
}

// isReport reports whether a file only has violations.
func isReport(content []byte) bool {
	for line := range bytes.Lines(content) {
		if !bytes.HasPrefix(line, []byte(violationText)) && len(bytes.TrimSpace(line)) > 0 {
			return false
		}
	}
	return true
}
