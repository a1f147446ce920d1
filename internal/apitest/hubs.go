package apitest

import (
	"fmt"
	"strings"
)

// Hubs is a module with random kinds of two versions, whose hub is the newer one. Conversions lose nothing.
type Hubs struct {
	Files map[string]string
	// Losses are changes, one for each kind, after which conversions lose a field.
	Losses []Loss

	source
	v1, beta strings.Builder // declarations
	byHand   strings.Builder // functions
	number   int             // of the last field or type
}

// Loss is a change of a file.
type Loss struct {
	File, Old, New string
	Kind           string // "apis/group1/v1beta1 Kind2"
	// V1 and Beta are the paths of fields that are lost on the way from a version to the other one and back.
	V1, Beta []string
	// GivenUp means that a marker says so. Otherwise, a function or the generated code in File forgets the fields.
	GivenUp bool
}

// Versions returns a module with groups of kinds. They declare no predeclared names, because runs refuse many
// conversions then. Conversions and Predeclared together make such packages.
func Versions(seed uint64, groups, kinds int) *Hubs {
	in := &Hubs{source: newSource(seed, 17), Files: map[string]string{}}
	in.Files["shared/shared.go"] = "package shared\n\n" +
		"type Part struct {\n\tName string `json:\"name\"`\n\tTags []string `json:\"tags,omitempty\"`\n}\n"
	for i := range groups {
		in.group(i, kinds)
	}
	return in
}

func (in *Hubs) group(number, kinds int) {
	for _, text := range []*strings.Builder{&in.v1, &in.beta, &in.byHand} {
		text.Reset()
	}
	dir := fmt.Sprintf("apis/group%d/", number)
	for i := range kinds {
		kind := fmt.Sprint("Kind", i)
		losses := in.structure(kind+"Spec", kind, 0)
		if losses == nil {
			continue // both versions are the same
		}
		both := "// %[2]s is a kind.\n%[1]stype %[2]s struct {\n" +
			"\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n" +
			"\tSpec %[2]sSpec `json:\"spec,omitempty\"`\n}\n\n"
		fmt.Fprintf(&in.v1, both, "// +kubegen:conversion:hub\n", kind)
		fmt.Fprintf(&in.beta, both, "", kind)
		loss := losses[in.IntN(len(losses))]
		loss.File, loss.Kind = dir+loss.File, dir+"v1beta1 "+kind
		loss.V1, loss.Beta = below(".spec", loss.V1), below(".spec", loss.Beta)
		in.Losses = append(in.Losses, loss)
	}
	of := func(version, text string) string {
		return fmt.Sprintf("// +groupName=group%d.example.com\n// +k8s:deepcopy-gen=package\n%s", number, withImports(version, text))
	}
	in.Files[dir+"v1/types.go"], in.Files[dir+"v1beta1/types.go"] = of("v1", in.v1.String()), of("v1beta1", in.beta.String())
	byHand := withImports("v1beta1", in.byHand.String())
	imports := fmt.Sprintf("import (\n\t\"example.com/migration/%sv1\"\n", dir)
	in.Files[dir+"v1beta1/conversion.go"] = strings.Replace(byHand, "import (\n", imports, 1)
	if in.byHand.Len() == 0 {
		delete(in.Files, dir+"v1beta1/conversion.go")
	}
}

// below returns paths below another one.
func below(path string, paths []string) (all []string) {
	for _, p := range paths {
		all = append(all, path+p)
	}
	return all
}

