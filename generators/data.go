package generators

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/model"
)

// Data is what a template is given: the part of the API that its file is for, and everything that has to be decided
// about it. Methods that answer for a group, version or kind may be called only where there is one: in a file of that
// scope, and on what Groups, Versions and Resources return.
type Data struct {
	generator *Generator
	opts      *Options
	output    *Output
	path      string // of the file, below the generator's root
	file      *gofile.File

	handWritten func() map[string]bool // what the hand-written files beside it declare
	goNames     map[string]string      // of packages whose import path does not tell

	schema   string // of all structs, in YAML
	api      *model.API
	group    *model.Group
	version  *model.Version
	resource *model.Resource
	of       *model.StructType
	made     *members // of its apply configuration, once they are asked for
}

// Groups returns the groups of the API.
func (d *Data) Groups() []*Data {
	var list []*Data
	for _, g := range d.api.Groups {
		at := *d
		at.group = g
		list = append(list, &at)
	}
	return list
}

// Versions returns the versions of the group, or of all groups where there is no group.
func (d *Data) Versions() []*Data {
	var list []*Data
	if d.group == nil {
		for _, g := range d.Groups() {
			list = append(list, g.Versions()...)
		}
		return list
	}
	for _, v := range d.group.Versions {
		at := *d
		at.version = v
		list = append(list, &at)
	}
	return list
}

// Resources returns the kinds of the version that the generator has something for; of all versions where there is no
// version.
func (d *Data) Resources() []*Data {
	var list []*Data
	if d.version == nil {
		for _, v := range d.Versions() {
			list = append(list, v.Resources()...)
		}
		return list
	}
	for _, r := range d.generator.Resources(d.version) {
		at := *d
		at.resource = r
		list = append(list, &at)
	}
	return list
}

// Structs returns the structs of the version that the generator has files for; of all versions where there is no version.
func (d *Data) Structs() []*Data {
	var list []*Data
	if d.generator.Structs == nil {
		return nil
	}
	if d.version == nil {
		for _, v := range d.Versions() {
			list = append(list, v.Structs()...)
		}
		return list
	}
	for _, s := range d.generator.Structs(d.version) {
		at := *d
		at.of, at.resource = s, s.Resource
		list = append(list, &at)
	}
	return list
}

// GroupName returns "stable.example.com".
func (d *Data) GroupName() string { return d.group.Name }

// GroupGoName returns "Stable"; no other group of the API has that name.
func (d *Data) GroupGoName() string { return d.api.GoName(d.group) }

// Describe returns "stable.example.com/v1", for comments.
func (d *Data) Describe() string {
	return cmp.Or(d.group.Name, "core") + "/" + cmp.Or(d.version.Name, "(unversioned)")
}

// Internal reports whether the version is the unversioned form of the group.
func (d *Data) Internal() bool { return d.version.Internal() }

// GoVersion returns "StableV1".
func (d *Data) GoVersion() string { return d.group.GoName + d.version.GoName() }

// Field returns "stableV1", the name of the version's field in the clientset.
func (d *Data) Field() string { return model.Unexported(d.GoVersion()) }

// MethodName returns "V1", the name of the version's method in the informers of the group.
func (d *Data) MethodName() string { return cmp.Or(d.version.GoName(), "InternalVersion") }

// GroupVersion returns an expression for the schema.GroupVersion of the kind, or of the version: the variable of the
// API's package if it has one, since that is what its types are registered with.
func (d *Data) GroupVersion() string {
	var pkg *model.Package
	switch {
	case d.of != nil:
		pkg = d.of.Package
	case d.resource != nil:
		pkg = d.resource.Package
	default:
		pkg = d.version.Packages[0]
	}
	if pkg.GroupVersionVar != "" {
		return d.ref(pkg.Path, pkg.GroupVersionVar)
	}
	gv := d.version.GroupVersion()
	return fmt.Sprintf("schema.GroupVersion{Group: %q, Version: %q}", gv.Group, gv.Version)
}

// APIPath returns the path of the group on the API server, less its name: "/apis", or "/api" for the core group.
func (d *Data) APIPath() string {
	if d.group.Name == "" {
		return "/api"
	}
	return d.opts.APIPath
}

// Kind returns "CronTab".
func (d *Data) Kind() string { return d.resource.Kind }

