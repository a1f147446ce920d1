package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/mod/modfile"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/test/conformance"
)

// scratch is the path of the modules that require a version of client-go.
const scratch = "example.com/next"

// A clientVersion is what can be said about a version of client-go.
type clientVersion struct {
	version string
	dir     string // of a module that requires it
	source  string // of client-go
	mod     *modfile.File
	missing []string // requirements that are not published, and what stands in for them

	standIns []string // the same as arguments of go mod edit -replace

	shown model.Shown
	needs []model.Evidence // what all generated code needs and it lacks

	dirs map[string]string // of client-go and apimachinery, by module
	used map[string]bool   // declarations of both that its generated code refers to

	generated api      // the API of its generated packages
	ours      api      // of the packages that kubegen generates for the known release
	byItself  api      // and of the packages that kubegen generates by evidence alone
	kinds     []string // in them
}

// readClient downloads a version of client-go, makes a module that requires it, and generates all packages for it.
func (n *next) readClient(version string, release model.Release) (*clientVersion, error) {
	c := &clientVersion{version: version, dir: filepath.Join(n.work, version)}
	if err := n.requireClient(c); err != nil {
		return nil, err
	}
	dirs := map[string]string{}
	for _, modulePath := range []string{clientGo, machinery} {
		dir, err := conformance.ModuleDir(c.dir, modulePath)
		if err != nil {
			return nil, err
		}
		dirs[modulePath] = dir
	}
	c.source, c.dirs = dirs[clientGo], dirs
	evidence := load.NewEvidence(dirs)
	c.shown, c.needs = evidence.Shown(), evidence.Missing()

	packages, err := packagesBelow(clientGo, c.source, conformance.Trees...)
	if err != nil {
		return nil, err
	}
	if c.generated, err = listAPI(packages, asIs); err != nil {
		return nil, err
	}
	c.kinds = kindsOf(c.generated)
	if c.used, err = usedBy(packages, dirs); err != nil {
		return nil, err
	}
	if c.ours, err = n.generate(c, "known", "--client-go-version", release.String()); err != nil {
		return nil, err
	}
	c.byItself, err = n.generate(c, "evidence")
	return c, err
}

// requireClient writes the module in c.dir. Requirements of client-go that are not published are replaced by the latest
// version that is.
func (n *next) requireClient(c *clientVersion) error {
	dirs, unavailable, err := goCommand{dir: n.work}.downloads(clientGo + "@" + c.version)
	if err != nil {
		return err
	}
	for _, why := range unavailable {
		return fmt.Errorf("not available: %s", why)
	}
	name := filepath.Join(dirs[clientGo+"@"+c.version], "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if c.mod, err = modfile.Parse(name, text, nil); err != nil {
		return err
	}
	var required []string
	for _, r := range c.mod.Require {
		required = append(required, r.Mod.String())
	}
	_, unavailable, err = goCommand{dir: n.work}.downloads(required...)
	if err != nil {
		return err
	}
	goMod := fmt.Sprintf("module %s\n\ngo %s\n\nrequire (\n\t%s %s\n\tk8s.io/api %[4]s\n)\n", scratch, c.mod.Go.Version, clientGo, c.version)
	for _, name := range slices.Sorted(maps.Keys(unavailable)) {
		modulePath, version, _ := strings.Cut(name, "@")
		latest := n.available(modulePath)
		if latest == "" {
			c.missing = append(c.missing, fmt.Sprintf("no version of %s is available, %s is required", modulePath, version))
			continue
		}
		goMod += fmt.Sprintf("\nreplace %s => %s %s\n", modulePath, modulePath, latest)
		c.standIns = append(c.standIns, modulePath+"="+modulePath+"@"+latest)
		c.missing = append(c.missing, fmt.Sprintf("%s %s is not available, %s stands in for it", modulePath, version, latest))
	}
	files := map[string]string{
		"go.mod": goMod,
		"pin.go": "package next\n\nimport (\n\t_ \"k8s.io/client-go/informers\"\n\t_ \"k8s.io/client-go/kubernetes/fake\"\n)\n",
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(c.dir, name), text); err != nil {
			return err
		}
	}
	_, err = goCommand{dir: c.dir}.run("mod", "tidy", "-e") // only tests need some of what is missing
	return err
}

