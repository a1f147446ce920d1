package cli

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/generators/applyconfiguration"
	"github.com/kubegen/kubegen/generators/clientset"
	"github.com/kubegen/kubegen/generators/informer"
	"github.com/kubegen/kubegen/generators/lister"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/render"
	"github.com/kubegen/kubegen/templates"
)

// Kubegen generates everything in one pass, laid out as by kube_codegen.sh's gen_client --with-watch.
var Kubegen = Tool{
	Name:  "kubegen",
	short: "Generate clientset, fake, scheme, listers, informers and apply configurations for types marked +genclient.",
	usage: "kubegen [flags] [packages]    (as for go list; default: all of the module)",
	examples: `  kubegen                                 # all kinds of this module, into its pkg/generated
  kubegen --output-dir client ./api/v1    # into client/clientset/versioned, client/listers, ...
  kubegen --verify ./apis/...             # in CI: a diff and exit code 1 if anything is stale
  kubegen list ./apis/...                 # what would be generated, and why; --format json for programs
  kubegen breaking --against REV ./apis/... # what callers lose since a git revision; exit code 1 if anything
  kubegen markers [NAME]                  # what markers there are, and what they mean
`,
	defaults: options{
		apiPath: "/apis", fake: true, withWatch: true, withApply: true, applyName: "applyconfiguration",
		clientsetName: "clientset", versionedName: "versioned", listersName: "listers", informerName: "informers",
	},
	flags: func(o *options, fs *pflag.FlagSet) {
		fs.Lookup("output-dir").Usage += ` (default pkg/generated of the module)`
		fs.BoolVar(&o.classic, "classic", false, "names and exported API as the tools of k8s.io/code-generator give them")
		fs.StringSliceVar(&o.only, "only", nil, "of applyconfiguration, clientset, lister, informer generate only these")
		headerFlag(o, fs, "boilerplate")
		fs.StringVar(&o.clientsetName, "clientset-name", o.clientsetName, "folder of the clientsets")
		fs.StringVar(&o.versionedName, "versioned-name", o.versionedName, "folder of the clientset in there")
		fs.StringVar(&o.listersName, "listers-name", o.listersName, "folder of the listers")
		fs.StringVar(&o.informerName, "informers-name", o.informerName, "folder of the informers")
		fs.BoolVar(&o.withWatch, "with-watch", o.withWatch, "generate listers and informers")
		fs.BoolVar(&o.withApply, "with-applyconfig", o.withApply, "generate apply configurations, and Apply methods")
		fs.StringVar(&o.applyName, "applyconfig-name", o.applyName, "folder of the apply configurations")
		fs.StringSliceVar(&o.externals, "applyconfig-externals", nil, "PATH.TYPE:PATH,... of types that have some elsewhere")
		openAPIFlag(o, fs, "applyconfig-openapi-schema")
		fs.StringVar(&o.oneInputAPI, "one-input-api", "", "only this folder below the packages given")
		clientsetFlags(o, fs)
		headerFlag(o, fs, "go-header-file")
		_ = fs.MarkHidden("go-header-file")
	},
	targets: kubegenTargets,
}

// GenClientset is client-gen of k8s.io/code-generator.
var GenClientset = Tool{
	Name:  "gen-clientset",
	short: "Generate a clientset for the types marked +genclient. The flags are those of client-gen.",
	usage: "gen-clientset [flags] [packages]",
	examples: `  gen-clientset --output-dir pkg/client -n versioned ./apis/...
  gen-clientset --output-dir pkg/client -n versioned --input-base ./apis --input stable/v1
`,
	defaults: options{classic: true, clientsetName: "internalclientset", apiPath: "/apis", fake: true, inputBase: "k8s.io/kubernetes/pkg/apis"},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		fs.StringSliceVar(&o.inputs, "input", nil, "group/version,... instead of packages")
		fs.StringVar(&o.inputBase, "input-base", o.inputBase, "import path or folder that --input is below")
		fs.StringVarP(&o.clientsetName, "clientset-name", "n", o.clientsetName, "name of the clientset's package")
		fs.BoolVar(&o.clientsetOnly, "clientset-only", false, "no clients for groups and kinds")
		clientsetFlags(o, fs)
		fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			if name == "clientset-path" { // its old name
				name = "output-pkg"
			}
			return pflag.NormalizedName(name)
		})
	},
	targets: clientsetTargets,
}

