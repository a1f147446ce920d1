package apitest

import (
	"fmt"
	"slices"
	"strings"
)

// definitionPackage is a package of types that have OpenAPI definitions.
type definitionPackage struct {
	source
	other   strings.Builder // the second file of the package
	structs []string        // names of declared structs, with those of packages before
	kinds   []string        // the ones with metadata, which are not embedded
	texts   []string        // declared strings
	enums   []string        // the ones among these that are enums
	rest    []string        // other types
	generic []string        // generic types
	fields  int             // so far, for unique names
	consts  int
}

// Definitions returns the files of a module with so many packages below random, whose types have what determines
// OpenAPI definitions: markers, struct tags, methods, embedded structs, constants of enums. Packages refer to types of
// the one before. The code of openapi-gen for them compiles.
func Definitions(seed uint64, packages int) map[string]string {
	files := map[string]string{}
	last := &definitionPackage{}
	for i := range packages {
		p := &definitionPackage{source: newSource(seed, 17+uint64(i)), fields: 100 * i}
		for _, names := range [][2]*[]string{
			{&p.structs, &last.structs}, {&p.kinds, &last.kinds}, {&p.texts, &last.texts}, {&p.enums, &last.enums}, {&p.rest, &last.rest},
			{&p.generic, &last.generic},
		} {
			for _, name := range *names[1] {
				if !strings.Contains(name, ".") {
					*names[0] = append(*names[0], fmt.Sprintf("p%d.%s", i-1, name))
				}
			}
		}
		for n := range 4 + p.IntN(8) {
			p.declare(fmt.Sprintf("T%dIn%d", n, i))
		}
		for range p.IntN(4) {
			p.constant(p.enums)
		}
		doc, dir := "", fmt.Sprintf("random/p%d/", i)
		if p.chance(80) {
			doc = "// +k8s:openapi-gen=true\n"
		}
		if p.chance(50) {
			doc += fmt.Sprintf("// +k8s:openapi-model-package=com.example.p%d\n", i)
		}
		name := fmt.Sprintf("p%d", i)
		files[dir+"doc.go"] = fmt.Sprintf("%s\n// Package %s has types.\n%spackage %[2]s\n", doc, name, p.oneOf("", doc))
		files[dir+"types.go"] = withPackages(name, p.text.String(), i)
		files[dir+"other.go"] = withPackages(name, p.other.String(), i)
		last = p
	}
	return files
}

// withPackages returns a file that imports what it uses.
func withPackages(name, text string, number int) string {
	imports := ""
	before := fmt.Sprintf("p%d", number-1)
	others := [][2]string{{"gotime", "time"}, {"json", "encoding/json"}, {before, "example.com/migration/random/" + before}}
	for _, used := range append(others, known...) {
		if strings.Contains(text, used[0]+".") {
			imports += fmt.Sprintf("\t%s %q\n", used[0], used[1])
		}
	}
	return fmt.Sprintf("package %s\n\nimport (\n%s)\n\n%s", name, imports, text)
}

// declare declares a type, and constants of it.
func (p *definitionPackage) declare(name string) {
	p.doc("")
	if p.chance(15) {
		p.line("", "// +k8s:openapi-gen=%s", p.oneOf("true", "true", "x-kubernetes-example:text"))
	}
	switch p.IntN(10) {
	case 0, 1:
		isEnum := p.chance(70)
		if isEnum {
			p.line("", "// +enum")
		}
		p.line("", "type %s %s\n", name, p.oneOf(append(p.texts, "string", "string")...))
		if isEnum {
			p.enums = append(p.enums, name)
		}
		p.texts = append(p.texts, name)
		for range p.IntN(4) {
			p.constant([]string{name})
		}
	case 2:
		p.line("", "type %s %s\n", name, p.oneOf("int32", "uint8", "bool", "float64", "[]byte", "[]string", "map[string]int64"))
		p.rest = append(p.rest, name)
	case 3:
		p.line("", "type %s %s%s\n", name, p.oneOf("[]", "map[string]", "[]*", "*", "[2]"), p.oneOf(append(p.structs, "string")...))
		p.rest = append(p.rest, name)
	case 4:
		if len(p.structs) > 0 {
			p.line("", "type %s %s%s\n", name, p.oneOf("= ", ""), p.oneOf(p.structs...))
			p.rest = append(p.rest, name)
		}
	case 5:
		if p.methods(name); p.chance(60) {
			p.line("", "type Of%s[T any] %sT\n", name, p.oneOf("[]", "map[string]", "[]*", "*", "[2]", "[][]"))
			p.generic = append(p.generic, "Of"+name)
		}
	default:
		p.structure(name)
	}
}

