package typecopy

import (
	"fmt"
	"go/ast"
	"go/importer"
	goparser "go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

// meta is enough of metav1 for the kinds of tests.
const meta = "package v1\n\ntype TypeMeta struct{}\ntype ObjectMeta struct{\n\tLabels map[string]string `json:\"labels\"`\n\tManagedFields []string `json:\"managedFields\"`\n}\ntype ListMeta struct{}\n"

// copyOf copies the kinds of package x.example.com/api/v1 in a txtar archive. It returns all files by path.
func copyOf(t testing.TB, archive string, o Options) (map[string]string, Result) {
	t.Helper()
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = string(f.Data)
	}
	return copyFiles(t, files, o)
}

// copyFiles is like copyOf for files by name.
func copyFiles(t testing.TB, files map[string]string, o Options) (map[string]string, Result) {
	t.Helper()
	files = maps.Clone(files)
	files["k8s.io/apimachinery/pkg/apis/meta/v1/meta.go"] = meta
	if o.Patterns == nil {
		o.Patterns = []string{"x.example.com/api/v1"}
	}
	if o.Path = "example.com/copy"; o.Earlier == nil {
		o.Earlier = func(string) string { return "" }
	}
	nowhere := load.Environment{Dir: "/"} // without a go.mod, whose parsing takes longer than everything else
	r := Copy(load.NewLoader(t.Context(), loadtest.InMemory(load.Config{Env: nowhere, Marker: markers.Genclient}, files)), o)
	copied := map[string]string{}
	for _, p := range r.Packages {
		for name, text := range p.Files {
			from, intact, ok := Unseal(text)
			if !intact || !ok || from == "" {
				t.Errorf("%s/%s has no checksum", p.Dir, name)
			}
			_, body, _ := strings.Cut(string(text), "\n\n")
			copied[p.Dir+"/"+name] = body
		}
	}
	return copied, r
}

// compile type-checks copies.
func compile(t *testing.T, copied map[string]string) {
	t.Helper()
	check := &checker{t: t, files: copied, std: importer.Default(), done: map[string]*types.Package{}}
	for name := range copied {
		if _, err := check.Import("example.com/copy/" + path.Dir(name)); err != nil {
			t.Fatal(err)
		}
	}
}

type checker struct {
	t     *testing.T
	files map[string]string
	std   types.Importer
	done  map[string]*types.Package
}

func (c *checker) Import(importPath string) (*types.Package, error) {
	files := c.files
	dir, ok := strings.CutPrefix(importPath, "example.com/copy/")
	if importPath == "k8s.io/apimachinery/pkg/apis/meta/v1" {
		dir, files, ok = "m", map[string]string{"m/m.go": meta}, true
	}
	if !ok {
		return c.std.Import(importPath)
	}
	if c.done[dir] != nil {
		return c.done[dir], nil
	}
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(name) == dir {
			f, err := goparser.ParseFile(fset, name, files[name], 0)
			if err != nil {
				return nil, err
			}
			parsed = append(parsed, f)
		}
	}
	pkg, err := (&types.Config{Importer: c}).Check(importPath, fset, parsed, nil)
	c.done[dir] = pkg
	return pkg, err
}

const doc = `
-- x.example.com/api/v1/doc.go --
// Package v1 has kinds.
// +groupName=x.example.com
// +kubebuilder:validation:Optional
// +k8s:openapi-gen=true
package v1
`

const kind = `
type Foo struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec Spec
}

type FooList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []Foo
}
`

