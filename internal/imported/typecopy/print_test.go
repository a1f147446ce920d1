package typecopy

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/kubegen/kubegen/internal/source/load"
)

// everything is a module with all that Go runs when a program starts, or that tools read, beside declarations that are
// copied. The copied declarations do not run.
var everything = map[string]string{
	"x.example.com/api/v1/doc.go": doc[strings.Index(doc, "//"):],
	"x.example.com/api/v1/types.go": `// Copyright of X.
//
//go:build !never

/* Licence. */ /* License: none. */

// Another comment of the package.
package v1

` + `//go:generate touch generated

import (
	_ "embed"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	str "strings"

	. "x.example.com/dot"
	_ "x.example.com/blank"
	"x.example.com/shared"
)

//go:embed types.go
var embedded string

func init() { println("init") }

func init() { run() }

var _ = run()

var _, ran = run(), run()

//go:linkname linked os.runtime_args
func linked() []string

//export exported
func exported() {}

func run() int { println("run"); return len(embedded) + len(linked()) + Dot }

// +kubebuilder:rbac:groups=*,resources=*,verbs=*
//` + "\u00a0" + `+kubebuilder:rbac:groups=*,resources=*,verbs=*
// +kubebuilder:object:root=true

// Foo is a kind.
type Foo struct { // of objects
	metav1.TypeMeta
	metav1.ObjectMeta
	/* Spec is the wish. */
	Spec Spec ` + "`json:\"spec\" other:\"\\u000a//go:generate\"`" + ` // of the user
	// +optional
	Level Level /* at the
	end */
} /* after
the type */

/* FooList
+listType=map */
type FooList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []Foo
}; type Spec struct { //line evil.go:1
	Arrays [len(lengths)][shared.N]int /*line evil.go:2*/
	Map    map[string]*shared.Size // +build never
	Inline struct{ ran, Name string }
}

type (
	// Level is a level. // func init() {}
	Level int // +extern

	Unused struct{ F func() }
)

const (
	// Low is low.
	Low Level = iota // zero
	High /* one */; Higher
	Count = len(lengths) + 1
)

const text, raw = "*/ func init() {} /*", ` + "`" + `
func init() {}
// +marker */
` + "`" + `

var lengths = [...]int{1, 2: 3}

var names = map[Level]string{Low: text, High: raw}

var Name = run()

//go:noinline
func (l Level) MarshalText() ([]byte, error) { // func init() {}
	//go:generate touch generated
	type local struct{ Name, ran string }
	_ = local{Name: str.ToLower(names[l])} /*
	*/
	defer func() { recover() }()
	return []byte(names[l]), nil
}

func (l *Level) UnmarshalText([]byte) error { return nil }; func (l Level) Other() { run() }
`,
	"x.example.com/shared/shared.go": `package shared

const N = 2

type Size struct{ n, m int }

func init() { println("shared") }

var Started = func() bool { println("started"); return true }()
`,
	"x.example.com/dot/dot.go":     "package dot\n\nvar Dot = 1\n",
	"x.example.com/blank/blank.go": "package blank\n\nfunc init() {}\n",
}

// archive returns files as a txtar archive.
func archive(files map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "-- %s --\n%s", name, files[name])
	}
	return b.String()
}

