package apitest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Defaulted is a module with random packages of types that have defaults.
type Defaulted struct {
	Files map[string]string
	Dirs  []string // of packages, in the order of their import paths

	source
	packages []*defaulted
	kinds    []string // Go expressions for empty objects, in the program
}

// defaulted is a package that later ones may import.
type defaulted struct {
	dir       string
	types     []string // that can be parts of others
	basics    []string // declared strings
	pointers  []string // declared pointers with a default
	functions bool     // may have functions
}

// path returns the import path.
func (p *defaulted) path() string { return "example.com/migration/" + p.dir }

// Defaults returns a module with so many packages of types with defaults in markers and functions, and a program that
// sets the defaults of random objects. The program prints each object before and after that, and the calls. All types
// are such that the code of defaulter-gen compiles.
func Defaults(seed uint64, packages int) *Defaulted {
	in := &Defaulted{source: newSource(seed, 11), Files: map[string]string{}}
	in.Files["trace/trace.go"] = "package trace\n\nvar Calls []string\n\nfunc Call(name string) { Calls = append(Calls, name) }\n"
	for i := range packages {
		// The names do not order the packages as their imports do.
		in.add(&defaulted{dir: fmt.Sprintf("apis/%s%d", in.oneOf("a", "m", "z"), i), functions: in.chance(90)}, i)
	}
	slices.Sort(in.Dirs)
	imports, objects := &strings.Builder{}, &strings.Builder{}
	for i, p := range in.packages {
		fmt.Fprintf(imports, "\tp%d %q\n", i, p.path())
	}
	for _, kind := range in.kinds {
		fmt.Fprintf(objects, "\t%s,\n", kind)
	}
	in.Files["check/objects.go"] = fmt.Sprintf(
		"package main\n\nimport (\n\t\"k8s.io/apimachinery/pkg/runtime\"\n\n%s)\n\nvar objects = []runtime.Object{\n%s}\n", imports, objects)
	register := &strings.Builder{}
	for i, p := range in.packages {
		if strings.Contains(in.Files[p.dir+"/doc.go"], "+k8s:defaulter-gen=") && !strings.Contains(in.Files[p.dir+"/doc.go"], "gen=false") {
			fmt.Fprintf(register, "\tp%d.RegisterDefaults,\n", i)
		}
	}
	in.Files["check/objects.go"] += fmt.Sprintf("\nvar register = []func(*runtime.Scheme) error{\n%s}\n\nvar (\n", register)
	for i := range in.packages {
		in.Files["check/objects.go"] += fmt.Sprintf("\t_ p%d.Used\n", i)
	}
	in.Files["check/objects.go"] += ")\n"
	in.Files["check/main.go"], in.Files["check/fill.go"] = checkDefaults, fillValues
	return in
}

// add writes a package.
func (in *Defaulted) add(p *defaulted, number int) {
	in.text.Reset()
	in.printf("type Used struct{}\n\nconst (\n\tText = \"text\"\n\tNumber = 3\n)\n\n")
	for i := range 1 + in.IntN(2) {
		in.basic(p, fmt.Sprint("Name", i))
	}
	if in.chance(50) {
		in.printf("// Level is a pointer.\n// +default=\"level\"\ntype Level *string\n\n")
		p.pointers = append(p.pointers, "Level")
	}
	for i := range 2 + in.IntN(5) {
		in.part(p, fmt.Sprintf("%s%d", in.oneOf("Spec", "Part", "Element"), i))
	}
	doc := in.oneOf("TypeMeta", "TypeMeta", "TypeMeta", "Chosen", "true", "false", "")
	for i := range 1 + in.IntN(3) {
		in.kind(p, number, fmt.Sprintf("%s%d", in.oneOf("CronTab", "Gateway", "Box"), i))
	}
	marker := ""
	if doc != "" {
		marker = "// +k8s:defaulter-gen=" + doc + "\n"
	}
	if doc == "Chosen" && in.chance(50) {
		marker += "// +k8s:defaulter-gen=Spec0\n"
	}
	in.Files[p.dir+"/doc.go"] = fmt.Sprintf("// Package %s has types.\n%spackage %[1]s\n", path.Base(p.dir), marker)
	text := in.text.String()
	imports := ""
	for _, used := range [][2]string{{"corev1", "k8s.io/api/core/v1"}, {"metav1", "k8s.io/apimachinery/pkg/apis/meta/v1"},
		{"runtime", "k8s.io/apimachinery/pkg/runtime"}, {"trace", "example.com/migration/trace"}} {
		if strings.Contains(text, used[0]+".") {
			imports += fmt.Sprintf("\t%s %q\n", used[0], used[1])
		}
	}
	for i, other := range in.packages {
		if strings.Contains(text, fmt.Sprintf(" p%d.", i)) {
			imports += fmt.Sprintf("\tp%d %q\n", i, other.path())
		}
	}
	in.Files[p.dir+"/types.go"] = fmt.Sprintf("package %s\n\nimport (\n%s)\n\n%s", path.Base(p.dir), imports, text)
	in.packages, in.Dirs = append(in.packages, p), append(in.Dirs, p.dir)
}

