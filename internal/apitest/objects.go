package apitest

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

//go:embed nouns.txt
var nouns string

// ObjectPackage is a package of API types that a seed stands for, which compiles. Whether it makes sense is for kubegen
// to say.
type ObjectPackage struct {
	Seed    uint64
	Dir     string // below the module
	Files   map[string]string
	Markers []string // texts that occur once, each in a marker somewhere that kubegen or a tool which it replaces reads
	Foreign []string // the same for markers of other tools

	source
	kinds   []string
	structs []string // names of declared structs
	unused  int      // the first of them that is part of no other
}

// Objects returns the package of a seed: kinds are named by English nouns, and their objects can be used.
func Objects(seed uint64) *ObjectPackage {
	p := &ObjectPackage{source: newSource(seed, 36), Seed: seed, Files: map[string]string{}}
	version, clause, comment := p.place()
	p.printf("var SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %q}\n", p.group(), version)
	for i := range p.IntN(4) {
		p.structure(fmt.Sprint("Part", i))
	}
	for range 1 + p.IntN(3) {
		p.kind()
	}
	p.misplace()
	p.write(comment, clause)
	return p
}

func (p *ObjectPackage) group() string { return fmt.Sprintf("s%d.example.com", p.Seed) }

func (p *ObjectPackage) noun() string { return p.oneOf(strings.Fields(nouns)...) }

// place chooses the directory, the name of the package, and the comment that says what these do not.
func (p *ObjectPackage) place() (version, clause, comment string) {
	version = p.oneOf("v1", "v1", "v2", "v1beta1", "v2alpha3")
	parent := fmt.Sprintf("apis/s%d", p.Seed)
	comment = "// +groupName=" + p.group() + "\n"
	switch p.IntN(6) {
	case 0, 1:
		p.Dir, clause = parent+"/"+version, version
	case 2: // the directory has the version, and the clause another name
		p.Dir, clause = parent+"/"+version, p.oneOf("api", "types", "kinds"+version, "s"+fmt.Sprint(p.Seed))
		if !p.chance(15) {
			comment += "// +versionName=" + version + "\n"
		}
	case 3: // the clause has the version, and the directory another name
		p.Dir, clause = parent+"/"+p.oneOf("api", "pkg-types", "stable."+version, "apis"), version
	case 4: // neither has
		p.Dir, clause = parent+"/"+p.oneOf("api", "pkg"), p.oneOf("types", "widgets")
		comment += "// +versionName=" + version + "\n"
	default: // both have another one
		p.Dir, clause = parent+"/v7", "v8"
		comment += "// +versionName=" + version + "\n"
	}
	return version, clause, comment
}

