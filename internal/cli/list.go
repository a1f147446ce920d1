package cli

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/templates"
)

// listing is what "kubegen list --format json" prints. Later versions may add fields, but do not rename or remove any.
// Lists are never null. Everything is ordered: resources by output, group, version (v2 before v1 before v1beta1) and kind,
// verbs as clients list them, packages by path.
type listing struct {
	Resources []listedResource `json:"resources"`
	Packages  []listedPackage  `json:"packages"` // generated packages
	ClientGo  []listedRelease  `json:"clientGo"` // none if the generated code does not depend on it

	index map[string]int // of Resources
}

// listedResource is a kind. From has the sources of group, version, kind, resource, scope, verbs and subresources, and of helpers if
// there are any.
type listedResource struct {
	Group        string                    `json:"group"`   // "" is the core group
	Version      string                    `json:"version"` // "" for unversioned types
	Kind         string                    `json:"kind"`
	Resource     string                    `json:"resource"`
	Singular     string                    `json:"singular"`
	ShortNames   []string                  `json:"shortNames"`
	Categories   []string                  `json:"categories"`
	Scope        string                    `json:"scope"` // Namespaced or Cluster
	Storage      bool                      `json:"storage"`
	Verbs        []string                  `json:"verbs"` // as +genclient:onlyVerbs spells them
	Subresources []string                  `json:"subresources"`
	Indexes      []listedIndex             `json:"indexes"`   // by name; none if the listers are not generated
	Helpers      bool                      `json:"helpers"`   // functions around requests
	Package      string                    `json:"package"`   // import path of the type
	Generates    []listedPackage           `json:"generates"` // generated packages with files for the kind
	From         map[string][]listedSource `json:"from"`

	allVerbs bool // no marker excludes any, not even apply
}

// listedIndex is an index of a kind, by the value at a path or those that a function returns.
type listedIndex struct {
	Name string       `json:"name"` // of the lister's method
	Path string       `json:"path,omitempty"`
	Func string       `json:"func,omitempty"`
	From listedSource `json:"from"`
}

// listedPackage is a generated package.
type listedPackage struct {
	Generator string `json:"generator"` // applyconfiguration, clientset, informer or lister
	Path      string `json:"path"`      // import path
}

// listedRelease is a release of client-go that some of the code is generated for.
type listedRelease struct {
	Release   string       `json:"release"`             // v0.35
	Workspace string       `json:"workspace,omitempty"` // the version that the workspace builds with, if it is of another release
	From      listedSource `json:"from"`
}

// listedSource is the source of a fact.
type listedSource struct {
	Kind     string `json:"kind"`               // default, path, module, declaration, flag or marker
	Text     string `json:"text,omitempty"`     // the text that determines it
	Position string `json:"position,omitempty"` // file:line:col, relative to the current directory
}

// list returns the command "kubegen list".
func list(kubegen Tool) Tool {
	kubegen.sub = "list"
	kubegen.short = "List the kinds that kubegen would generate code for. Of one kind or all, print also what determines their names, scopes and verbs."
	kubegen.usage = `kubegen list [flags] [packages] [kinds]

Flags and packages are those of kubegen. A kind is written as in Go, also with
its version and group: CronTab, CronTab.v1 or CronTab.v1.stable.example.com.`
	kubegen.examples = `  kubegen list ./apis/...
  kubegen list CronTab                   # everything about a kind
  kubegen list --format json ./apis/...  # for programs
`
	kubegen.also = func(o *options, fs *pflag.FlagSet) {
		fs.BoolVar(&o.long, "long", false, "list everything about all kinds, and the generated packages")
		fs.StringVar(&o.listing, "format", "table", "`format` of the list: table or json")
		allow(fs.Lookup("format"), "table", "json")
	}
	return kubegen
}

// kindsAmong separates the kinds among arguments from the packages: words without a slash that begin with an upper-case letter.
func kindsAmong(args []string) (kinds, patterns []string) {
	for _, arg := range args {
		if arg != "" && 'A' <= arg[0] && arg[0] <= 'Z' && !strings.Contains(arg, "/") {
			kinds = append(kinds, arg)
		} else {
			patterns = append(patterns, arg)
		}
	}
	return kinds, patterns
}