// basic declares a string type.
func (in *Defaulted) basic(p *defaulted, name string) {
	in.printf("type %s string\n\nconst %sDefault %[1]s = \"named\"\n\n", name, name)
	p.basics = append(p.basics, name)
	if in.chance(20) {
		in.function(p, name, "if *obj == \"\" {\n\t\t*obj = \"function\"\n\t}")
	}
}

// part declares a type that others may contain.
func (in *Defaulted) part(p *defaulted, name string) {
	defer func() { p.types = append(p.types, name) }()
	switch in.IntN(8) {
	case 0:
		in.printf("type %s []%s\n\n", name, in.typ(p))
	case 1:
		in.printf("type %s map[string]%s\n\n", name, in.typ(p))
	case 2:
		in.printf("type %s = %s\n\n", name, in.typ(p))
		return
	case 3:
		if len(p.types) > 0 {
			in.printf("type %s %s\n\n", name, in.typ(p))
			return
		}
		fallthrough
	default:
		in.printf("type %s struct {\n\tCount int `json:\"count\"`\n", name)
		in.fields(p, 1+in.IntN(6), name, false)
		in.printf("}\n\n")
		in.function(p, name, "obj.Count++")
		return
	}
	in.function(p, name, "")
}

// typ returns a type with parts: one of the package, of an earlier one, or of k8s.io/api.
func (in *Defaulted) typ(p *defaulted) string {
	if len(in.packages) > 0 && (len(p.types) == 0 || in.chance(25)) {
		i := in.IntN(len(in.packages))
		if others := in.packages[i].types; len(others) > 0 {
			return fmt.Sprintf(" p%d.%s", i, in.oneOf(others...))
		}
	}
	if len(p.types) == 0 || in.chance(5) {
		return "corev1." + in.oneOf("ContainerPort", "ISCSIVolumeSource", "LocalObjectReference")
	}
	return in.oneOf(p.types...)
}

// fields writes fields of a struct.
func (in *Defaulted) fields(p *defaulted, n int, within string, isKind bool) {
	for i := range n {
		name := fmt.Sprint("F", i)
		var marker, typ string
		switch in.IntN(14) {
		case 0:
			typ = in.oneOf("", "*") + "string"
			marker = in.oneOf(`"x"`, `""`, `"a \"b\""`, "ref(Text)", "ref("+p.path()+".Text)")
		case 1:
			typ = in.oneOf("", "*", "**") + in.oneOf("int", "int16", "int32", "int64", "uint8", "uint64")
			marker = in.oneOf("0", "5", "ref(Number)")
		case 2:
			typ, marker = in.oneOf("", "*")+"bool", in.oneOf("true", "false")
		case 3:
			typ, marker = in.oneOf("", "*")+"float64", in.oneOf("0.5", "-1e3", "0")
		case 4:
			of := in.oneOf(p.basics...)
			typ, marker = in.oneOf("", "*")+of, in.oneOf(`"x"`, `""`, "ref("+p.path()+"."+of+"Default)")
		case 5:
			typ, marker = in.oneOf("map[string]string", "map[string]*string"), in.oneOf(`{"a": "b"}`, "{}", "null")
		case 6:
			typ, marker = in.oneOf("[]string", "[]*string"), in.oneOf(`["a", "b"]`, "[]")
		case 7:
			typ = "corev1.Protocol"
			if isKind { // or else defaulter-gen may import the package of the constant for nothing
				marker = "ref(k8s.io/api/core/v1.ProtocolTCP)"
			}
		case 8:
			if typ = in.oneOf("*", "[]*", "map[string]*") + within; in.chance(20) { // it contains itself
				typ = "[]" + within
			}
		case 9:
			if len(p.pointers) > 0 {
				typ = in.oneOf("", "[]", "[]*", "map[string]", "*") + p.pointers[0]
				break
			}
			fallthrough
		case 10:
			typ = "[]byte"
			marker = `"aGk="`
		case 11:
			if of := in.typ(p); !strings.Contains(of, ".") && !strings.Contains(in.text.String(), "type "+of+" []") {
				typ = "*" + of
				marker = in.oneOf("", "{}", "null")
				if !strings.Contains(in.text.String(), "type "+of+" struct") {
					marker = ""
				}
				break
			}
			fallthrough
		default:
			typ = in.oneOf("", "", "[]", "[]*", "*", "[2]", "map[string]", "map[string]*") + in.typ(p)
			if strings.HasPrefix(typ, "*") && !strings.Contains(in.text.String(), "type "+typ[1:]+" struct") {
				typ = typ[1:]
			}
		}
		if marker != "" && in.chance(70) {
			in.printf("\t// +default=%s\n", marker)
		}
		in.printf("\t%s %s `json:\"%s,omitempty\"`\n", name, typ, strings.ToLower(name))
	}
}

