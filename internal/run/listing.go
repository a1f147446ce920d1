// This file lists what a run would generate, as JSON or in tables: the packages, the roles and configurations of
// webhooks, and the kinds with their names, scopes and verbs and the sources of these.

package run

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// Listing is the output of "kubegen list --format json". Later versions may add fields, but do not rename or remove
// any. Lists are never null. Everything is ordered: resources by output, group, version (v2 before v1 before v1beta1)
// and kind, verbs in the order of client methods, packages by path.
type Listing struct {
	Resources []Resource  `json:"resources"`
	Packages  []Generated `json:"packages"` // generated packages
	ClientGo  []Release   `json:"clientGo"` // empty if the generated code does not depend on client-go
	// Manifests has the files of roles and of configurations of webhooks, in the order of outputs and flags.
	Manifests []Manifest `json:"manifests"`
	// Constraints has the constraints in the schemas of CustomResourceDefinitions, only with --long.
	Constraints []Constraint `json:"constraints,omitempty"`
	// Edits has the schemas that edits in kubegen.yaml change, only with --long.
	Edits []Constraint `json:"edits,omitempty"`

	index map[string]int // of Resources
}

// Resource is a kind. From holds the sources of its group, version, kind, resource, scope, verbs and subresources, and
// of helpers if there are any.
type Resource struct {
	Group        string              `json:"group"`   // "" is the core group
	Version      string              `json:"version"` // "" for unversioned types
	Kind         string              `json:"kind"`
	Resource     string              `json:"resource"`
	Singular     string              `json:"singular"`
	ShortNames   []string            `json:"shortNames"`
	Categories   []string            `json:"categories"`
	Scope        string              `json:"scope"`   // Namespaced or Cluster
	Storage      bool                `json:"storage"` // marked as the storage version, or the only version that is listed
	Verbs        []string            `json:"verbs"`   // as +genclient:onlyVerbs spells them
	Subresources []string            `json:"subresources"`
	Indexes      []Index             `json:"indexes"`   // by name; empty if no listers are generated
	Helpers      bool                `json:"helpers"`   // functions around requests
	Package      string              `json:"package"`   // import path of the type
	Generates    []Generated         `json:"generates"` // generated packages with files for the kind
	From         map[string][]Source `json:"from"`

	allVerbs bool // no marker excludes a verb, not even apply
}

// Index is an index of a kind, by the value at a path or by the result of a function.
type Index struct {
	Name string `json:"name"` // name of the lister's method
	Path string `json:"path,omitempty"`
	Func string `json:"func,omitempty"`
	From Source `json:"from"`
}

// Generated is a generated package.
type Generated struct {
	Generator string `json:"generator"` // applyconfiguration, clientset, informer or lister
	Path      string `json:"path"`      // import path
}

// Manifest is a file with objects that markers in comments of files determine.
type Manifest struct {
	Generator string   `json:"generator"` // rbac or webhook
	File      string   `json:"file"`      // relative to the current directory
	Objects   []Object `json:"objects"`
}

// Object is an object in a Manifest.
type Object struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name"`
	From      []Source `json:"from"` // the markers
}

// Constraint is a keyword that restricts values, or an edited schema.
type Constraint struct {
	Definition string `json:"definition"` // crontabs.stable.example.com
	Version    string `json:"version"`
	Pointer    string `json:"pointer"` // JSON Pointer (RFC 6901) from the schema of the version, such as /properties/spec/required/0
	From       Source `json:"from"`    // the marker, the declaration of the field or type, or the edit
}

// Release is a release of client-go for which code is generated.
type Release struct {
	Release   string `json:"release"`             // v0.35
	Workspace string `json:"workspace,omitempty"` // the version with which the workspace builds, if it is of another release
	BySource  bool   `json:"bySource,omitempty"`  // capabilities are read from the source of client-go, not derived from its version
	From      Source `json:"from"`
}

// Source is the source of a fact.
type Source struct {
	Kind     string `json:"kind"`               // default, path, module, declaration, flag, marker or manifest
	Text     string `json:"text,omitempty"`     // the text that determines it
	Position string `json:"position,omitempty"` // file:line:col, relative to the current directory
}

