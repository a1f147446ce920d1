package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/crd"
	"github.com/kubegen/kubegen/generators/deepcopy"
	"github.com/kubegen/kubegen/generators/rbac"
	"github.com/kubegen/kubegen/generators/schemapatch"
	"github.com/kubegen/kubegen/generators/webhook"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// GenController replaces controller-gen of sigs.k8s.io/controller-tools.
var GenController = Command{
	Name:  "gen-controller",
	short: "Generate DeepCopy methods, apply configurations and manifests for API types. Takes the options and flags of controller-gen.",
	usage: "gen-controller [flags] GENERATOR... [paths=PACKAGES] [output:RULE]\n\n" + controllerHelp(),
	about: `  gen-controller object:headerFile=hack/boilerplate.go.txt paths=./...
  gen-controller rbac:roleName=manager-role crd paths=./... output:dir=config

`,
	flags:    declare(controllerFlags.under(thisCommand), ofAll, writeFlags, runOptions),
	maxArgs:  anyNumber,
	run:      controller,
	settings: controllerSettings,
}

// controllerCommand is what gen-controller generates.
var controllerCommand = plan.Command{

	Policy: model.Policy{InputPolicy: model.InputPolicy{AcceptMistakes: true, CopyOnRequest: true}},
	Conventions: plan.Conventions{
		KeepStale: true, AnyManifest: true, NoGates: true, OwnHeaders: true, Nested: true, MayBeEmpty: true, OtherValuesFalse: true,
	},
	ExternalsFlag: "external-applyconfigurations", ExternalsSeparator: "@", Layout: plan.Chosen,
}

// controllerGenerator is a generator of controller-gen.
type controllerGenerator struct {
	markers.Definition // its option
	render.Generator
	settings map[string]string             // names of the generator's settings, by argument
	reading  func(markers.Definition) bool // whether it reads a marker; nil for Needs.Markers
}

var headerArguments = []markers.Argument{
	{Name: "headerFile", Type: markers.String, Optional: true}, {Name: "year", Type: markers.String, Optional: true},
}

func readsSchemas(d markers.Definition) bool {
	return d.Effect&markers.Manifests != 0 && d.Tools&markers.ControllerTools != 0
}

