// Package importer generates packages of Go types from CustomResourceDefinitions, one for each version of a group.
// Clients are generated from these types as from hand-written ones. It chooses packages and kinds, and writes
// types for their schemas.
package importer

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// Mark is the comment line that marks files generated from manifests.
var Mark = gofile.MarkLine("kubegen import")

// TypesFile is the name of the file with the types of a package.
const TypesFile = "zz_generated.types.go"

// Options determine the generated packages.
type Options struct {
	Path     string                                  // import path of the directory of all packages
	Kinds    []string                                // only these kinds, such as Certificate or Certificate.cert-manager.io; empty for all
	Versions []string                                // only these versions; empty for all served ones
	Dirs     map[string]string                       // names of directories, by group
	Earlier  func(dir string) string                 // the group whose types an earlier import wrote to a directory, or ""
	Share    bool                                    // one type for all equal schemas of a package
	Declared func(dir string) func(name string) bool // the types that an earlier import wrote to a directory
	Names    map[string]string                       // names of types by path
	Fields   []Field                                 // fields of slices; kinds without any are imported as a whole
	Header   gofile.Code                             // text at the top of each file
	Name     func(file string) string                // the name of a manifest file in generated files
	Strict   bool                                    // what API servers refuse is an error, because manifests are written from the types
}

// Package is a package of types.
type Package struct {
	Path, Name     string // import path, and the name in the package clause
	Dir            string // GROUP/VERSION, relative to the directory of all packages
	Group, Version string
	goName         string         // Go name of the group
	Pos            token.Position // position of the first CustomResourceDefinition

	Files    map[string][]byte // by name; see Write
	Licences map[string][]byte // files of copied packages that are not in Go

	// At returns the position of the original of a line in a file of a copied package. It is nil for imported manifests.
	At func(file string, line int) token.Position

	// Unmark removes the markers of the original on some lines of a file of a copied package, and returns their
	// positions in the original by line. Remedy is what users can do about other mistakes in the original. Both are nil
	// and empty if the original is not read.
	Unmark func(file string, lines []int) map[int]token.Position
	Remedy diag.Text

	Written

	sources []*source                 // nil after the files are written, which empties them, because they need much memory
	places  map[string]token.Position // of kinds in manifests, by the names of their types
	*importer
}

// source is a version of a kind in a manifest.
type source struct {
	*crd.Definition
	crd.Version
	schema *crdschema.Schema
	fields *crdschema.PathTree // of a slice; otherwise nil
}

// Packages returns the packages for definitions, ordered by directory and without files. It reports
// errors in the definitions.
func Packages(definitions []*crd.Definition, options Options) ([]*Package, diag.List) {
	i := &importer{Options: options}
	byPackage := map[[2]string]*Package{} // by group and version
	groups := map[string]token.Position{} // the first kind of each group
	var unserved []*crd.Definition
	selected := i.selected(definitions)
	for _, d := range selected {
		if len(i.Versions) == 0 && !slices.ContainsFunc(d.Versions, i.wantsVersion) {
			unserved = append(unserved, d)
		}
		for _, v := range d.Versions {
			if !i.wantsVersion(v) {
				continue
			}
			if !IsDirectory(v.Name.Text) {
				i.diags.Errorf(
					v.Name.Pos, "version %s cannot have a directory of its own, because the name has a special meaning for the go command", v.Name.Text,
				).Suggest("leave it out with %s", diag.Setting("versions"))
			}
			key := [2]string{d.Group.Text, v.Name.Text}
			if _, ok := groups[key[0]]; !ok {
				groups[key[0]] = d.Kind.Pos
			}
			if byPackage[key] == nil {
				byPackage[key] = &Package{importer: i, Group: key[0], Version: key[1], Name: packageName(key[1]), Pos: d.Kind.Pos}
			}
			byPackage[key].sources = append(byPackage[key].sources, &source{Definition: d, Version: v})
		}
	}
	for _, d := range unserved {
		i.diags.Mistakef(len(byPackage) > 0, d.Kind.Pos, "it is not imported", "no version of kind %s is served", d.Kind.Text).
			Suggest("name versions that are not served with %s", diag.Setting("versions"))
	}
	dirs := Directories(groups, i.Dirs, i.Earlier, &i.diags)
	names := goNames(dirs)
	var packages []*Package
	for key, p := range byPackage {
		p.Dir, p.goName = dirs[key[0]]+"/"+p.Version, names[key[0]]
		p.Path = path.Join(i.Path, p.Dir)
		slices.SortFunc(p.sources, func(a, b *source) int { return strings.Compare(a.goName(), b.goName()) })
		packages = append(packages, p)
	}
	slices.SortFunc(packages, func(a, b *Package) int { return strings.Compare(a.Dir, b.Dir) })
	return packages, i.diags
}

