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
	Patterns []string          // of the packages of kinds
	Versions []string          // only these versions; empty for all
	Others   bool              // kinds have other sources, too
	Kinds    []string          // only these kinds, such as Cluster or Cluster.cluster.x-k8s.io; empty for all
	Keep     []string          // import paths of packages that are not copied, including those below them
	Methods  []string          // methods to copy, such as Cluster.GetConditions
	Values   []string          // variables to copy whose values call functions, such as example.com/api/v1.pattern
	Fields   []importer.Field  // fields of slices; kinds without any are copied as a whole
	Path     string            // import path of the directory of all packages
	Dirs     map[string]string // names of directories, by group
	Header   gofile.Code       // text at the top of files without a licence
	Policy   model.Policy      // for reading markers
}

// Kept lists the modules whose packages are never copied unless they are named.
var Kept = []string{"k8s.io/api", "k8s.io/apimachinery"}

// Package is a package of copies.
type Package struct {
	Path, Name     string            // import path, and the name in the package clause
	Dir            string            // GROUP/VERSION or GROUP/NAME, relative to the directory of all packages
	Group, Version string            // "" for a package without kinds
	From           string            // import path of the original
	Files          map[string][]byte // Go files by name
	Licences       map[string][]byte // of the module, by name

	// Remedy is what users can do about mistakes in the original.
	Remedy diag.Text

	*origins
}

// Left is a method of a copied type. Why is the reason why it is left out, or "" if it was not asked for or is copied.
type Left struct {
	Pos  token.Position
	Name string
	Why  string
}

// Result is the result of a copy.
type Result struct {
	Packages []*Package // ordered by directory
	Left     []Left
	Methods  []Left // that are copied, by name; empty if there are errors
	Diags    diag.List
}

