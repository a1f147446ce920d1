// Package typecopy copies Go declarations of kinds, with all declarations that they need, into packages of another
// module. It works on syntax: a file of a package becomes a file of the copy, with the needed declarations printed
// again, so that only import paths differ.
package typecopy

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Options determine which types are copied, and to where.
type Options struct {
	Patterns []string                // of the packages of kinds
	Versions []string                // only these versions; empty for all
	Kinds    []string                // only these kinds, such as Cluster or Cluster.cluster.x-k8s.io; empty for all
	Keep     []string                // import paths of packages that are not copied, including those below them
	Methods  []string                // methods to copy, such as Cluster.GetConditions
	Values   []string                // variables to copy whose values call functions, such as example.com/api/v1.pattern
	Fields   []importer.Field        // fields of slices; kinds without any are copied as a whole
	Path     string                  // import path of the directory of all packages
	Dirs     map[string]string       // names of directories, by group
	Earlier  func(dir string) string // see importer.Options
	Header   gofile.Code             // text at the top of files without a licence
	Policy   model.Policy            // for reading markers
}

// kept lists the modules whose packages are never copied unless they are named.
var kept = []string{"k8s.io/api", "k8s.io/apimachinery"}

// Left is a method of a copied type. Why is the reason why it is left out, or "" if it was not asked for or is copied.
type Left struct {
	Pos  token.Position
	Name string
	Why  string
}

// Result is the result of a copy.
type Result struct {
	Packages []*Package // ordered by import path of the original
	Left     []Left
	Methods  []Left // that are copied, by name; empty if there are errors
	Diags    diag.List
}

// copier copies declarations.
type copier struct {
	Options
	l       *load.Loader
	sources map[string]*source // by import path; nil for packages that cannot be read
	needed  map[*decl]bool
	called  map[string]int     // how many needed declarations select a method or field
	methods map[string][]*decl // of the packages that are copied, by name
	kinds   map[*decl]bool
	isList  map[*decl]bool  // it is one of a kind
	roots   map[string]bool // import paths of packages with wanted kinds
	out     []*Package

	trees        map[*decl]*crdschema.PathTree // the fields that types of slices keep; nil for types outside of slices
	fields       map[*ast.Field]bool           // the fields that types of slices keep
	paths        map[*decl][]crdschema.Path    // the selected fields of kinds
	keepsManaged map[*decl]bool                // kinds with managedFields among the selected fields
	reader       *gotypes.Reader
	diags        diag.List
}

// Copy copies the kinds in packages that the Loader finds.
func Copy(l *load.Loader, o Options) Result {
	o.Keep = slices.Concat(kept, o.Keep)
	c := &copier{
		Options: o, l: l, sources: map[string]*source{},
		needed: map[*decl]bool{}, called: map[string]int{}, methods: map[string][]*decl{},
		kinds: map[*decl]bool{}, isList: map[*decl]bool{}, roots: map[string]bool{},
		trees: map[*decl]*crdschema.PathTree{}, fields: map[*ast.Field]bool{},
		paths: map[*decl][]crdschema.Path{}, keepsManaged: map[*decl]bool{},
		reader: gotypes.NewReader(l, o.Policy),
	}
	roots := c.find()
	c.slice()
	var left []Left
	if !c.failed() {
		added, problems := c.take(roots...)
		for c.widen(added) {
			added, problems = c.take(roots...)
		}
		c.diags = append(c.diags, problems...)
	}
	if !c.failed() {
		c.takeConstants()
		left = c.takeOptional()
		c.reportNames()
		c.place()
	}
	if !c.diags.HasErrors() {
		c.write()
	}
	return Result{Packages: c.out, Left: left, Methods: c.copied(), Diags: slices.Concat(c.diags, c.reader.Refused(), l.Mistakes())}
}

// failed reports whether there are errors.
func (c *copier) failed() bool {
	return c.diags.HasErrors() || len(c.reader.Refused()) > 0 || len(c.l.Mistakes()) > 0
}

