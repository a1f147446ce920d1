package project

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
)

// Kind is a kind of a new API.
type Kind struct {
	Name, Version string
	Group         string // "" for the group of the module
}

var (
	kindName    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	versionName = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)
	groupName   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
	groupMarker = regexp.MustCompile(`(?m)^// ?\+groupName=(\S+)\r?$`)
)

// ParseKind parses Kind, Kind.version or Kind.version.group. The default version is v1.
func ParseKind(text string) (Kind, error) {
	name, rest, _ := strings.Cut(text, ".")
	version, group, _ := strings.Cut(rest, ".")
	k := Kind{name, version, group}
	if rest == "" {
		k.Version = "v1"
	}
	switch {
	case !kindName.MatchString(name) || strings.HasSuffix(name, "List"):
		return k, fmt.Errorf("%q is not the name of a kind: write it as in Go, in upper camel case and not ending in List, such as CronTab", name)
	case !versionName.MatchString(k.Version):
		return k, fmt.Errorf(
			"%q is not an API version: write one such as v1, v1beta1 or v2alpha1 after the kind, as in CronTab.v1beta1", k.Version,
		)
	case group != "" && !groupName.MatchString(group):
		return k, fmt.Errorf(
			"%q is not an API group: write a domain name in lower case after the version, as in CronTab.v1.stable.example.com", group,
		)
	}
	return k, nil
}

// apiPackage is a package of the module with an API group.
type apiPackage struct {
	dir, name, group string
	kinds            map[string]token.Position // all types by name
}

// NewKind returns the files for a new kind: its types, in the package of its group and version, which may be new, and a
// sample. It is an error if the package already declares one of the kind's types.
func (p *Project) NewKind(k Kind) ([]File, error) {
	packages, err := p.packages()
	if err != nil {
		return nil, err
	}
	if k.Group == "" {
		if k.Group, err = p.groupFor(packages); err != nil {
			return nil, err
		}
	}
	types, err := p.newTypes(k, packages)
	if err != nil {
		return nil, err
	}
	return []File{types, p.sample(k)}, nil
}

// sample returns the file with an object of a new kind, where kubebuilder writes it.
func (p *Project) sample(k Kind) File {
	label, _, _ := strings.Cut(k.Group, ".")
	lower := strings.ToLower(k.Name)
	f := File{Path: filepath.Join(p.Root, "config", "samples", label+"_"+k.Version+"_"+lower+".yaml")}
	if exists(f.Path) {
		f.Kept = "which exists"
		return f
	}
	f.Text = fmt.Sprintf(object, k.Group, k.Version, k.Name, lower)
	return f
}

// object is the text of a sample.
const object = `apiVersion: %s/%s
kind: %s
metadata:
  name: %s-sample
spec: {} # fields of %[3]sSpec
`

// newTypes returns the file with the types of a new kind.
func (p *Project) newTypes(k Kind, packages []apiPackage) (File, error) {
	for _, pkg := range packages {
		if pkg.group != k.Group || path.Base(filepath.ToSlash(pkg.dir)) != k.Version {
			continue
		}
		for _, name := range []string{k.Name, k.Name + "Spec", k.Name + "Status", k.Name + "List"} {
			if at, ok := pkg.kinds[name]; ok {
				return File{}, fmt.Errorf("%s:%d declares %s; edit it there, or choose another name or version", p.env.Name(at.Filename), at.Line, name)
			}
		}
		return p.newFile(filepath.Join(pkg.dir, strings.ToLower(k.Name)+"_types.go"), fmt.Sprintf("package %s\n", pkg.name), k)
	}
	dir, err := p.groupDir(k.Group, packages)
	if err != nil {
		return File{}, err
	}
	return p.newFile(filepath.Join(dir, k.Version, "types.go"), fmt.Sprintf(`// Package %s is version %[1]s of the API %s.
//
// +groupName=%[2]s
package %[1]s
`, k.Version, k.Group), k)
}

func (p *Project) newFile(name, clause string, k Kind) (File, error) {
	if exists(name) {
		return File{}, fmt.Errorf("%s exists", p.env.Name(name))
	}
	return File{Path: name, Text: clause + fmt.Sprintf(types, k.Name)}, nil
}

// types is the text of the types of a kind.
const types = `
import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
// +kubebuilder:subresource:status

// %[1]s is a kind of this API.
type %[1]s struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec   %[1]sSpec   ` + "`json:\"spec\"`" + `
	Status %[1]sStatus ` + "`json:\"status,omitempty\"`" + `
}

// %[1]sSpec is the desired state of a %[1]s.
type %[1]sSpec struct {
	// Add fields with JSON tags here.
}

// %[1]sStatus is the observed state of a %[1]s.
type %[1]sStatus struct {
	// ObservedGeneration is the generation of the object that the status describes.
	ObservedGeneration int64 ` + "`json:\"observedGeneration,omitempty\"`" + `

	// Conditions are the latest observations, one of each type.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition ` + "`json:\"conditions,omitempty\"`" + `
}

// %[1]sList is a list of %[1]s objects.
type %[1]sList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `

	Items []%[1]s ` + "`json:\"items\"`" + `
}
`