// List returns the kinds and packages that outputs would generate, and manifests. File names are relative to the
// current directory of env.
func List(outputs []*Output, env load.Environment) *Listing {
	listed := &Listing{Resources: []Resource{}, Packages: []Generated{}, Manifests: []Manifest{}, index: map[string]int{}}
	var jobs []Job
	for _, o := range outputs {
		jobs = append(jobs, o.Jobs...)
		listed.Manifests = append(listed.Manifests, o.Objects.FromMarkers(env)...)
	}
	for _, j := range jobs {
		listed.add(j, env.Dir)
	}
	listed.ClientGo = Releases(jobs, env.Dir)
	slices.SortStableFunc(listed.Packages, byPath)
	return listed
}

// Constrain adds the constraints in the CustomResourceDefinitions that a run writes or patches, and the edits of their
// schemas. With feature gates, one in several sets of manifests is listed once. Those of other types than the run reads
// are left out.
func (out *Listing) Constrain(outputs []*Output, cwd string) {
	known := map[Constraint]bool{}
	for _, o := range outputs {
		for _, manifests := range append(slices.Clip(o.Objects.Definitions), o.Objects.Patched) {
			for _, file := range manifests.Files {
				for _, v := range file.Versions {
					schema, _ := v.Schema()
					if schema == nil {
						continue // a patched manifest has this version, without a schema that can be read
					}
					for _, c := range schema.Constraints() {
						from := manifests.Cause(c)
						listed := Constraint{file.Definition.Name(), v.Name.Text, c.Pointer, listSource(from, cwd)}
						if from == (model.Source{}) || known[listed] {
							continue
						}
						known[listed] = true
						if from.Kind == model.FromEdit {
							out.Edits = append(out.Edits, listed)
						} else {
							out.Constraints = append(out.Constraints, listed)
						}
					}
				}
			}
		}
	}
}

// Keep filters the listing to the named kinds and their packages, without manifests. Unknown names are an error.
func (out *Listing) Keep(names []string) error {
	var errs []error
	var kept []Resource
	packages := map[Generated]bool{}
	kinds := map[string]bool{}
	for _, r := range out.Resources {
		for _, name := range append(r.kubectlNames(), r.Kind) {
			kinds[name] = true
		}
	}
	for _, name := range names {
		known := false
		for _, r := range out.Resources {
			if !r.named(name) {
				continue
			}
			known = true
			if !slices.ContainsFunc(kept, func(other Resource) bool { return reflect.DeepEqual(other, r) }) {
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
		if name[0] >= 'a' {
			advice += "; write packages as ./" + name
		}
		kind, rest, _ := strings.Cut(name, ".")
		if nearest, ok := diag.Nearest(kind, slices.Sorted(maps.Keys(kinds))); ok && nearest != kind {
			advice = "did you mean " + strings.TrimSuffix(nearest+"."+rest, ".") + "?"
		} else if ok && rest != "" {
			advice = "known are " + strings.Join(out.qualified(kind), ", ")
		}
		errs = append(errs, fmt.Errorf("no kind %s in these packages (%s)", name, advice))
	}
	other := func(c Constraint) bool {
		plural, group, _ := strings.Cut(c.Definition, ".")
		return !slices.ContainsFunc(kept, func(r Resource) bool { return r.Resource == plural && r.Group == group && r.Version == c.Version })
	}
	out.Constraints, out.Edits = slices.DeleteFunc(out.Constraints, other), slices.DeleteFunc(out.Edits, other)
	out.Resources, out.Manifests = kept, []Manifest{}
	out.Packages = slices.DeleteFunc(out.Packages, func(pkg Generated) bool { return !packages[pkg] })
	return errors.Join(errs...)
}

// qualified returns the kinds of a name with their versions and groups.
func (out *Listing) qualified(name string) (all []string) {
	for _, r := range out.Resources {
		if r.named(name) {
			all = append(all, strings.TrimSuffix(strings.Join([]string{name, r.Version, r.Group}, "."), "."))
		}
	}
	return all
}

// kubectlNames returns the names of the kind in kubectl: resource, singular and short names.
func (r Resource) kubectlNames() []string {
	return append([]string{r.Resource, r.Singular, strings.ToLower(r.Kind)}, r.ShortNames...)
}

// named reports whether a name denotes the kind: KIND, KIND.VERSION, KIND.GROUP or KIND.VERSION.GROUP, where KIND may
// be a name in kubectl.
func (r Resource) named(name string) bool {
	kind, rest, qualified := strings.Cut(name, ".")
	if kind != r.Kind && !slices.Contains(r.kubectlNames(), kind) {
		return false
	}
	return !qualified || slices.Contains([]string{r.Version, r.Group, r.Version + "." + r.Group}, rest)
}

// add adds the kinds and packages of a job.
func (out *Listing) add(job Job, cwd string) {
	generates := map[*model.Resource][]Generated{}
	applies := false
	for _, t := range job.Targets {
		applies = applies || t.Options.Roots[templates.ApplyConfigurations].Path != ""
		selected := job.API
		if t.Only != nil {
			selected = job.API.Select(t.Only)
		}
		for _, pkg := range render.Packages(t.Generator, selected, &t.Options) {
			listed := Generated{Generator: t.Info().Name, Path: pkg.Path}
			out.Packages = append(out.Packages, listed)
			for _, r := range pkg.Resources {
				generates[r] = append(generates[r], listed)
			}
		}
	}
	for _, g := range job.API.Groups {
		versions := map[string]int{} // by kind
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				versions[r.Kind]++
			}
		}
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				listed := listResource(r, job.Release.Client, applies && !r.Package.Off(model.ApplySwitch), cwd)
				listed.Storage = listed.Storage || versions[r.Kind] == 1
				listed.Generates = append(listed.Generates, generates[r]...)
				out.addResource(listed)
			}
		}
	}
}