// constant declares a constant of one of the types, in one of the files.
func (p *definitionPackage) constant(types []string) {
	if len(types) == 0 {
		return
	}
	typ, text, name := p.oneOf(types...), &p.text, fmt.Sprintf("C%d", p.consts)
	if p.chance(40) {
		text = &p.other
	}
	p.consts++
	value := fmt.Sprintf("%q", p.oneOf("a", "b", "c \\ \"d\"", "", "e\n"))
	doc := p.oneOf("", "// "+name+" is one.\n", "// It is another,\n// on two lines.\n")
	switch p.IntN(4) {
	case 0:
		fmt.Fprintf(text, "%sconst %s = %s(%s)\n\n", doc, name, typ, value)
	case 1:
		fmt.Fprintf(text, "const (\n\t%s\t%s %s = %s // trailing\n\tuntyped%s = \"no\"\n)\n\n", doc, name, typ, value, name)
	case 2:
		fmt.Fprintf(text, "%sconst %s %s = \"x\" + %s\n\nconst _ %[3]s = \"blank\"\n\n", doc, name, typ, value)
		fmt.Fprintf(text, "%sconst From%s = %[2]s + \"y\"\n\n", doc, name)
	default:
		fmt.Fprintf(text, "%sconst %s, %[2]sToo %s = %s, \"%[2]s\"\n\n", doc, name, typ, value)
	}
}

// doc writes a comment.
func (p *definitionPackage) doc(indent string) {
	for range p.IntN(3) {
		p.line(indent, "// %s", p.oneOf(
			"It is described.", "", "TODO: later", "  - an item", "\tcode", "---", "It's \"quoted\" `code` \\ 日本.", "trailing  ",
			"+unknown:marker=1"))
	}
}

// methods declares a struct with methods that determine its definition or its form in JSON.
func (p *definitionPackage) methods(name string) {
	p.line("", "type %s struct {\n\thidden int\n\tShown string `json:\"shown\"`\n}\n", name)
	switch p.IntN(3) {
	case 0:
		p.line("", "func (%s) OpenAPISchemaType() []string { return []string{\"string\"} }", name)
		p.line("", "func (%s) OpenAPISchemaFormat() string { return %q }\n", name, p.oneOf("", "date"))
		if p.chance(50) {
			p.line("", "func (%s) OpenAPIV3OneOfTypes() []string { return []string{\"string\", \"integer\"} }\n", name)
		}
	case 1:
		p.line("", "func (*%s) UnmarshalJSON([]byte) error { return nil }\n", name)
	default:
		p.line("", "func (*%s) UnmarshalJSON([]byte) error { return nil }\n", name)
		p.line("", "func (%s) MarshalJSON() ([]byte, error) { return json.Marshal(nil) }\n", name)
	}
	p.structs = append(p.structs, name)
}

// structure declares a struct.
func (p *definitionPackage) structure(name string) {
	isUnion := p.chance(10)
	if isUnion {
		p.line("", "// +union")
	}
	for _, marker := range []string{"+structType=atomic", "+k8s:validation:minProperties=1",
		"+k8s:validation:cel[0]:rule=\"true\"\n// +k8s:validation:cel[0]:message=\"never\""} {
		if p.chance(6) {
			p.line("", "// %s", marker)
		}
	}
	p.line("", "type %s struct {", name)
	isKind := p.chance(20)
	if isKind {
		p.line("\t", "metav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`")
	}
	if p.chance(35) && len(p.structs) > 0 {
		p.doc("\t")
		p.line("\t", "%s%s %s", p.oneOf("", "", "*"), p.oneOf(p.structs...),
			p.oneOf("`json:\",inline\"`", "`json:\"\"`", "", "`json:\"named\"`", "`json:\",omitempty\"`"))
	}
	for i := range 1 + p.IntN(7) {
		p.field(name, isUnion && i == 0)
	}
	if p.line("", "}\n"); isKind {
		p.kinds = append(p.kinds, name)
	} else {
		p.structs = append(p.structs, name)
	}
}