// Write writes the files of packages. It uses Kubernetes types for schemas with the same shape; shapes may be nil.
func Write(packages []*Package, shapes *Shapes) (diags diag.List) {
	said := map[*Package]*diag.List{}
	packages = slices.DeleteFunc(slices.Clone(packages), func(p *Package) bool { return p.At != nil }) // copies are written
	for _, p := range packages {
		said[p] = &diag.List{}
	}
	parallel.Each(slices.Clone(packages), func(p *Package) { *said[p] = p.write(shapes) })
	for _, p := range packages {
		diags = append(diags, *said[p]...)
	}
	if len(packages) > 0 && !diags.HasErrors() {
		packages[0].reportNames(packages, &diags)
	}
	return diags
}

type importer struct {
	Options
	diags diag.List
}

// selected returns the requested definitions. A definition that occurs twice is an error.
func (i *importer) selected(definitions []*crd.Definition) (found []*crd.Definition) {
	byKind := map[[2]string]*crd.Definition{} // by group and Go name in lower case, as in names of files
	for _, d := range definitions {
		if len(i.Kinds) > 0 && !slices.ContainsFunc(i.Kinds, d.Names) || !i.check(d) {
			continue
		}
		key := keyOf(d)
		first := byKind[key]
		switch {
		case first == nil:
			byKind[key] = d
		case first.Kind.Text != d.Kind.Text:
			i.diags.Errorf(
				d.Kind.Pos, "the Go names of kinds %s and %s of group %s differ at most in case", first.Kind.Text, d.Kind.Text, d.Group.Text,
			).WithRelated(first.Kind.Pos).Suggest("import one of them with %s", diag.Setting("kinds"))
			continue
		case i.isTwice(d, found):
			continue
		}
		found = append(found, d)
	}
	for _, d := range found {
		key := keyOf(d)
		if byKind[key] != d {
			continue // another definition of the same kind
		}
		if other := byKind[[2]string{key[0], key[1] + "list"}]; other != nil {
			i.diags.Errorf(other.Kind.Pos, "kind %s has the same name as the list of kind %s", other.Kind.Text, d.Kind.Text).WithRelated(d.Kind.Pos).
				Suggest("import one of them with %s", diag.Setting("kinds"))
		}
	}
	return found
}

// isTwice reports whether one of the found definitions is for the same kind, and has other names or one of the same
// versions. This is an error.
func (i *importer) isTwice(d *crd.Definition, found []*crd.Definition) bool {
	for _, other := range found {
		if keyOf(other) != keyOf(d) {
			continue
		}
		if d.Name() != other.Name() || d.Scope.Text != other.Scope.Text {
			i.diags.Errorf(
				d.Kind.Pos, "kind %s of group %s is defined twice, and the resource names or scopes differ", d.Kind.Text, d.Group.Text,
			).WithRelated(other.Kind.Pos).Suggest("keep one of the definitions")
			return true
		}
		for _, v := range d.Versions {
			if n := slices.IndexFunc(other.Versions, func(o crd.Version) bool { return o.Name.Text == v.Name.Text }); n >= 0 && i.wantsVersion(v) {
				i.diags.Errorf(v.Name.Pos, "version %s of kind %s of group %s is defined twice", v.Name.Text, d.Kind.Text, d.Group.Text).
					WithRelated(other.Versions[n].Name.Pos).Suggest("keep one of the definitions")
				return true
			}
		}
	}
	return false
}

func keyOf(d *crd.Definition) [2]string {
	return [2]string{d.Group.Text, strings.ToLower(GoTypeName(d.Kind.Text))}
}