// structure declares a struct in both versions, and returns possible losses with paths below it. There are none if the
// versions are the same, because the memory of the struct is shared then, whatever markers its fields have.
func (in *Hubs) structure(name, kind string, depth int) (losses []Loss) {
	differs := false
	var v1, beta, toV1, toBeta strings.Builder
	for range 2 + in.IntN(4) {
		in.number++
		field, path := fmt.Sprint("F", in.number), fmt.Sprint(".f", in.number)
		declaration := func(t string) string { return fmt.Sprintf("\t%s %s `json:\"%s,omitempty\"`\n", field, t, path[1:]) }
		const restored, off = "\t// +kubegen:conversion:restore\n", "\t// +k8s:conversion-gen=false\n"
		loss := func(file, marker, t string, v1, beta []string) Loss {
			if marker != "" && in.IntN(2) == 0 {
				old := fmt.Sprintf("\tf.Value(%q, &full.%s)\n", path[1:], field)
				return Loss{File: "v1beta1/zz_generated.conversion.go", Old: old, V1: v1, Beta: beta}
			}
			declared := "\t" + field + " " + t + " "
			return Loss{File: file, Old: marker + declared, New: off + declared, V1: v1, Beta: beta, GivenUp: true}
		}
		n := in.IntN(10)
		differs = differs || n < 5
		switch {
		case n < 2: // only in v1
			t := in.leaf()
			v1.WriteString(in.withDefault(t) + restored + declaration(t))
			losses = append(losses, loss("v1/types.go", restored, t, []string{path}, nil))
		case n < 4: // only in v1beta1
			t := in.leaf()
			beta.WriteString(in.withDefault(t) + restored + declaration(t))
			losses = append(losses, loss("v1beta1/types.go", restored, t, nil, []string{path}))
		case n < 5: // with another name
			t := in.leaf()
			v1.WriteString(in.withDefault(t) + declaration(t))
			fmt.Fprintf(&beta, in.withDefault(t)+"\tOld%s %s `json:\"old%s,omitempty\"`\n", field, t, field)
			statement := fmt.Sprintf("\tout.%s = in.Old%[1]s\n", field)
			toV1.WriteString(statement)
			fmt.Fprintf(&toBeta, "\tout.Old%s = in.%[1]s\n", field)
			losses = append(losses, Loss{File: "v1beta1/conversion.go", Old: statement, V1: []string{path}, Beta: []string{".old" + field}})
		case n < 9 && depth < 3:
			inner := in.nested([2]*strings.Builder{&v1, &beta}, field, path, kind, depth)
			losses, differs = append(losses, inner...), differs || len(inner) > 0
		default:
			t, former := in.leaf(), in.former(field)
			differs = differs || former != field
			v1.WriteString(in.withDefault(t) + declaration(t))
			beta.WriteString(in.withDefault(t) + strings.Replace(declaration(t), field, former, 1))
			losses = append(losses, loss("v1/types.go", "", t, []string{path}, []string{path}))
		}
	}
	fmt.Fprintf(&in.v1, "type %s struct {\n%s}\n\n", name, &v1)
	fmt.Fprintf(&in.beta, "type %s struct {\n%s}\n\n", name, &beta)
	const function = "func Convert_%[1]s_%[2]s_To_%[3]s_%[2]s(in *%[4]s, out *%[5]s, s conversion.Scope) error {\n%[6]s" +
		"\treturn autoConvert_%[1]s_%[2]s_To_%[3]s_%[2]s(in, out, s)\n}\n\n"
	if toV1.Len() > 0 {
		fmt.Fprintf(&in.byHand, function, "v1beta1", name, "v1", name, "v1."+name, &toV1)
		fmt.Fprintf(&in.byHand, function, "v1", name, "v1beta1", "v1."+name, name, &toBeta)
	}
	if !differs {
		return nil
	}
	return losses
}

// former returns the name of a field in v1beta1, which may be another one in Go alone.
func (in *Hubs) former(field string) string {
	if in.chance(30) {
		return "Former" + field
	}
	return field
}

// nested declares a field with a struct of its own in both versions.
func (in *Hubs) nested(versions [2]*strings.Builder, field, path, kind string, depth int) []Loss {
	name := kind + "Part" + field[1:]
	inner := in.structure(name, kind, depth+1)
	form, suffix := name, ""
	switch in.IntN(10) {
	case 0:
		embedded := fmt.Sprintf("\t%s%s `json:\",inline\"`\n", in.oneOf("", "*"), name)
		versions[0].WriteString(embedded)
		versions[1].WriteString(embedded)
		return inner
	case 1, 2:
		form = "*" + name
	case 3, 4:
		form, suffix = "[]"+name, "[]"
	case 5:
		form, suffix = "[]*"+name, "[]"
	case 6:
		form, suffix = in.oneOf("map[string]", "map[int32]")+name, "[]"
	case 7:
		form, suffix = "map[string]*"+name, "[]"
	case 8:
		form, suffix = in.oneOf("[][]", "map[string][]", "[2][]", "[]map[string]")+name, "[][]"
	}
	fmt.Fprintf(versions[0], "\t%s %s `json:\"%s,omitempty\"`\n", field, form, path[1:])
	fmt.Fprintf(versions[1], "\t%s %s `json:\"%s,omitempty\"`\n", in.former(field), form, path[1:])
	for i := range inner {
		inner[i].V1, inner[i].Beta = below(path+suffix, inner[i].V1), below(path+suffix, inner[i].Beta)
	}
	return inner
}

// withDefault returns the marker of a default for some fields of a type, or "".
func (in *Hubs) withDefault(t string) string {
	values := map[string]string{
		"string": "a", "*string": "b", "bool": "true", "int32": "7", "*int32": "0", "int64": "8", "[]string": "{c,d}",
	}
	value := values[t]
	if value == "" || in.IntN(2) == 0 {
		return ""
	}
	return "\t// +kubebuilder:default=" + value + "\n"
}

func (in *Hubs) leaf() string {
	return in.oneOf(
		"string", "bool", "int32", "int64", "float64", "[]byte", "[]string", "map[string]string", "*int32", "*string", "metav1.Time", "*metav1.Time",
		"metav1.Duration", "resource.Quantity", "intstr.IntOrString", "runtime.RawExtension", "*runtime.RawExtension", "shared.Part", "[]shared.Part",
		"corev1.LocalObjectReference",
	)
}