// kind declares a kind and its list.
func (p *ObjectPackage) kind() {
	words := p.noun()
	if p.chance(30) {
		words = p.noun() + " " + words
	}
	name := ""
	for word := range strings.FieldsSeq(words) {
		if p.chance(8) {
			word = strings.ToUpper(word)
		}
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	if slices.Contains(p.kinds, name) || slices.Contains(p.kinds, strings.TrimSuffix(name, "List")) {
		return
	}
	p.kinds = append(p.kinds, name)
	p.structure(name + "Spec")
	p.structure(name + "Status")

	typeMeta, objectMeta, listMeta := p.metadata(name)
	p.printf("\n// %s is a kind.\n// +genclient\n// +kubebuilder:object:root=true\n", name)
	if p.chance(20) {
		p.printf("// +genclient:nonNamespaced\n// +kubebuilder:resource:scope=Cluster\n")
	} else if p.chance(20) {
		p.printf("// +kubebuilder:resource:shortName=%s\n", p.marker())
	}
	if p.chance(10) {
		p.printf("// +genclient:skipVerbs=apply,applyStatus\n")
	}
	status := p.chance(70)
	if status {
		p.printf("// +kubebuilder:subresource:status\n")
	} else if p.chance(70) {
		p.printf("// +genclient:noStatus\n")
	}
	if p.chance(20) {
		p.printf("// +kubebuilder:printcolumn:name=%q,type=date,JSONPath=.metadata.creationTimestamp\n", p.marker())
	}
	p.printf("type %s struct {\n%s%s\tSpec %sSpec `json:\"spec%s\"`\n\t// +optional\n\tStatus %sStatus `json:\"status%s\"`\n}\n",
		name, typeMeta, objectMeta, name, p.oneOf("", ",omitempty", ",omitzero"), name, p.oneOf("", ",omitempty", ",omitzero"))
	p.printf("\n// +kubebuilder:object:root=true\ntype %sList struct {\n%s%s\tItems []%s `json:\"items\"`\n}\n", name,
		"\tmetav1.TypeMeta `json:\",inline\"`\n", listMeta, name)
}

// metadata returns the fields that give a kind and its list their metadata, in one of the ways of Go.
func (p *ObjectPackage) metadata(kind string) (typeMeta, objectMeta, listMeta string) {
	const inline = " `json:\",inline\"`\n"
	tag := p.oneOf(" `json:\"metadata,omitempty\"`\n", " `json:\"metadata,omitzero\"`\n", " `json:\"metadata\"`\n",
		" `yaml:\"meta\" json:\"metadata,omitempty\"`\n")
	typeMeta, objectMeta, listMeta = "\tmetav1.TypeMeta"+inline, "\tmetav1.ObjectMeta"+tag, "\tmetav1.ListMeta"+tag
	switch p.IntN(11) {
	case 0:
		p.printf("\ntype %sMeta = metav1.ObjectMeta\n", kind)
		objectMeta = "\t" + kind + "Meta" + tag
	case 1:
		p.printf("\ntype %sType = metav1.TypeMeta\n", kind)
		typeMeta = "\t" + kind + "Type" + inline
	case 2:
		p.printf("\ntype %sBase struct {\n%s%s}\n", kind, typeMeta, objectMeta)
		typeMeta, objectMeta = "\t"+kind+"Base"+p.oneOf(inline, inline, inline, inline, "\n"), ""
	case 3:
		p.printf("\ntype %sBase struct {\n%s}\n", kind, objectMeta)
		objectMeta = "\t" + kind + "Base" + p.oneOf(inline, inline, inline, inline, "\n")
	case 4:
		if p.chance(25) {
			objectMeta = "\t*metav1.ObjectMeta" + tag
		}
	case 5:
		typeMeta = "\tmetav1.TypeMeta\n" // inline without a tag
	case 6:
		typeMeta = "\tmetav1.TypeMeta `json:\"\"`\n"
	}
	return typeMeta, objectMeta, listMeta
}

// structure declares a struct.
func (p *ObjectPackage) structure(name string) {
	var fields strings.Builder
	seen := map[string]bool{}
	if len(p.structs) > 0 && p.chance(25) {
		embedded := p.oneOf(p.structs...)
		seen[embedded] = true
		fmt.Fprintf(&fields, "\t%s%s\n", p.oneOf("", "", "*")+embedded, p.oneOf(" `json:\",inline\"`", " `json:\",inline\"`",
			" `json:\"embedded\"`", " `json:\",omitempty\"`", " `json:\"\"`"))
	}
	for i := range p.IntN(6) {
		goName := fmt.Sprintf("%s%s%d", p.oneOf("F", "Go", "URL", "ID"), name, i)
		if p.chance(2) {
			goName = "unexported" + fmt.Sprint(i)
		}
		p.field(&fields, goName)
	}
	for ; p.unused < len(p.structs); p.unused++ { // all are part of objects
		part := p.structs[p.unused]
		fmt.Fprintf(&fields, "\tUses%s %s `json:\"uses%s\"`\n", part, part, part)
	}
	p.printf("\n%stype %s struct {\n%s}\n", p.oneOf("", "", fmt.Sprintf("// %s is part of objects.\n", name)), name, fields.String())
	p.structs = append(p.structs, name)
}

// field writes a field of a random type with a random tag.
func (p *ObjectPackage) field(to *strings.Builder, name string) {
	typ, kind := p.typ(0)
	line := func(format string, args ...any) { fmt.Fprintf(to, "\t// +"+format+"\n", args...) }
	presence := ""
	if p.chance(40) {
		presence = p.oneOf("optional", "required", "kubebuilder:validation:Optional", "kubebuilder:validation:Required")
		line("%s", presence)
	}
	rules := p.chance(30)
	if rules { // that all values of the test keep
		switch kind {
		case "string":
			line("%s", p.oneOf("kubebuilder:validation:MinLength=1", "kubebuilder:validation:MaxLength=60",
				"kubebuilder:validation:Pattern=`^[a-z]+$`",
				"kubebuilder:validation:Enum=valuea;valueb;valuec;valued", "kubebuilder:default=valuea", "kubebuilder:example=valueb"))
		case "int":
			line("%s", p.oneOf("kubebuilder:validation:Minimum=1", "kubebuilder:validation:Maximum=2147483647", "kubebuilder:default=12",
				"kubebuilder:validation:Enum=11;12;13;14"))
		case "long":
			line("%s", p.oneOf("kubebuilder:validation:Minimum=-9007199254740993", "kubebuilder:validation:Maximum=9007199254740993"))
		case "list":
			line("%s", p.oneOf("kubebuilder:validation:MinItems=1", "kubebuilder:validation:MaxItems=5", "listType=atomic"))
		case "strings":
			line("%s", p.oneOf("listType=set", "kubebuilder:validation:items:MaxLength=60", "listType=atomic"))
		case "map":
			line("%s", p.oneOf("kubebuilder:validation:MaxProperties=5", "mapType=atomic", "mapType=granular"))
		}
	}
	if p.chance(5) {
		line("kubebuilder:title=%s", p.marker())
	}
	lower := strings.ToLower(name[:1]) + name[1:]
	tag := p.oneOf(lower, lower, lower, strings.ToLower(name), "x-"+lower, "", "_"+lower)
	options := p.oneOf("", "", ",omitempty", ",unknown", // but not inline, which encoding/json ignores and apimachinery does not
		",omitempty", ",omitzero", ",omitempty,omitzero")
	if strings.HasSuffix(strings.ToLower(presence), "required") && slices.Contains(p.structs, typ) {
		options = "" // a struct without fields would be omitted
	}
	if tag == "" && !p.chance(3) {
		tag = lower // without a name and options, it is no tag
	}
	if !rules && (kind == "int" || kind == "long" || kind == "string" || kind == "bool") { // rules are about numbers and texts, not about these in quotes
		options += p.oneOf("", "", "", "", ",string")
	}
	text := fmt.Sprintf(" `json:\"%s%s\"`", tag, options)
	switch {
	case p.chance(3):
		text = " `json:\"-\"`"
	case p.chance(1) && p.chance(20):
		text = "" // Go's name; manifests have no such fields
	case p.chance(5):
		text = fmt.Sprintf(" `yaml:%q json:\"%s%s\" protobuf:\"bytes,1,opt,name=x\"`", "other", tag, options)
	}
	if unicode.IsLower(rune(name[0])) {
		text = " `json:\"-\"`" // with another tag, apimachinery panics when it converts unstructured objects
	}
	fmt.Fprintf(to, "\t%s %s%s\n", name, typ, text)
}

// typ returns a type, and the kind of its values: string, int, long, bool, list, strings, map, or "" for another one.
func (p *ObjectPackage) typ(depth int) (typ, kind string) {
	named := func(under, kind string) (string, string) {
		name := fmt.Sprintf("Named%d", p.text.Len())
		p.printf("\n%stype %s %s\n", p.oneOf("", "// A comment.\n"), name, under)
		return name, kind
	}
	switch p.IntN(22 - depth) {
	default:
		return "string", "string"
	case 1:
		integer := p.oneOf("int32", "int64", "int", "uint8", "uint32", "int16", "uint64")
		if strings.HasSuffix(integer, "64") && p.chance(50) {
			return integer, "long"
		}
		return integer, "int"
	case 2:
		return "bool", "bool"
	case 3:
		return p.oneOf("float64", "float32"), ""
	case 4:
		return p.oneOf("[]byte", "[]uint8"), ""
	case 5:
		return "[]string", "strings"
	case 6:
		return "map[string]string", "map"
	case 7:
		switch p.IntN(6) {
		case 0:
			return named("string", "string")
		case 1:
			return named(p.oneOf("int32", "int64", "uint"), "int")
		case 2:
			return named("[]byte", "")
		case 3:
			return named("[]string", "strings")
		case 4:
			return named("map[string]int32", "map")
		default:
			return named("bool", "bool")
		}
	case 8, 9:
		if len(p.structs) > 0 {
			return p.oneOf("", "*") + p.oneOf(p.structs...), ""
		}
	case 10:
		if len(p.structs) > 0 {
			return "[]" + p.oneOf("", "*") + p.oneOf(p.structs...), "list"
		}
	case 11:
		if len(p.structs) > 0 {
			return "map[string]" + p.oneOf(p.structs...), "map"
		}
	case 12:
		return p.oneOf("", "*") + p.oneOf("metav1.Time", "metav1.MicroTime", "metav1.Duration", "metav1.LabelSelector", "metav1.Condition"), ""
	case 13:
		return p.oneOf("", "*") + "intstr.IntOrString", ""
	case 14:
		return p.oneOf("", "*") + "resource.Quantity", ""
	case 15:
		return p.oneOf("", "*") + "runtime.RawExtension", ""
	case 16:
		return p.oneOf("corev1.LocalObjectReference", "[]corev1.EnvVar", "corev1.ResourceList", "*corev1.SecretKeySelector",
			"corev1.Protocol"), ""
	case 17:
		inner, _ := p.typ(depth + 1)
		if inner == "uint8" {
			return "[]uint8", "" // a string in JSON
		}
		return "[]" + inner, "list"
	case 18:
		inner, _ := p.typ(depth + 1)
		return "map[string]" + inner, "map"
	case 19:
		inner, kind := p.typ(depth + 1)
		if strings.HasPrefix(inner, "*") {
			return inner, kind
		}
		return "*" + inner, kind
	case 20:
		if !p.chance(5) {
			return "string", "string"
		}
		return "struct {\n\t\tInner string `json:\"inner\"`\n\t}", ""
	}
	return "string", "string"
}

// marker returns a text for a marker, which occurs nowhere else.
func (p *ObjectPackage) marker() string {
	text := fmt.Sprintf("m%dx%d", p.Seed, len(p.Markers))
	p.Markers = append(p.Markers, text)
	return text
}

// foreignMarker returns a marker that no tool which kubegen knows reads.
func (p *ObjectPackage) foreignMarker() string {
	text := fmt.Sprintf("f%dx%d", p.Seed, len(p.Foreign))
	p.Foreign = append(p.Foreign, text)
	return fmt.Sprintf(p.oneOf("+%s", "+k8s:%s=true", "+other:%s=a"), text)
}

// misplace puts markers at random places.
func (p *ObjectPackage) misplace() {
	if !p.chance(35) {
		return
	}
	lines := strings.Split(p.text.String(), "\n")
	for range 1 + p.IntN(2) {
		at := p.IntN(len(lines))
		text := p.oneOf("+kubebuilder:title=%s", "+kubebuilder:printcolumn:name=%s,type=date,JSONPath=.metadata.creationTimestamp",
			"+kubebuilder:resource:shortName=%s",
			"+kubebuilder:resource:categories=%s", "+kubebuilder:metadata:labels=%s=a",
			"+kubebuilder:validation:XValidation:rule=true,message=%s", "+kubebuilder:example=%s",
			"+kubebuilder:deprecatedversion:warning=%s", "+kubebuilder:externalDocs:url=https://example.com/%s",
			"+kubebuilder:resource:singular=%s", "+kubebuilder:%s",
			"+genclient:%s", "+kubegen:%s", "")
		if text == "" {
			text = p.foreignMarker()
		} else {
			text = fmt.Sprintf(text, p.marker())
		}
		if strings.HasPrefix(text, "+kubebuilder:resource") && slices.ContainsFunc(lines[at:min(at+3, len(lines))],
			func(line string) bool { return strings.Contains(line, "Base struct") }) {
			continue // which would make a kind of it
		}
		comment := p.oneOf("// "+text, "//"+text, "/* "+text+" */", "/*\n"+text+"\n*/", "// "+text+"\n", "// "+text+"\n\n// Another comment.")
		if p.chance(20) && lines[at] != "" && !strings.Contains(lines[at], "//") {
			lines[at] += " // " + text
		} else {
			lines = slices.Insert(lines, at, comment)
		}
	}
	p.text.Reset()
	p.text.WriteString(strings.Join(lines, "\n"))
}

// write makes the package's file.
func (p *ObjectPackage) write(comment, clause string) {
	body := p.text.String()
	var text strings.Builder
	fmt.Fprintf(&text, "// Package %s has API types.\n%spackage %s\n\nimport (\n", clause, comment, clause)
	for _, used := range known {
		if strings.Contains(body, used[0]+".") {
			name := used[0]
			if used[0] == "metav1" && p.chance(20) {
				name = p.oneOf("meta", "m", "v1meta")
				body = strings.ReplaceAll(body, "metav1.", name+".")
			}
			fmt.Fprintf(&text, "\t%s %q\n", name, used[1])
		}
	}
	text.WriteString(")\n\n" + body)
	p.Files["types.go"] = text.String()
}