// check reports a definition that has no Go types.
func (im *importer) check(d *crd.Definition) bool {
	kind := GoTypeName(d.Kind.Text)
	switch {
	case slices.Contains(model.RegistrationNames[:len(model.RegistrationNames)-2], kind):
		im.diags.Errorf(d.Kind.Pos, "kind %s has a name that registration code declares", kind).
			Suggest("leave it out with %s", diag.Setting("kinds"))
	case len(d.Versions) == 0:
		im.diags.Errorf(d.Kind.Pos, "CustomResourceDefinition %s has no versions", d.Name()).Suggest("correct spec.versions")
	default:
		wrong := d.Check()
		im.diags = append(im.diags, wrong...)
		return !wrong.HasErrors()
	}
	return false
}

func (i *importer) wantsVersion(v crd.Version) bool {
	if len(i.Versions) > 0 {
		return slices.Contains(i.Versions, v.Name.Text)
	}
	return v.Served.Text != "false"
}

// reportNames reports names of types that have no effect.
func (i *importer) reportNames(packages []*Package, diags *diag.List) {
	for _, at := range slices.Sorted(maps.Keys(i.Options.Names)) {
		if !slices.ContainsFunc(packages, func(p *Package) bool { return !slices.Contains(p.Unused, at) }) {
			diags.Warnf(token.Position{}, "%s: %s has no effect, since there is no type at this path", diag.Setting("names"), at).
				Suggest("write the path of a field whose type is a struct or an enum, as in Certificate.spec.privateKey")
		}
	}
}

// Directories returns the directory of each group: the requested one, or else the first label of the group's name. If
// several groups have the same label, the group of an earlier import keeps it, or else the first group receives it, so
// that an added group renames no other one. The others are named after the whole group. groups has a position for each
// group, and earlier returns the group whose types an earlier import wrote to a directory, or "".
func Directories(
	groups map[string]token.Position, requested map[string]string, earlier func(dir string) string, diags *diag.List,
) map[string]string {
	owners, dirs := map[string]string{}, map[string]string{}
	take := func(group, dir string) {
		if !IsDirectory(dir) {
			diags.Errorf(groups[group], "group %s would be in the directory %s, which the go command does not accept as a package", group, dir).
				Suggest("choose another one with %s", diag.Setting("group-dirs"))
		}
		if other, ok := owners[dir]; ok {
			diags.Errorf(groups[group], "groups %s and %s would be in one directory, %s", other, group, dir).
				Suggest("choose another one with %s", diag.Setting("group-dirs"))
		}
		owners[dir], dirs[group] = group, dir
	}
	sharing := map[string][]string{} // groups, by label
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if dir, ok := requested[group]; ok {
			take(group, dir)
			continue
		}
		label := Label(group)
		sharing[label] = append(sharing[label], group)
	}
	for _, label := range slices.Sorted(maps.Keys(sharing)) {
		same := sharing[label]
		owner, taken := owners[label]
		if !taken {
			owner = same[0]
			if len(same) > 1 {
				if first := earlier(label); slices.Contains(same, first) {
					owner = first
				}
			}
		}
		for _, group := range same {
			if group == owner {
				take(group, label)
			} else {
				take(group, group)
			}
		}
	}
	return dirs
}

// Label returns the first label of a group, or the whole group if no directory can have this name. The core group is
// core.
func Label(group string) string {
	if group == "" {
		return "core"
	}
	if label, _, _ := strings.Cut(group, "."); IsDirectory(label) {
		return label
	}
	return group
}

// IsDirectory reports whether a text can be the name of a directory with packages that can be imported. The go command
// ignores some directories, and others have a special meaning
// (https://pkg.go.dev/cmd/go#hdr-Package_lists_and_patterns, https://go.dev/ref/mod#vendoring).
func IsDirectory(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" && module.CheckImportPath(text) == nil && text[0] != '.' &&
		text[0] != '_' && text[len(text)-1] != '.' && !slices.Contains([]string{"internal", "node_modules", "testdata", "vendor"}, text)
}

// IsPackage reports whether the package in a directory was imported from manifests, or copied.
func IsPackage(dir string) bool {
	text, err := load.ReadFile(filepath.Join(dir, TypesFile))
	if os.IsNotExist(err) {
		text, err = load.ReadFile(filepath.Join(dir, "doc.go"))
	}
	return err == nil && gofile.HasMark(text, Mark)
}

