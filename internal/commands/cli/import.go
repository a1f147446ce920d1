package cli

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// importCommand generates types and clients for the custom resources of others.
var importCommand = Command{
	Name: "import", of: "kubegen",
	short: `Generate clients for the custom resources of others, from CustomResourceDefinitions or Go packages. Manifests are files, directories, or - for standard input: YAML or JSON, also lists; other objects in them are skipped. The Go types of each group and version in manifests are written to a package of their own, DIRECTORY/GROUP/VERSION, and all other code to packages next to these. Go packages are import paths in modules that go.mod requires; their types stay where they are, and need no +genclient.`,
	usage: "kubegen import --output-dir DIRECTORY [flags] FILE|DIRECTORY|-|PACKAGE...",
	about: `  kubectl get crd certificates.cert-manager.io -o yaml |
    kubegen import --output-dir internal/certmanager -
  kubegen import --output-dir internal/gateway --kinds Gateway,HTTPRoute crds/
  kubegen import --output-dir internal/gateway --verify crds/  # in CI
  kubegen import --output-dir internal/istio istio.io/client-go/pkg/apis/...
  kubegen import --output-dir internal/capi --kinds Cluster,Machine \
    --crds sigs.k8s.io/cluster-api sigs.k8s.io/cluster-api/api/...

`,
	flags:   declare(importFlags.under(thisCommand), kubegenSettings, writeFlags, runOptions),
	maxArgs: anyNumber,
	run: func(ctx context.Context, in *invocation) int {
		err := in.checkWrite()
		switch {
		case len(in.Patterns) == 0:
			err = errors.Join(
				err, errors.New("nothing to import; name files or directories with CustomResourceDefinitions, - for standard input, or Go packages"),
			)
		case in.OutputDir == "":
			err = errors.Join(err, errors.New("--output-dir is required: the directory for types and clients, such as internal/certmanager"))
		}
		if err != nil {
			return in.fail(err)
		}
		in.Import.Arguments, in.Patterns = in.Patterns, nil
		return in.write(ctx, importing)
	},
}

// importing determines the code for imported types.
var importing = func() plan.Command {
	command := everything
	command.WholeModule = false
	return command
}()

// importSettings declares the settings of an import in kubegen.yaml.
var importSettings = declare(kubegenSettings, importFlags)

var importFlags declaration = func(o *options, fs *pflag.FlagSet) {
	f := &o.Import
	f.Stdin = readStdin
	fs.StringSliceVar(&f.Kinds, "kinds", nil, "import only these `kinds`, as in Certificate or Certificate.cert-manager.io")
	byDefault(fs, "kinds", "all")
	fs.StringSliceVar(&f.Versions, "versions", nil, "import only these `versions`")
	byDefault(fs, "versions", "all that are served")
	fs.StringSliceVar(&f.GroupDirs, "group-dirs", nil, "directories of `groups`, in the form GROUP=DIRECTORY,...")
	byDefault(fs, "group-dirs", "the first label of the group, or the whole group if another one has that directory")
	fs.StringSliceVar(&f.Names, "names", nil, "names of `types`, in the form Certificate.spec.privateKey=PrivateKey,...")
	byDefault(fs, "names", "from the path of the field")
	fs.StringSliceVar(
		&f.Fields, "fields", nil,
		"import slices of the types, with only these `fields` and metadata, as in spec.secretName, or Certificate:spec.secretName for one kind",
	)
	byDefault(fs, "fields", "all")
	annotate(fs.Lookup("fields"), listsKey, "true")
	for _, name := range []string{"group-dirs", "names"} {
		annotate(fs.Lookup(name), mapKey, "true")
	}
	fs.BoolVar(&f.TypesOnly, "types-only", false, "generate only types with their DeepCopy methods and registration, no clients")
	fs.BoolVar(
		&f.ShareTypes, "share-types", false, "one type for all equal schemas of a package, named by the shortest path, or as in the last import",
	)
	fs.BoolVar(
		&f.Copy, "copy", false, "copy the types of Go packages, and all declarations that they need, instead of importing them where they are",
	)
	fs.StringSliceVar(&f.Keep, "keep", nil, "do not copy these `packages` and those below them, but import them where they are")
	byDefault(fs, "keep", "k8s.io/api, k8s.io/apimachinery")
	fs.StringSliceVar(&f.Methods, "methods", nil, "copy these `methods`, too, in the form Cluster.GetConditions,...")
	byDefault(fs, "methods", "those for JSON and text, and String")
	fs.StringSliceVar(
		&f.Values, "values", nil,
		"copy these `variables` although their values call functions when a program starts, in the form example.com/api/v1.pattern,...",
	)
	fs.BoolVar(&f.CoreTypes, "core-types", true, "use the types of k8s.io/api and metav1 for objects with the same fields and restrictions")
}

// listLeft prints the methods of copied types, first the copied ones.
func (in *invocation) listLeft(outputs []*run.Output) {
	for _, o := range outputs {
		for _, m := range o.Types.Methods {
			in.say("%s: method %s is copied", diag.Place(in.env.Dir, m.Pos), m.Name)
		}
		for _, left := range o.Types.Left {
			why := ""
			if left.Why != "" {
				why = ": " + left.Why
			}
			in.say("%s: method %s is not copied%s", diag.Place(in.env.Dir, left.Pos), left.Name, why)
		}
	}
}

// listShapes prints the Kubernetes types used for fields of imported kinds.
func (in *invocation) listShapes(outputs []*run.Output) {
	for _, o := range outputs {
		for _, pkg := range o.Types.Packages {
			for _, at := range slices.Sorted(maps.Keys(pkg.Shapes)) {
				in.say("%s/%s: %s is %s.%s", pkg.Group, pkg.Version, at, pkg.Shapes[at].Path, pkg.Shapes[at].Name)
			}
		}
	}
}

// readStdin returns manifests on standard input.
func readStdin() ([]byte, error) { return io.ReadAll(io.LimitReader(os.Stdin, crd.MaxManifest)) }