// find returns the declarations of the wanted kinds and of their lists.
func (c *copier) find() (roots []*decl) {
	packages, mistakes := c.l.Find(c.Patterns)
	c.diags = append(c.diags, mistakes...)
	for _, found := range packages {
		src := c.read(found, leaveOut)
		c.sources[found.Path] = src
		group, version := c.placeOf(src).Group, c.placeOf(src).Version
		if len(c.Versions) > 0 && !slices.Contains(c.Versions, version) {
			continue
		}
		lists := c.lists(src)
		for _, kind := range c.reader.Kinds(src.Package) {
			full := kind.Name + "." + group
			if len(c.Kinds) > 0 && !slices.Contains(c.Kinds, kind.Name) && !slices.Contains(c.Kinds, full) {
				continue
			}
			d, list := src.decls[kind.Name], lists[kind.Name]
			if named := src.decls[kind.Name+"List"]; named != nil && named.typ() != nil {
				list = named
			}
			isMarked := slices.ContainsFunc(kind.Markers, func(line markers.Line) bool { return markers.MeansGenclient(line.Text) })
			if d == nil || c.kinds[d] || list == nil && len(c.Kinds) == 0 && !isMarked { // without a list, API servers hardly serve it
				continue
			}
			if group != "" && !model.IsSubdomain(group) {
				c.diags.Errorf(c.l.PackagePos(src.Package), "the group of %s is not a valid name: %q", kind.Name, group).Suggest("%s", leaveOut)
				break
			}
			if version == "" {
				c.diags.Errorf(
					c.l.PackagePos(src.Package), "the group of %s is unknown: the package has no +groupName and no SchemeGroupVersion", kind.Name,
				).Suggest("name a package whose kinds are registered")
				break
			}
			c.kinds[d], c.roots[src.Path] = true, true
			if roots = append(roots, d); list != nil {
				c.isList[list] = true
				roots = append(roots, list)
			}
		}
	}
	if c.failed() {
		return nil
	}
	if len(roots) == 0 && len(c.Kinds)+len(c.Versions) == 0 {
		c.diags.Errorf(token.Position{}, "no kinds in %s", strings.Join(c.Patterns, ", ")).About(c.Patterns...).
			Suggest("name the packages of structs with metav1.TypeMeta and metav1.ObjectMeta")
	}
	return roots
}

// lists returns the first type, by name, that has the fields of a list of a kind, by the name of the kind.
func (c *copier) lists(src *source) map[string]*decl {
	found := map[string]*decl{}
	for _, name := range slices.Sorted(maps.Keys(src.decls)) {
		list := c.reader.Declared(src.Package, name)
		if list == nil || len(list.Fields) != 3 {
			continue
		}
		for _, f := range list.Fields {
			if f.Name == "Items" && f.Type.Form == gotypes.SliceForm && found[f.Type.Elem.Name.Name] == nil {
				found[f.Type.Elem.Name.Name] = src.decls[name]
			}
		}
	}
	return found
}

// takeConstants copies the exported constants of the packages of kinds: names of labels, conditions and so on. Slices
// need few of them.
func (c *copier) takeConstants() {
	left := map[*ast.GenDecl]bool{} // constants of these need each other, and something that is not a constant
	for _, importPath := range slices.Sorted(maps.Keys(c.roots)) {
		src := c.sources[importPath]
		if !slices.ContainsFunc(slices.Collect(maps.Keys(c.kinds)), func(kind *decl) bool { return kind.in == src && !c.isSliced(kind) }) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(src.decls)) {
			d := src.decls[name]
			if !d.isConstant() || !ast.IsExported(name) || c.isRegistration(d, name) || c.needed[d] || d.isGenerated() || left[d.gen] {
				continue
			}
			if ident, ok := d.spec.(*ast.ValueSpec).Type.(*ast.Ident); ok && src.decls[ident.Name] != nil {
				continue // the constants of other types
			}
			added, problems := c.take(d)
			if len(problems) > 0 || slices.ContainsFunc(added, func(d *decl) bool { return !d.isConstant() }) {
				c.undo(added)
				left[d.gen] = d.inSequence
			}
		}
	}
}

// reportNames reports methods and variables that were asked for and do not exist.
func (c *copier) reportNames() {
	functions := map[string]bool{}
	for d := range c.needed {
		functions[d.String()] = functions[d.String()] || d.fn != nil
	}
	for _, name := range c.Methods {
		if !functions[name] {
			c.diags.Errorf(token.Position{}, "%s: no copied type has a method %s", diag.Setting("methods"), diag.Value(name)).
				Suggest("write a method as in Cluster.GetConditions")
		}
	}
	for _, name := range c.Values {
		dot := strings.LastIndex(name, ".")
		if src := c.sources[name[:max(dot, 0)]]; src == nil || src.decls[name[dot+1:]] == nil || !c.needed[src.decls[name[dot+1:]]] {
			c.diags.Errorf(token.Position{}, "%s: no variable %s is copied", diag.Setting("values"), name).
				Suggest("write a variable as in example.com/api/v1.pattern")
		}
	}
}