// controllerGenerators lists the generators of controller-gen v0.23.
var controllerGenerators = []controllerGenerator{
	{
		Definition: markers.Definition{Name: "object", Type: markers.Named, Help: "DeepCopy methods", Arguments: headerArguments},
		Generator:  deepcopy.Generator{},
		reading: func(d markers.Definition) bool {
			return strings.HasPrefix(d.Name, model.ObjectMarker) || strings.HasPrefix(d.Name, model.DeepCopyMarker)
		},
	},
	{
		Definition: markers.Definition{Name: "crd", Type: markers.Named, Help: "CustomResourceDefinitions", Arguments: append([]markers.Argument{
			{Name: "maxDescLen", Type: markers.Int, Optional: true},
			{Name: "generateEmbeddedObjectMeta", Type: markers.Boolean, Optional: true},
			{Name: "allowDangerousTypes", Type: markers.Boolean, Optional: true},
			{Name: "ignoreUnexportedFields", Type: markers.Boolean, Optional: true},
			{Name: "omitToolVersion", Type: markers.Boolean, Optional: true},
			{Name: "crdVersions", Type: markers.Strings, Optional: true},
			{Name: "deprecatedV1beta1CompatibilityPreserveUnknownFields", Type: markers.Boolean, Optional: true},
		}, headerArguments...)},
		Generator: crd.Generator{}, reading: readsSchemas,
		settings: map[string]string{
			"maxDescLen": "crd-max-description-length", "generateEmbeddedObjectMeta": "crd-embedded-object-meta",
			"allowDangerousTypes": "crd-allow-dangerous-types", "ignoreUnexportedFields": "crd-ignore-unexported-fields",
			"omitToolVersion": "crd-omit-annotation",
			"deprecatedV1beta1CompatibilityPreserveUnknownFields": "crd-preserve-unknown-fields",
			"headerFile": "crd-header-file", "year": "crd-year",
		},
	},
	{
		Definition: markers.Definition{Name: "rbac", Type: markers.Named, Help: "roles", Arguments: append([]markers.Argument{
			{Name: "roleName", Type: markers.String}, {Name: "fileName", Type: markers.String, Optional: true},
		}, headerArguments...)},
		Generator: rbac.Generator{},
		settings: map[string]string{
			"roleName": "rbac-role-name", "fileName": "rbac-file-name", "headerFile": "rbac-header-file", "year": "rbac-year",
		},
	},
	{
		Definition: markers.Definition{Name: "webhook", Type: markers.Named, Help: "configurations of webhooks", Arguments: headerArguments},
		Generator:  webhook.Generator{},
		settings:   map[string]string{"headerFile": "webhook-header-file", "year": "webhook-year"},
	},
	{
		Definition: markers.Definition{Name: "applyconfiguration", Type: markers.Named, Help: "apply configurations",
			Arguments: []markers.Argument{
				headerArguments[0], {Name: "externalApplyConfigurations", Type: markers.Strings, Optional: true},
				{Name: "omitToolVersion", Type: markers.Boolean, Optional: true},
			}},
		Generator: applyconfiguration.Generator{},
		reading: func(d markers.Definition) bool {
			return d.Name == markers.ApplyMarker || d.Name == markers.ApplyOutputMarker || d.Name == "kubebuilder:resource"
		},
	},
	{
		Definition: markers.Definition{Name: "schemapatch", Type: markers.Named, Help: "schemas in the CustomResourceDefinitions of a directory",
			Arguments: []markers.Argument{
				{Name: "manifests", Type: markers.String}, {Name: "maxDescLen", Type: markers.Int, Optional: true},
				{Name: "generateEmbeddedObjectMeta", Type: markers.Boolean, Optional: true},
			}},
		Generator: schemapatch.Generator{}, reading: readsSchemas,
		settings: map[string]string{
			"manifests": schemapatch.Manifests, "maxDescLen": "schemapatch-max-description-length",
			"generateEmbeddedObjectMeta": "schemapatch-embedded-object-meta",
		},
	},
}

// reads reports whether the generator reads a marker.
func (g controllerGenerator) reads(d markers.Definition) bool {
	if g.reading != nil {
		return g.reading(d)
	}
	return d.Effect&g.Info().Needs.Markers != 0
}

// isGo reports whether the generator writes Go files.
func (g controllerGenerator) isGo() bool { return g.Info().Manifests == nil }

// controllerSettings returns the option of controller-gen for a flag of kubegen, or the flag if there is none.
func controllerSettings(flag diag.Setting) diag.Setting {
	switch flag {
	case "year":
		return "object:year"
	case "external-applyconfigurations":
		return "applyconfiguration:externalApplyConfigurations"
	}
	for _, g := range controllerGenerators {
		for argument, name := range g.settings {
			if name == string(flag) {
				return diag.Setting(g.Name + ":" + argument)
			}
		}
		if !g.isGo() && g.Info().EnableFlag.Name == string(flag) {
			return diag.Setting(outputOption + g.Name + ":" + toDirectory)
		}
	}
	return flag
}

// The output rules of controller-gen.
const (
	toDirectory = "dir"
	toStdout    = "stdout"
	toNothing   = "none"
	toArtifacts = "artifacts"
)

var controllerRules = []markers.Definition{
	{Name: toDirectory, Type: markers.String, Help: "all files into one directory"},
	{Name: toArtifacts, Type: markers.Named, Help: "manifests and Go files into a directory each; Go files beside the types by default",
		Arguments: []markers.Argument{{Name: "config", Type: markers.String}, {Name: "code", Type: markers.String, Optional: true}}},
	{Name: toStdout, Help: "all files to standard output"},
	{Name: toNothing, Help: "nothing is written, mistakes are reported"},
}

const outputOption, pathsOption = "output:", "paths"