// available returns the latest version of a module that can be downloaded, or "".
func (n *next) available(modulePath string) string {
	published, err := goCommand{dir: n.work}.published(modulePath)
	if err != nil {
		return ""
	}
	for _, version := range slices.Backward(published) {
		if dirs, _, err := (goCommand{dir: n.work}).downloads(modulePath + "@" + version); err == nil && len(dirs) > 0 {
			return version
		}
	}
	return ""
}

// generate generates the packages of client-go into the directory name of its module, and returns their API with the
// names of client-go.
func (n *next) generate(c *clientVersion, name string, args ...string) (api, error) {
	groupVersions, err := conformance.ClientsetGroupVersions(c.source)
	if err != nil {
		return nil, err
	}
	packages, err := conformance.GenclientPackages(c.dir)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(c.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, step := range conformance.Generators(scratch+"/"+name, groupVersions, packages) {
		in := goCommand{dir: dir}
		if _, err := in.command(filepath.Join(n.bin, step.Name), append(step.Args, args...)...); err != nil {
			return nil, err
		}
	}
	dirs, err := packagesBelow(scratch+"/"+name, dir, conformance.Trees...)
	if err != nil {
		return nil, err
	}
	return listAPI(dirs, func(importPath string) string {
		if rest, ok := strings.CutPrefix(importPath, scratch+"/"+name+"/"); ok {
			return clientGo + "/" + rest
		}
		return importPath
	})
}

// usedBy returns the declarations in the modules in dirs that generated packages refer to, except for types of APIs.
func usedBy(generated, dirs map[string]string) (map[string]bool, error) {
	used := map[string]bool{}
	for _, dir := range generated {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, name := range references(file) {
				importPath := name[:strings.LastIndexByte(name, '.')]
				for modulePath := range dirs {
					rest, ok := strings.CutPrefix(importPath, modulePath+"/")
					used[name] = ok && generated[importPath] == "" && !strings.Contains(rest, "/apis/") || used[name]
				}
			}
		}
	}
	return used, nil
}

// A change has a sign, "+", "-" or "~", and what it is about.
type change struct{ sign, text string }

// compareClients returns what is new in a version of client-go, compared with an earlier one, by subject.
func compareClients(before, after *clientVersion, release model.Release) (map[string][]change, error) {
	changes := map[string][]change{}
	add := func(subject, sign, format string, args ...any) {
		changes[subject] = append(changes[subject], change{sign, fmt.Sprintf(format, args...)})
	}
	if was, is := before.mod.Go.Version, after.mod.Go.Version; was != is {
		add(requirements, "~", "go %s, was %s", is, was)
	}
	for _, missing := range after.missing {
		add(requirements, "~", "%s", missing)
	}
	compareEvidence(before, after, release, add)
	compareGenerated(before, after, add)
	used := maps.Clone(before.used)
	for name, is := range after.used {
		used[name] = used[name] || is
	}
	was, err := before.listUsed(used)
	if err != nil {
		return nil, err
	}
	is, err := after.listUsed(used)
	if err != nil {
		return nil, err
	}
	for _, g := range differences(was, is, nil) {
		add(usedAPI, g.sign, "%s", g)
	}
	return changes, nil
}

// listUsed returns those of the used declarations that it has, with their members.
func (c *clientVersion) listUsed(used map[string]bool) (api, error) {
	dirs := map[string]string{}
	for name, is := range used {
		importPath := name[:strings.LastIndexByte(name, '.')]
		for modulePath, root := range c.dirs {
			rest, ok := strings.CutPrefix(importPath, modulePath+"/")
			dir := filepath.Join(root, filepath.FromSlash(rest))
			if _, err := os.Stat(dir); is && ok && err == nil {
				dirs[importPath] = dir
			}
		}
	}
	listed, err := listAPI(dirs, asIs)
	maps.DeleteFunc(listed, func(name, typ string) bool { return typ != "package" && !used[declaration(name)] })
	return listed, err
}