// Singular returns "crontab".
func (d *Data) Singular() string { return strings.ToLower(d.resource.Kind) }

// Unexported returns "cronTab".
func (d *Data) Unexported() string { return strings.TrimSuffix(model.Unexported(d.resource.Kind), "_") }

// Plural returns "CronTabs".
func (d *Data) Plural() string { return d.resource.Plural }

// ResourceName returns "crontabs".
func (d *Data) ResourceName() string { return d.resource.Name }

// Struct returns "cronTabs", the name of the client's struct.
func (d *Data) Struct() string { return model.Unexported(d.resource.Plural) }

// Param returns "cronTab", for a parameter, which the file gets under another name where that one would be in the way.
func (d *Data) Param() string { return param(d.resource.Kind) }

// Namespaced reports whether objects of the kind live in namespaces.
func (d *Data) Namespaced() bool { return d.resource.Namespaced }

// NamespaceParam returns the parameter list of the method that returns the kind's client.
func (d *Data) NamespaceParam() string { return d.ifNamespaced("namespace string") }

// AndNamespace returns the namespace parameter after another parameter.
func (d *Data) AndNamespace() string { return d.ifNamespaced(", namespace string") }

// NamespaceArg returns the namespace argument after another argument.
func (d *Data) NamespaceArg() string { return d.ifNamespaced(", namespace") }

func (d *Data) ifNamespaced(text string) string {
	if d.resource.Namespaced {
		return text
	}
	return ""
}

// Type returns the kind's Go type.
func (d *Data) Type() string { return d.typeRef(d.resource.Type()) }

// ListType returns the Go type of lists of the kind.
func (d *Data) ListType() string { return d.typeRef(d.resource.ListType()) }

// PointerItems reports whether lists of the kind hold pointers.
func (d *Data) PointerItems() bool { return d.resource.List.Pointers }

// Verbs returns what the kind's client can do, in order.
func (d *Data) Verbs() []string {
	if d.resource.NoVerbs {
		return nil
	}
	var list []string
	for _, verb := range d.resource.Verbs.List() {
		if d.Applies() || verb != model.VerbApply && verb != model.VerbApplyStatus {
			list = append(list, string(verb))
		}
	}
	return list
}

func (d *Data) has(verb model.Verb) bool { return slices.Contains(d.Verbs(), string(verb)) }

// Lists reports whether the kind's client can list.
func (d *Data) Lists() bool { return d.has(model.VerbList) }

// DeletesUnlisted reports whether the kind's client deletes collections but cannot list, for which client-go has no
// client to embed.
func (d *Data) DeletesUnlisted() bool { return d.has(model.VerbDeleteCollection) && !d.Lists() }

// ClientType returns the type of client-go's gentype that the kind's client embeds, type arguments included.
func (d *Data) ClientType() string {
	name, args := "Client", []string{"*" + d.Type()}
	if d.Lists() {
		name, args = name+"WithList", append(args, "*"+d.ListType())
	}
	if d.has(model.VerbApply) || d.has(model.VerbApplyStatus) {
		with := "WithApply"
		if d.Lists() {
			with = "AndApply"
		}
		name, args = name+with, append(args, "*"+d.ApplyType())
	}
	return name + "[" + strings.Join(args, ", ") + "]"
}

// Applies reports whether there are apply configurations, and for the kind if there is one.
func (d *Data) Applies() bool {
	return d.opts.ApplyConfigurations != "" && (d.resource == nil || !d.resource.Package.NoApplyConfigurations)
}

// ApplyType returns the kind's apply configuration.
func (d *Data) ApplyType() string { return d.applyType(d.resource.Type()) }

// NewTypeConverter returns the function of the apply configurations that knows how they merge.
func (d *Data) NewTypeConverter() string {
	return d.ref(d.opts.ApplyConfigurations, "NewTypeConverter")
}

// PrefersProtobuf reports whether clients ask for protobuf by default.
func (d *Data) PrefersProtobuf() bool { return d.opts.PrefersProtobuf }

// Fake reports whether there is a fake clientset.
func (d *Data) Fake() bool { return d.opts.Fake }

// Typed reports whether there are clients for groups, not just the clientset.
func (d *Data) Typed() bool { return !d.opts.ClientsetOnly }

