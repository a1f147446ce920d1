package crds_test

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	pages "github.com/kubegen/kubegen/generators/reference"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
)

// section is a section of a page.
type section struct {
	text string            // without the table of fields
	form string            // of values that are no objects
	rows map[string]string // of fields, by name
}

// form matches the field and its type in a row, and typ the type in a section.
var (
	row = regexp.MustCompile("^\\| `([^`]+)`( \\*\\*required\\*\\*)?<br>(.*)$")
	typ = regexp.MustCompile(`(?m)^Type: (.*)$`)
)

// sectionsOf returns the sections of a page by the targets of links to them.
func sectionsOf(page string) map[string]section {
	found := map[string]section{}
	for _, text := range strings.Split(page, "\n## ")[1:] {
		title, _, _ := strings.Cut(text, "\n")
		s := section{rows: map[string]string{}}
		for line := range strings.Lines(text) {
			if m := row.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				s.rows[m[1]] = m[2] + "<br>" + m[3]
			} else {
				s.text += line
			}
		}
		if m := typ.FindStringSubmatch(text); m != nil {
			s.form = m[1]
		}
		target := strings.ToLower(strings.NewReplacer(" ", "-", ".", "").Replace(title))
		if _, twice := found[target]; twice {
			found["twice: "+target] = s
		}
		found[target] = s
	}
	return found
}

// pageReader compares a schema in a manifest with a page.
type pageReader struct {
	sections map[string]section
	report   func(at, format string, args ...any)
	checked  int // fields
}

var linked = regexp.MustCompile(`^\[[^\]]*\]\(([^)]*)\)`)

// letters returns the letters and digits of a text.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, html.UnescapeString(strings.ReplaceAll(text, "<br>", "")))
}

// value compares a schema with the type of a value on a page. said is everything that the page says about the value so
// far.
func (p *pageReader) value(at string, s *crdschema.Schema, form, said string) {
	for seen := 0; ; seen++ {
		m := linked.FindStringSubmatch(form)
		if m == nil {
			break
		}
		target, own := strings.CutPrefix(m[1], "#")
		if !own {
			return // documented elsewhere
		}
		to, ok := p.sections[target]
		if !ok || seen > 20 {
			p.report(at, "there is no section %s", target)
			return
		}
		said += to.text
		if to.form == "" {
			p.says(at, s, said)
			p.object(at, s, to)
			return
		}
		form = to.form
	}
	said += form
	inner, isList := strings.CutPrefix(form, "list of ")
	values, isMap := strings.CutPrefix(form, "map of ")
	switch {
	case isList && s.Items != nil:
		p.value(at+"[]", s.Items, inner, said)
	case isMap && s.AdditionalProperties != nil:
		p.value(at+"[]", s.AdditionalProperties, values, said)
	case isList || isMap || len(s.Properties) > 0:
		p.report(at, "it is %q, but the schema is %.300s", form, s.JSON())
	case s.Type != "" && !strings.HasPrefix(form, s.Type) && !(s.Type == "array" && form == "list"):
		p.report(at, "it is %q, but the schema has the type %s", form, s.Type)
	}
	p.says(at, s, said)
}

// otherDescriptions are the fields whose descriptions differ, with the reason.
var otherDescriptions = map[string]string{
	"spec.authorization": "an embedded struct also has the field of Probe in prometheus-operator, and controller-gen takes the comment there",
}

// says checks that what a page says about a value mentions its keywords.
func (p *pageReader) says(at string, s *crdschema.Schema, said string) {
	all := letters(said)
	mentions := func(keyword string, value any) {
		if !strings.Contains(all, letters(fmt.Sprint(value))) {
			p.report(at, "%s %v is not mentioned in %.3000s", keyword, value, said)
		}
	}
	if otherDescriptions[at] == "" {
		mentions("the description", strings.ReplaceAll(strings.ReplaceAll(s.Description, "```", ""), "\n", ""))
	}
	for _, v := range s.Enum {
		mentions("the value", v.JSON)
	}
	for keyword, count := range map[string]*int64{
		"minLength": s.MinLength, "maxLength": s.MaxLength, "minItems": s.MinItems, "maxItems": s.MaxItems, "minProperties": s.MinProperties,
		"maxProperties": s.MaxProperties,
	} {
		if count != nil {
			mentions(keyword, *count)
		}
	}
	for keyword, limit := range map[string]*float64{"minimum": s.Minimum, "maximum": s.Maximum, "multipleOf": s.MultipleOf} {
		if limit != nil {
			mentions(keyword, strings.TrimPrefix(fmt.Sprintf("%f", *limit), "-")[:1])
		}
	}
	mentions("the pattern", s.Pattern)
	mentions("the format", s.Format)
	for _, r := range s.Validations {
		mentions("the rule", strings.Join(strings.Fields(r.Rule), " "))
		mentions("the message", r.Message)
	}
	if s.ListType == "map" {
		for _, key := range s.ListMapKeys {
			mentions("the key", key)
		}
	}
	if s.Nullable {
		mentions("nullable", "null")
	}
}

// object compares the properties of a schema with the fields of a section.
func (p *pageReader) object(at string, s *crdschema.Schema, in section) {
	for _, property := range s.Properties {
		at := strings.TrimPrefix(at+"."+property.Name, ".")
		text, ok := in.rows[property.Name]
		if !ok {
			p.report(at, "the page lacks it")
			continue
		}
		p.checked++
		required, rest, _ := strings.Cut(text, "<br>")
		if (required != "") != slices.Contains(s.Required, property.Name) && at != "apiVersion" && at != "kind" {
			p.report(at, "required: %v", required != "")
		}
		if at == "apiVersion" || at == "kind" || at == "metadata" {
			continue
		}
		form, said, _ := strings.Cut(rest, " | ")
		if property.Default != nil {
			text, _ := json.Marshal(property.Default.JSON)
			if !strings.Contains(letters(said), letters(string(text))) {
				p.report(at, "the default %s is not mentioned: %s", text, said)
			}
		}
		p.value(at, property.Schema, form, said)
	}
}

// checkPages compares the pages about packages with manifests of the same packages, and returns how many fields it
// compared: the page of a version has all fields of the schema, and its links lead to these.
func checkPages(t *testing.T, dir string, manifests map[string]string, patterns ...string) (fields int) {
	t.Helper()
	l, types, _ := typesIn(t, dir, patterns)
	served := facts.Served(types, l.Input)
	g, err := pages.Generator{}.Configure(render.Setup{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	trees, _ := g.Generate(&render.Input{Kinds: func() render.Kinds { return render.Kinds{Types: types, All: served, Named: served} }})
	found := map[string]map[string]section{}
	for _, file := range trees[0].Files {
		found[file.Path] = sectionsOf(string(file.Content.Bytes()))
	}
	for name, text := range manifests {
		definitions, _ := crd.Read(name, []byte(text))
		for _, d := range definitions {
			for _, v := range d.Versions {
				page := d.Group.Text + "_" + v.Name.Text + ".md"
				reported := 0
				p := &pageReader{sections: found[page], report: func(at, format string, args ...any) {
					if reported++; reported < 5 {
						t.Errorf("%s: %s: %s: %s", page, d.Kind.Text, at, fmt.Sprintf(format, args...))
					}
				}}
				schema, _ := v.Schema()
				kind, ok := p.sections[strings.ToLower(d.Kind.Text)]
				if schema == nil || !ok {
					p.report("", "there is no section")
					continue
				}
				p.says("", schema, kind.text)
				p.object("", schema, kind)
				fields += p.checked
			}
		}
	}
	return fields
}
