package openapi

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// commonPackage has the types of definitions, and specPackage the types of schemas.
const (
	commonPackage = "k8s.io/kube-openapi/pkg/common"
	specPackage   = "k8s.io/kube-openapi/pkg/validation/spec"
)

// marker requests definitions.
const marker = "k8s:openapi-gen"

// writer writes the code of a file.
type writer struct {
	file     *gofile.File
	path     string          // import path of its package
	names    map[string]bool // of functions
	body     gofile.Builder
	pointers bool                            // the code calls a function for pointers
	refs     map[string]*gotypes.Declaration // all that definitions refer to
}

func (w *writer) ref(t model.TypeRef) gofile.Code {
	return w.file.Ref(gofile.Ident{Path: t.Path, Name: t.Name})
}

// pointer returns a pointer to a number.
func (w *writer) pointer(typ, number gofile.Code) gofile.Code {
	w.pointers = true
	return "pointerTo[" + typ + "](" + number + ")"
}

func nameOf(d *gotypes.Declaration) string { return d.Path + "." + d.Name }

// model returns the name of the definition of a type.
func (w *writer) model(r *reader, d *gotypes.Declaration) gofile.Code {
	if r.hasModelName(d) {
		return w.ref(d.TypeRef) + "{}.OpenAPIModelName()"
	}
	return gofile.Quote(nameOf(d))
}

