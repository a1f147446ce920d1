package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// placeFlags declares the flags that set the directories of generators.
func placeFlags(o *options, fs *pflag.FlagSet) {
	for _, info := range generators.Infos() {
		for _, dir := range info.Place {
			declareSetting(o, fs, dir)
		}
	}
	for _, info := range generators.Infos() {
		if info.Manifests != nil {
			declareSetting(o, fs, info.EnableFlag)
			if info.Manifests.Dir != "" {
				fs.Lookup(info.EnableFlag.Name).NoOptDefVal = "true"
			}
		}
	}
}

// selectionFlags declares the flags that select generators.
func selectionFlags(o *options, fs *pflag.FlagSet) {
	var omitted []string
	for _, info := range generators.Infos() {
		if !info.ByDefault() {
			omitted = append(omitted, info.Name)
		}
	}
	fs.StringSliceVar(&o.Only, "only", nil, "generate only these `generators`: "+strings.Join(plan.Names(generators.Infos()), ", "))
	allow(fs.Lookup("only"), plan.Names(generators.Infos())...)
	byDefault(fs, "only", "all but "+diag.Joined(omitted, "and"))
	for _, info := range generators.Infos() {
		with := info.EnableFlag
		if with.Name != "" && o.Settings[with.Name] == nil {
			with.Type, with.Default = plan.BoolValue, strconv.FormatBool(info.ByDefault())
			declareSetting(o, fs, with)
		}
	}
}

// declareSetting declares a flag of a generator, unless it is a constant or a setting of other commands.
func declareSetting(o *options, fs *pflag.FlagSet, f plan.Flag) {
	if f.Name == "" || f.Usage == "" {
		return
	}
	switch f.Type {
	case plan.BoolValue:
		fs.Bool(f.Name, f.Default == "true", f.Usage)
	case plan.NumberValue:
		number, _ := strconv.Atoi(f.Default)
		fs.Int(f.Name, number, f.Usage)
	case plan.ListsValue:
		fs.StringSlice(f.Name, nil, f.Usage)
		annotate(fs.Lookup(f.Name), listsKey, "true")
	default:
		fs.String(f.Name, f.Default, f.Usage)
	}
	o.Settings[f.Name] = fs.Lookup(f.Name).Value
	if f.Shown != "" {
		byDefault(fs, f.Name, f.Shown)
	}
	if f.Values != nil {
		allow(fs.Lookup(f.Name), f.Values...)
	}
	if f.InFile {
		inFile(fs.Lookup(f.Name), true)
	}
}

// manifestsOf returns the generator with a flag for the directory of its manifests, or nil.
func manifestsOf(flag string) *plan.Info {
	for _, info := range generators.Infos() {
		if info.Manifests != nil && info.EnableFlag.Name == flag {
			return info
		}
	}
	return nil
}