// goNames returns a Go name for each group. The names differ even if case is ignored. dirs maps groups to directories.
func goNames(dirs map[string]string) map[string]string {
	names, used := map[string]string{}, map[string]bool{}
	hyphens := func(group string) int { return strings.Count(dirs[group], "-") }
	for _, group := range slices.SortedFunc(maps.Keys(dirs), func(a, b string) int {
		return cmp.Or(hyphens(a)-hyphens(b), strings.Compare(dirs[a], dirs[b]))
	}) {
		name := GoName(dirs[group])
		for used[strings.ToLower(name)] {
			name = MarkedName(name, group+name)
		}
		names[group], used[strings.ToLower(name)] = name, true
	}
	return names
}

// GroupOf returns the group in the package comment of an imported package's doc.go, or "" for other files.
func GroupOf(doc []byte) string {
	if !gofile.HasMark(doc, Mark) {
		return ""
	}
	_, text, _ := strings.Cut(string(doc), "\n// +groupName=")
	group, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(group)
}

// kinds returns the kinds of the package with their schemas, and the options for writing their types.
func (p *Package) kinds(shapes *Shapes) (written []Kind, writing Writing, diags diag.List) {
	taken := setOf(model.RegistrationNames)
	for _, s := range p.sources {
		schema, wrong := s.Version.Schema()
		diags = append(diags, wrong...)
		if s.schema = schema; schema == nil {
			diags.Errorf(s.Version.Name.Pos, "version %s of %s has no schema", p.Version, s.Kind.Text).
				Suggest("a CustomResourceDefinition of apiextensions.k8s.io/v1 has one at schema.openAPIV3Schema")
			continue
		}
		switch {
		case wrong.HasErrors():
		case s.schema.Type != "object":
			diags.Errorf(s.Version.Name.Pos, "the schema of version %s of %s is %s", p.Version, s.Kind.Text, crdschema.KindOf(s.schema)).
				Suggest("it must be of type object")
		default:
			s.check(p, &diags)
		}
		s.CheckSelectable(s.schema, &diags)
		if diags = append(diags, s.selectFields(p)...); s.fields != nil && !diags.HasErrors() {
			s.schema = s.schema.Slice(s.fields)
		}
		s.reportLostNulls(&diags)
		s.reportLostNames(&diags)
		written = append(written, Kind{
			Name: s.goName(), Doc: s.doc(), Markers: s.markers(), Schema: s.schema})
		taken[s.goName()], taken[s.goName()+"List"] = true, true
	}
	writing = Writing{Names: p.Options.Names, Shapes: shapes, Share: p.Share, Taken: func(name string) bool { return taken[name] }}
	if p.Share {
		writing.Earlier = p.Declared(p.Dir)
	}
	return written, writing, diags
}

// check reports what API servers refuse in the schema: as an error if manifests are written from the types or clients
// depend on it, or else as a warning.
func (s *source) check(p *Package, diags *diag.List) {
	refused := diag.Warning
	if p.Strict {
		refused = diag.Error
	}
	for _, d := range s.CheckSchema(s.Version, s.schema, refused) {
		d.SetMessage("API servers refuse this manifest: %s", d.Message)
		Advise(d)
		*diags = append(*diags, d)
	}
}

// reportLostNames warns about restrictions of names, which types do not have, because all of metadata is ObjectMeta.
func (s *source) reportLostNames(diags *diag.List) {
	metadata := s.schema.Property("metadata")
	if metadata == nil {
		return
	}
	for _, p := range metadata.Properties {
		bare := *p.Schema
		if bare.Type, bare.Description = "", ""; bare.JSON() != "{}" {
			pos := token.Position{Filename: s.Kind.Pos.Filename, Line: p.Line, Column: p.Column}
			diags.Warnf(pos, "types and manifests made from them lack the restrictions of metadata.%s", p.Name).
				Suggest("add a rule about self.metadata.%s to the schema of the kind, which becomes a marker", p.Name)
		}
	}
}

// Advise replaces advice for authors of Go types, in a diagnostic at a place in a manifest, by advice for users who
// import the manifest. Advice that names a setting is for these users already.
func Advise(d *diag.Diagnostic) {
	d.Elsewhere(diag.Textf("correct the manifest"), diag.Textf("leave the kind out with %s", diag.Setting("kinds")))
}

