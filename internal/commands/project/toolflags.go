package project

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/plan"
)

// DeclareOthers declares the flags that only scripts have, unless they are declared: of functions of kube_codegen.sh,
// of crd-ref-docs, of code-generator before v0.30, and flags without effect, whose values may be variables.
func DeclareOthers(fs *pflag.FlagSet) {
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

// Given returns the flags that a call gives. Settings of kubegen.yaml, which known declares, have their names there,
// and the names of other flags begin with dashes. settings are the values of flags by the names of settings.
func Given(fs, known *pflag.FlagSet, settings plan.Settings, at func(string) string) (given []Setting) {
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
		case IsPath(f):
			s.Value = strings.TrimPrefix(at(s.Value), "./")
		}
		if known.Lookup(s.Name) == nil {
			s.Name = "--" + f.Name
		}
		given = append(given, s)
	})
	return given
}

// IsPath reports whether the value of a flag is the name of a file or directory.
func IsPath(f *pflag.Flag) bool {
	kind, _ := pflag.UnquoteUsage(f)
	return kind == "file" || kind == "directory"
}