// controllerOptions returns the definitions of all options of controller-gen.
func controllerOptions() []markers.Definition {
	all := []markers.Definition{{Name: pathsOption, Type: markers.Strings}}
	for _, rule := range controllerRules {
		name := rule.Name
		rule.Name = outputOption + name
		all = append(all, rule)
		for _, g := range controllerGenerators {
			rule.Name = outputOption + g.Name + ":" + name
			all = append(all, rule)
		}
	}
	for _, g := range controllerGenerators {
		all = append(all, g.Definition)
	}
	return all
}

// controllerHelp describes the options of controller-gen.
func controllerHelp() string {
	var b strings.Builder
	b.WriteString("Generators:\n")
	describe := func(name string, d markers.Definition) {
		row(&b, "  "+name, d.Help)
		for _, a := range d.Arguments {
			need := ""
			if !a.Optional {
				need = " (required)"
			}
			fmt.Fprintf(&b, "      %s=%s%s\n", a.Name, map[markers.ValueType]string{
				markers.String: "TEXT", markers.Strings: "TEXT;...", markers.Int: "NUMBER", markers.Boolean: "true|false",
			}[a.Type], need)
		}
	}
	for _, g := range controllerGenerators {
		describe(g.Name, g.Definition)
	}
	b.WriteString("\nRules, for all generators or, as output:GENERATOR:RULE, for one:\n")
	for _, rule := range controllerRules {
		name := "output:" + rule.Name
		if rule.Type == markers.String {
			name += "=DIRECTORY"
		}
		describe(name, rule)
	}
	b.WriteString("\nBy default, Go files are beside the types, and manifests in config/GENERATOR.\n" +
		"Apply configurations are below the types, whatever the rule.\n" +
		"The default of paths is the current directory. No files are deleted.")
	return b.String()
}

// askedGenerator is a generator on the command line.
type askedGenerator struct {
	*controllerGenerator
	arguments map[string]any
	rule      outputRule
}

// outputRule determines the destination of files.
type outputRule struct {
	name         string // of the rule
	config, code string // directories; code is "" for the packages of types
}

// writes reports whether the rule is for files on disk.
func (r outputRule) writes() bool { return r.name != toStdout && r.name != toNothing }

var controllerFlags declaration = func(o *options, fs *pflag.FlagSet) {
	fs.CountVarP(
		&o.describes, "which-markers", "w", "list the markers of the generators, with -ww as kubegen markers describes them, with -wwww in JSON",
	)
	fs.StringSliceVar(&o.buildTags, "load-build-tags", []string{generatedTag}, "build `tags` of the packages")
}

// generatedTag is the build tag without which generated files are not compiled. kubegen hides them itself.
const generatedTag = "ignore_autogenerated"

// askedGenerators returns the generators that the options of controller-gen ask for, and sets flags. Before, o.Patterns
// are these options.
func askedGenerators(o *options) ([]askedGenerator, error) {
	var asked []askedGenerator
	rules, known := map[string]outputRule{}, controllerOptions() // rules by the name of a generator, or ""
	o.Settings = plan.Settings{}
	var patterns, names []string
	var errs []error
	for _, text := range o.Patterns {
		def, value, arguments, err := markers.ParseOption(text, known)
		switch {
		case def == nil:
			errs = append(errs, fmt.Errorf("unknown option %q of controller-gen (%s)", strings.TrimPrefix(text, "+"), nearestOption(text, known)))
		case err != nil:
			err = fmt.Errorf("option %q of controller-gen: %w", strings.TrimPrefix(text, "+"), err)
			if advice := markers.ArgumentMeant(err); advice != "" {
				err = fmt.Errorf("%w (%s)", err, advice)
			}
			errs = append(errs, err)
		case def.Name == pathsOption:
			for _, pattern := range value.([]any) {
				patterns = append(patterns, pattern.(string))
			}
		case strings.HasPrefix(def.Name, outputOption):
			rule := outputRule{name: path.Base(strings.ReplaceAll(def.Name, ":", "/"))}
			rule.config, _ = value.(string)
			if rule.code = rule.config; rule.name == toArtifacts {
				rule.config, _ = arguments["config"].(string)
				rule.code, _ = arguments["code"].(string)
			}
			rules[strings.Trim(strings.TrimSuffix(strings.TrimPrefix(def.Name, outputOption), rule.name), ":")] = rule
		case slices.ContainsFunc(asked, func(g askedGenerator) bool { return g.Name == def.Name }):
			errs = append(errs, fmt.Errorf("generator %s of controller-gen is named twice", def.Name))
		default:
			i := slices.IndexFunc(controllerGenerators, func(g controllerGenerator) bool { return g.Name == def.Name })
			asked = append(asked, askedGenerator{controllerGenerator: &controllerGenerators[i], arguments: arguments})
		}
	}
	if o.Patterns = patterns; len(patterns) == 0 {
		o.Patterns = []string{"."}
	}
	for i := range asked {
		errs = append(errs, asked[i].apply(o, rules))
		delete(rules, asked[i].Name)
	}
	o.Settings[schemapatch.AfterCRDs] = plan.Literal(strconv.FormatBool(patchesCRDs(asked, o)))
	delete(rules, "")
	for _, g := range controllerGenerators {
		names = append(names, g.Name)
		if _, ok := rules[g.Name]; ok {
			errs = append(errs, fmt.Errorf("option output:%s is for a generator that the command line does not name; add %s", g.Name, g.Name))
		}
	}
	if err := errors.Join(errs...); err != nil || len(asked) > 0 || o.describes > 0 {
		return asked, err
	}
	return nil, fmt.Errorf("no generator is named; name one or more of %s", diag.Joined(names, "and"))
}