// reportLostNulls warns about optional fields whose null a server keeps, but clients in Go replace by the default,
// because they omit nil pointers.
func (s *source) reportLostNulls(diags *diag.List) {
	s.schema.Walk(func(object *crdschema.Schema) bool {
		for _, p := range object.Properties {
			if p.Nullable && p.Default != nil && p.Default.JSON != nil && !slices.Contains(object.Required, p.Name) {
				diags.Warnf(token.Position{Filename: s.Kind.Pos.Filename, Line: p.Line, Column: p.Column},
					"clients in Go replace null in %s by the default, because they omit it", p.Name).
					Suggest("to keep null, use a dynamic client or a patch")
			}
		}
		return true
	})
}

// write writes the files of the package.
func (p *Package) write(shapes *Shapes) diag.List {
	kinds, writing, diags := p.kinds(shapes)
	if diags.HasErrors() {
		return diags
	}
	p.Files = map[string][]byte{}
	types := &gofile.File{Name: TypesFile, Path: p.Path, Package: p.Name, Header: p.header(), Clean: true}
	p.Written = WriteTypes(types, kinds, writing)
	diags = append(diags, p.Wrong...)
	doc := &gofile.File{Name: "doc.go", Path: p.Path, Package: p.Name, Header: p.header(), Clean: true}
	doc.Doc, doc.Markers = p.doc()
	for _, f := range []*gofile.File{types, doc} {
		contents, err := gofile.Format([]*gofile.File{f}, nil, nil)
		if err != nil {
			diags.Errorf(p.Pos, "cannot write the types of %s/%s: %v", p.Group, p.Version, err).
				Suggest("leave out a kind or version with %s or %s", diag.Setting("kinds"), diag.Setting("versions"))
			return diags
		}
		p.Files[f.Name] = contents[0]
	}
	p.places = map[string]token.Position{}
	for _, s := range p.sources {
		p.places[s.goName()] = s.Kind.Pos
		*s = source{} // the package without files has the same sources
	}
	p.sources = nil
	return diags
}

// Origin returns the position of the kind in a manifest that a line of a file is about, or the one in the original of a
// copy.
func (p *Package) Origin(file string, line int) token.Position {
	if p.At != nil {
		return p.At(file, line)
	}
	pos, above := p.Pos, true
	for i, text := range strings.Split(string(p.Files[TypesFile]), "\n") {
		name, isType := strings.CutPrefix(text, "type ")
		name, _, _ = strings.Cut(name, " ")
		if at, isKind := p.places[name]; isType && isKind && above { // the types of its fields follow
			pos = at
		}
		above = above && (i+1 < line || strings.HasPrefix(text, "//")) // comments precede their declarations
	}
	return pos
}

// packageName returns the name of the package of a version.
func packageName(version string) string {
	name := strings.ReplaceAll(version, "-", "")
	if !token.IsIdentifier(name) || name == "main" || name == "init" { // these cannot be imported
		return "v" + name
	}
	return name
}

// doc returns the package comment and its markers.
func (p *Package) doc() (text string, markers []string) {
	markers = append(markers, "groupName="+p.Group)
	if p.Name != p.Version {
		markers = append(markers, "versionName="+p.Version)
	}
	if label, _, _ := strings.Cut(p.Group, "."); path.Dir(p.Dir) != label || p.goName != GoName(label) {
		markers = append(markers, "groupGoName="+p.goName)
	}
	return fmt.Sprintf("Package %s contains version %s of the API group %s.", p.Name, p.Version, p.Group),
		append(markers, "k8s:deepcopy-gen=package")
}

