package conformance

import (
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// acceptance are inputs with mistakes, incomplete inputs and unusual ones, which kubegen and the classic tools must
// treat alike. Each command is that of a classic tool, run in the directory of its case, whose import path is PKG;
// kubegen's command is run with the same arguments. Both must fail for a command that starts with "!".
//
// In Go files, "package v1 of GROUP" stands for a package clause and the declarations that a package of that group
// needs besides types, "kind NAME" for a kind with its list, and "struct NAME" for a kind without one.
var acceptance = []struct{ name, commands, files string }{
	{"dangling", "client-gen CLIENT --input stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
kind CronTab

// +genclient
const Prefix = "x"

// +genclient
func (c *CronTab) Name2() string { return Prefix }
-- apis/stable/v1/more.go --
// +genclient

package v1

// Some text.

// +genclient
`},
	{"version-without-kinds", `
client-gen CLIENT --input stable/v1,stable/v1beta1,stable/v2
lister-gen OUT ./apis/...
informer-gen INFORMERS ./apis/...
`, `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
-- apis/stable/v1beta1/types.go --
// +groupName=stable.example.com
package v1 of stable

type Spec struct {
	Replicas int ` + "`json:\"replicas\"`" + `
}
-- apis/stable/v2/types.go --
package v1 of stable

// +genclient
kind CronTab
`},
	{"group-go-names", `
client-gen CLIENT --input stable/v1,stable/v1beta1,stable/v2,batch/v1,batch/v2,zoo/v1,zoo/v2
lister-gen OUT ./apis/...
informer-gen INFORMERS ./apis/...
applyconfiguration-gen APPLY ./apis/...
`, groupGoNames("stable/v1 Steady", "stable/v1beta1 firm", "stable/v2", "batch/v1 Work", "batch/v2", "zoo/v1", "zoo/v2 Animals")},
	{"embedded", "applyconfiguration-gen APPLY ./apis/stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
kind CronTab

func (Spec) Has(Options, Tagless, Pointer, Named) {}

// +genclient
type Job struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `

	A Options ` + "`json:\"a\"`" + `
	B Tagless ` + "`json:\"b\"`" + `
	C Pointer ` + "`json:\"c\"`" + `
	D Named   ` + "`json:\"d\"`" + `
}

type JobList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata\"`" + `
	Items []Job ` + "`json:\"items\"`" + `
}

type Options struct {
	Spec ` + "`json:\",omitempty\"`" + `
}

type Tagless struct {
	Spec
	Name string ` + "`json:\"name\"`" + `
}

type Pointer struct {
	*Spec ` + "`json:\",omitempty\"`" + `
	Name string ` + "`json:\"name\"`" + `
}

type Named struct {
	Spec ` + "`json:\"spec\"`" + `
}

func (*Job) DeepCopyObject() runtime.Object { return nil }

func (*JobList) DeepCopyObject() runtime.Object { return nil }
`},
	{"group-above-type", "client-gen CLIENT --input stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
// +groupName=other.example.com
kind CronTab
`},
	{"verbs", "client-gen CLIENT --input stable/v1\nlister-gen OUT ./apis/stable/v1\ninformer-gen INFORMERS ./apis/stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
// +genclient:onlyVerbs=get,lst
kind Unknown

// +genclient
// +genclient:skipVerbs=lst,delete
kind UnknownSkipped

// +genclient
// +genclient:onlyVerbs=get,list,delete
// +genclient:skipVerbs=list,watch
kind Both

// +genclient
// +genclient:readonly
// +genclient:skipVerbs=list
kind ReadonlySkipped

// +genclient
// +genclient:readonly
// +genclient:onlyVerbs=create
kind ReadonlyAndMore

// +genclient
// +genclient:skipVerbs=get,
// +genclient:skipVerbs=list
kind Twice

// +genclient
// +genclient:onlyVerbs=get, list
kind Spaced

// +genclient
// +genclient:onlyVerbs=
kind Nothing

// +genclient
// +genclient:onlyVerbs=Get
kind Capital

// +genclient
// +genclient:noVerbs=true
kind Valued

// +genclient
// +genclient:onlyVerbs=updateStatus,get
struct Partial
`},
	{"methods", "client-gen CLIENT --input stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
// +genclient:method=Get2,verb=get,verb=list
// +genclient:method=Get3,verb=get,subresource=status
kind CronTab
`},
	{"method-mistakes", `
! client-gen CLIENT --input a/v1
! client-gen CLIENT --input b/v1
! client-gen CLIENT --input c/v1
! client-gen CLIENT --input d/v1
`, `
-- apis/a/v1/types.go --
package v1 of a

// +genclient
// +genclient:method=Do,verb=frobnicate
kind CronTab
-- apis/b/v1/types.go --
package v1 of b

// +genclient
// +genclient:method=Do,verb=watch
kind CronTab
-- apis/c/v1/types.go --
package v1 of c

// +genclient
// +genclient:method=Do,verb=get,resource=x
kind CronTab
-- apis/d/v1/types.go --
package v1 of d

// +genclient
// +genclient:method=Do
kind CronTab
`},
	{"unknown-markers", `
client-gen CLIENT --input stable/v1
lister-gen OUT ./apis/stable/v1
! client-gen CLIENT --input a/v1
! lister-gen OUT ./apis/b/v1
`, `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclinet
// + genclient
// +GenClient
kind Misspelt

// +genclient
// +nonNamespaced
// +readonly
// +resourceName
// +GenClient:noStatus
kind Old
-- apis/a/v1/types.go --
package v1 of a

// +genclient
// +genclient:nonNamespace
kind CronTab
-- apis/b/v1/types.go --
package v1 of b

// +genclient=true
kind CronTab
`},
	{"kubebuilder-mistakes", "client-gen CLIENT --input stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
// +kubebuilder:resource:scop=Namespaced,path=
// +kubebuilder:object:root=maybe
kind CronTab
`},
	{"aliases", "client-gen CLIENT --input stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
// +genclient:noStatus
type Alias = Real

kind Real

// +genclient
type Foreign = metav1.PartialObjectMetadata

// +genclient
type Second = Commented

// Commented has a comment of its own.
kind Commented

// +genclient
kind CronTab
`},
	{"groups-of-types", "client-gen CLIENT --input stable/v1", `
-- apis/stable/v1/deepcopy.go --
package v1

import "k8s.io/apimachinery/pkg/runtime"

func (in *Above) DeepCopyObject() runtime.Object  { return in }
func (in *Inside) DeepCopyObject() runtime.Object { return in }
func (in *Apart) DeepCopyObject() runtime.Object  { return in }
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
// +genclient:noVerbs
type (
	Above struct {
		metav1.TypeMeta
		metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
	}

	Unmarked struct{}

	// +genclient
	// +genclient:noVerbs

	// Inside is in there.
	Inside struct {
		metav1.TypeMeta
		metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
	}
)

// +genclient
// +genclient:noVerbs

type (
	Apart struct {
		metav1.TypeMeta
		metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
	}
)
`},
	{"case", "client-gen CLIENT --input stable/v1\nlister-gen OUT ./apis/stable/v1\ninformer-gen INFORMERS ./apis/stable/v1\napplyconfiguration-gen APPLY ./apis/stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
kind CronTab

// +genclient
// +resourceName=others
kind CRONTAB
`},
	{"same-resource", "client-gen CLIENT --input stable/v1\nlister-gen OUT ./apis/stable/v1\ninformer-gen INFORMERS ./apis/stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
kind CronTab

// +genclient
// +resourceName=crontabs
kind CronTable
`},
	{"twice", "lister-gen OUT ./apis/stable/v1\n! lister-gen OUT ./apis/mixed/v1\nlister-gen OUT ./apis/odd/v1", `
-- apis/stable/v1/doc.go --
// +groupName=stable
// +groupName=other
package v1
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
kind CronTab
-- apis/mixed/v1/doc.go --
// +k8s:lister-gen=false
// +k8s:lister-gen=true
package v1
-- apis/mixed/v1/types.go --
package v1 of mixed

// +genclient
kind CronTab
-- apis/odd/v1/doc.go --
// +k8s:lister-gen
// +k8s:informer-gen=maybe
package v1
-- apis/odd/v1/types.go --
package v1 of odd

// +genclient
kind CronTab
`},
	{"nothing-marked", `
client-gen CLIENT --input stable/v1
lister-gen OUT ./apis/stable/v1
informer-gen INFORMERS ./apis/stable/v1
applyconfiguration-gen APPLY ./apis/stable/v1
`, `
-- apis/stable/v1/types.go --
package v1 of stable

kind CronTab
`},
	{"no-packages", `
client-gen CLIENT
client-gen CLIENT --fake-clientset=false -n bare
lister-gen OUT
informer-gen INFORMERS
applyconfiguration-gen APPLY
`, ""},
	{"not-there", `
! lister-gen OUT ./nothere
! lister-gen OUT ./nothere/...
! client-gen CLIENT --input nothere/v1
`, ""},
	{"included-types", `
client-gen CLIENT --input stable/v1 --included-types-overrides nope/v9/Foo,stable/v1/CronTab,stable/v1/Nope
client-gen CLIENT -n directory --input named/v1 --included-types-overrides named/v1/CronTab
client-gen CLIENT -n group --input named/v1 --included-types-overrides stable.example.com/v1/CronTab
client-gen CLIENT -n none --input stable/v1 --included-types-overrides stable/v2/CronTab
! client-gen CLIENT --input stable/v1 --included-types-overrides a/b/c/d
`, `
-- apis/stable/v1/types.go --
package v1 of stable

kind CronTab

// +genclient
kind Other
-- apis/named/v1/doc.go --
// +groupName=stable.example.com
package v1
-- apis/named/v1/types.go --
package v1 of stable.example.com

kind CronTab

// +genclient
kind Other
`},
	{"api-path", `
client-gen CLIENT --input stable/v1 --clientset-api-path api
client-gen CLIENT -n slash --input stable/v1 --clientset-api-path /api/
! client-gen CLIENT -n empty --input stable/v1 --clientset-api-path=
`, `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
kind CronTab
`},
	{"metav1", "applyconfiguration-gen APPLY k8s.io/apimachinery/pkg/apis/meta/v1", ""},
	{"no-kinds", "applyconfiguration-gen APPLY ./apis/stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// Spec is of no kind.
type Spec struct {
	Replicas int ` + "`json:\"replicas\"`" + `
}
`},
	{"openapi", `
applyconfiguration-gen APPLY --openapi-schema dangling.json ./apis/stable/v1
applyconfiguration-gen APPLY --openapi-schema lacking.json ./apis/stable/v1
applyconfiguration-gen APPLY --openapi-schema none.json ./apis/stable/v1
`, `
-- dangling.json --
{"swagger": "2.0", "info": {"title": "x", "version": "1"}, "paths": {}, "definitions": {
	"com.example.migration.openapi.apis.stable.v1.Spec": {"type": "object", "properties": {"replicas": {"$ref": "#/definitions/com.example.Gone"}}}}}
-- lacking.json --
{"swagger": "2.0", "info": {"title": "x", "version": "1"}, "paths": {}, "definitions": {"com.example.Other": {"type": "string"}}}
-- none.json --
{"swagger": "2.0", "info": {"title": "x", "version": "1"}, "paths": {}, "definitions": {}}
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
kind CronTab
`},
	{"merge-markers", "applyconfiguration-gen APPLY ./apis/stable/v1", `
-- apis/stable/v1/types.go --
package v1 of stable

// +genclient
kind CronTab

type List struct {
	// +listType=mop
	A []string ` + "`json:\"a\"`" + `
	// +listType=map
	B []Element ` + "`json:\"b\"`" + `
	// +mapType=set
	C map[string]string ` + "`json:\"c\"`" + `
	// +default=x
	D string ` + "`json:\"d\"`" + `
}

type Element struct {
	Name string ` + "`json:\"name\"`" + `
}

func (Spec) Uses(List) {}
`},
}

// TestAcceptance checks that the commands that replace the classic tools accept the same input, and that the generated
// packages have the same exported API.
func TestAcceptance(t *testing.T) {
	bin := t.TempDir() + string(filepath.Separator)
	for _, build := range []*exec.Cmd{
		goCommand("migration", "build", "-o", bin, "tool"),
		goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/..."),
	} {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	classic, ours := t.TempDir(), t.TempDir()
	for _, dir := range []string{classic, ours} {
		for _, file := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
		}
	}
	t.Run("commands", func(t *testing.T) {
		for _, c := range acceptance {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				// Commands that fail run elsewhere: the classic tools leave files behind, which must not be compared.
				const aside = "-refused"
				for _, dir := range []string{classic, ours} {
					writeCase(t, filepath.Join(dir, c.name), c.files)
					writeCase(t, filepath.Join(dir, c.name+aside), c.files)
				}
				for command := range strings.Lines(strings.TrimSpace(c.commands)) {
					command, refused := strings.CutPrefix(strings.TrimSpace(command), "! ")
					name := c.name
					if refused {
						name += aside
					}
					args := strings.Fields(expandCommand.Replace(command))
					for i := range args {
						args[i] = strings.ReplaceAll(args[i], "PKG", "example.com/migration/"+name)
					}
					for dir, tool := range map[string]string{classic: args[0], ours: OurTools[args[0]]} {
						cmd := exec.Command(bin+tool, args[1:]...)
						cmd.Dir, cmd.Env = filepath.Join(dir, name), goEnv()
						said, err := cmd.CombinedOutput()
						if (err != nil) != refused {
							t.Errorf("%s %s: %v\n%s", tool, strings.Join(args[1:], " "), err, head(string(said)))
						}
					}
				}
			})
		}
	})
	want, _ := Load(classic, "./...") // some packages do not compile
	got, err := Load(ours, "./...")
	if err != nil {
		t.Error(head(err.Error()))
	}
	symbols := 0
	for _, c := range acceptance {
		prefix := "example.com/migration/" + c.name + "/out/"
		report := Compare(below(want, prefix), below(got, prefix))
		symbols += report.Symbols
		if differences := report.Differences(); len(differences) > 0 {
			t.Errorf("%s: %d differences\n%s", c.name, len(differences), strings.Join(differences, "\n"))
		}
		for _, added := range report.Added {
			if _, compiles := want[strings.TrimPrefix(added, "package ")]; strings.HasPrefix(added, "package ") && !compiles && !exists(classic, added) {
				t.Errorf("%s: more than the classic tool: %s", c.name, added)
			}
		}
	}
	fmt.Printf("acceptance: %d inputs, %d exported symbols compared\n", len(acceptance), symbols)
	if symbols == 0 {
		t.Error("nothing was compared")
	}
}