// copier copies declarations.
type copier struct {
	Options
	l       *load.Loader
	kept    func(importPath string) bool
	sources map[string]*source // by import path; nil for packages that cannot be read
	needed  map[*decl]bool
	called  map[string]int     // how many needed declarations select a method or field
	methods map[string][]*decl // of the packages that are copied, by name
	kinds   map[*decl]bool
	lists   map[*decl]bool // of kinds
	places  map[*source]*Package
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
	c := &copier{
		Options: o, l: l, kept: covers(slices.Concat(Kept, o.Keep)), sources: map[string]*source{},
		needed: map[*decl]bool{}, called: map[string]int{}, methods: map[string][]*decl{},
		kinds: map[*decl]bool{}, lists: map[*decl]bool{}, places: map[*source]*Package{}, roots: map[string]bool{},
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
	wanted := map[string]bool{}
	var known []string
	packages, mistakes := c.l.Find(c.Patterns)
	c.diags = append(c.diags, mistakes...)
	for _, found := range packages {
		src := c.read(found, leaveOut)
		c.sources[found.Path] = src
		place := c.placeOf(src)
		if len(c.Versions) > 0 && !slices.Contains(c.Versions, place.Version) {
			continue
		}
		lists := src.lists()
		for _, kind := range c.reader.Kinds(src.Package) {
			known = append(known, kind.Name)
			full := kind.Name + "." + place.Group
			if i := slices.IndexFunc(c.Kinds, func(name string) bool { return name == kind.Name || name == full }); i >= 0 {
				wanted[c.Kinds[i]] = true
			} else if len(c.Kinds) > 0 {
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
			if place.Group != "" && !model.IsSubdomain(place.Group) {
				c.diags.Errorf(c.l.PackagePos(src.Package), "the group of %s is not a valid name: %q", kind.Name, place.Group).Suggest("%s", leaveOut)
				break
			}
			if place.Version == "" {
				c.diags.Errorf(
					c.l.PackagePos(src.Package), "the group of %s is unknown: the package has no +groupName and no SchemeGroupVersion", kind.Name,
				).Suggest("name a package whose kinds are registered")
				break
			}
			c.kinds[d], c.roots[src.Path] = true, true
			roots = append(roots, d)
			if list != nil {
				c.lists[list] = true
				roots = append(roots, list)
			}
		}
	}
	if c.failed() {
		return nil
	}
	for _, name := range c.Kinds {
		if !wanted[name] && !c.Others {
			c.diags.Errorf(token.Position{}, "%s: no package has kind %s", diag.Setting("kinds"), diag.Value(name)).
				Meant(name, known, "write a kind as in Cluster, or Cluster.cluster.x-k8s.io")
		}
	}
	if len(roots) == 0 && !c.diags.HasErrors() {
		c.diags.Errorf(token.Position{}, "no kinds in %s", strings.Join(c.Patterns, ", ")).About(c.Patterns...).
			Suggest("name the packages of structs with metav1.TypeMeta and metav1.ObjectMeta")
	}
	return roots
}

// lists returns the first type, by name, that has the fields of a list of a kind, by the name of the kind.
func (s *source) lists() map[string]*decl {
	found := map[string]*decl{}
	for _, name := range slices.Sorted(maps.Keys(s.decls)) {
		d := s.decls[name]
		if d.typ() == nil {
			continue
		}
		fields, ok := d.typ().Type.(*ast.StructType)
		if !ok || len(fields.Fields.List) != 3 {
			continue
		}
		for _, f := range fields.Fields.List {
			if items, ok := f.Type.(*ast.ArrayType); ok && len(f.Names) == 1 && f.Names[0].Name == "Items" {
				if elem, ok := items.Elt.(*ast.Ident); ok && found[elem.Name] == nil {
					found[elem.Name] = d
				}
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
				left[d.gen] = d.inSequence()
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

// placeOf returns the package for the copies of a source, without its directory.
func (c *copier) placeOf(src *source) *Package {
	if p := c.places[src]; p != nil {
		return p
	}
	p := &Package{
		Name: src.Name, From: src.Path, Files: map[string][]byte{}, Licences: map[string][]byte{}, origins: &origins{src: src, fset: c.l.Fset},
	}
	found, _ := gotypes.PackageMarkers(c.l.Fset, src.Package, c.Policy) // users cannot correct mistakes in these
	if gv := kinds.GroupVersionOf(c.l, src.Package, found, c.Policy); gv.GroupFrom.Kind != model.FromPath {
		p.Group, p.Version = gv.Group, cmp.Or(gv.Version, path.Base(src.Path))
	}
	c.places[src] = p
	return p
}

// used returns the packages of the copied declarations, ordered by path.
func (c *copier) used() []*source {
	used := map[*source]bool{}
	for d := range c.needed {
		used[d.in] = true
	}
	return slices.SortedFunc(maps.Keys(used), func(a, b *source) int { return strings.Compare(a.Path, b.Path) })
}

// place chooses the directories of the packages. A package with a group is in GROUP/VERSION, any other one beside the
// first group, in alphabetical order.
func (c *copier) place() {
	all := c.used()
	hasKinds := map[*source]bool{}
	for d := range c.kinds {
		hasKinds[d.in] = true
	}
	labels := map[string]string{} // the first group with a label
	for _, src := range all {
		if p := c.placeOf(src); hasKinds[src] {
			label := importer.Label(p.Group)
			if first, ok := labels[label]; !ok || p.Group < first {
				labels[label] = p.Group
			}
		}
	}
	taken := map[string]*source{}
	first := ""
	put := func(src *source, dir string) {
		p := c.placeOf(src)
		taken[dir] = src
		p.Dir, p.Path = dir, path.Join(c.Path, dir)
	}
	for _, src := range all {
		p := c.placeOf(src)
		if !hasKinds[src] {
			continue
		}
		dir, ok := c.Dirs[p.Group]
		if label := importer.Label(p.Group); !ok {
			if dir = label; labels[label] != p.Group {
				dir = p.Group
			}
		}
		if !importer.IsDirectory(dir) || !importer.IsDirectory(p.Version) {
			c.diags.Errorf(
				token.Position{}, "group %s would be in the directory %s, which the go command does not accept as a package", p.Group,
				dir+"/"+p.Version,
			).Suggest("choose another one with %s", diag.Setting("group-dirs"))
			continue
		}
		if to := dir + "/" + p.Version; taken[to] == nil {
			put(src, to)
		} else { // another package has kinds of the same version
			put(src, c.beside(src, dir, taken))
		}
		if first == "" || dir < first {
			first = dir
		}
	}
	for _, src := range all {
		if !hasKinds[src] {
			put(src, c.beside(src, first, taken))
		}
	}
	for _, src := range all {
		p := c.placeOf(src)
		p.Remedy = c.keepHint(src.Path)
		c.out = append(c.out, p)
	}
	slices.SortFunc(c.out, func(a, b *Package) int { return cmp.Compare(a.Dir, b.Dir) })
}

// generic lists elements of import paths that tell nothing about a package.
var generic = []string{"api", "apis", "pkg", "internal", "v2", "v3", "v4", "v5", "v6", "v7", "v8"}

// longestDirectory is the greatest length in bytes of the name of a directory that consists of several elements.
const longestDirectory = 200

// beside returns the directory of a package without kinds: the shortest end of its import path that is free, without
// generic elements.
func (c *copier) beside(src *source, group string, taken map[string]*source) string {
	elements := strings.Split(src.Path, "/")
	name := ""
	for i := len(elements) - 1; i >= 0; i-- {
		element := strings.ToLower(elements[i])
		switch {
		case name == "":
			name = element
		case len(element)+len(name) > longestDirectory:
		case !slices.Contains(generic, element):
			name = element + "-" + name
		}
		if dir := group + "/" + name; importer.IsDirectory(name) && taken[dir] == nil && !isVersion(name) && !slices.Contains(generic, name) {
			return dir
		}
	}
	return fmt.Sprintf("%s/%s-%d", group, name, len(taken))
}

// isVersion reports whether a name is a version of an API, which tells nothing about a package by itself.
func isVersion(name string) bool {
	return len(name) > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9' && !strings.Contains(name, "-")
}