// GoName returns the Go name for a directory.
func GoName(dir string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(dir, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	if name := b.String(); token.IsExported(name) {
		return name
	}
	return "X" + b.String()
}

// header returns the first lines of a file: the header of Options, the mark, and the names of the manifests.
func (p *Package) header() gofile.Code {
	var b gofile.Builder
	b.Add(p.Header, gofile.Mark(Mark))
	from := map[string][]string{}
	for _, s := range p.sources {
		file := p.Options.Name(s.Kind.Pos.Filename)
		from[file] = append(from[file], s.Definition.Name())
	}
	for _, file := range slices.Sorted(maps.Keys(from)) {
		name := file
		if quoted := strconv.Quote(file); quoted != `"`+file+`"` {
			name = quoted
		}
		b.Add(gofile.Mark("// From " + name + ": " + strings.Join(slices.Sorted(slices.Values(from[file])), ", ")))
	}
	b.Add("\n")
	return b.Code()
}

// goName returns the name of the kind's type.
func (s *source) goName() string { return GoTypeName(s.Kind.Text) }

// markers returns the markers above the type of a kind.
func (s *source) markers() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("genclient")
	if s.Scope.Text == "Cluster" {
		add("genclient:nonNamespaced")
	}
	status := s.schema.Property("status") != nil
	if status && !s.Status.Pos.IsValid() {
		add("genclient:noStatus")
	}
	if s.fields != nil {
		add("genclient:skipVerbs=create,update,updateStatus")
	}
	if s.fields != nil && s.fields.Field("metadata").Field("managedFields") == nil {
		add(model.WithoutManagedFieldsMarker)
	}
	add("k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object")
	resource := []string{"path=" + argument(s.Plural.Text)}
	if s.Scope.Text == "Cluster" {
		resource = append(resource, "scope=Cluster")
	}
	if len(s.ShortNames) > 0 {
		resource = append(resource, "shortName="+list(s.ShortNames))
	}
	if len(s.Categories) > 0 {
		resource = append(resource, "categories="+list(s.Categories))
	}
	if singular := cmp.Or(s.Singular.Text, strings.ToLower(s.Kind.Text)); singular != strings.ToLower(s.goName()) {
		resource = append(resource, "singular="+argument(singular))
	}
	add("kubebuilder:resource:%s", strings.Join(resource, ","))
	var names []string
	if s.Kind.Text != s.goName() {
		names = append(names, "kind="+argument(s.Kind.Text))
	}
	if list := s.ListKind.Text; list != "" && list != s.Kind.Text+"List" {
		names = append(names, "listKind="+argument(list))
	}
	if len(names) > 0 {
		add("%s:%s", markers.NamesMarker, strings.Join(names, ","))
	}
	if s.Approved != "" {
		add("kubebuilder:metadata:annotations=%s", strconv.Quote(crd.ApprovedAnnotation+"="+s.Approved))
	}
	if s.Version.Storage.Text == "true" {
		add("kubebuilder:storageversion")
	}
	if s.Served.Text == "false" {
		add("kubebuilder:unservedversion")
	}
	if s.Deprecated && s.Warning != nil {
		add("kubebuilder:deprecatedversion:warning=%s", strconv.Quote(*s.Warning))
	} else if s.Deprecated {
		add("kubebuilder:deprecatedversion")
	}
	if s.Status.Pos.IsValid() && (status || s.fields == nil) {
		add("kubebuilder:subresource:status")
	}
	if s.Scale != nil && s.has(s.Scale.SpecReplicas) && s.has(s.Scale.StatusReplicas) {
		text := "specpath=" + argument(s.Scale.SpecReplicas.Text) + ",statuspath=" + argument(s.Scale.StatusReplicas.Text)
		if s.Scale.Selector.Text != "" {
			text += ",selectorpath=" + argument(s.Scale.Selector.Text)
		}
		add("kubebuilder:subresource:scale:%s", text)
	}
	for _, c := range s.Columns {
		if s.fields != nil {
			break // no manifests are written for slices
		}
		text := "name=" + strconv.Quote(c.Name) + ",type=" + argument(c.Type) + ",JSONPath=" + strconv.Quote(c.Path)
		if c.Description != "" {
			text += ",description=" + strconv.Quote(c.Description)
		}
		if c.Format != "" {
			text += ",format=" + argument(c.Format)
		}
		if c.Priority != 0 {
			text += ",priority=" + strconv.Itoa(c.Priority)
		}
		add("kubebuilder:printcolumn:%s", text)
	}
	for _, field := range s.SelectableFields {
		if s.has(field) {
			add("kubebuilder:selectablefield:JSONPath=%s", strconv.Quote(field.Text))
		}
	}
	return lines
}

// list returns a list as the value of an argument.
func list(values []crd.Value) string {
	var quoted []string
	for _, value := range values {
		quoted = append(quoted, argument(value.Text))
	}
	return strings.Join(quoted, ";")
}

// argument returns a text as the value of an argument. It is quoted unless it is a word or path.
func argument(text string) string {
	if text != "" && strings.Trim(text, wordChars) == "" {
		return text
	}
	return strconv.Quote(text)
}

const wordChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"
