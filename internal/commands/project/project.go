// Package project examines a user's module, and determines the files that "kubegen init" and "kubegen new" write into
// it.
package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/kubegen/kubegen/generators"
	crdgenerator "github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Project is a module with the facts that init needs.
type Project struct {
	Root       string // directory of the module
	Path       string // of the module
	Repository string // the directory with .git, or Root
	Command    string // runs kubegen in Root

	commandLines [][]string // the arguments of controller-gen in the Makefile, for each command
	env          load.Environment
	installed    bool // the go.mod file for the command has kubegen as a tool
	modules      *load.Modules

	apis      bool     // there are packages with kinds
	marked    bool     // a type has +genclient
	core      bool     // packages with kinds import k8s.io/api
	copies    bool     // kubegen writes the DeepCopy methods, because no other tool does
	registers bool     // kubegen writes AddToScheme, because some packages have none
	manifests string   // slash-separated directory of CustomResourceDefinitions written by kubegen, or ""
	defined   bool     // there are CustomResourceDefinitions that kubegen has not written
	scripts   []string // slash-separated names of scripts and Makefiles that run generators
	// manifestFlags are the flags of generators whose markers are in comments of files, because no other tool reads
	// these.
	manifestFlags []string
	ownWrites     bool   // generated informers, or kubegen.yaml, have the option for the store of own writes
	hubs          bool   // versions of kinds are marked as hubs of conversions
	backported    bool   // generated informers have typed handlers that client-go lacks
	generated     string // slash-separated output directory of an existing clientset, or ""
	generate      string // file with a go:generate line for kubegen, or ""
}

// Survey examines the module of the current directory.
func Survey(env load.Environment) (*Project, error) {
	root, modulePath, ok := env.FindModule(env.Dir)
	if !ok {
		return nil, errors.New("no go.mod with a module path here or in a directory above: run go mod init first")
	}
	p := &Project{Root: root, Path: modulePath, Repository: root, Command: "go tool kubegen", env: env}
	for dir := root; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) {
			p.Repository = dir
			break
		}
	}
	for _, name := range []string{"go.mod", "tools/go.mod", "hack/tools/go.mod", "internal/tools/go.mod", "tools.mod", "go.tool.mod"} {
		if hasTool(filepath.Join(root, name)) {
			p.installed = true
			if name != "go.mod" {
				p.Command = "go tool -modfile=" + name + " kubegen"
			}
			break
		}
	}
	err := p.read()
	env.Dir = root
	p.modules = load.NewModules(context.Background(), env, 0)
	p.modules.Find()
	return p, err
}

// readManifest reads a YAML file.
func (p *Project) readManifest(name string) error {
	text, err := load.ReadFile(name)
	rel, relErr := filepath.Rel(p.Root, filepath.Dir(name))
	switch {
	case err != nil || relErr != nil:
	case ownManifest.Match(text):
		p.manifests = cmp.Or(p.manifests, filepath.ToSlash(rel))
	case definitions.Match(text):
		p.defined = true
	}
	return err
}

// readScript notes a script or Makefile that runs generators. Others need not be readable.
func (p *Project) readScript(name string) {
	text, err := load.ReadFile(name)
	rel, relErr := filepath.Rel(p.Root, name)
	if err == nil && relErr == nil && len(calls(string(text), IsMakefile(name), generator)) > 0 {
		p.scripts = append(p.scripts, filepath.ToSlash(rel))
	}
}

// A Setting is a setting in kubegen.yaml, and a flag.
type Setting struct {
	Name, Value string
	reason      string // for people who read it
}

// settings returns the settings that fit the project, but none for headers. Types for which nothing has been
// generated or written by hand get CustomResourceDefinitions.
func (p *Project) settings() (all []Setting) {
	add := func(name, value string) { all = append(all, Setting{Name: name, Value: value}) }
	if p.generated != "" && p.generated != "pkg/generated" {
		add("output-dir", p.generated)
	}
	if p.copies {
		add("with-deepcopy", "true")
	}
	if p.registers {
		add("with-register", "true")
	}
	if p.ownWrites {
		add("with-consistency", "true")
	}
	if name, reason := p.backport(); name != "" {
		all = append(all, Setting{Name: name, Value: "true", reason: reason})
	}
	for _, flag := range p.manifestFlags {
		add(flag, "true")
	}
	switch info := (crdgenerator.Generator{}).Info(); {
	case p.manifests != "" && p.manifests != info.Manifests.Dir:
		add(crdgenerator.Flag, p.manifests)
	case p.manifests != "", p.copies && p.registers && !p.defined && p.generated == "" && len(p.commandLines) == 0:
		add(crdgenerator.Flag, "true")
	}
	return all
}