// list prints the kinds and packages that a run would generate.
func (r *run) list(jobs []job) int {
	listed := listing{Resources: []listedResource{}, Packages: []listedPackage{}, ClientGo: releasesOf(jobs, r.env.Dir), index: map[string]int{}}
	for _, j := range jobs {
		listed.add(j.targets, j.api, r.env.Dir)
	}
	slices.SortStableFunc(listed.Packages, byPath)
	if len(r.kinds) > 0 {
		if err := listed.keep(r.kinds); err != nil {
			return r.fail(err)
		}
	}
	var err error
	switch {
	case r.listing == "json":
		err = listed.printJSON(r.stdout)
	case len(r.kinds) > 0:
		err = listed.printKinds(r.stdout)
	case r.long:
		err = listed.printTables(r.stdout)
	default:
		err = listed.printSummary(r.stdout)
	}
	return r.printed(exitDone, err)
}

// keep removes all kinds and packages but the kinds of these names and the packages that are generated for them. A name that is
// none is an error.
func (out *listing) keep(names []string) error {
	var errs []error
	var kept []listedResource
	packages := map[listedPackage]bool{}
	kinds := map[string]bool{}
	for _, r := range out.Resources {
		kinds[r.Kind] = true
	}
	for _, name := range names {
		known := false
		for _, r := range out.Resources {
			if !r.named(name) {
				continue
			}
			known = true
			if !slices.ContainsFunc(kept, func(other listedResource) bool { return reflect.DeepEqual(other, r) }) {
				kept = append(kept, r)
			}
			for _, pkg := range r.Generates {
				packages[pkg] = true
			}
		}
		if known {
			continue
		}
		advice := "kubegen list lists all kinds"
		kind, rest, _ := strings.Cut(name, ".")
		if nearest, ok := markers.Nearest(kind, slices.Sorted(maps.Keys(kinds))); ok && nearest != kind {
			advice = "did you mean " + strings.TrimSuffix(nearest+"."+rest, ".") + "?"
		}
		errs = append(errs, fmt.Errorf("no kind %s in these packages (%s)", name, advice))
	}
	out.Resources = kept
	out.Packages = slices.DeleteFunc(out.Packages, func(pkg listedPackage) bool { return !packages[pkg] })
	return errors.Join(errs...)
}

// named reports whether a name is that of the kind: KIND, KIND.VERSION, KIND.GROUP or KIND.VERSION.GROUP.
func (r listedResource) named(name string) bool {
	kind, rest, qualified := strings.Cut(name, ".")
	return kind == r.Kind && (!qualified || slices.Contains([]string{r.Version, r.Group, r.Version + "." + r.Group}, rest))
}

// add adds the kinds and packages of one API.
func (out *listing) add(targets []target, api *model.API, cwd string) {
	generates := map[*model.Resource][]listedPackage{}
	applies := false
	for _, t := range targets {
		applies = applies || t.Options.Roots[templates.ApplyConfigurations].Path != ""
		selected := api
		if t.Only != nil {
			selected = api.Select(t.Only)
		}
		for _, pkg := range t.Packages(selected, &t.Options) {
			listed := listedPackage{Generator: t.Name, Path: pkg.Path}
			out.Packages = append(out.Packages, listed)
			for _, r := range pkg.Resources {
				generates[r] = append(generates[r], listed)
			}
		}
	}
	for _, g := range api.Groups {
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				listed := listResource(r, applies && !r.Package.Off(model.ApplySwitch), cwd)
				listed.Generates = append(listed.Generates, generates[r]...)
				out.addResource(listed)
			}
		}
	}
}

// releasesOf returns the releases of client-go that jobs are for, each with the first source that determines it.
func releasesOf(jobs []job, cwd string) []listedRelease {
	found := []listedRelease{}
	for _, j := range jobs {
		listed := listedRelease{Release: j.release.Release.String(), Workspace: j.release.Workspace, From: listSource(j.release.From, cwd)}
		if j.release.Release != 0 && len(j.api.Groups) > 0 && !slices.Contains(found, listed) {
			found = append(found, listed)
		}
	}
	return found
}