// function returns the name of the function for a type, with the last elements of its import path.
func (w *writer) function(d *gotypes.Declaration) gofile.Code {
	parts := strings.Split(nameOf(d), "/")
	name := "schema_" + strings.NewReplacer(".", "_", "-", "_", "~", "_").Replace(strings.Join(parts[max(0, len(parts)-4):], "_"))
	unique := name
	for i := 2; w.names[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	w.names[unique] = true
	return gofile.Name(unique)
}

// methods tells which methods of a type determine its definition.
type methods struct{ v2, v3, form, oneOf bool }

func (r *reader) formMethods(d *gotypes.Declaration) methods {
	of := r.methodsOf(d)
	return methods{
		v2: of["OpenAPIDefinition"] == "OpenAPIDefinition", v3: of["OpenAPIV3Definition"] == "OpenAPIDefinition",
		form:  of["OpenAPISchemaType"] == "[]string" && of["OpenAPISchemaFormat"] == "string",
		oneOf: of["OpenAPIV3OneOfTypes"] == "[]string",
	}
}

// definition is the definition of a struct.
type definition struct {
	*reader
	*writer
	of   *gotypes.Declaration
	refs map[string]*gotypes.Declaration // what it refers to; nil for an interface without a name
}

// definitions writes the definitions of types.
func (w *writer) definitions(r *reader, types []*gotypes.Declaration) {
	slices.SortFunc(types, func(a, b *gotypes.Declaration) int { return cmp.Compare(nameOf(a), nameOf(b)) })
	all := &literal{typ: "map[string]common.OpenAPIDefinition"}
	var functions gofile.Builder
	for _, of := range types {
		has, value := r.formMethods(of), gofile.Code("")
		if has != (methods{}) {
			value = w.ref(of.TypeRef) + "{}."
		}
		switch v2, v3 := value+"OpenAPIDefinition()", value+"OpenAPIV3Definition()"; {
		case has.form || !has.v2 && !has.v3:
			name := w.function(of)
			d := &definition{r, w, of, map[string]*gotypes.Declaration{}}
			code := d.code(value, has)
			maps.Copy(w.refs, d.refs)
			functions.Add("\nfunc ", name, "(ref common.ReferenceCallback) common.OpenAPIDefinition {\n",
				gofile.Indented("return "+code+"\n", 1), "}\n")
			value = name + "(ref)"
		case has.v2 && has.v3:
			value = "common.EmbedOpenAPIDefinitionIntoV2Extension(" + v3 + ", " + v2 + ")"
		case has.v2:
			value = v2
		default:
			value = v3
		}
		all.with(w.model(r, of), value)
	}
	w.body.Add("// GetOpenAPIDefinitions returns the definitions of types by their names. It calls ref with the names in definitions.\n",
		"func GetOpenAPIDefinitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {\n",
		gofile.Indented("return "+all.code()+"\n", 1), "}\n", functions.Code())
	if w.pointers {
		w.body.Add("\nfunc pointerTo[T any](value T) *T { return &value }\n")
	}
}

// warn warns of structs that definitions refer to and that have none. It names their packages, or the structs
// themselves if other types of the package have definitions.
func (w *writer) warn(r *reader, types []*gotypes.Declaration, file string) {
	packages, found := map[string]bool{}, map[string]bool{}
	for _, d := range types {
		packages[d.Path] = true
	}
	for name, d := range w.refs {
		if d != nil && r.declared(d).isStruct() && !slices.Contains(types, d) {
			if !packages[d.Path] {
				name = d.Path
			}
			found[name] = true
		}
	}
	if len(found) > 0 {
		r.diags.Warnf(token.Position{}, "definitions refer to types without definitions, which API servers need: %s",
			strings.Join(slices.Sorted(maps.Keys(found)), ", ")).
			Suggest("name these packages too, and mark your own ones +%s=true", marker).In(file)
	}
}

// code returns the definition. value is a value of the struct with a dot, for calls of its methods.
func (d *definition) code(value gofile.Code, has methods) gofile.Code {
	t, lines := d.declared(d.of), d.commentOf(d.of)
	build := func(fill func(props *literal)) gofile.Code {
		s := newSchema()
		d.describe(s, lines)
		d.extend(s, lines)
		if unions := d.unions(t, map[*gotypes.Declaration]bool{}); len(unions) > 0 {
			s.extensions.with(`"x-kubernetes-unions"`, valueOf(unions))
		}
		d.rules(lines, &t, d.of.Pos, s)
		fill(&s.props)
		dependencies := &literal{typ: "[]string"}
		for _, name := range slices.Sorted(maps.Keys(d.refs)) {
			if of := d.refs[name]; of != nil {
				dependencies.with("", d.model(d.reader, of))
			} else {
				dependencies.with("", gofile.Quote(name))
			}
		}
		all := &literal{typ: "common.OpenAPIDefinition"}
		return all.with("Schema", s.code("spec.Schema")).within("Dependencies", dependencies).code()
	}
	if has.form {
		v2 := build(func(props *literal) {
			props.with("Type", value+"OpenAPISchemaType()").with("Format", value+"OpenAPISchemaFormat()")
		})
		v3 := value + "OpenAPIV3Definition()"
		if !has.v3 && !has.oneOf {
			return v2
		} else if !has.v3 {
			v3 = build(func(props *literal) {
				props.with("OneOf", "common.GenerateOpenAPIV3OneOfSchema("+value+"OpenAPIV3OneOfTypes())").with("Format", value+"OpenAPISchemaFormat()")
			})
		}
		return "common.EmbedOpenAPIDefinitionIntoV2Extension(" + v3 + ", " + v2 + ")"
	}
	if has.oneOf {
		d.errorf(d.of.Pos, "%s has the method OpenAPIV3OneOfTypes, but not OpenAPISchemaType and OpenAPISchemaFormat", d.of.Name).
			Suggest("add these methods, which describe the type for version 2")
	}
	properties, required, found := &literal{typ: "map[string]spec.Schema"}, []string{}, map[string]property{}
	for _, name := range d.properties(t, 0, found, map[*gotypes.Declaration]int{}) {
		properties.with(gofile.Quote(name), found[name].schema)
		if found[name].required {
			required = append(required, name)
		}
	}
	return build(func(props *literal) {
		props.with("Type", `[]string{"object"}`).within("Properties", properties)
		if len(required) > 0 {
			props.with("Required", list("[]string", required))
		}
	})
}

// methodsFor writes methods that name the definitions of types of a package.
func (w *writer) methodsFor(r *reader, types []*gotypes.Declaration) {
	for i, of := range types {
		if i > 0 {
			w.body.Add("\n")
		}
		w.body.Add(gofile.Codef("// OpenAPIModelName returns the name of the OpenAPI definition of %s.\n", of.Name),
			gofile.Codef("func (%s) OpenAPIModelName() string {\n\treturn %q\n}\n", of.Name, r.modelName(of)))
	}
}