// Subjects of changes.
const (
	requirements = "requirements"
	evidence     = "capabilities by evidence"
	facts        = "facts that no longer hold"
	generatedAPI = "exported API of client-go's generated packages, against the output for the known release"
	lacking      = "the same against the output by evidence alone"
	usedAPI      = "exported API that generated code uses"
	code         = "code of client-go's generated packages, for one kind"
)

var subjects = []string{requirements, evidence, facts, generatedAPI, lacking, usedAPI, code}

func compareEvidence(before, after *clientVersion, release model.Release, add func(subject, sign, format string, args ...any)) {
	all := model.Capabilities()
	slices.Sort(all)
	for _, c := range all {
		had, has := before.shown[c], after.shown[c]
		switch {
		case has && !had:
			add(evidence, "+", "%s: %s", c, c.Evidence())
		case had && !has:
			add(evidence, "-", "%s: %s", c, c.Evidence())
		}
		if !has && release.Has(c) {
			add(facts, "-", "%s has %s, but this version lacks its evidence, %s", release, c, c.Evidence())
		}
	}
	for _, e := range after.needs {
		add(facts, "-", "generated code needs %s", e)
	}
}

// compareGenerated reports how the generated packages differ from the output for the known release, without the
// differences that the earlier version has as well. New kinds and fields are in both, so what is left are changes of
// the generators.
func compareGenerated(before, after *clientVersion, add func(subject, sign, format string, args ...any)) {
	known := map[string]bool{}
	for _, g := range differences(before.ours, before.generated, before.kinds) {
		known[g.text] = true
	}
	for _, g := range differences(after.ours, after.generated, after.kinds) {
		if !known[g.text] {
			add(generatedAPI, g.sign, "%s", g)
		}
	}
	known = map[string]bool{} // what is written by hand
	for _, g := range differences(before.byItself, before.generated, before.kinds) {
		known[g.text] = true
	}
	for _, g := range differences(after.byItself, after.generated, after.kinds) {
		if !known[g.text] {
			add(lacking, g.sign, "%s", g)
		}
	}
}

// representative are generated files of client-go for one kind, which show how bodies change.
var representative = strings.Fields(`
	kubernetes/typed/apps/v1/apps_client.go kubernetes/typed/apps/v1/deployment.go
	kubernetes/typed/apps/v1/fake/fake_apps_client.go kubernetes/typed/apps/v1/fake/fake_deployment.go
	informers/internalinterfaces/factory_interfaces.go informers/apps/v1/deployment.go informers/apps/v1/interface.go
	listers/apps/v1/deployment.go applyconfigurations/apps/v1/deployment.go`)

var comments = regexp.MustCompile(`(?m)^\s*//.*\n`)

// compareCode compares the generated files of client-go for one kind without comments, and returns a unified diff.
func compareCode(before, after *clientVersion) (changes []change, unified []byte, err error) {
	for _, name := range representative {
		was, err := os.ReadFile(filepath.Join(before.source, filepath.FromSlash(name)))
		if err != nil {
			return nil, nil, err
		}
		is, err := os.ReadFile(filepath.Join(after.source, filepath.FromSlash(name)))
		if err != nil {
			return nil, nil, err
		}
		was, is = comments.ReplaceAll(was, nil), comments.ReplaceAll(is, nil)
		d := diff.Diff(path.Join(before.version, name), was, path.Join(after.version, name), is)
		if len(d) == 0 {
			continue
		}
		unified = append(unified, d...)
		added := bytes.Count(d, []byte("\n+")) - 1
		removed := bytes.Count(d, []byte("\n-")) - 1
		changes = append(changes, change{"~", fmt.Sprintf("%s: %d lines added, %d removed", name, added, removed)})
	}
	return changes, unified, nil
}

func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