// patchesCRDs reports whether schemapatch reads the directory into which an earlier generator writes
// CustomResourceDefinitions: controller-gen runs one generator after the other.
func patchesCRDs(asked []askedGenerator, o *options) bool {
	for _, g := range asked {
		switch g.Generator.(type) {
		case crd.Generator:
			dir, read := o.Settings.Text(crd.Flag), o.Settings.Text(schemapatch.Manifests)
			return g.rule.writes() && filepath.Clean(dir) == filepath.Clean(read)
		case schemapatch.Generator:
			return false
		}
	}
	return false
}

// nearestOption returns advice for an unknown option: the known one that was probably meant.
func nearestOption(text string, known []markers.Definition) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	var names []string
	for _, def := range known {
		names = append(names, def.Name)
		for _, a := range def.Arguments {
			names = append(names, def.Name+":"+a.Name)
		}
	}
	first, _, _ := strings.Cut(name, ":")
	return cmp.Or(diag.Meant(name, names, ""), diag.Meant(first, names, ""), "see gen-controller --help")
}

// apply sets flags for the generator. By default, it has the rule of all generators or, if there is none, writes into a
// directory of its own.
func (g *askedGenerator) apply(o *options, rules map[string]outputRule) error {
	info := g.Info()
	g.rule = outputRule{name: toArtifacts, config: "config/" + g.Name}
	for _, of := range []string{"", g.Name} {
		rule, ok := rules[of]
		switch {
		case !ok:
		case info.Name == applyName:
			if err := rule.checkApply(of); err != nil {
				return err
			}
		default:
			g.rule = rule
		}
	}
	dir := g.rule.config
	switch {
	case !g.rule.writes():
		dir = "config/" + g.Name // not written
	case dir == "":
		dir = "."
	}
	o.Only = append(o.Only, info.Name)
	if !g.isGo() {
		o.Settings[info.EnableFlag.Name] = plan.Literal(dir)
	}
	for _, f := range info.Flags {
		if f.Default != "" {
			o.Settings[f.Name] = plan.Literal(f.Default)
		}
	}
	for argument, name := range g.settings {
		if value, ok := g.arguments[argument]; ok {
			o.Settings[name] = plan.Literal(fmt.Sprint(value))
		}
	}
	text := func(argument string) string {
		value, _ := g.arguments[argument].(string)
		return value
	}
	switch g.Generator.(type) {
	case deepcopy.Generator:
		o.CodeDir, o.HeaderFlag, o.HeaderFile, o.Year = g.rule.code, "object:headerFile", text("headerFile"), text("year")
	case applyconfiguration.Generator: // with the year of the DeepCopy methods, since it has no argument for one
		o.ApplyMarkers, o.ApplyHeaderFlag, o.ApplyHeaderFile = true, "applyconfiguration:headerFile", text("headerFile")
		externals, _ := g.arguments["externalApplyConfigurations"].([]any)
		for _, external := range externals {
			o.Externals = append(o.Externals, external.(string))
		}
	case crd.Generator:
		if versions, ok := g.arguments["crdVersions"].([]any); ok && !slices.Equal(versions, []any{"v1"}) {
			return errors.New("option crd:crdVersions of controller-gen: the only version is v1")
		}
	}
	return nil
}