// TestEverything copies types beside all that Go runs when a program starts: nothing of it is copied.
func TestEverything(t *testing.T) {
	copied, r := copyOf(t, archive(everything), Options{})
	if r.Diags.HasErrors() {
		t.Fatal(*r.Diags[0])
	}
	compile(t, copied)
	if found := review(everything, copied); len(found) > 0 {
		t.Error(strings.Join(found, "\n"))
	}
	var methods []string
	for _, m := range r.Methods {
		methods = append(methods, m.Name)
	}
	if !slices.Equal(methods, []string{"Level.MarshalText", "Level.UnmarshalText"}) {
		t.Errorf("copied the methods %q", methods)
	}
	for _, want := range []string{"Arrays [len(lengths)][shared.N]int", "Count = len(lengths) + 1"} {
		if text := copied["x/v1/zz_generated.types.go"]; !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

// TestRuns adds a declaration that would run when a program starts, or that a tool reads, to a type that is copied.
func TestRuns(t *testing.T) {
	for _, test := range []struct{ name, spec, more, want string }{
		{"init", "A int", "func init() { println() }", ""},
		{"call", "", "var v = f()\nfunc f() int { return 1 }", "calls f"},
		{"second value", "", "var w, v = 1, f()\nfunc f() int { return 1 }", "calls f"},
		{"variable with the name of an import", "", "var v = shared.Size(1)\nvar shared = struct{ Size func(int) int }{}", "calls shared.Size"},
		{"two values", "", "var v, w = f()\nfunc f() (int, int) { return 1, 2 }", "calls f"},
		{"method", "", "var v = t(1).f()\ntype t int\nfunc (t) f() int { return 1 }", "calls t(1).f"},
		{"method expression", "", "var v = t.f(1)\ntype t int\nfunc (t) f() int { return 1 }", "calls t.f"},
		{"function literal", "", "var v = func() int { return 1 }()", "calls a function"},
		{"in a composite literal", "", "var v = []int{g: f()}[0]\nconst g = 0\nfunc f() int { return 1 }", "calls f"},
		{"in a conversion", "", "var v = int64(len([]int{f()}))\nfunc f() int { return 1 }", "calls f"},
		{"generic", "", "var v = f[int](1)\nfunc f[T any](t T) T { return t }", "calls f[int]"},
		{"in parentheses", "", "var v = (f)()\nfunc f() int { return 1 }", "calls (f)"},
		{"through a variable", "", "var v = w + 1\nvar w = f()\nfunc f() int { return 1 }", "calls f"},
		{"in a function", "", "var v = w()\nvar w = func() int { return u }\nvar u = f()\nfunc f() int { return 1 }", "calls w"},
		{"receive", "", "var v = <-c\nvar c chan int", "receives"},
		{"copy", "", "var v = copy(a, a)\nvar a []int", "calls copy"},
		{"panic", "", "var v = func() int { return 1 }\nvar w = recover()", ""},
		{"standard library", "", "var v = str.ToLower(\"A\")", "calls str.ToLower"},
		{"hidden builtin", "", "var v = len(1)\nfunc len(int) int { return 1 }", "calls len"},
		{"index", "", "var v = a[0]\nvar a []int", "may fail with a[0]"},
		{"index of a literal", "", "var v = []int{1}[2]", "may fail with []int{…}[2]"},
		{"slice", "", "var v = a[1:]\nvar a []int", "may fail with a[1:]"},
		{"division", "", "var v = t(1 / n)\ntype t int\nvar n int", "may fail with 1 / n"},
		{"remainder", "", "var v = []int{1 % n}\nvar n int", "may fail with 1 % n"},
		{"shift", "", "var v = 1 << n\nvar n int", "may fail with 1 << n"},
		{"assertion", "", "var v = i.(int)\nvar i any", "may fail with i.(int)"},
		{"dereference", "", "var v = *p\nvar p *int", "may fail with *p"},
		{"field of a pointer", "", "var v = p.a\nvar p *struct{ a int }", "may fail with p.a"},
		{"conversion to an array", "", "var v = [2]int(a)\nvar a []int", "may fail with [2]int(a)"},
		{"generic value", "", "var v = f[int]\nfunc f[T any]() {}", ""},
		{"constant division", "", "var v = 1 / n << 2\nconst n = 2", ""},
		{"embedded file", "", "//go:embed v.txt\nvar v string", "embeds a file"},
		{"embedded file above a blank line", "", "//go:embed v.txt\n\n// v is embedded.\nvar v string", "embeds a file"},
		{"no body", "", "var v = f\nfunc f()", "has no body"},
		{"dot import", "A Dotted", "", "imports without a name"},
		{"C", "A C.int", "", "refers to C code"},
		{"length", "A [len(a)]int", "var a = [...]int{1}", ""},
		{"size", "A [unsafe.Sizeof(a)]int", "var a = f()\nfunc f() int { return 1 }", "calls f"},
		{"served", "", "var v = pprof.Index", "needs net/http/pprof"},
		{"predeclared name", "A [unsafe.Sizeof(len)]int", "func len(map[string]int) int { return 1 }", ""},
		{"predeclared value", "A [true]int", "const B, true = 1, 2", ""},
		{"string", "", "const v = `\n//go:generate true\n`", ""},
		{"control character", "A int", "// \r.", ""},
		{"form feed", "A int", "// \f", ""},
		{"escape", "A int", "// \x1b", ""},
		{"direction", "A int", "/* \u202e */", ""},
		{"isolate", "A int", "/* \u2066 */", ""},
		{"line separator", "A int", "// \u2028func init() {}", ""},
		{"next line", "A int", "// \u0085func init() {}", ""},
		{"zero", "A int", "// \x00", "illegal character NUL"},
		{"webhook above code", "", "var v int\n/* +kubebuilder:webhook:a=b\nfunc init() {} //*/", ""},
		{"constraint above code", "", "var v int\n/*\t+build never\nfunc init() {} //*/", ""},
		{"memory", "", "var v = make([]byte, 1<<40)", "calls make"},
		{"nested conversions", "A [" + strings.Repeat("int(", 5000) + "len(a)" + strings.Repeat(")", 5000) + "]int", "var a = [...]int{1}", ""},
		{"conversion", "", "var v = t(int64(1))\ntype t int", ""},
		{"builtins", "", "var v = append(make([]int, 1), min(1, 2), cap([]int{1}))", ""},
		{"function value", "", "var v = f\nfunc f() int { return 1 }", ""},
		{"pointer", "", "var v = &s{v: new(int)}\ntype s struct{ v *int }", ""},
	} {
		files := maps.Clone(everything)
		source := files["x.example.com/api/v1/types.go"]
		spec := test.spec
		if spec == "" {
			spec, test.more = "A int", test.more+"\nfunc (s Spec) MarshalJSON() ([]byte, error) { _ = v; return nil, nil }"
		}
		source = strings.Replace(source, "Inline struct{ ran, Name string }", spec, 1)
		source = strings.Replace(source, "import (", "import \"unsafe\"\nimport (", 1)
		if strings.Contains(test.more, "pprof.") {
			source = strings.Replace(source, "import (", "import \"net/http/pprof\"\nimport (", 1)
		}
		if strings.Contains(spec, "C.") {
			source = strings.Replace(source, "import (", "import \"C\"\nimport (", 1)
		}
		files["x.example.com/api/v1/types.go"] = source + test.more + "\n"
		files["x.example.com/dot/dot.go"] += "type Dotted int\n"
		copied, r := copyOf(t, archive(files), Options{})
		got := ""
		for _, d := range r.Diags {
			if d.Severity == 0 {
				got += d.Message + "\n"
			}
		}
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		if got == "" {
			if found := review(files, copied); len(found) > 0 {
				t.Errorf("%s: %s", test.name, strings.Join(found, "\n"))
			}
		}
	}
}

// Constraints are judged by their words.
func TestConditional(t *testing.T) {
	for _, test := range []struct {
		name, constraint string
		want             bool
	}{
		{"p.go", "!never", false},
		{"p.go", "go1.2 || ignore", false},
		{"p.go", "!windows", true},
		{"p.go", "!(darwin && arm64)", true},
		{"p.go", "!(freebsd && riscv64 && !cgo)", true},
		{"p_windows_arm64.go", "amd64 || !amd64", true},
	} {
		text := "//go:build " + test.constraint + "\n\npackage v1\n"
		syntax, err := goparser.ParseFile(token.NewFileSet(), test.name, text, goparser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		f := &file{File: &load.File{Name: test.name, Text: []byte(text)}, syntax: syntax}
		if got := f.isConditional(); got != test.want {
			t.Errorf("%s with %s: got %t", test.name, test.constraint, got)
		}
	}
}

var (
	// inertLine matches the start of lines that nothing but people reads.
	toolLine = regexp.MustCompile(`(?m)^(//go:|//line |/\*line |//export |//extern |// ?\+build\b)`)
	markerOf = regexp.MustCompile(`(?m)^[\s\p{Z}/*]*(\+[^\n]*?)[ \t*/]*$`)
	added    = []string{
		"+genclient", "+genclient:noStatus", "+genclient:nonNamespaced", "+groupName=x.example.com", "+k8s:deepcopy-gen=package",
		"+k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object",
	}
)

// hides reports whether a character makes readers see another text than the compiler.
func hides(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0x61c || r == 0x200e || r == 0x200f || r == 0xfeff
}

// review returns what is in copied files and not in the original ones, or runs when a program starts. It knows nothing
// of how the copies are written.
func review(originals, copied map[string]string) (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	code, marked := map[string]bool{}, map[string]bool{}
	for _, text := range originals {
		syntax, err := goparser.ParseFile(token.NewFileSet(), "", text, goparser.ParseComments)
		if err != nil {
			continue
		}
		for _, one := range declarations(text) {
			code[one] = true
		}
		for _, group := range syntax.Comments {
			for _, c := range group.List {
				visible := strings.Map(func(r rune) rune {
					if hides(r) {
						return ' '
					}
					return r
				}, c.Text)
				for _, match := range markerOf.FindAllStringSubmatch(visible, -1) {
					marked[match[1]] = true
				}
			}
		}
	}
	fset := token.NewFileSet()
	packages := map[string][]*ast.File{}
	for _, name := range slices.Sorted(maps.Keys(copied)) {
		text := copied[name]
		if strings.ContainsFunc(text, hides) {
			say("%s has control characters", name)
		}
		if regexp.MustCompile(`(?m)^//go:generate[ \t]`).MatchString(text) {
			say("%s has lines for go generate", name)
		}
		syntax, err := goparser.ParseFile(fset, name, text, goparser.ParseComments)
		if err != nil {
			say("%v", err)
			continue
		}
		packages[path.Dir(name)] = append(packages[path.Dir(name)], syntax)
		for _, spec := range syntax.Imports {
			if spec.Path.Value == `"C"` || spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".") {
				say("%s imports %s", name, spec.Path.Value)
			}
		}
		for _, group := range syntax.Comments {
			for _, c := range group.List {
				if toolLine.MatchString(c.Text) {
					say("%s has %q", name, c.Text)
				}
				for _, match := range markerOf.FindAllStringSubmatch(c.Text, -1) {
					marker := strings.ReplaceAll(match[1], "=example.com/copy/x/shared.", "=x.example.com/shared.") // paths change
					if !marked[marker] && !slices.Contains(added, match[1]) || strings.Contains(match[1], "kubebuilder:rbac") {
						say("%s has the marker %q", name, match[1])
					}
				}
			}
		}
		for _, one := range declarations(text) {
			if !code[one] {
				say("%s has the declaration\n%s", name, one)
			}
		}
	}
	for _, files := range packages {
		found = append(found, running(fset, files)...)
	}
	return found
}

// declarations returns the code of the declarations in a file, without comments. Of types, only the names in them are
// kept, without lengths of arrays, and values of constants are left out: nothing in these runs.
func declarations(source string) (all []string) {
	syntax, err := goparser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		return nil
	}
	text := func(node ast.Node) string {
		for n := range ast.Preorder(node) {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING { // a copy may have another one of the same value
				value, _ := strconv.Unquote(literal.Value)
				literal.Value = strconv.Quote(value)
			}
		}
		var b bytes.Buffer
		if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
			return err.Error()
		}
		return b.String()
	}
	for _, d := range syntax.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok {
			all = append(all, text(d))
			continue
		}
		for _, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				all = append(all, "type "+spec.Name.Name+strings.Join(namesIn(spec.Type), " "))
			case *ast.ValueSpec:
				if gen.Tok == token.CONST {
					spec.Values = nil
				}
				all = append(all, gen.Tok.String()+" "+text(spec))
			}
		}
	}
	return all
}