// GenLister is lister-gen of k8s.io/code-generator.
var GenLister = Tool{
	Name:     "gen-lister",
	short:    "Generate listers for the types marked +genclient. The flags are those of lister-gen.",
	usage:    "gen-lister [flags] packages",
	examples: "  gen-lister --output-dir pkg/client/listers ./apis/...\n",
	defaults: options{classic: true},
	flags:    func(o *options, fs *pflag.FlagSet) { headerFlag(o, fs, "go-header-file") },
	targets:  listerTargets,
}

// GenInformer is informer-gen of k8s.io/code-generator.
var GenInformer = Tool{
	Name:  "gen-informer",
	short: "Generate informers for the types marked +genclient. The flags are those of informer-gen.",
	usage: "gen-informer [flags] packages",
	examples: `  gen-informer --output-dir pkg/client/informers --listers-package example.com/api/client/listers \
    --versioned-clientset-package example.com/api/client/versioned ./apis/...
`,
	defaults: options{classic: true},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		fs.StringVar(&o.versionedClientset, "versioned-clientset-package", "", "import path of the clientset")
		fs.StringVar(&o.internalClientset, "internal-clientset-package", "", "import path of the one for unversioned types")
		fs.StringVar(&o.listers, "listers-package", "", "import path that the listers are below")
		fs.BoolVar(&o.singleDirectory, "single-directory", false, "no externalversions folder in the output folder")
	},
	targets: informerTargets,
}

// GenApplyConfiguration is applyconfiguration-gen of k8s.io/code-generator.
var GenApplyConfiguration = Tool{
	Name:     "gen-applyconfiguration",
	short:    "Generate apply configurations for the types marked +genclient. The flags are those of applyconfiguration-gen.",
	usage:    "gen-applyconfiguration [flags] packages",
	examples: "  gen-applyconfiguration --output-dir pkg/client/applyconfiguration ./apis/...\n",
	defaults: options{classic: true},
	flags: func(o *options, fs *pflag.FlagSet) {
		headerFlag(o, fs, "go-header-file")
		fs.StringSliceVar(&o.externals, "external-applyconfigurations", nil, "PATH.TYPE:PATH,... of types that have some elsewhere")
		openAPIFlag(o, fs, "openapi-schema")
	},
	targets: applyTargets,
}

// target is one family and where its output goes.
type target struct {
	*render.Family
	dir  string // folder of the family's root
	opts render.Options
	only func(*model.Version) bool // which versions; nil is all
}

// root returns the import path of the family's root.
func (t target) root() string { return t.opts.Roots[t.Templates].Path }

func kubegenTargets(r *run) ([]target, error) {
	var errs []error
	var known []string
	for _, f := range generators.All {
		known = append(known, f.Name)
	}
	for _, name := range r.only {
		if !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("--only: unknown kind of code %q (known are %s)", name, strings.Join(known, ", ")))
		}
	}
	if slices.Contains(r.only, "applyconfiguration") {
		switch {
		case !r.withApply:
			errs = append(errs, errors.New("--only applyconfiguration contradicts --with-applyconfig=false; leave one out"))
		case r.applyConfigurations != "":
			errs = append(errs, errors.New("--only applyconfiguration contradicts --apply-configuration-package, which is for those that are elsewhere; leave one out"))
		}
	}
	if r.outputDir == "" {
		return nil, errors.Join(append(errs, errors.New("no go.mod with a module path here or above: name the output folder with --output-dir"))...)
	}
	pkg, err := r.outputPackage()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	wanted := func(name string) bool {
		if len(r.only) > 0 {
			return slices.Contains(r.only, name)
		}
		switch name {
		case "applyconfiguration":
			return r.withApply && r.applyConfigurations == ""
		case "lister", "informer":
			return r.withWatch
		}
		return true
	}
	below := map[string]string{
		templates.ApplyConfigurations: r.applyName,
		templates.Clientset:           path.Join(r.clientsetName, r.versionedName),
		templates.Listers:             r.listersName,
		templates.Informers:           path.Join(r.informerName, "externalversions"),
	}
	opts := r.renderOptions()
	for _, f := range generators.All {
		if _, given := opts.Roots[f.Templates]; !given && (f.Templates != templates.ApplyConfigurations || r.withApply) {
			opts.Roots[f.Templates] = render.Root{Path: path.Join(pkg, below[f.Templates]), KeepsCase: f.KeepsCase}
		}
	}
	var targets []target
	for _, f := range generators.All {
		if wanted(f.Name) {
			targets = append(targets, target{Family: f, dir: filepath.Join(r.outputDir, filepath.FromSlash(below[f.Templates])), opts: opts})
		}
	}
	return targets, nil
}

