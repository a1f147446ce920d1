package apitest

import (
	"fmt"
	"strings"
)

// Converted is a module with random pairs of packages of types; the second one is converted to the first.
type Converted struct {
	Files map[string]string
	// Needed are fields without which functions have to be written: the files with their lines, which are unique.
	Needed []Line

	source
	objects strings.Builder // pairs of Go expressions for empty objects, in the program
	hub, v1 strings.Builder // declarations
	byHand  strings.Builder // functions
	pairs   [][2]string     // types of the group as written in the two packages
	structs []string        // the names of the ones among them that are structs in both
}

// Line is a line of a file.
type Line struct{ File, Text string }

// Conversions returns a module with so many pairs of packages whose types are converted, and a program that converts
// random objects and prints them. The functions that conversion-gen demands are there.
func Conversions(seed uint64, groups int) *Converted {
	in := &Converted{source: newSource(seed, 13), Files: map[string]string{}}
	in.Files["shared/shared.go"] = "package shared\n\ntype Part struct {\n\tName string\n\tTags []string\n}\n\ntype Level int32\n"
	imports, register := &strings.Builder{}, &strings.Builder{}
	for i := range groups {
		in.group(i)
		fmt.Fprintf(imports, "\thub%d \"example.com/migration/apis/group%[1]d/hub\"\n\tv1%[1]d \"example.com/migration/apis/group%[1]d/v1\"\n", i)
		fmt.Fprintf(register, "\tv1%d.SchemeBuilder.AddToScheme,\n", i)
	}
	in.Files["check/objects.go"] = fmt.Sprintf(
		"package main\n\nimport (\n\t\"k8s.io/apimachinery/pkg/runtime\"\n\n%s)\n\nvar register = []func(*runtime.Scheme) error{\n%s}\n\nvar objects = [][2]any{\n%s}\n",
		imports, register, &in.objects)
	in.Files["check/main.go"], in.Files["check/fill.go"] = checkConversions, fillValues
	return in
}

// group writes a pair of packages.
func (in *Converted) group(number int) {
	in.hub.Reset()
	in.v1.Reset()
	in.byHand.Reset()
	in.structs = nil
	dir := fmt.Sprintf("apis/group%d/", number)
	in.both("type Phase string\n\n")
	fmt.Fprintf(&in.hub, "type Mode string\n\ntype Labels map[string]string\n\n")
	fmt.Fprintf(&in.v1, "type Labels map[string]string\n\n")
	in.pairs = [][2]string{{"Phase", "Phase"}, {"Mode", "string"}, {"Labels", "Labels"}, {"Labels", "map[string]string"}}
	for i := range 4 + in.IntN(8) {
		in.typ(number, dir, fmt.Sprintf("%s%d", in.oneOf("Spec", "Part", "Box"), i))
	}
	in.Files[dir+"hub/types.go"] = withImports("hub", in.hub.String())
	in.Files[dir+"v1/types.go"] = withImports("v1", in.v1.String())
	in.Files[dir+"v1/doc.go"] = "// Package v1 has types.\n//\n// +k8s:conversion-gen=example.com/migration/" + dir + "hub\npackage v1\n"
	in.Files[dir+"v1/conversion.go"] = withImports("v1", fmt.Sprintf(
		"var (\n\tSchemeBuilder runtime.SchemeBuilder\n\tlocalSchemeBuilder = &SchemeBuilder\n\n\t_ hub.Phase\n)\n\n%s", &in.byHand))
	in.Files[dir+"v1/conversion.go"] = strings.Replace(
		in.Files[dir+"v1/conversion.go"], "import (\n", fmt.Sprintf("import (\n\t\"example.com/migration/%shub\"\n", dir), 1)
}

func (in *Converted) both(text string) {
	in.hub.WriteString(text)
	in.v1.WriteString(text)
}

// withImports returns a file with the imports of its qualifiers.
func withImports(pkg, text string) string {
	imports := ""
	others := [][2]string{{"conversion", "k8s.io/apimachinery/pkg/conversion"}, {"shared", "example.com/migration/shared"}}
	for _, used := range append(others, known...) {
		if strings.Contains(text, used[0]+".") {
			imports += fmt.Sprintf("\t%s %q\n", used[0], used[1])
		}
	}
	return fmt.Sprintf("package %s\n\nimport (\n%s)\n\n%s", pkg, imports, text)
}