// namesIn returns the identifiers and literals in a type, without lengths of arrays.
func namesIn(typ ast.Node) (names []string) {
	ast.Inspect(typ, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // each name has the type, as in the copy
			rest := namesIn(n.Type)
			if n.Tag != nil {
				rest = append(rest, namesIn(n.Tag)...)
			}
			for _, name := range n.Names {
				names = append(append(names, name.Name), rest...)
			}
			if len(n.Names) == 0 {
				names = append(names, rest...)
			}
			return false
		case *ast.ArrayType:
			names = append(names, namesIn(n.Elt)...)
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		case *ast.BasicLit:
			value, _ := strconv.Unquote(n.Value)
			names = append(names, value)
		}
		return true
	})
	return names
}

// noImports is a types.Importer without packages.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not known") }

// running returns what the files of a package run when a program starts.
func running(fset *token.FileSet, files []*ast.File) (found []string) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	_, _ = (&types.Config{Importer: noImports{}, Error: func(error) {}}).Check("p", fset, files, info)
	inert := []string{"append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real"}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && (fn.Name.Name == "init" && fn.Recv == nil || fn.Body == nil) {
				found = append(found, fmt.Sprintf("%s: a function init or without body", fset.Position(d.Pos())))
			}
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			ast.Inspect(gen, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if receive, isUnary := n.(*ast.UnaryExpr); isUnary && receive.Op == token.ARROW {
					found = append(found, fmt.Sprintf("%s: it receives", fset.Position(n.Pos())))
				}
				if ok && !info.Types[call.Fun].IsType() && !(info.Types[call.Fun].IsBuiltin() && slices.Contains(inert, types.ExprString(ast.Unparen(call.Fun)))) {
					found = append(found, fmt.Sprintf("%s: it calls %s", fset.Position(n.Pos()), types.ExprString(call.Fun)))
				}
				_, isFunction := n.(*ast.FuncLit)
				return !isFunction
			})
		}
	}
	return found
}

