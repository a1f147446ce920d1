package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/commands/cli"
	"github.com/kubegen/kubegen/internal/plan"
)

// fromControllerGen returns the output of kubegen.yaml for options of controller-gen.
func fromControllerGen(args []string, at func(string) string) (o Output, err error) {
	for _, arg := range args {
		if strings.Contains(arg, "$") {
			return o, fmt.Errorf("%s is not known", arg)
		}
	}
	asked, packages, settings, err := cli.Replacing(args)
	if err != nil {
		return o, err
	}
	for _, pattern := range packages {
		if strings.HasPrefix(pattern, ".") || path.IsAbs(pattern) {
			pattern = at(pattern)
		}
		o.Packages = append(o.Packages, pattern)
	}
	fs, _ := cli.Flags("")
	for _, found := range settings {
		s := Setting{Name: found.Name, Value: found.Value}
		if info := manifestsOf(s.Name); info != nil && s.Value == "true" && at(info.Manifests.Dir) != info.Manifests.Dir {
			s.Value = info.Manifests.Dir
		}
		if cli.IsPath(fs.Lookup(s.Name)) && s.Value != "true" {
			s.Value = strings.TrimPrefix(at(s.Value), "./")
		}
		switch i := slices.IndexFunc(o.Settings, func(other Setting) bool { return other.Name == s.Name }); {
		case i < 0:
			o.Settings = append(o.Settings, s)
		case o.Settings[i].Value != s.Value:
			return o, fmt.Errorf("its generators have several values of %s, %s and %s", s.Name, o.Settings[i].Value, s.Value)
		}
	}
	for _, info := range asked {
		if o.Only = append(o.Only, info.Name); o.value(info.EnableFlag.Name) == "" {
			return o, fmt.Errorf("%s has no counterpart in kubegen.yaml with these options", info.Name)
		}
	}
	return o, nil
}

// manifestsOf returns the generator of manifests that a flag enables, or nil.
func manifestsOf(flag string) *plan.Info {
	for _, info := range generators.Infos() {
		if info.Manifests != nil && info.EnableFlag.Name == flag {
			return info
		}
	}
	return nil
}

// replacements are the commands of kubegen that take the flags of tools, and of a function of kube_codegen.sh.
var replacements = map[string]string{
	"client-gen": "gen-clientset", "lister-gen": "gen-lister", "informer-gen": "gen-informer", "applyconfiguration-gen": "gen-applyconfiguration",
	"deepcopy-gen": "gen-deepcopy", "register-gen": "gen-register", "conversion-gen": "gen-conversion", "defaulter-gen": "gen-defaulter",
	"openapi-gen": "gen-openapi", "gen_openapi": "gen-openapi",
}

// fromTool returns the flags that are given to a tool, or to a function of kube_codegen.sh, and its other arguments.
// Flags that are settings of kubegen.yaml have their names there, and the names of others begin with dashes.
func fromTool(tool string, args []string, at func(string) string) ([]Setting, []string, error) {
	fs, settings := cli.Flags(replacements[tool])
	declareOthers(fs)
	err := fs.Parse(args)
	return given(fs, settings, at), fs.Args(), err
}

// declareOthers declares the flags that only scripts have, unless they are declared: of functions of kube_codegen.sh,
// of crd-ref-docs, of code-generator before v0.30, and flags without effect, whose values may be variables.
func declareOthers(fs *pflag.FlagSet) {
	others := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, name := range []string{"extra-peer-dir", "extra-pkgs", "source-path"} {
		others.StringSlice(name, nil, "")
	}
	others.StringSliceP("input-dirs", "i", nil, "")
	for _, name := range []string{"boilerplate", "output-path"} {
		others.String(name, "", "`file`")
	}
	others.StringP("header", "h", "", "`file`")
	others.StringP("output-package", "p", "", "")
	others.StringP("output-base", "o", "", "")
	others.StringP("output-file-base", "O", "", "")
	for _, name := range []string{"config", "renderer", "max-depth", "templates-dir", "output-mode"} {
		others.String(name, "", "")
	}
	others.Bool("update-report", false, "")
	others.StringP("v", "v", "", "")
	for _, name := range []string{"log-level", "trim-path-prefix"} {
		others.String(name, "", "")
	}
	others.VisitAll(func(f *pflag.Flag) {
		f.Hidden = slices.Contains([]string{"update-report", "v", "log-level", "trim-path-prefix"}, f.Name)
		if declared := fs.Lookup(f.Name); declared == nil {
			fs.AddFlag(f)
		} else if f.Hidden {
			declared.Hidden, declared.Value = true, f.Value
		}
	})
}

// namedOtherwise are settings whose flags have other names in tools.
var namedOtherwise = map[string]string{
	"go-header-file": "boilerplate", "header": "boilerplate", "extra-peer-dir": "extra-peer-dirs",
	"external-applyconfigurations": "applyconfig-externals",
}

// given returns the flags that a call gives. settings are the values of flags by the names of settings.
func given(fs *pflag.FlagSet, settings plan.Settings, at func(string) string) (given []Setting) {
	known, _ := cli.Flags("")
	fs.Visit(func(f *pflag.Flag) {
		s := Setting{Name: cmp.Or(namedOtherwise[f.Name], f.Name), Value: f.Value.String()}
		for name, value := range settings {
			if v, ok := value.(pflag.Value); ok && v == f.Value && known.Lookup(f.Name) == nil {
				s.Name = name
			}
		}
		switch list, ok := f.Value.(pflag.SliceValue); {
		case f.Hidden && s.Name == f.Name:
			return
		case ok:
			s.List, s.Value = true, strings.Join(list.GetSlice(), ",")
		case cli.IsPath(f):
			s.Value = strings.TrimPrefix(at(s.Value), "./")
		}
		if known.Lookup(s.Name) == nil {
			s.Name = "--" + f.Name
		}
		given = append(given, s)
	})
	return given
}