// field writes a field.
func (p *definitionPackage) field(of string, discriminates bool) {
	p.fields++
	name, omitempty := fmt.Sprintf("F%d", p.fields), p.chance(50)
	typ, kind := p.typ(of, 0)
	json := p.oneOf(fmt.Sprintf("f%d", p.fields), fmt.Sprintf("f%d", p.fields), fmt.Sprintf("f%dIn%s", p.fields, of), "-", "")
	tag := ""
	switch pointer := strings.HasPrefix(typ, "*"); {
	case discriminates:
		p.line("\t", "// +unionDiscriminator")
		typ, kind = "string", ""
	case p.chance(5):
		p.line("\t", "// +k8s:openapi-gen=%s", p.oneOf("false", "x-kubernetes-example:a:b"))
	case pointer && typ == "*string" && p.chance(50):
		p.line("\t", "// +default=%s", p.oneOf(`"text"`, `""`, `"quo\"ted\\"`))
	case pointer && typ == "*int32" && p.chance(50):
		p.line("\t", "// +default=%s", p.oneOf("3", "-1", "0"))
	}
	p.doc("\t")
	if p.chance(25) {
		p.line("\t", "// +%s", p.oneOf("optional", "required", "k8s:optional", "k8s:required"))
	}
	for _, marker := range fieldMarkers[kind] {
		if p.chance(12) {
			p.line("\t", "// +%s", marker)
		}
	}
	if strings.HasPrefix(typ, "[]") && !strings.HasPrefix(typ, "[]byte") {
		if p.chance(15) {
			p.line("\t", "// +patchStrategy=merge\n\t// +patchMergeKey=name")
			tag = ` patchStrategy:"merge" patchMergeKey:"name"`
		}
	}
	option := ""
	if omitempty {
		option = ",omitempty"
	}
	option += p.oneOf("", "", "", ",omitzero", ",string")
	if strings.Contains(option, ",string") && !slices.Contains([]string{"int32", "bool", "string", "*int32"}, typ) {
		option = strings.ReplaceAll(option, ",string", "")
	}
	if tag == "" && p.chance(6) {
		p.line("\t", "%s %s", name, typ)
	} else {
		p.line("\t", "%s %s `json:\"%s%s\"%s`", name, typ, json, option, tag)
	}
}

// fieldMarkers are markers that fit types, by the kinds of these.
var fieldMarkers = map[string][]string{
	"string": {
		"k8s:validation:minLength=1", "k8s:validation:pattern=\"^a\"", "k8s:validation:format=\"date\"", "k8s:validation:maxLength=7",
	},
	"number": {
		"k8s:validation:minimum=1", "k8s:validation:maximum=100.5", "k8s:validation:multipleOf=2", "k8s:validation:exclusiveMinimum",
	},
	"list": {
		"listType=set", "listType=atomic", "listType=map\n\t// +listMapKey=a\n\t// +listMapKey=b",
		"k8s:listType=map\n\t// +k8s:listMapKey=a", "k8s:validation:minItems=1", "k8s:validation:uniqueItems=true",
		"k8s:validation:items:maxLength=3",
	},
	"map": {
		"mapType=atomic", "mapType=granular", "k8s:validation:maxProperties=4", "k8s:validation:additionalProperties:minLength=2",
	},
	"struct": {"structType=granular", "structType=atomic"},
}

// typ returns a random type, and its kind.
func (p *definitionPackage) typ(of string, depth int) (typ, kind string) {
	inner := func() string { typ, _ := p.typ(of, depth+1); return typ }
	switch n := p.IntN(16); {
	case n < 3:
		return "string", "string"
	case n < 5:
		return p.oneOf("int32", "int64", "int", "uint16", "float64", "uint64", "int8"), "number"
	case n == 5:
		return p.oneOf("bool", "byte", "[]byte", "*string", "*int32", "**bool", "interface{}"), ""
	case n == 6:
		return p.oneOf("metav1.Time", "*metav1.Duration", "intstr.IntOrString", "resource.Quantity", "*metav1.LabelSelector",
			"runtime.RawExtension", "metav1.Condition", "json.RawMessage", "gotime.Time", "*gotime.Time", "gotime.Duration"), ""
	case n < 9 && depth < 3:
		return p.oneOf("[]", "[]", "[]*", "[3]") + inner(), "list"
	case n == 9 && depth < 3:
		return "map[" + p.oneOf(append(p.texts, "string")...) + "]" + inner(), "map"
	case n == 10 && len(p.texts) > 0:
		return p.oneOf("", "", "*") + p.oneOf(p.texts...), ""
	case n == 11 && len(p.rest) > 0:
		return p.oneOf(p.rest...), ""
	case n == 12 && len(p.generic) > 0 && depth < 3:
		return p.oneOf(p.generic...) + "[" + inner() + "]", ""
	case n == 12:
		return "*" + of, ""
	case n == 13 && depth == 0:
		return p.oneOf("any", "runtime.Object"), ""
	case len(p.structs) > 0:
		return p.oneOf("", "*") + p.oneOf(append(p.kinds, p.structs...)...), "struct"
	}
	return "string", ""
}