// copied returns the copied methods, unless there are errors.
func (c *copier) copied() (all []Left) {
	for d := range c.needed {
		if d.recv != "" && !c.diags.HasErrors() {
			all = append(all, Left{Pos: c.position(d.fn.Name.Pos()), Name: d.String()})
		}
	}
	slices.SortFunc(all, func(a, b Left) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Pos.Filename, b.Pos.Filename))
	})
	return all
}

// placeOf returns the package for the copies of a source, at first without its directory.
func (c *copier) placeOf(src *source) *Package {
	if src.place != nil {
		return src.place
	}
	p := &Package{
		Package: &importer.Package{Name: src.Name, Files: map[string][]byte{}, Licences: map[string][]byte{}}, src: src, fset: c.l.Fset,
	}
	p.At, p.Unmark = p.origin, p.unmark
	found, _ := gotypes.PackageMarkers(c.l.Fset, src.Package, c.Policy) // users cannot correct mistakes in these
	if gv := kinds.GroupVersionOf(c.l, src.Package, found, c.Policy); gv.GroupFrom.Kind != model.FromPath {
		p.Group, p.Version = gv.Group, cmp.Or(gv.Version, path.Base(src.Path))
	}
	src.place = p
	return p
}

// place chooses the directories of the packages. A package with a group is in GROUP/VERSION, any other one beside the
// first group, in alphabetical order.
func (c *copier) place() {
	hasKinds := map[*source]bool{}
	for d := range c.needed {
		hasKinds[d.in] = hasKinds[d.in] || c.kinds[d]
	}
	all := slices.SortedFunc(maps.Keys(hasKinds), func(a, b *source) int { return strings.Compare(a.Path, b.Path) })
	groups := map[string]token.Position{}
	for _, src := range all {
		c.out = append(c.out, c.placeOf(src))
		if _, ok := groups[src.place.Group]; hasKinds[src] && !ok {
			groups[src.place.Group] = c.l.PackagePos(src.Package)
		}
	}
	dirs := importer.Directories(groups, c.Dirs, c.Earlier, &c.diags)
	taken, first := map[string]bool{}, ""
	put := func(src *source, dir string) {
		taken[dir] = true
		src.place.Dir, src.place.Path, src.place.Remedy = dir, path.Join(c.Path, dir), c.keepHint(src.Path)
	}
	for _, src := range all {
		dir, version := dirs[src.place.Group], src.place.Version
		switch to := dir + "/" + version; {
		case !hasKinds[src]:
			continue
		case !importer.IsDirectory(version):
			c.diags.Errorf(c.l.PackagePos(src.Package), "version %s cannot have a directory of its own, because the name has a special meaning "+
				"for the go command", version).Suggest("%s", leaveOut)
		case taken[to]: // another package has kinds of the same version
			put(src, beside(src.Path, dir, taken))
		default:
			put(src, to)
		}
		if first == "" || dir < first {
			first = dir
		}
	}
	for _, src := range all {
		if !hasKinds[src] {
			src.place.Group, src.place.Version = "", ""
			put(src, beside(src.Path, first, taken))
		}
	}
}

// generic lists elements of import paths that tell nothing about a package.
var generic = []string{"api", "apis", "pkg", "internal", "v2", "v3", "v4", "v5", "v6", "v7", "v8"}

// longestDirectory is the greatest length in bytes of the name of a directory that consists of several elements.
const longestDirectory = 200

// isVersion matches a version of an API, which tells nothing about a package by itself.
var isVersion = regexp.MustCompile(`^v[0-9][^-]*$`)

// beside returns the directory in that of a group for a package without kinds: the shortest end of its import path that
// is free, without generic elements.
func beside(importPath, group string, taken map[string]bool) string {
	elements := strings.Split(strings.ToLower(importPath), "/")
	name := elements[len(elements)-1]
	for i := len(elements) - 1; ; i-- {
		dir := group + "/" + name
		if importer.IsDirectory(name) && !taken[dir] && !isVersion.MatchString(name) && !slices.Contains(generic, name) {
			return dir
		}
		if i == 0 {
			return fmt.Sprintf("%s-%d", dir, len(taken))
		}
		if element := elements[i-1]; len(element)+len(name) <= longestDirectory && !slices.Contains(generic, element) {
			name = element + "-" + name
		}
	}
}