// apisDir returns the directory for packages of groups: an existing one with a usual name, or else apis.
func (p *Project) apisDir() string {
	for _, dir := range []string{"apis", "pkg/apis", "api"} {
		if exists(filepath.Join(p.Root, filepath.FromSlash(dir))) {
			return filepath.FromSlash(dir)
		}
	}
	return "apis"
}

// groupDir returns the directory for the packages of a group: named after the first label of the group or, if another
// group has that directory or the go command does not treat it as any other, after the whole group.
func (p *Project) groupDir(group string, packages []apiPackage) (string, error) {
	label, _, _ := strings.Cut(group, ".")
	for _, name := range []string{label, group} {
		dir := filepath.Join(p.Root, p.apisDir(), name)
		taken := func(pkg apiPackage) bool { return filepath.Dir(pkg.dir) == dir && pkg.group != group }
		if importer.IsDirectory(name) && !slices.ContainsFunc(packages, taken) {
			return dir, nil
		}
	}
	return "", fmt.Errorf(
		"no package can be in a directory %s or %s of %s: write the types of the group %[2]s by hand", label, group,
		p.env.Name(filepath.Join(p.Root, p.apisDir())),
	)
}

// groupFor returns the default group of a new kind: the group of all packages of the module or, if there are none, a
// group named after the module.
func (p *Project) groupFor(packages []apiPackage) (string, error) {
	var groups []string
	for _, pkg := range packages {
		groups = append(groups, pkg.group)
	}
	groups = slices.Compact(slices.Sorted(slices.Values(groups)))
	if len(groups) > 1 {
		return "", fmt.Errorf(
			"the module has several API groups: write one of %s after the kind and the version, as in CronTab.v1.%s", strings.Join(groups, ", "),
			groups[0],
		)
	}
	if len(groups) == 1 {
		return groups[0], nil
	}
	prefix, _, _ := module.SplitPathVersion(p.Path)
	host, _, nested := strings.Cut(prefix, "/")
	if !nested || !groupName.MatchString(host) ||
		slices.Contains([]string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "k8s.io", "sigs.k8s.io"}, host) {
		host = "example.com"
	}
	label := strings.Trim(regexp.MustCompile(`[^a-z0-9-]+`).ReplaceAllString(strings.ToLower(path.Base(prefix)), "-"), "-")
	if label == "" {
		label = "api"
	}
	return label + "." + host, nil
}

// packages returns the packages of the module with a +groupName marker, ordered by directory.
func (p *Project) packages() (found []apiPackage, err error) {
	byDir := map[string]*apiPackage{}
	err = p.Walk(func(name string, text []byte) {
		dir := filepath.Dir(name)
		if byDir[dir] == nil {
			byDir[dir] = &apiPackage{dir: dir, kinds: map[string]token.Position{}}
		}
		if m := groupMarker.FindSubmatch(text); m != nil {
			byDir[dir].group = string(m[1])
		}
		byDir[dir].add(name, text)
	})
	for _, pkg := range byDir {
		if pkg.group != "" && pkg.name != "" {
			found = append(found, *pkg)
		}
	}
	slices.SortFunc(found, func(a, b apiPackage) int { return strings.Compare(a.dir, b.dir) })
	return found, err
}

// add adds the types declared in a file. A file with syntax errors is read as far as possible.
func (pkg *apiPackage) add(name string, text []byte) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if file == nil || file.Name == nil || err != nil && file.Name.Name == "_" {
		return
	}
	pkg.name = file.Name.Name
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					pkg.kinds[spec.Name.Name] = fset.Position(spec.Pos())
				}
			}
		}
	}
}

// Walk calls visit for the Go files of the module, except for tests.
func (p *Project) Walk(visit func(name string, text []byte)) error {
	return filepath.WalkDir(p.Root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && p.skips(name):
			return fs.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := load.ReadFile(name)
		if err == nil {
			visit(name, text)
		}
		return err
	})
}

// NextForKind returns the commands to run after a kind was added, one on each line.
func (p *Project) NextForKind(version string) string {
	p.apis = true
	lines := p.before(version)
	command, reasons := p.Command, ""
	if !exists(filepath.Join(p.Root, plan.ConfigName)) {
		p.registers = true // the new package has no registration
		for _, s := range p.settings() {
			command += " --" + s.Name
			if s.Value != "true" {
				command += "=" + s.Value
			}
			if s.reason != "" {
				reasons += "   # " + s.reason
			}
		}
	}
	command += reasons
	return "  " + strings.Join(append(lines, command, "go mod tidy"), "\n  ") + "\n"
}