// Releases returns the releases of client-go that jobs generate for, each with the first source that determines it.
func Releases(jobs []Job, cwd string) []Release {
	found := []Release{}
	for _, j := range jobs {
		listed := Release{
			Release: j.Release.Release.String(), Workspace: j.Release.Workspace, BySource: j.Release.Shown != nil,
			From: listSource(j.Release.From, cwd),
		}
		if j.Release.Release != 0 && len(j.API.Groups) > 0 && !slices.Contains(found, listed) {
			found = append(found, listed)
		}
	}
	return found
}

// String returns the release and its source on one line.
func (r Release) String() string {
	text := "client-go " + r.Release + ", from " + r.From.String()
	if r.BySource {
		text = "client-go " + r.Release + " by its source, from " + r.From.String()
	}
	if r.From.Kind == "default" {
		text = "client-go " + r.Release + ", the newest known release, because no go.mod file requires a module of Kubernetes"
	}
	if r.Workspace != "" {
		text += "; the workspace builds with " + r.Workspace
	}
	return text
}

// addResource adds a kind. If another output has the same kind, it only adds the generated packages and indexes.
func (out *Listing) addResource(listed Resource) {
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
		if len(same.Indexes) == 0 { // an output without listers has no indexes
			same.Indexes = listed.Indexes
		}
	}
	slices.SortFunc(out.Resources[i].Generates, byPath)
}

func byPath(a, b Generated) int { return strings.Compare(a.Path, b.Path) }

func listResource(r *model.Resource, client model.Client, applies bool, cwd string) Resource {
	listed := Resource{
		Group: r.Version.Group.Name, Version: r.Version.Name, Kind: r.Kind, Resource: r.Name, Singular: r.Singular,
		ShortNames: append([]string{}, r.ShortNames...), Categories: append([]string{}, r.Categories...),
		Scope: scope(r), Storage: r.Marked("kubebuilder:storageversion"), Verbs: []string{}, Subresources: []string{}, Package: r.Package.Path,
		Indexes: []Index{}, Helpers: r.Helpers(),
		Generates: []Generated{}, From: map[string][]Source{}, allVerbs: len(r.VerbsFrom) == 0 && !r.Package.Off(model.ApplySwitch),
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
		if !r.NoVerbs && client.Knows(verb) && (applies || verb != model.VerbApply && verb != model.VerbApplyStatus) {
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
		listed.Indexes = append(listed.Indexes, Index{Name: index.Name, Path: path, Func: index.Func, From: listSource(source, cwd)})
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

func listSource(s model.Source, cwd string) Source {
	position := ""
	if s.Pos.IsValid() {
		position = diag.Place(cwd, s.Pos)
	}
	return Source{Kind: s.Kind.String(), Text: s.Text, Position: position}
}

func scope(r *model.Resource) string {
	if r.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}
