package reference

import (
	"cmp"
	"go/constant"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/schemas/goschema"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Type is a declared type.
type Type struct {
	Name        string // title of its section
	Kind        *Kind  // nil for other types
	Description Markdown
	Form        Markdown   // of values, such as "string"; "" for objects with fields
	Constraints []Markdown // of values
	Values      []Value    // the values allowed, or else constants of the type
	Fields      []Field    // of objects
	Users       []*Type    // types with fields of this one, sorted by name

	declared *gotypes.Declaration
}

// Field is a field of an object in JSON.
type Field struct {
	Name        Markdown
	Form        Markdown // of its values
	Required    bool
	Default     Markdown // in JSON; "" if there is none
	Description Markdown
	Constraints []Markdown
}

// Value is a value of a type with the comment of its constant.
type Value struct{ Text, Description Markdown }

// Link returns a link to the section.
func (t *Type) Link() Markdown { return link(t.Name, "#"+anchor(t.Name)) }

// describe completes the section of a type.
func (t *Type) describe(p *Page) {
	whole := p.reader.Declared(t.declared)
	t.Description = gated(p.description(t.declared), markers.GateOf(t.declared.Markers, markers.Type))
	t.values(p, whole)
	for _, s := range p.parts(t.declared) {
		if len(t.Values) > 0 {
			s.Enum = nil
		}
		t.Constraints = append(t.Constraints, p.words(s.Schema)...)
		for _, property := range s.Properties {
			declared := s.field(property.Name)
			f := Field{
				Name: Markdown(property.Name), Required: slices.Contains(s.Required, property.Name),
				Form:        t.form(p, p.values(s.of, declared, property.Schema)),
				Description: gated(property.Description, markers.GateOf(declared.Markers, markers.Field)), Constraints: p.words(property.Schema),
			}
			if property.Default != nil {
				f.Default = valueCode(property.Default.JSON)
			}
			t.add(f)
		}
	}
	if len(t.Fields) == 0 {
		t.Form = t.form(p, whole)
	}
}

// description returns the comment of a type, or if it has none, of the type that it is declared as.
func (p *Page) description(d *gotypes.Declaration) (text string) {
	seen := map[*gotypes.Declaration]bool{}
	for d != nil && text == "" && !seen[d] {
		seen[d] = true
		s := p.reader.Declared(d)
		text, d = s.Description, goschema.RefOf(s)
	}
	return text
}

// add adds a field, which replaces one of an embedded struct.
func (t *Type) add(f Field) {
	if i := slices.IndexFunc(t.Fields, func(other Field) bool { return other.Name == f.Name }); i >= 0 {
		t.Fields = slices.Delete(t.Fields, i, i+1)
	}
	t.Fields = append(t.Fields, f)
}

// fix adds a field, which is always the same, before all others.
func (t *Type) fix(name Markdown, value string) {
	t.add(Field{Name: name, Form: "string", Required: true, Description: "Always " + code(value) + "."})
	last := len(t.Fields) - 1
	t.Fields = slices.Insert(t.Fields[:last], 0, t.Fields[last])
}

// values sets the constants of a type. If the schema allows other values, they are also there.
func (t *Type) values(p *Page, s *crdschema.Schema) {
	d := t.declared
	if s.Type != "string" && s.Type != "integer" {
		return
	}
	var documented []Value
	for _, c := range p.reader.Types().Constants(d) {
		if c.Value == nil || c.Value.Kind() != constant.String && c.Value.Kind() != constant.Int {
			continue
		}
		text := code(c.Value.ExactString())
		if c.Value.Kind() == constant.String {
			text = valueCode(constant.StringVal(c.Value))
		}
		description := gated(goschema.Description(c.Doc), markers.GateOf(c.Markers, markers.Constant))
		documented = append(documented, Value{text, description})
	}
	if len(s.Enum) == 0 {
		t.Values = documented
		return
	}
	for _, value := range s.Enum {
		text := valueCode(value.JSON)
		i := slices.IndexFunc(documented, func(v Value) bool { return v.Text == text })
		if i < 0 {
			t.Values = append(t.Values, Value{Text: text})
		} else {
			t.Values = append(t.Values, documented[i])
		}
	}
}

// gated returns a description with the expression of the feature gates that something needs. It may be "".
func gated(description, gate string) Markdown {
	text := markdown(description)
	if gate == "" {
		return text
	}
	return Markdown(strings.TrimSpace(string(text + "\n\nNeeds the feature gate " + code(gate) + ".")))
}

// form returns the type of values, with links to sections and pages of declared types.
func (t *Type) form(p *Page, s *crdschema.Schema) Markdown {
	if d := goschema.RefOf(s); d != nil {
		if section := p.sections[d]; section != nil {
			section.use(t)
			return section.Link()
		}
		if page := documentation(d); page != "" {
			return link(d.Name, page)
		}
		return t.form(p, p.reader.Declared(d)) // this type is declared as d, a struct without fields
	}
	switch {
	case s.IntOrString:
		return "integer or string"
	case s.Items != nil:
		return "list of " + t.form(p, s.Items)
	case s.AdditionalProperties != nil:
		return "map of " + t.form(p, s.AdditionalProperties)
	case s.Type == "array":
		return "list"
	case s.Type == "":
		return "any value"
	case s.Format != "":
		return Markdown(s.Type + " (" + string(markdown(s.Format)) + ")")
	}
	return markdown(s.Type)
}

// use adds a type with fields of this one.
func (t *Type) use(by *Type) {
	at, found := slices.BinarySearchFunc(t.Users, by, func(a, b *Type) int { return cmp.Compare(a.Name, b.Name) })
	if !found {
		t.Users = slices.Insert(t.Users, at, by)
	}
}

// documentation returns the address of the documentation of a Go type of Kubernetes or of the standard library, or "".
func documentation(d *gotypes.Declaration) string {
	src := d.Package
	isKubernetes := src.Foreign && (strings.HasPrefix(src.Path, "k8s.io/") || strings.HasPrefix(src.Path, "sigs.k8s.io/controller-runtime/"))
	if _, known := crdschema.Known[d.TypeRef]; known || isKubernetes || model.IsStandard(src.Path) && src.Module == "" {
		return "https://pkg.go.dev/" + src.Path + "#" + d.Name
	}
	return ""
}