// String returns the release and its source for a line of its own.
func (r listedRelease) String() string {
	text := "client-go " + r.Release + ", from " + r.From.String()
	if r.From.Kind == "default" {
		text = "client-go " + r.Release + ", the newest known release, because no go.mod file requires a module of Kubernetes"
	}
	if r.Workspace != "" {
		text += "; the workspace builds with " + r.Workspace
	}
	return text
}

// addResource adds a kind, or what is generated for it to the same kind of another output.
func (out *listing) addResource(listed listedResource) {
	key := strings.Join([]string{listed.Package, listed.Kind, listed.Version, listed.Group}, " ")
	i, known := out.index[key]
	if known {
		same := out.Resources[i]
		same.Generates, same.Indexes = listed.Generates, listed.Indexes
		known = reflect.DeepEqual(same, listed)
	}
	if !known {
		i = len(out.Resources)
		out.index[key] = i
		out.Resources = append(out.Resources, listed)
	} else {
		same := &out.Resources[i]
		same.Generates = append(same.Generates, listed.Generates...)
		if len(same.Indexes) == 0 { // an output without listers has none
			same.Indexes = listed.Indexes
		}
	}
	slices.SortFunc(out.Resources[i].Generates, byPath)
}

func byPath(a, b listedPackage) int { return strings.Compare(a.Path, b.Path) }

func listResource(r *model.Resource, applies bool, cwd string) listedResource {
	listed := listedResource{
		Group: r.Version.Group.Name, Version: r.Version.Name, Kind: r.Kind, Resource: r.Name, Singular: r.Singular,
		ShortNames: append([]string{}, r.ShortNames...), Categories: append([]string{}, r.Categories...),
		Scope: scope(r), Storage: r.Storage, Verbs: []string{}, Subresources: []string{}, Package: r.Package.Path,
		Indexes: []listedIndex{}, Helpers: r.Helpers(),
		Generates: []listedPackage{}, From: map[string][]listedSource{}, allVerbs: len(r.VerbsFrom) == 0 && !r.Package.Off(model.ApplySwitch),
	}
	from := func(fact string, sources ...model.Source) {
		for _, s := range sources {
			source := listSource(s, cwd)
			if !slices.Contains(listed.From[fact], source) {
				listed.From[fact] = append(listed.From[fact], source)
			}
		}
	}
	for _, verb := range r.Verbs.List() {
		if !r.NoVerbs && (applies || verb != model.VerbApply && verb != model.VerbApplyStatus) {
			listed.Verbs = append(listed.Verbs, string(verb))
		}
	}
	from("group", r.Package.GroupFrom)
	from("version", r.Package.VersionFrom)
	from("kind", model.Source{Kind: model.FromDeclaration, Text: r.Kind, Pos: r.Pos})
	from("resource", r.NameFrom)
	from("scope", r.ScopeFrom)
	from("verbs", r.VerbsFrom...)
	if r.HasStatus {
		listed.Subresources = append(listed.Subresources, "status")
	}
	if r.StatusFrom != (model.Source{}) {
		from("subresources", r.StatusFrom)
	}
	for _, m := range r.Methods {
		if m.Subresource != "" {
			listed.Subresources = append(listed.Subresources, m.Subresource)
			from("subresources", m.From)
		}
	}
	slices.Sort(listed.Subresources)
	listed.Subresources = slices.Compact(listed.Subresources)
	for _, index := range r.Indexes {
		path := ""
		if index.Path != "" {
			path = "." + index.Path
		}
		source := model.Source{Kind: model.FromMarker, Text: "+" + markers.IndexMarker, Pos: index.Pos}
		listed.Indexes = append(listed.Indexes, listedIndex{Name: index.Name, Path: path, Func: index.Func, From: listSource(source, cwd)})
	}
	if listed.Helpers {
		from("helpers", r.HelpersFrom)
	}
	for _, fact := range []string{"verbs", "subresources"} {
		if listed.From[fact] == nil {
			from(fact, model.Source{})
		}
	}
	return listed
}

func listSource(s model.Source, cwd string) listedSource {
	position := ""
	if s.Pos.IsValid() {
		position = diag.Place(cwd, s.Pos)
	}
	return listedSource{Kind: s.Kind.String(), Text: s.Text, Position: position}
}

func scope(r *model.Resource) string {
	if r.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}
