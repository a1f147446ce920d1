// Package templates holds the text of the generated code: a template for each output file, in directories that mirror
// the generated tree, with "group", "version" and "kind" as placeholders in paths. A template holds only the body of a
// file and its layout. Header and imports are added elsewhere, and decisions are methods of the view that the template
// is executed with.
package templates

import "embed"

// Directories of templates. Each mirrors a directory of generated files. In these paths, "group" and "version" stand
// for the names of a group and version, and "package" for the directory of a package of types.
const (
	ApplyConfigurations        = "applyconfigurations"
	ApplySchema                = ApplyConfigurations + "/internal"
	VersionApplyConfigurations = ApplyConfigurations + "/group/version"

	Clientset     = "clientset"
	Scheme        = Clientset + "/scheme"
	FakeClientset = Clientset + "/fake"
	Helpers       = Clientset + "/internal/helpers"
	SharedFakes   = Clientset + "/internal/fakes"
	TypedClients  = Clientset + "/typed"
	Clients       = TypedClients + "/group/version"
	FakeClients   = Clients + "/fake"

	Informers        = "informers"
	SharedInformers  = Informers + "/internalinterfaces"
	Consistency      = Informers + "/consistency"
	GroupInformers   = Informers + "/group"
	VersionInformers = GroupInformers + "/version"

	Listers        = "listers"
	VersionListers = Listers + "/group/version"
	SharedIndexes  = Listers + "/internal/indexes"

	DeepCopy        = "deepcopy"
	PackageDeepCopy = DeepCopy + "/package"

	Register = "register"

	Conversion = "conversion"
	Defaulter  = "defaulter"

	Reference = "reference"
)

// FS contains all templates.
//
//go:embed */*
var FS embed.FS

// Imports maps the qualifiers that templates use to the import paths of the packages.
var Imports = map[string]string{
	"atomic":  "sync/atomic",
	"bytes":   "bytes",
	"cmp":     "cmp",
	"context": "context",
	"errors":  "errors",
	"fmt":     "fmt",
	"fnv":     "hash/fnv",
	"http":    "net/http",
	"io":      "io",
	"iter":    "iter",
	"json":    "encoding/json",
	"maphash": "hash/maphash",
	"maps":    "maps",
	"net":     "net",
	"reflect": "reflect",
	"slices":  "slices",
	"sort":    "sort",
	"strconv": "strconv",
	"strings": "strings",
	"sync":    "sync",
	"testing": "testing",
	"time":    "time",
	"url":     "net/url",

	"conversion":    "k8s.io/apimachinery/pkg/conversion",
	"apierrors":     "k8s.io/apimachinery/pkg/api/errors",
	"direct":        "k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct",
	"equality":      "k8s.io/apimachinery/pkg/api/equality",
	"fields":        "k8s.io/apimachinery/pkg/fields",
	"labels":        "k8s.io/apimachinery/pkg/labels",
	"managedfields": "k8s.io/apimachinery/pkg/util/managedfields",
	"meta":          "k8s.io/apimachinery/pkg/api/meta",
	"metav1":        "k8s.io/apimachinery/pkg/apis/meta/v1",
	"metainternal":  "k8s.io/apimachinery/pkg/apis/meta/internalversion",
	"runtime":       "k8s.io/apimachinery/pkg/runtime",
	"schema":        "k8s.io/apimachinery/pkg/runtime/schema",
	"sharding":      "k8s.io/apimachinery/pkg/sharding",
	"serializer":    "k8s.io/apimachinery/pkg/runtime/serializer",
	"types":         "k8s.io/apimachinery/pkg/types",
	"unstructured":  "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured",
	"utiljson":      "k8s.io/apimachinery/pkg/util/json",
	"utilruntime":   "k8s.io/apimachinery/pkg/util/runtime",
	"wait":          "k8s.io/apimachinery/pkg/util/wait",
	"watch":         "k8s.io/apimachinery/pkg/watch",
	"yaml":          "k8s.io/apimachinery/pkg/util/yaml",

	"apply":         "k8s.io/client-go/util/apply",
	"cache":         "k8s.io/client-go/tools/cache",
	"clienttesting": "k8s.io/client-go/testing",
	"discovery":     "k8s.io/client-go/discovery",
	"fakediscovery": "k8s.io/client-go/discovery/fake",
	"flowcontrol":   "k8s.io/client-go/util/flowcontrol",
	"gentype":       "k8s.io/client-go/gentype",
	"listers":       "k8s.io/client-go/listers",
	"rest":          "k8s.io/client-go/rest",
	"retry":         "k8s.io/client-go/util/retry",

	"klog": "k8s.io/klog/v2",

	"consistency": "github.com/kubegen/kubegen/consistency",
	"roundtrip":   "github.com/kubegen/kubegen/conversion/roundtrip",

	"typed":   "sigs.k8s.io/structured-merge-diff/v6/typed",
	"typedv4": "sigs.k8s.io/structured-merge-diff/v4/typed",
	"typedv7": "sigs.k8s.io/structured-merge-diff/v7/typed",
}