// TypedFake reports whether there are fake clients for groups.
func (d *Data) TypedFake() bool { return d.Fake() && d.Typed() }

// Irregular returns the kinds whose resource cannot be guessed from their name as client-go's object tracker does.
func (d *Data) Irregular() []*Data {
	return slices.DeleteFunc(d.Resources(), func(at *Data) bool {
		guess, _ := meta.UnsafeGuessKindToResource(at.resource.GroupVersionKind())
		return guess.Resource == at.resource.Name
	})
}

// AddToSchemes returns the functions that register the types of all packages.
func (d *Data) AddToSchemes() []string {
	var list []string
	for _, v := range d.Versions() {
		for _, pkg := range v.version.Packages {
			if !pkg.NoClients {
				list = append(list, d.ref(pkg.Path, "AddToScheme"))
			}
		}
	}
	return list
}

// MethodSchemes returns the functions that register the types that methods beyond the usual verbs send and return, as far
// as AddToSchemes do not.
func (d *Data) MethodSchemes() []string {
	var paths []string
	for _, r := range d.Resources() {
		for _, m := range r.resource.Methods {
			paths = append(paths, m.Schemes...)
		}
	}
	slices.Sort(paths)
	registered := d.AddToSchemes()
	var list []string
	for _, importPath := range slices.Compact(paths) {
		if add := d.ref(importPath, "AddToScheme"); !slices.Contains(registered, add) {
			list = append(list, add)
		}
	}
	return list
}

// Installs returns the functions that register the types of all groups, where the clientset is for unversioned types:
// those of a package "install" beside them.
func (d *Data) Installs() []string {
	var list []string
	internal := false
	for _, v := range d.Versions() {
		internal = internal || v.Internal()
		dir := v.version.Packages[0].Path
		if !v.Internal() {
			dir = path.Dir(dir)
		}
		if install := d.ref(dir+"/install", "Install"); !slices.Contains(list, install) {
			list = append(list, install)
		}
	}
	if !internal {
		return nil
	}
	return list
}

// HandWritten reports whether a hand-written file beside this one declares a name.
func (d *Data) HandWritten(name string) bool { return d.handWritten()[name] }

// AddsMethods reports whether the kind's client has methods that those of gentype lack, and therefore needs the struct of
// its own that they are methods of: generated ones, hand-written ones of its expansion interface, or those of templates of
// the user's, which may have some for any kind.
func (d *Data) AddsMethods(structName string) bool {
	if len(d.Methods()) > 0 || d.DeletesUnlisted() || d.opts.Overlay != nil {
		return true
	}
	for name := range d.handWritten() {
		if strings.HasPrefix(name, structName+".") {
			return true
		}
	}
	return false
}

// ExpansionFile returns "crontab_expansion.go".
func (d *Data) ExpansionFile() string { return d.Singular() + "_expansion.go" }

// ClientInterface returns the interface of the version's clients.
func (d *Data) ClientInterface() string { return d.ClientFunc(d.GoVersion() + "Interface") }

// Client returns the type of the version's client.
func (d *Data) Client() string { return d.ClientFunc(d.GoVersion() + "Client") }

// ClientFunc returns a name of the package of the version's clients.
func (d *Data) ClientFunc(name string) string { return d.ref(d.clientPackage(), name) }

// KindInterface returns the interface of the kind's client.
func (d *Data) KindInterface() string { return d.ClientFunc(d.Kind() + "Interface") }

// FakeClient returns the type of the version's fake client.
func (d *Data) FakeClient() string {
	return d.ref(path.Join(d.clientPackage(), "fake"), "Fake"+d.GoVersion())
}

func (d *Data) clientPackage() string {
	return path.Join(d.opts.Clientset, "typed", strings.ToLower(d.group.Dir), d.version.Dir())
}

// ClientsetInterface returns the interface of the clientset.
func (d *Data) ClientsetInterface() string { return d.ref(d.opts.Clientset, "Interface") }

// Scheme returns a name of the clientset's scheme package.
func (d *Data) Scheme(name string) string { return d.ref(path.Join(d.opts.Clientset, "scheme"), name) }

// Shared returns a name of the package that informers and their factory share.
func (d *Data) Shared(name string) string {
	return d.ref(path.Join(d.opts.Package, "internalinterfaces"), name)
}