// kind declares an object and sometimes its list.
func (in *Defaulted) kind(p *defaulted, number int, name string) {
	const marker = "// +k8s:defaulter-gen="
	in.printf("%s", in.oneOf("", "", "", "", marker+"false\n\n", marker+"true\n\n", marker+"true\n"))
	in.printf("// %s is a kind.\ntype %[1]s struct {\n\tmetav1.TypeMeta\n\tCount int\n", name)
	if in.chance(50) {
		in.printf("\tChosen %s\n", in.typ(p))
	}
	for i := range 1 + in.IntN(2) {
		in.printf("\tSpec%d %s\n", i, in.typ(p))
	}
	in.fields(p, in.IntN(4), name, true)
	in.printf("}\n\nfunc (k *%s) DeepCopyObject() runtime.Object { return k }\n\n", name)
	in.function(p, name, "obj.Count++")
	in.kinds = append(in.kinds, fmt.Sprintf("&p%d.%s{}", number, name))
	if in.chance(40) {
		in.printf("type %sList struct {\n\tmetav1.TypeMeta\n\tItems []%[1]s\n}\n\n", name)
		in.printf("func (k *%sList) DeepCopyObject() runtime.Object { return k }\n\n", name)
		in.kinds = append(in.kinds, fmt.Sprintf("&p%d.%sList{}", number, name))
	}
}

// function sometimes writes functions that set the defaults of a type.
func (in *Defaulted) function(p *defaulted, name, body string) {
	if !p.functions {
		return
	}
	call := fmt.Sprintf("trace.Call(%q)", p.dir+"."+name)
	declare := func(function, parameters string) {
		in.printf("func %s(%s) {\n\t%s\n\t%s\n}\n\n", function, parameters, strings.Replace(call, name, function, 1), body)
	}
	if in.chance(50) {
		in.printf("%s", in.oneOf("", "", "", "// It covers all.\n// +k8s:defaulter-gen=covers\n"))
		declare("SetDefaults_"+name, "obj *"+name)
	} else if in.chance(10) {
		declare("SetObjectDefaults_"+name, "obj *"+name)
	}
	if in.chance(10) {
		declare("SetDefaults_"+name+"_More", "obj *"+name)
	}
	if in.chance(5) {
		declare("SetDefaults_Not"+name, "obj *"+name)
	}
}

// checkDefaults is the program.
const checkDefaults = `// Command check prints the results of setting defaults.
package main

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"reflect"

	"example.com/migration/trace"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/dump"
)

func main() {
	scheme := runtime.NewScheme()
	for _, add := range register {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	for i, empty := range objects {
		t := reflect.TypeOf(empty).Elem()
		sum := sha256.New()
		calls := 0
		for seed := range 6 {
			obj := reflect.New(t)
			if seed > 0 {
				fill(rand.New(rand.NewPCG(uint64(i), uint64(seed))), obj.Elem(), 0)
			}
			trace.Calls = nil
			scheme.Default(obj.Interface().(runtime.Object))
			fmt.Fprintln(sum, dump.Pretty(obj.Interface()), trace.Calls)
			calls += len(trace.Calls)
		}
		fmt.Printf("%s.%s %d calls %x\n", t.PkgPath(), t.Name(), calls, sum.Sum(nil)[:8])
	}
}
`