func TestCopy(t *testing.T) {
	copied, r := copyOf(t, doc+`
-- x.example.com/api/v1/types.go --
// Copyright of X.

package v1

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"x.example.com/shared"
	other "y.example.com/other/v2"
)

// unrelated is not copied.

type unrelated struct{ f func() }

// +kubebuilder:object:root=true
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +k8s:deepcopy-gen:interfaces=x.example.com/api/v1.Copier
// +kubebuilder:resource:scope=Cluster

// Foo is a kind.
type Foo struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	// Spec is the wish.
	// +optional
	Spec *Spec `+"`json:\"spec,omitempty\"`"+` // of the user
}

type (
	// FooList is a list.
	FooList struct {
		metav1.TypeMeta
		metav1.ListMeta
		Items []Foo
	}
	notCopied chan int
	// Spec is recursive.
	Spec struct {
		Level Level
		Size  shared.Size
		Pair  shared.Pair[other.Name, Level]
		Next  *Spec
		Names map[other.Name][]Alias
	}
)

type Alias = other.Name

// Level is a level.
type Level int

const (
	Low Level = iota
	_
	High // the highest
)

const (
	// FooLabel is a label.
	FooLabel = prefix + "foo"
	GroupName = "x.example.com"
)

const prefix = "x.example.com/"

type BarList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []Bar
}

type Bar struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

func (l Level) MarshalText() ([]byte, error) { return []byte(name(l)), nil }

func (l *Level) UnmarshalText(text []byte) error {
	for i := Low; i <= High; i++ {
		if strings.EqualFold(name(i), string(text)) {
			*l = i
		}
	}
	return nil
}

// Hub is left out.
func (f *Foo) Hub() {}

func (f *Foo) String() string { return f.Name() + other.Call() }
func (f *Foo) Name() string { return "" }
-- x.example.com/api/v1/names.go --
package v1

var names = []string{Low: "low", High: "high"}

func name(l Level) string { return names[l] }
-- x.example.com/api/v1/zz_generated.deepcopy.go --
// Code generated by deepcopy-gen. DO NOT EDIT.

package v1

func (f *Foo) DeepCopy() *Foo { return nil }
-- x.example.com/shared/shared.go --
// Package shared is shared.
package shared

type Size struct{ n int }

type Pair[A ~string, B Number] struct {
	First A
	Second B
}

type Number interface{ ~int | ~int64 }
-- y.example.com/other/v2/other.go --
package other

type Name string

const First Name = "first"

func Call() string { return "" }
`, Options{Kinds: []string{"Foo"}})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	want := map[string]string{
		"x/v1/doc.go": `// Package v1 has kinds.
//
// +kubebuilder:validation:Optional
// +groupName=x.example.com
// +k8s:deepcopy-gen=package
package v1
`,
		"x/v1/zz_generated.types.go": `// Copyright of X.

package v1

import (
	"strings"

	other "example.com/copy/x/other-v2"
	"example.com/copy/x/shared"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +genclient:nonNamespaced
// +genclient:noStatus
// +kubebuilder:object:root=true
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:scope=Cluster

// Foo is a kind.
type Foo struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	// Spec is the wish.
	// +optional
	Spec *Spec ` + "`json:\"spec,omitempty\"`" + ` // of the user
}

type (
	// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

	// FooList is a list.
	FooList struct {
		metav1.TypeMeta
		metav1.ListMeta
		Items []Foo
	}
	// Spec is recursive.
	Spec struct {
		Level Level
		Size  shared.Size
		Pair  shared.Pair[other.Name, Level]
		Next  *Spec
		Names map[other.Name][]Alias
	}
)

type Alias = other.Name

// Level is a level.
type Level int

const (
	Low Level = iota
	_
	High // the highest
)

const (
	// FooLabel is a label.
	FooLabel = prefix + "foo"
)

const prefix = "x.example.com/"

func (l Level) MarshalText() ([]byte, error) { return []byte(name(l)), nil }

func (l *Level) UnmarshalText(text []byte) error {
	for i := Low; i <= High; i++ {
		if strings.EqualFold(name(i), string(text)) {
			*l = i
		}
	}
	return nil
}
`,
		"x/v1/zz_generated.names.go": `package v1

var names = []string{Low: "low", High: "high"}

func name(l Level) string { return names[l] }
`,
		"x/shared/doc.go": "// Package shared is shared.\n//\n// +k8s:deepcopy-gen=package\npackage shared\n",
		"x/shared/zz_generated.shared.go": `package shared

type Size struct {
	n int
}

type Pair[A ~string, B Number] struct {
	First  A
	Second B
}

type Number interface{ ~int | ~int64 }
`,
		"x/other-v2/doc.go": "// Package other is a copy of declarations of y.example.com/other/v2.\n//\n// +k8s:deepcopy-gen=package\npackage other\n",
		"x/other-v2/zz_generated.other.go": `package other

type Name string

const First Name = "first"
`,
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if copied[name] != want[name] {
			t.Errorf("%s is\n%s\nwant\n%s", name, copied[name], want[name])
		}
	}
	if len(copied) != len(want) {
		t.Errorf("copied %q", slices.Sorted(maps.Keys(copied)))
	}
	var left []string
	for _, l := range r.Left {
		left = append(left, l.Name)
	}
	if !slices.Equal(left, []string{"Foo.Hub", "Foo.Name", "Foo.String"}) {
		t.Errorf("left out %q", left)
	}
	for _, p := range r.Packages {
		if pos := p.Origin("zz_generated.types.go", 27); p.Dir == "x/v1" && (path.Base(pos.Filename) != "types.go" || pos.Line != 25) {
			t.Errorf("line 27 is from %s", pos)
		}
	}
}