// FuzzModule copies modules with any texts at any places, in a file of any name: nothing runs, and everything in the
// copy is in the original.
func FuzzModule(f *testing.F) {
	const types = "x.example.com/api/v1/types.go"
	inserts := []string{
		"/* \r\r\r\r\r */", "//\rgo:generate true\n", "\r", "\r\n", "\x00", "\u2028", "\u202efunc init() {}\u202c", "\u2066", "\ufeff", "\v", "\f", "\x1b[2K",
		"//go:generate true\n", "//go:linkname a b\n", "//go:embed a\n", "//line a.go:1\n", "/*line a.go:1:1*/", "//export a\n", "//extern a\n", "// +build a\n\n",
		"*/ func init() {} /*", "/*", "*/", "`", "\"", "; func init() { println(1) } // x\n", "func init() {}\n", "var _ = run()\n", "import \"C\"\n",
		"// +kubebuilder:object:root=true */", "/*\n// +k8s:deepcopy-gen:interfaces=a.B */", "// +genclient:method=A,verb=create,input=x.example.com/shared.Size\n",
		"run()", "<-c", "[len(names)]", "[unsafe.Sizeof(ran)]", "{ran: 1}", "= iota + len(lengths)", "\\\n", "/*\n//go:generate true\n*/", "_ = ", "\t\n ",
	}
	source := everything[types]
	for i, insert := range inserts {
		for at := 7 * i; at < len(source); at += 1201 {
			f.Add("types.go", uint16(at), insert, uint16(0), "")
		}
	}
	for _, name := range []string{"a\npackage v1\nfunc init() {}\n.go", "types_linux.go", "\u202e.go", "a\r.go", "zz_generated.types.go", "doc.go", "a b`*/.go", "..go", "_a.go"} {
		f.Add(name, uint16(0), "", uint16(0), "")
	}
	f.Fuzz(func(t *testing.T, name string, at uint16, insert string, at2 uint16, insert2 string) {
		if len(insert)+len(insert2) > 2000 || name == "" || strings.Contains(name, "/") || path.Ext(name) != ".go" || name == "doc.go" {
			return
		}
		files := maps.Clone(everything)
		delete(files, types)
		text := source[:int(at)%len(source)] + insert + source[int(at)%len(source):]
		text = text[:int(at2)%len(text)] + insert2 + text[int(at2)%len(text):]
		files["x.example.com/api/v1/"+name] = text
		copied, r := copyFiles(t, files, Options{})
		if r.Diags.HasErrors() {
			return
		}
		for _, p := range r.Packages { // with their first lines
			for name, text := range p.Files {
				copied[p.Dir+"/"+name] = string(text)
			}
		}
		if found := review(files, copied); len(found) > 0 {
			t.Errorf("%s\n%s\n\n%q", strings.Join(found, "\n"), text, copied)
		}
	})
}

