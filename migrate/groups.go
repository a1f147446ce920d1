package main

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
)

// A groupTool is a generator of generate-groups.sh.
type groupTool struct {
	name, tool string
	dir        string // in the package of the clients; or "" for files beside the types
}

// groupTools are in the order in which their outputs need each other.
var groupTools = []groupTool{
	{"deepcopy", "deepcopy-gen", ""}, {"defaulter", "defaulter-gen", ""}, {"conversion", "conversion-gen", ""},
	{"applyconfiguration", "applyconfiguration-gen", "applyconfiguration"}, {"client", "client-gen", "clientset"},
	{"lister", "lister-gen", "listers"}, {"informer", "informer-gen", "informers"},
}

// runs returns the calls of tools that a call of generate-groups.sh or generate-internal-groups.sh makes, or else the
// call itself.
func (p *module) runs(call Call) ([]Call, error) {
	internal := call.Tool == "generate-internal-groups.sh"
	if call.unread != "" || !internal && call.Tool != "generate-groups.sh" {
		return []Call{call}, nil
	}
	args := call.Args
	if !internal && len(args) > 2 {
		args = slices.Insert(slices.Clone(args), 2, "") // the package of internal types
	}
	if len(args) < 5 {
		return nil, errors.New("it names no groups")
	}
	if unknown := anyReference.FindString(strings.Join(args[:5], " ")); unknown != "" {
		return nil, fmt.Errorf("%s is not known", unknown)
	}
	packages, err := p.groupPackages(args[2], args[3], args[4])
	if err != nil {
		return nil, err
	}
	flags := withoutBase(args[5:])
	asked := strings.FieldsFunc(args[0], func(r rune) bool { return r == ',' || r == ' ' })
	if i := slices.Index(asked, "all"); i >= 0 {
		asked = slices.Replace(asked, i, i+1, "deepcopy", "client", "lister", "informer")
		if internal {
			asked = append(asked, "defaulter", "conversion", "openapi")
		}
	}
	for _, name := range asked {
		i := slices.IndexFunc(groupTools, func(t groupTool) bool { return t.name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("its generator %s is not known", name)
		case groupTools[i].dir != "" && args[2] != "":
			return nil, errors.New("kubegen writes no clients of internal types")
		}
	}
	var runs []Call
	for _, t := range groupTools {
		if !slices.Contains(asked, t.name) {
			continue
		}
		run := Call{Tool: t.tool, Args: slices.Clone(flags), dir: call.dir}
		if t.dir != "" {
			dir, ok := strings.CutPrefix(args[1], p.Path+"/")
			if !ok {
				return nil, fmt.Errorf("%s is not a package of the module", args[1])
			}
			run.Args = append(run.Args, []string{"--output-dir", path.Join(root, dir, t.dir), "--output-pkg", path.Join(args[1], t.dir)}...)
		}
		if t.name == "client" {
			run.Args = append(run.Args, []string{"--clientset-name", "versioned"}...)
			if slices.Contains(asked, "applyconfiguration") {
				run.Args = append(run.Args, []string{"--apply-configuration-package", path.Join(args[1], "applyconfiguration")}...)
			}
		}
		run.Args = append(run.Args, packages...)
		runs = append(runs, run)
	}
	return runs, nil
}

// withoutBase returns flags without the directory to which the packages' paths are added.
func withoutBase(flags []string) (others []string) {
	for i := 0; i < len(flags); i++ {
		name, _, ok := strings.Cut(flags[i], "=")
		if name != "--output-base" && name != "-o" {
			others = append(others, flags[i])
		} else if !ok {
			i++
		}
	}
	return others
}

// groupPackages returns the packages of groups such as "apps:v1,v2 batch:v1", below the packages of the internal types,
// if there is one, and of the others.
func (p *module) groupPackages(internal, external, groups string) (packages []string, err error) {
	for _, group := range strings.Fields(groups) {
		name, versions, ok := strings.Cut(group, ":")
		if !ok {
			return nil, fmt.Errorf("%s has no versions", group)
		}
		if dir, ok := strings.CutPrefix(path.Join(internal, name), p.Path); ok && internal != "" {
			if len(load.GoFiles(filepath.Join(p.Root, dir))) > 0 {
				packages = append(packages, path.Join(internal, name))
			}
		}
		for _, version := range strings.Split(versions, ",") {
			pkg := path.Join(external, name, version)
			if dir, ok := strings.CutPrefix(pkg, p.Path+"/"); !ok || !exists(filepath.Join(p.Root, dir)) {
				return nil, fmt.Errorf("%s is not a package of the module", pkg)
			}
			packages = append(packages, pkg)
		}
	}
	if len(packages) == 0 {
		return nil, errors.New("it names no groups")
	}
	return packages, nil
}