// Each mistake is reported at its place, and nothing is copied.
func TestRefused(t *testing.T) {
	imports := "-- x.example.com/api/v1/types.go --\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" + kind
	for _, test := range []struct{ name, more, want string }{
		{"JSON", "type Spec struct{}\nfunc (Spec) MarshalJSON() ([]byte, error) { return marshal() }\nfunc marshal() ([]byte, error)\n", "types.go:18:1: marshal has no body in Go"},
		{"copy", "type Spec struct{}\nfunc (*Spec) DeepCopyInto(*Spec) { helper.F() }\n-- z.example.com/helper/h.go --\npackage helper\nfunc F() {}\n", "types.go:17:36: Spec.DeepCopyInto needs z.example.com/helper.F of another module, which is not a type"},
	} {
		text := imports
		if strings.Contains(test.more, "helper.") {
			text = strings.Replace(text, "import ", "import \"z.example.com/helper\"; import ", 1)
		}
		_, r := copyOf(t, doc+text+test.more, Options{})
		got := ""
		for _, d := range r.Diags {
			if d.Severity == 0 {
				got += fmt.Sprintf("%s:%d:%d: %s", path.Base(d.Pos.Filename), d.Pos.Line, d.Pos.Column, d.Message)
				break
			}
		}
		if got != test.want || test.want != "" && len(r.Packages) > 0 && r.Packages[0].Files["doc.go"] != nil {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// Types of any depth, and types that refer to each other, are copied.
func TestDeep(t *testing.T) {
	text := "-- x.example.com/api/v1/types.go --\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" + kind + "type Spec struct{ T T0 }\n"
	for i := range 2000 {
		text += fmt.Sprintf("type T%d struct{ Next *T%d; First *Spec }\n", i, (i+1)%2000)
	}
	text += "type U " + strings.Repeat("[]", 1000) + "int\nfunc (Spec) MarshalJSON() ([]byte, error) { var u U; _ = u; return nil, nil }\n"
	copied, r := copyOf(t, doc+text, Options{})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	if n := strings.Count(copied["x/v1/zz_generated.types.go"], "\ntype "); n != 2004 {
		t.Errorf("copied %d types, want 2004", n)
	}
}

func TestUnseal(t *testing.T) {
	text := Sealed("example.com/m@v1.2.3 a.go", []byte("package a\n"))
	if from, intact, ok := Unseal(text); from != "example.com/m@v1.2.3 a.go" || !intact || !ok {
		t.Errorf("got %q, %v, %v", from, intact, ok)
	}
	if _, intact, ok := Unseal([]byte(strings.ReplaceAll(string(text), "\n", "\r\n"))); !intact || !ok {
		t.Error("line ends of Windows count")
	}
	if _, intact, ok := Unseal(append(text, "// edited\n"...)); intact || !ok {
		t.Error("an edited file counts as intact")
	}
	if _, _, ok := Unseal([]byte("package a\n")); ok {
		t.Error("another file counts as a copy")
	}
}

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"types.go": "zz_generated.types.go", "zz_generated.types.go": "zz_generated.types.go", "api_windows.go": "zz_generated.api_windows_types.go",
		"zz_generated.deepcopy.go": "zz_generated.deepcopy_types.go", "doc.go": "zz_generated.doc.go", "linux.go": "zz_generated.linux.go",
		strings.Repeat("long", 60) + ".go": "zz_generated." + strings.Repeat("long", 41) + "lon_d946fc447ad44d7d.go",
	} {
		if got := fileName(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// Names of directories do not become too long for file systems.
func TestLongDirectories(t *testing.T) {
	imports, fields, packages := "", "", ""
	for i := range 3 {
		importPath := fmt.Sprintf("y.example.com/%d%s/%s/shared", i, strings.Repeat("a", 150), strings.Repeat("b", 150))
		imports += fmt.Sprintf("\ts%d %q\n", i, importPath)
		fields += fmt.Sprintf("\tF%d s%[1]d.T\n", i)
		packages += "-- " + importPath + "/t.go --\npackage shared\n\ntype T struct{}\n"
	}
	copied, r := copyOf(t, doc+"-- x.example.com/api/v1/types.go --\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"+imports+")\n"+kind+"\ntype Spec struct {\n"+fields+"}\n"+packages, Options{})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	for name := range copied {
		for _, element := range strings.Split(name, "/") {
			if len(element) > 220 {
				t.Errorf("%s is too long", element)
			}
		}
	}
}

// A group keeps the directory of an earlier copy when another one with the same label is added.
func TestEarlierDirectories(t *testing.T) {
	text := ""
	for _, name := range []string{"a", "z"} {
		text += strings.ReplaceAll(strings.ReplaceAll(doc, "x.example.com/api", name+".example.com/api"), "+groupName=x.", "+groupName=db."+name+".") +
			"-- " + name + ".example.com/api/v1/types.go --\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" + kind + "type Spec struct{}\n"
	}
	for earlier, want := range map[string]string{"": "db/v1", "db.z.example.com": "db.a.example.com/v1", "db.other.example.com": "db/v1"} {
		_, r := copyOf(t, text, Options{Patterns: []string{"a.example.com/api/v1", "z.example.com/api/v1"}, Earlier: func(dir string) string {
			if dir == "db" {
				return earlier
			}
			return ""
		}})
		if r.Diags.HasErrors() || len(r.Packages) != 2 || r.Packages[0].Dir != want {
			t.Errorf("%q: got %v, %v", earlier, r.Packages[0].Dir, r.Diags)
		}
	}
}

// Files whose names differ only in the prefix of generated files have different copies.
func TestSameNames(t *testing.T) {
	const imports = "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"
	copied, r := copyOf(t, doc+"-- x.example.com/api/v1/types.go --\n"+imports+kind+"-- x.example.com/api/v1/zz_generated.types.go --\npackage v1\n\ntype Spec struct{}\n", Options{})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	if names := slices.Sorted(maps.Keys(copied)); !slices.Equal(names, []string{"x/v1/doc.go", "x/v1/zz_generated.types.go", "x/v1/zz_generated.types_types.go"}) {
		t.Errorf("copied %q", names)
	}
}

// Types that markers name are copied, too, and their import paths are replaced.
func TestMarkers(t *testing.T) {
	copied, r := copyOf(t, doc+"-- x.example.com/api/v1/types.go --\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+
		"// +genclient\n// +genclient:method=Poke,verb=create,subresource=poke,input=x.example.com/shared.Poke,result=Poked"+kind+
		"type Spec struct {\n\t// +kubebuilder:validation:XValidation:rule=\"self != ''\"\n\tA string\n}\n\ntype Poked struct{}\n-- x.example.com/shared/shared.go --\npackage shared\n\ntype Poke struct{}\n", Options{})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	if text := copied["x/v1/zz_generated.types.go"]; !strings.Contains(text, "input=example.com/copy/x/shared.Poke,result=Poked\n") || !strings.Contains(text, "type Poked struct{}") ||
		!strings.Contains(text, "self != ''") {
		t.Errorf("copied\n%s", text)
	}
	if text := copied["x/shared/zz_generated.shared.go"]; !strings.Contains(text, "type Poke struct{}") {
		t.Errorf("copied\n%s", text)
	}
}

// TestReferences copies a type that is an object only because of a method, which is copied on request.
func TestReferences(t *testing.T) {
	const marker = "// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n"
	source := doc + "-- x.example.com/api/v1/types.go --\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" + marker + kind +
		"type Spec struct{ Ref Reference }\n\n" + marker + "type Reference struct{ Kind string }\n\nfunc (r *Reference) GetObjectKind() *Reference { return r }\n"
	for _, methods := range [][]string{nil, {"Reference.GetObjectKind"}} {
		copied, r := copyOf(t, source, Options{Methods: methods})
		if r.Diags.HasErrors() {
			t.Fatal(*r.Diags[0])
		}
		compile(t, copied)
		text := copied["x/v1/zz_generated.types.go"]
		if strings.Contains(text, marker+"type Reference") != (methods != nil) || !strings.Contains(text, marker+"\ntype Foo") {
			t.Errorf("copied\n%s", text)
		}
	}
}

// TestConstraints copies generic types with the methods that their constraints require of arguments.
func TestConstraints(t *testing.T) {
	for _, constraint := range []string{"Con", "interface{ ~string; Foo() string }", "interface{ Con }", "Of[string]"} {
		copied, r := copyOf(t, doc+"-- x.example.com/api/v1/types.go --\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"+kind+
			"type Con interface{ ~string; Foo() string }\n\ntype Of[T any] interface{ Foo() T }\n\ntype G[X "+constraint+"] struct{ V X }\n\n"+
			"type M string\n\nfunc (m M) Foo() string { return bar() }\n\nfunc bar() string { return \"\" }\n\ntype Spec struct{ A G[M] }\n", Options{})
		if r.Diags.HasErrors() {
			t.Fatal(*r.Diags[0])
		}
		compile(t, copied)
	}
}

// TestDirectives copies declarations with lines that the go command, the compiler or cgo would interpret.
func TestDirectives(t *testing.T) {
	archive := `
-- x.example.com/api/v1/types.go --
// Copyright of X.
//go:build !never

// +build !never

// Package v1 has kinds.
// +groupName=x.example.com
package v1

` + `//go:generate sh -c "echo outside"

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
` + strings.Replace(kind, "type Foo struct", "// Foo is a kind.\n//\n//go:generate sh -c \"echo doc\"\n//line other.go:1\n//export Foo\ntype Foo struct", 1) + `
/*
Spec has a block.
` + `//go:generate sh -c "echo block"
*/
type Spec struct {
	//go:generate sh -c "echo field"
	A string /*line other.go:7*/
}

//go:noinline
func (s Spec) MarshalJSON() ([]byte, error) {
	//go:generate sh -c "echo body"
	return []byte(text), nil
}

const text = ` + "`\n//go:generate sh\n`" + `
`
	copied, r := copyOf(t, archive, Options{})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	for name, text := range copied {
		for _, unwanted := range []string{"\n//go:", "//line", "/*line", "//export", "+build", "echo"} {
			if strings.Contains(text, unwanted) {
				t.Errorf("%s contains %s:\n%s", name, unwanted, text)
			}
		}
	}
	embedded := strings.Replace(archive, "const text =", "//go:embed text.json\nvar text string\n\nconst unused =", 1)
	if _, r := copyOf(t, strings.Replace(embedded, "import metav1", "import _ \"embed\"\nimport metav1", 1), Options{}); !r.Diags.HasErrors() {
		t.Error("an embedded file is copied")
	}
}

// A kind of another version is no kind in the copy of the type that it is made of.
func TestMarkersOfOtherKinds(t *testing.T) {
	copied, r := copyOf(t, doc+`
-- x.example.com/api/v1/types.go --
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"y.example.com/v2"
)

// +genclient
type Foo v2.Foo

type FooList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []Foo
}
-- y.example.com/v2/types.go --
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
// +genclient:onlyVerbs=get
// +kubebuilder:resource:scope=Cluster
type Foo struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`, Options{})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	if text := copied["x/y.example.com-v2/zz_generated.types.go"]; text == "" || strings.Contains(text, "+genclient") {
		t.Errorf("got\n%s\nof %v", text, slices.Sorted(maps.Keys(copied)))
	}
}

func TestReason(t *testing.T) {
	for out, want := range map[string]string{
		"go: downloading a v1\ngo: a@v1: not found\n":                                                     "a@v1: not found",
		"go: a@v1: parsing go.mod:\n\tmodule declares its path as: b\n\t        but was required as: a\n": "a@v1: parsing go.mod: module declares its path as: b but was required as: a",
		"": "exit status 0",
	} {
		if got := reason(&exec.ExitError{ProcessState: &os.ProcessState{}, Stderr: []byte(out)}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