// InformersRef returns a name of the package of the version's informers, or of the group's.
func (d *Data) InformersRef(name string) string {
	dir := d.group.Dir
	if d.version != nil {
		dir = path.Join(dir, d.version.Dir())
	}
	return d.ref(path.Join(d.opts.Package, dir), name)
}

// ListerRef returns a name, given in parts, of the package of the version's listers.
func (d *Data) ListerRef(parts ...string) string {
	return d.ref(path.Join(d.opts.Listers, strings.ToLower(d.group.Dir), d.version.Dir()), strings.Join(parts, ""))
}

// Example returns how a factory is asked for its first informer: "Stable().V1().CronTabs".
func (d *Data) Example() string {
	first := d.Resources()[0]
	return first.GroupGoName() + "()." + first.MethodName() + "()." + first.Plural()
}

// ExampleVar returns "cronTabs", for the same.
func (d *Data) ExampleVar() string { return d.Resources()[0].Struct() }

func (d *Data) ref(importPath, name string) string {
	return d.file.Ref(gofile.Ident{Path: importPath, Name: name})
}

func (d *Data) typeRef(t model.TypeRef) string { return d.ref(t.Path, t.Name) }

// expand replaces the names in braces of paths and package comments.
func (d *Data) expand(pattern string) string {
	if !strings.Contains(pattern, "{") {
		return pattern
	}
	pairs := []string{}
	if d.group != nil {
		pairs = append(pairs, "{group}", strings.ToLower(d.group.Dir), "{Group}", d.group.Dir)
	}
	if d.version != nil {
		pairs = append(pairs, "{version}", d.version.Dir(), "{gv}", d.Describe(), "{package}", model.PackageName(d.version.Dir()))
	}
	switch {
	case d.of != nil:
		pairs = append(pairs, "{kind}", strings.ToLower(d.of.BuilderName()))
	case d.resource != nil:
		pairs = append(pairs, "{kind}", d.Singular())
	}
	return strings.NewReplacer(pairs...).Replace(pattern)
}

// packagePath returns the import path of the file's package.
func (d *Data) packagePath() string { return path.Join(d.opts.Package, path.Dir(d.path)) }

// packageName returns the Go name of the file's package.
func (d *Data) packageName() string { return model.PackageName(path.Base(d.packagePath())) }

// goNames returns the Go names of packages whose import path does not tell.
func goNames(api *model.API) map[string]string {
	names := map[string]string{}
	for _, g := range api.Groups {
		for _, v := range g.Versions {
			for _, pkg := range v.Packages {
				names[pkg.Path] = pkg.Name
			}
		}
	}
	for _, s := range api.Structs {
		if s.Package != nil {
			names[s.Path] = s.Package.Name
		}
	}
	return names
}

// header returns what comes first in the file: the configured text, the marker of generated files, and what the file
// was generated from.
func (d *Data) header() string {
	var b strings.Builder
	if text := strings.TrimRight(d.opts.Header, "\n"); text != "" {
		b.WriteString(text + "\n\n")
	}
	b.WriteString(d.generator.Marker() + "\n")
	if sources := d.sources(); len(sources) > 0 {
		b.WriteString(SourceComment + strings.Join(sources, ", ") + "\n")
	}
	return b.String() + "\n"
}

// sources returns the packages that the file is generated from, unless that is all of them.
func (d *Data) sources() []string {
	versions := []*model.Version{d.version}
	switch {
	case d.of != nil:
		return []string{d.of.Package.Path}
	case d.resource != nil:
		return []string{d.resource.Package.Path}
	case d.group == nil:
		return nil
	case d.version == nil:
		versions = d.group.Versions
	}
	var list []string
	for _, v := range versions {
		for _, pkg := range v.Packages {
			list = append(list, pkg.Path)
		}
	}
	slices.Sort(list)
	return list
}

// parse parses all templates of a file system, each by its path.
func parse(fsys fs.FS) (*template.Template, error) {
	set := template.New("")
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err == nil {
			_, err = set.New(name).Parse(string(text))
		}
		return err
	})
	return set, err
}

// param returns the name for a parameter that holds a kind, or with a suffix something of it.
func param(kind string, suffix ...string) string {
	name := strings.TrimSuffix(model.Unexported(kind), "_")
	return gofile.Local(name + strings.Join(suffix, ""))
}