// typ declares a type in both packages.
func (in *Converted) typ(number int, dir, name string) {
	switch in.IntN(12) {
	case 0: // a declared slice or map
		hub, v1 := in.typePair("")
		prefix := in.oneOf("[]", "map[string]")
		fmt.Fprintf(&in.hub, "type %s %s%s\n\n", name, prefix, hub)
		fmt.Fprintf(&in.v1, "type %s %s%s\n\n", name, prefix, v1)
		in.pairs = append(in.pairs, [2]string{name, name})
		return
	case 1: // a type of another form, with functions
		fmt.Fprintf(&in.hub, "type %s struct{ Text string }\n\n", name)
		fmt.Fprintf(&in.v1, "type %s string\n\n", name)
		in.function(name, "", "*out = "+name+"(in.Text)", "out.Text = string(*in)")
		in.pairs = append(in.pairs, [2]string{name, name})
		return
	}
	lacksHub, lacksV1, off := in.chance(15), in.chance(15), in.chance(5)
	if off {
		in.v1.WriteString("// +k8s:conversion-gen=false\n")
	}
	in.both("type " + name + " struct {\n")
	if in.chance(20) {
		in.both("\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n")
	}
	for i := range 1 + in.IntN(6) {
		hub, v1 := in.typePair(name)
		tag := in.oneOf("", fmt.Sprintf(" `json:\"f%d\"`", i))
		if in.chance(4) {
			in.both("\t// +k8s:conversion-gen=false\n")
		}
		fmt.Fprintf(&in.hub, "\tF%d %s\n", i, hub)
		fmt.Fprintf(&in.v1, "\tF%d %s%s\n", i, v1, tag)
	}
	only := fmt.Sprintf("\tOnly%d%s %s\n", number, name, in.oneOf("string", "[]int32", "*shared.Part"))
	if lacksV1 {
		in.hub.WriteString(only)
	} else if lacksHub {
		in.v1.WriteString(only)
	}
	in.both("}\n\n")
	auto := func(from, to string) string {
		return fmt.Sprintf("_ = autoConvert_%s_%s_To_%s_%[2]s(in, out, s)", from, name, to)
	}
	switch {
	case off:
		in.function(name, "", "", "")
	case lacksV1:
		in.Needed = append(in.Needed, Line{dir + "v1/conversion.go", "func Convert_hub_" + name + "_To_v1_" + name + "("})
		in.function(name, "hub", auto("hub", "v1"), "")
	case lacksHub:
		in.Needed = append(in.Needed, Line{dir + "v1/conversion.go", "func Convert_v1_" + name + "_To_hub_" + name + "("})
		in.function(name, "v1", "", auto("v1", "hub"))
	case in.chance(15):
		in.function(name, in.oneOf("", "", "hub", "v1"), auto("hub", "v1"), auto("v1", "hub"))
	}
	in.pairs, in.structs = append(in.pairs, [2]string{name, name}), append(in.structs, name)
	fmt.Fprintf(&in.objects, "\t{&hub%d.%s{}, &v1%[1]d.%[2]s{}},\n", number, name)
}

// function writes functions that convert a type from the hub or from v1, or from both if from is "".
func (in *Converted) function(name, from, toV1, toHub string) {
	marker := ""
	if toV1+toHub == "" && in.chance(50) {
		marker = "// It leaves the type out.\n//\n// +k8s:conversion-fn=drop\n"
	}
	const form = "%sfunc Convert_%s(in *%s, out *%s, s conversion.Scope) error {\n\t%s\n\treturn nil\n}\n\n"
	if from != "v1" {
		fmt.Fprintf(&in.byHand, form, marker, "hub_"+name+"_To_v1_"+name, "hub."+name, name, toV1)
	}
	if from != "hub" {
		fmt.Fprintf(&in.byHand, form, marker, "v1_"+name+"_To_hub_"+name, name, "hub."+name, toHub)
	}
}

// typePair returns a type in the hub and in v1, which can contain the type within.
func (in *Converted) typePair(within string) (hub, v1 string) {
	same := func(types ...string) (string, string) {
		t := in.oneOf(types...)
		return t, t
	}
	switch in.IntN(12) {
	case 0, 1:
		return same("string", "bool", "int32", "float64", "[]byte", "map[string]string")
	case 2:
		return in.oneOf("int64", "int32", "shared.Level"), in.oneOf("int32", "int64", "int")
	case 3:
		return same(
			"metav1.Time", "*metav1.Time", "metav1.Duration", "corev1.LocalObjectReference", "shared.Part", "[]shared.Part", "shared.Level",
		)
	case 4:
		if within != "" {
			return same("*"+within, "[]"+within, "map[string]"+within)
		}
	case 5:
		hub, v1 = in.element(within)
		return "*" + hub, "*" + v1
	case 6:
		hub, v1 = in.element(within)
		return "[]" + hub, "[]" + v1
	case 7:
		hub, v1 = in.element(within)
		key := in.oneOf("string", "Phase")
		return "map[" + key + "]" + hub, "map[" + in.oneOf("string", "Phase") + "]" + v1
	case 8:
		if in.chance(8) {
			hub, v1 = in.typePair("")
			return "[2]" + hub, "[2]" + v1
		}
	}
	pair := in.pairs[in.IntN(len(in.pairs))]
	return pair[0], pair[1]
}

// element returns a type of elements in the hub and in v1. For few of them, the code of conversion-gen does not
// compile.
func (in *Converted) element(within string) (hub, v1 string) {
	switch {
	case in.chance(3):
		return in.typePair(within)
	case in.chance(40) && len(in.structs) > 0:
		name := in.oneOf(in.structs...)
		return name, name
	case in.chance(30):
		return "int64", in.oneOf("int32", "int64")
	case in.chance(30):
		return "Mode", in.oneOf("string", "Phase")
	}
	hub = in.oneOf("string", "bool", "metav1.Time", "corev1.LocalObjectReference", "shared.Part")
	return hub, hub
}

// checkConversions is the program.
const checkConversions = `// Command check prints the results of converting random objects.
package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"

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
	for i, pair := range objects {
		for direction := range 2 {
			from, to := reflect.TypeOf(pair[direction]).Elem(), reflect.TypeOf(pair[1-direction]).Elem()
			for seed := range 4 {
				in, out := reflect.New(from), reflect.New(to)
				if seed > 0 {
					fill(rand.New(rand.NewPCG(uint64(i), uint64(seed))), in.Elem(), 0)
				}
				err := scheme.Convert(in.Interface(), out.Interface(), nil)
				fmt.Printf("%s.%s %d %v %q\n", from.PkgPath(), from.Name(), seed, err, dump.OneLine(out.Interface()))
			}
		}
	}
}
`