// Names of kubegen's generators of Go files.
var deepcopyName, applyName = deepcopy.Generator{}.Info().Name, applyconfiguration.Generator{}.Info().Name

// checkApply returns an error if apply configurations contradict the rule: controller-gen writes them below the types,
// whatever the rule. of is their generator or, for a rule of all generators, "". Then only other generators have the
// directories of the rule.
func (r outputRule) checkApply(of string) error {
	if r.writes() && (of == "" || r.name != toDirectory && r.code == "") {
		return nil
	}
	option := strings.ReplaceAll(outputOption+of+":"+r.name, "::", ":")
	return fmt.Errorf("option %s: controller-gen writes apply configurations below the types, whatever the rule; "+
		"omit it, or name other generators, as in output:crd:%s", option, r.name)
}

// describeMarkers lists the markers of generators, in the form that -w asks for.
func (in *invocation) describeMarkers(asked []askedGenerator) {
	var defs []markers.Definition
	for _, def := range markers.Listed() {
		if slices.ContainsFunc(asked, func(g askedGenerator) bool { return g.reads(def) }) {
			defs = append(defs, def)
		}
	}
	switch {
	case in.describes == 1:
		markers.Print(in.stdout, defs)
	case in.describes < 4:
		for _, def := range defs {
			def.Print(in.stdout)
			fmt.Fprintln(in.stdout)
		}
	default:
		markersAsJSON(in.stdout, defs)
	}
}

// controller generates what the options of controller-gen ask for. It writes the files of some generators to standard
// output, or not at all.
func controller(ctx context.Context, in *invocation) int {
	err := in.checkWrite()
	asked, mistakes := askedGenerators(in.options)
	if err = errors.Join(err, mistakes); err != nil {
		return in.fail(err)
	}
	if in.describes > 0 {
		in.describeMarkers(asked)
		return exitDone
	}
	command := controllerCommand
	if !slices.ContainsFunc(asked, func(g askedGenerator) bool { return !g.isGo() }) { // another run writes manifests for the same types
		command.Reports = reportsOf(deepcopyName)
	}
	in.env = in.env.WithTags(slices.DeleteFunc(in.buildTags, func(tag string) bool { return tag == generatedTag }))
	r, code := in.generate(ctx, command, facts.ToGenerate)
	if r == nil {
		return code
	}
	var stdout []output.File
	var kept []output.Tree
	for _, g := range asked {
		for _, tree := range r.trees {
			switch {
			case tree.Generator != g.Info().Name || g.rule.name == toNothing:
			case g.rule.name == toStdout:
				stdout = append(stdout, tree.Files...)
			default:
				kept = append(kept, tree)
			}
		}
	}
	overwrite(kept)
	r.trees = kept
	if code = in.finish(ctx, r); code != exitDone || in.verify || in.dryRun {
		return code
	}
	_, isTerminal := terminal(in.stdout)
	in.stdout.exact = !isTerminal
	for _, file := range stdout { // the trees have the order of controller-gen
		if _, err := in.stdout.Write(file.Content); err != nil {
			return exitError // execute prints the reason
		}
	}
	return exitDone
}

// overwrite removes the files of trees that a later generator writes as well: like controller-gen, it overwrites them.
func overwrite(trees []output.Tree) {
	last := map[string]string{} // generators by path
	for i := range slices.Backward(trees) {
		tree := &trees[i]
		tree.Files = slices.DeleteFunc(slices.Clone(tree.Files), func(file output.File) bool {
			at := tree.At(file.Path)
			if last[at] == "" {
				last[at] = tree.Generator
			}
			return last[at] != tree.Generator
		})
	}
}
