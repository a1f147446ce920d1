// Package chart keeps the objects in a chart of Helm equal to the manifests of the same run: schemas, names and
// versions of CustomResourceDefinitions, the rules of roles, and the webhooks of configurations. Everything else in the
// chart's files stays, actions of templates included.
package chart

import (
	"cmp"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// The flags of the generator.
const (
	flag    = "chart"
	addFlag = "chart-add"
)

// Directories of a chart. Files in crds are no templates.
const (
	crds      = "crds"
	templates = "templates"
)

// maxFile limits the size of a file of a chart.
const maxFile = 10 << 20

// Generator is the generator of objects in charts.
type Generator struct {
	files []*file
	add   bool
	skeleton
}

// file is a file of a chart.
type file struct {
	*source
	real      string // without symbolic links
	sub       bool   // of a chart below this one
	shownPath string // for messages
	text      string
	template  bool
}

var info = &plan.Info{
	Name:      "chart",
	Manifests: &plan.Manifests{Objects: "objects of charts"},
	EnableFlag: plan.Flag{
		Name:  flag,
		Usage: "also keep the definitions, roles and webhook configurations in the Helm chart in this `directory` equal to the manifests of the run",
	},
	Flags: []plan.Flag{
		{Name: addFlag, Type: plan.BoolValue, Default: "true", Usage: "also add the objects that the chart lacks"},
	},
}

// Info implements render.Generator.
func (Generator) Info() *plan.Info { return info }

// Configure implements render.Configurable. It reads the files of the chart.
func (g Generator) Configure(s render.Setup, diags *diag.List) (render.Generator, error) {
	g = Generator{add: s.Flags.Settings.Text(addFlag) != "false"}
	g.dir, g.shown = s.Dir, s.Name(s.Dir)
	text, err := load.ReadNamed(filepath.Join(s.Dir, "Chart.yaml"), maxFile)
	if err != nil {
		return nil, diag.Errorf("%s: %w; name the directory of a chart", diag.Setting(flag), err)
	}
	documents, err := yamltext.Read(text)
	if err != nil {
		return nil, diag.Errorf("%s: Chart.yaml in %s: %w", diag.Setting(flag), g.shown, err)
	}
	if len(documents) > 0 {
		g.chart, _ = yamltext.At(decoded(documents[0].Node), "name").(string)
	}
	r := &reader{Generator: &g, setup: s, above: map[string]bool{}}
	err = r.chart(s.Dir, false)
	if *diags = append(*diags, r.diags...); err != nil {
		return nil, diag.Errorf("%s: %w", diag.Setting(flag), err)
	}
	g.values, _ = os.ReadFile(filepath.Join(s.Dir, "values.yaml")) // optional in a chart
	return g, nil
}

// Generate implements render.ObjectGenerator.
func (g Generator) Generate(in *render.Input) ([]output.Tree, diag.List) {
	var diags diag.List
	beside, unread := besides(in.Earlier)
	objects := objectsIn(slices.Concat(in.Earlier, beside))
	if !slices.ContainsFunc(objects, func(o object) bool { return o.generator != "" }) {
		diags.Errorf(token.Position{}, "%s: this run writes no manifests for the chart to be equal to", diag.Setting(flag)).
			Suggest("add %s, %s or %s", diag.Setting("with-crds"), diag.Setting("with-rbac"), diag.Setting("with-webhooks"))
		return nil, diags
	}
	var documents []*document
	written, bound := writtenBy(in.Earlier), map[string]bool{}
	for _, f := range g.files {
		for _, name := range f.bindings() {
			bound[name] = true
		}
		found, wrong := f.documents()
		documents, diags = append(documents, found...), append(diags, wrong...)
	}
	objects = slices.DeleteFunc(objects, func(o object) bool {
		isNamed := func(d *document) bool { return slices.Contains(d.marks, o.String()) }
		return o.generator == "" && !slices.ContainsFunc(documents, isNamed)
	})
	byDocument, added := map[*document]object{}, []output.File(nil)
	for _, o := range objects {
		accounts := bound
		if o.forUsers() {
			accounts = nil
		}
		found, ok := find(o, objects, documents, accounts, &diags)
		for _, d := range found {
			if other, ok := byDocument[d]; ok {
				diags.Errorf(d.position(), "this may be %v, and it may be %v", other, o).
					Suggest("write an object for each, or add the comment # kubegen: %v for the one that it is", o)
			}
			if byDocument[d] = o; written[d.real] {
				d.same = true
			}
		}
		if ok && len(found) == 0 && g.add {
			added = append(added, g.create(o, documents))
			g.warnUnbound(o, accounts, &diags)
		}
	}
	if len(byDocument)+len(added) == 0 && len(diags) == 0 {
		diags.Errorf(g.top("Chart.yaml"), "this chart has no object of this run").Suggest("remove %s=false", diag.Setting(addFlag))
	}
	warn(objects, documents, byDocument, &diags)
	if len(beside) > 0 {
		diags = append(diags, unknown(documents, objects, unread)...)
	}
	slices.SortFunc(added, func(a, b output.File) int { return cmp.Compare(a.Path, b.Path) })
	texts, said := g.edit(documents, byDocument)
	if diags = append(diags, said...); !diags.HasErrors() {
		diags = append(diags, g.check(documents, byDocument, texts)...)
	}
	return g.trees(texts, added), diags
}

// writtenBy returns the files of manifests that exist, without symbolic links in their paths.
func writtenBy(trees []output.Tree) map[string]bool {
	files := map[string]bool{}
	for _, tree := range trees {
		for _, f := range tree.Files {
			if file, err := filepath.EvalSymlinks(filepath.Join(tree.Dir, filepath.FromSlash(f.Path))); err == nil {
				files[file] = true
			}
		}
	}
	return files
}

// edit returns the new texts of the files with objects of the run.
func (g Generator) edit(documents []*document, of map[*document]object) (texts map[*file]string, diags diag.List) {
	texts = map[*file]string{}
	for i := len(documents) - 1; i >= 0; i-- {
		d := documents[i]
		o, ok := of[d]
		if !ok || d.same {
			continue
		}
		lines := d.lines
		if text, ok := texts[d.file]; ok {
			lines = strings.Split(text, "\n")
		}
		lines, said := g.replace(d, o, lines)
		texts[d.file], diags = strings.Join(lines, "\n"), append(diags, said...)
	}
	return texts, diags
}

// check reports files whose objects are not as they should be after an edit: another edit would change them.
func (g Generator) check(documents []*document, of map[*document]object, texts map[*file]string) (diags diag.List) {
	for _, f := range g.files {
		text, ok := texts[f]
		if !ok {
			continue
		}
		before := slices.DeleteFunc(slices.Clone(documents), func(d *document) bool { return d.file != f })
		now := *f
		now.source, _ = readSource(f.path, text, f.template)
		after, wrong := now.documents()
		for i := 0; i < len(before) && len(before) == len(after); i++ {
			if o, replaced := of[before[i]]; replaced {
				lines, said := g.replace(after[i], o, now.lines)
				ok, wrong = ok && slices.Equal(lines, now.lines), append(wrong, said...)
			}
		}
		if wrong.HasErrors() || !ok || len(before) != len(after) {
			diags.Errorf(token.Position{Filename: f.path, Line: 1}, "kubegen cannot replace parts of the objects in this file").
				Suggest("write them as YAML without braces, and template lines between their fields")
			continue
		}
		for i, d := range after {
			if _, replaced := of[before[i]]; replaced {
				now.checkSpace(d, &diags)
			}
		}
	}
	return diags
}

// replace returns the lines of a file with a new object.
func (g Generator) replace(d *document, o object, lines []string) ([]string, diag.List) {
	s := *d.source
	s.lines = slices.Clone(lines)
	first := d.from + d.root.Line - 1
	e := &editor{source: &s, written: d.source, from: d.from, base: d.depth[first], template: d.template, mistakes: d.mistakes}
	e.finish = g.serviceOf(d).in
	if m := indentsLists.FindStringSubmatch(strings.Join(d.shown[d.from:d.to], "\n")); m != nil {
		e.indented = len(m[2]) > len(m[1])
	}
	in := valueOf(valueOf(d.root, "spec"), "conversion")
	switch {
	case d.listed:
		e.diags.Errorf(d.position(), "kubegen cannot replace parts of this %s in a list", o.Kind).Suggest("write it as a document of its own")
	case converted(o) && !d.template && (in == nil || isPlaceholder(in)):
		e.diags.Errorf(d.position(), "this file is no template, and only templates know the service for the conversion of %s", d.name).
			Suggest("move it to %s", templates)
	case !e.mapping(d.root, o.owned(d), parts[o.Kind], first, d.to, ""):
		e.diags.Errorf(d.position(), "kubegen cannot replace parts of this %s: it is not one line for each field", o.Kind).
			Suggest("write it as YAML without braces")
	}
	if converted(o) {
		e.warnCertificate(d, lines)
	}
	slices.SortStableFunc(e.diags, func(a, b *diag.Diagnostic) int { return a.Pos.Line - b.Pos.Line })
	return s.lines, e.diags
}

// isPlaceholder reports whether a conversion names the namespace for which kustomize inserts another one in the
// projects of kubebuilder.
func isPlaceholder(conversion *yaml.Node) bool {
	return yamltext.At(decoded(conversion), "webhook", "clientConfig", "service", "namespace") == "system"
}

// warnCertificate reports a definition whose conversion has no certificate, or the certificate of one release.
func (e *editor) warnCertificate(d *document, lines []string) {
	for i := d.from; i < min(d.to, len(lines)); i++ {
		switch text := lines[i]; {
		case strings.Contains(text, "/inject-ca") && d.template && !strings.Contains(text, "{{"):
			e.diags.Warnf(d.at(i), "the certificate for the conversion of %s has the same name in each release", d.name).
				Suggest("write {{ .Release.Namespace }} for its namespace")
			return
		case strings.Contains(text, "/inject-ca"), strings.Contains(text, "caBundle"):
			return
		}
	}
	e.diags.Warnf(d.position(), "nothing inserts a certificate for the conversion of %s", d.name).
		Suggest("add an annotation for it, such as %s", certificateAnnotation)
}

// top returns the position of a file of the chart.
func (g Generator) top(file string) token.Position {
	return token.Position{Filename: filepath.Join(g.dir, file), Line: 1}
}

// position returns the position of the object.
func (d *document) position() token.Position { return d.at(d.from + d.root.Line - 1) }

// warn reports definitions of the run's groups that the run does not have.
func warn(objects []object, documents []*document, of map[*document]object, diags *diag.List) {
	groups := map[string]bool{}
	for _, o := range objects {
		if group, ok := yamltext.At(o.value, "spec", "group").(string); ok {
			groups[group] = true
		}
	}
	for _, d := range documents {
		group := valueOf(valueOf(d.root, "spec"), "group")
		if _, ok := of[d]; !ok && slices.Contains(d.kinds, definitionKind) && group != nil && groups[group.Value] {
			diags.Warnf(d.position(), "this run has no definition %s, so that the one in the chart stays", d.name).
				Suggest("delete it if its kind is gone")
		}
	}
}

// unknown returns warnings of comments that name a role which is not among the objects, or, if there are such comments,
// what is wrong with files that may have the roles.
func unknown(documents []*document, objects []object, unread diag.List) (diags diag.List) {
	for _, d := range documents {
		i := slices.IndexFunc(d.marks, func(name string) bool {
			isNamed := func(o object) bool { return o.String() == name }
			return strings.Contains(name, role+" ") && !slices.ContainsFunc(objects, isNamed)
		})
		if i >= 0 {
			diags.Warnf(d.position(), "neither this run nor the directory of its roles has %s, so that this object stays", d.marks[i]).
				Suggest("correct the comment, or delete it")
		}
	}
	if len(diags) > 0 && len(unread) > 0 {
		return unread
	}
	return diags
}

// warnUnbound reports a new role that no binding of the chart refers to.
func (g Generator) warnUnbound(o object, bound map[string]bool, diags *diag.List) {
	if o.Kind != role && o.Kind != clusterRole || len(bound) == 0 {
		return
	}
	for name := range bound {
		if endsIn(name, o.Name) {
			return
		}
	}
	diags.Warnf(g.top("Chart.yaml"), "no binding of this chart refers to %v, for which it gets a file", o).
		Suggest("bind the account of the controller to it, or delete the file and add the comment # kubegen: %v to the role that it is", o)
}

// hasValue reports whether values.yaml has a value at a path.
func (g Generator) hasValue(path string) bool {
	documents, err := yamltext.Read(g.values)
	return err == nil && len(documents) > 0 && yamltext.At(decoded(documents[0].Node), strings.Split(path, ".")...) != nil
}

// target returns the file to write: the one that a symbolic link in place of the file is for.
func (f *file) target() string {
	if info, err := os.Lstat(f.path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return f.real
	}
	return f.path
}

// trees returns the files by directory. A file on disk may be replaced only if it is as it was read.
func (g Generator) trees(texts map[*file]string, added []output.File) (trees []output.Tree) {
	read, files := map[string]map[string]bool{}, map[string][]output.File{} // by directory
	put := func(name string, content []byte) (dir string) {
		dir = filepath.Dir(name)
		files[dir] = append(files[dir], output.File{Path: filepath.Base(name), Content: content})
		return dir
	}
	for _, f := range g.files {
		if text, ok := texts[f]; ok {
			if strings.HasPrefix(f.text, byteOrderMark) {
				text = byteOrderMark + text
			}
			dir := put(f.target(), []byte(text))
			if read[dir] == nil {
				read[dir] = map[string]bool{}
			}
			read[dir][f.text] = true
		}
	}
	for _, f := range added {
		put(filepath.Join(g.dir, filepath.FromSlash(f.Path)), f.Content)
	}
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		trees = append(trees, output.Tree{Dir: dir, Files: files[dir], Owned: func(text []byte) bool { return read[dir][string(text)] }})
	}
	return trees
}

// dirOf returns the directory for a new object, relative to the chart: where others of its kinds are, or one as in
// kubebuilder's charts. A webhook for conversion has a service that only templates know.
func (g Generator) dirOf(o object, documents []*document) string {
	for _, d := range documents {
		if o.Kind == definitionKind && slices.Contains(d.kinds, definitionKind) && !d.sub && (d.template || !converted(o)) {
			if rel, err := filepath.Rel(g.dir, filepath.Dir(d.path)); err == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	switch o.Kind {
	case definitionKind:
		return path.Join(templates, "crd")
	case mutating, validating:
		return path.Join(templates, "webhook")
	}
	return path.Join(templates, "rbac")
}