// TestGate writes declarations and directives into a finished file that are not planned.
func TestGate(t *testing.T) {
	const original = "package v1\n\nimport \"fmt\"\n\ntype T struct{}\n\nvar a, b = 1, 2\n\nfunc (T) String() string { return fmt.Sprint(a) }\n"
	planned, err := outline([]byte(original))
	if err != nil {
		t.Fatal(err)
	}
	if err := checkOutline([]byte(original), planned); err != nil {
		t.Error(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"type T", "func init() {}\n\ntype T", "func init"},
		{"type T", "var _ = a\n\ntype T", "var _ ="},
		{"type T", "//go:generate true\ntype T", "//go:generate true"},
		{"type T", "/* +kubebuilder:rbac:verbs=* */\ntype T", "+kubebuilder:rbac"},
		{"type T", "type T2", "type T"},
		{"type T struct{}\n", "", "type T"},
		{"type T", "type T int\n\ntype T", "type T"},
		{`"fmt"`, `_ "fmt"`, `import _ \"fmt\"`},
		{`"fmt"`, "\"fmt\"\nimport _ \"os\"", `import _ \"os\"`},
		{"var a, b = 1, 2", "var a, b = f()", "var a b ="},
		{"(T) String", "String", "func String"},
		{"{ return fmt.Sprint(a) }", "", "func String"},
		{"struct{}", "struct{", "expected"},
	} {
		text := strings.Replace(original, test.old, test.new, 1)
		if err := checkOutline([]byte(text), planned); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.new, err, test.want)
		}
	}
}