// exists reports whether the directory of "package PATH" is in the module in dir.
func exists(dir, pkg string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(pkg, "package example.com/migration/"))))
	return err == nil
}

var expandCommand = strings.NewReplacer(
	"CLIENT", "--output-dir out/clientset --output-pkg PKG/out/clientset --clientset-name versioned --input-base PKG/apis",
	"OUT", "--output-dir out/listers --output-pkg PKG/out/listers",
	"INFORMERS", "--output-dir out/informers --output-pkg PKG/out/informers --versioned-clientset-package PKG/out/clientset/versioned --listers-package PKG/out/listers",
	"APPLY", "--output-dir out/apply --output-pkg PKG/out/apply",
)

func below(packages map[string]*types.Package, prefix string) map[string]*types.Package {
	found := map[string]*types.Package{}
	for path, pkg := range packages {
		if strings.HasPrefix(path, prefix) && !strings.Contains(path, "/internal") && len(pkg.Scope().Names()) > 0 {
			found[path] = pkg
		}
	}
	return found
}

var (
	packageLine = regexp.MustCompile(`(?m)^package v1 of (.*)$`)
	kindLine    = regexp.MustCompile(`(?m)^(kind|struct) (.*)$`)
)

// writeCase writes the files of a case.
func writeCase(t *testing.T, dir, files string) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(files)).Files {
		text := packageLine.ReplaceAllString(string(f.Data), `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "$1", Version: "v1"}

func AddToScheme(*runtime.Scheme) error { return nil }

func Resource(name string) schema.GroupResource { return SchemeGroupVersion.WithResource(name).GroupResource() }

type meta = metav1.ObjectMeta
`)
		var kinds []string
		text = kindLine.ReplaceAllStringFunc(text, func(line string) string {
			what, name, _ := strings.Cut(line, " ")
			kinds = append(kinds, name)
			decl := fmt.Sprintf("type %s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec Spec `json:\"spec\"`\n\tStatus Spec `json:\"status\"`\n}\n", name)
			if what == "kind" {
				kinds = append(kinds, name+"List")
				decl += fmt.Sprintf("\ntype %sList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\tItems []%s `json:\"items\"`\n}\n", name, name)
			}
			return decl
		})
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		writeText(t, name, text)
		if len(kinds) == 0 {
			continue
		}
		more := "package v1\n\nimport \"k8s.io/apimachinery/pkg/runtime\"\n\ntype Spec struct {\n\tReplicas int `json:\"replicas\"`\n}\n"
		for _, kind := range kinds {
			more += fmt.Sprintf("\nfunc (in *%s) DeepCopyObject() runtime.Object { return in }\n", kind)
		}
		writeText(t, filepath.Join(filepath.Dir(name), "zz_deepcopy.go"), more)
	}
}

func writeText(t *testing.T, name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// groupGoNames returns packages with a kind each. An element is a directory below apis and the value of +groupGoName,
// if any.
func groupGoNames(packages ...string) string {
	var files strings.Builder
	for _, pkg := range packages {
		dir, name, _ := strings.Cut(pkg, " ")
		group, _, _ := strings.Cut(dir, "/")
		fmt.Fprintf(&files, "-- apis/%s/doc.go --\n// +groupName=%s.example.com\n", dir, group)
		if name != "" {
			fmt.Fprintf(&files, "// +groupGoName=%s\n", name)
		}
		fmt.Fprintf(&files, "package v1\n-- apis/%s/types.go --\n// +groupGoName=Unread\npackage v1 of %s.example.com\n\n// +genclient\nkind CronTab\n", dir, group)
	}
	return files.String()
}