// backport returns the setting that generates what client-go lacks, and the reason for it, for a project that has it or
// has no generated code yet. Callers of other generated code do not need it.
func (p *Project) backport() (name, reason string) {
	release := p.modules.Untyped(p.Root)
	if release == "" || p.generated != "" && !p.backported {
		return "", ""
	}
	return "backport", fmt.Sprintf("typed informers and handlers, which client-go %s lacks", release)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// hasTool reports whether a go.mod file has kubegen as a tool.
func hasTool(name string) bool {
	text, err := load.ReadFile(name)
	if err != nil {
		return false
	}
	file, err := modfile.ParseLax(name, text, nil)
	return err == nil && slices.ContainsFunc(file.Syntax.Stmt, func(stmt modfile.Expr) bool {
		switch stmt := stmt.(type) {
		case *modfile.Line:
			return slices.Equal(stmt.Token, []string{"tool", toolPath})
		case *modfile.LineBlock:
			return slices.Equal(stmt.Token, []string{"tool"}) && slices.ContainsFunc(stmt.Line, func(line *modfile.Line) bool {
				return slices.Equal(line.Token, []string{toolPath})
			})
		}
		return false
	})
}

var (
	goGenerate    = regexp.MustCompile(`(?m)^//go:generate .*\bkubegen\b`)
	objectRoot    = regexp.MustCompile(`(?m)^[ \t]*//[ \t]*\+kubebuilder:object:root(=true|:=true)?[ \t]*\r?$`)
	genclient     = regexp.MustCompile(`(?m)^[ \t]*//[ \t]*\+genclient[ \t]*\r?$`)
	copies        = regexp.MustCompile(`\) DeepCopyObject\(\)`)
	registers     = regexp.MustCompile(`\bAddToScheme(\(| +=)`)
	ownMark       = regexp.MustCompile(`(?m)^// Code generated by kubegen `)
	definitions   = regexp.MustCompile(`(?m)^kind:[ \t]*["']?CustomResourceDefinition\b`)
	ownManifest   = regexp.MustCompile(`(?m)^ +` + regexp.QuoteMeta(crd.Annotation) + `: ` + crd.Tool + `\r?$`)
	ownWrites     = regexp.MustCompile(`(?m)^[ \t]*with-consistency:[ \t]*true\b`)
	clientsetMark = regexp.MustCompile(`(?m)^// Code generated by (client-gen|kubegen clientset)\. DO NOT EDIT\.`)
)

// ofFiles has an expression for each generator that reads markers in comments of files, by its name. It matches the
// first of these markers, on which the others depend.
var ofFiles = sync.OnceValue(func() map[string]*regexp.Regexp {
	found := map[string]*regexp.Regexp{}
	for _, info := range generators.Infos() {
		if info.Needs.Markers != 0 {
			found[info.Name] = regexp.MustCompile(`(?m)^[ \t]*//[ \t]*` + regexp.QuoteMeta(markers.Texts(info.Needs.Markers)[0]) + ":")
		}
	}
	return found
})

// skips reports whether a directory contains no packages of the module.
func (p *Project) skips(dir string) bool {
	base := filepath.Base(dir)
	others := []string{"vendor", "testdata", "node_modules"}
	return dir != p.Root &&
		(base[0] == '.' || base[0] == '_' || slices.Contains(others, base) || exists(filepath.Join(dir, "go.mod")))
}

// read reads the Go files and manifests of the module.
func (p *Project) read() error {
	type facts struct{ api, core, copies, registers bool }
	packages, marked := map[string]*facts{}, map[string]bool{}
	err := filepath.WalkDir(p.Root, func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && p.skips(name):
			return fs.SkipDir
		case entry.IsDir():
			packages[name] = &facts{}
			return nil
		case entry.Type().IsRegular() && (filepath.Ext(base) == ".yaml" || filepath.Ext(base) == ".yml"):
			return p.readManifest(name)
		case entry.Type().IsRegular() && (filepath.Ext(base) == ".sh" || IsMakefile(base)):
			p.readScript(name)
			return nil
		case !entry.Type().IsRegular() || filepath.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		text, err := load.ReadFile(name)
		if err != nil {
			return err
		}
		if p.generate == "" && goGenerate.Match(text) {
			p.generate = name
		}
		for generator, marker := range ofFiles() {
			marked[generator] = marked[generator] || marker.Match(text)
		}
		pkg := packages[filepath.Dir(name)]
		p.marked = p.marked || genclient.Match(text)
		pkg.api = pkg.api || genclient.Match(text) || objectRoot.Match(text)
		pkg.core = pkg.core || bytes.Contains(text, []byte(`"k8s.io/api/`))
		if !ownMark.Match(text) { // kubegen wrote the file, and will write it again
			pkg.copies = pkg.copies || copies.Match(text)
			pkg.registers = pkg.registers || registers.Match(text)
		}
		p.ownWrites = p.ownWrites || base == "with_consistency.go" && ownMark.Match(text)
		p.hubs = p.hubs || bytes.Contains(text, []byte("+"+model.HubMarker+"\n"))
		p.backported = p.backported || base == "typed_informer.go" && ownMark.Match(text)
		if rel, err := filepath.Rel(p.Root, name); err == nil && clientsetMark.Match(text) {
			if dir, ok := strings.CutSuffix(filepath.ToSlash(rel), "/clientset/versioned/clientset.go"); ok {
				p.generated = cmp.Or(p.generated, dir)
			}
		}
		return nil
	})
	makefile, _ := load.ReadFile(filepath.Join(p.Root, "Makefile")) // the files may not exist
	settings, _ := load.ReadFile(filepath.Join(p.Root, plan.ConfigName))
	p.ownWrites = p.ownWrites || ownWrites.Match(settings)
	p.commandLines = calls(string(makefile), true, controllerGen)
	p.copies = !p.copiesByTool()
	for _, info := range generators.Infos() {
		if marked[info.Name] && len(p.scripts) == 0 { // no script has it
			p.manifestFlags = append(p.manifestFlags, info.EnableFlag.Name)
		}
	}
	for _, pkg := range packages {
		if pkg.api {
			p.apis, p.core = true, p.core || pkg.core
			p.copies = p.copies && !pkg.copies
			p.registers = p.registers || !pkg.registers
		}
	}
	p.registers = p.registers || !p.apis
	return err
}