// oneTarget returns the target of a command for one family.
func (r *run) oneTarget(f *render.Family, dir, pkg string) target {
	opts := r.renderOptions()
	opts.Bare = r.classic && f.Bare
	opts.Roots[f.Templates] = render.Root{Path: pkg, KeepsCase: f.KeepsCase}
	return target{Family: f, dir: dir, opts: opts}
}

func clientsetTargets(r *run) ([]target, error) {
	pkg, err := r.outputPackage()
	if err := errors.Join(r.require("output-dir", r.outputDir), r.require("clientset-name", r.clientsetName), err); err != nil {
		return nil, err
	}
	return []target{r.oneTarget(clientset.Family, filepath.Join(r.outputDir, r.clientsetName), path.Join(pkg, r.clientsetName))}, nil
}

func listerTargets(r *run) ([]target, error) {
	pkg, err := r.outputPackage()
	if err := errors.Join(r.require("output-dir", r.outputDir), err); err != nil {
		return nil, err
	}
	return []target{r.oneTarget(lister.Family, r.outputDir, pkg)}, nil
}

func applyTargets(r *run) ([]target, error) {
	pkg, err := r.outputPackage()
	if err := errors.Join(r.require("output-dir", r.outputDir), err); err != nil {
		return nil, err
	}
	return []target{r.oneTarget(applyconfiguration.Family, r.outputDir, pkg)}, nil
}

func informerTargets(r *run) ([]target, error) {
	pkg, err := r.outputPackage()
	err = errors.Join(
		r.require("output-dir", r.outputDir), r.require("versioned-clientset-package", r.versionedClientset),
		r.require("listers-package", r.listers), err,
	)
	if err != nil {
		return nil, err
	}
	var targets []target
	for _, internal := range []bool{false, true} {
		clients, sub := r.versionedClientset, "externalversions"
		if internal {
			clients, sub = r.internalClientset, "internalversion"
		}
		root, dir := pkg, r.outputDir
		if !r.singleDirectory {
			root, dir = path.Join(pkg, sub), filepath.Join(dir, sub)
		}
		t := r.oneTarget(informer.Family, dir, root)
		t.opts.Roots[templates.Clientset], t.opts.Roots[templates.Listers] = render.Root{Path: clients}, render.Root{Path: r.listers}
		t.only = func(v *model.Version) bool { return v.Internal() == internal }
		targets = append(targets, t)
	}
	return targets, nil
}

func (r *run) require(flag, value string) error {
	if value == "" {
		return fmt.Errorf("--%s must be given", flag)
	}
	return nil
}

// renderOptions returns what all families are told.
func (r *run) renderOptions() render.Options {
	opts := render.Options{
		Header: r.header, APIPath: r.apiPath, ClientsetOnly: r.clientsetOnly, Fake: r.fake,
		PrefersProtobuf: r.prefersProtobuf, Externals: r.external, OpenAPI: r.openAPI, Classic: r.classic, Roots: map[string]render.Root{},
	}
	if r.classic { // for which these are elsewhere even where their package is among those to generate for
		opts.Externals = maps.Clone(r.external)
		for _, name := range model.PublishedMetaV1 {
			if t := (model.TypeRef{Path: model.MetaV1, Name: name}); opts.Externals[t] == "" {
				opts.Externals[t] = "k8s.io/client-go/applyconfigurations/meta/v1"
			}
		}
	}
	if r.applyConfigurations != "" {
		opts.Roots[templates.ApplyConfigurations] = render.Root{Path: strings.TrimSuffix(r.applyConfigurations, "/")}
	}
	return opts
}
