package crds_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafe "github.com/yuin/goldmark/renderer/html"

	pages "github.com/kubegen/kubegen/generators/reference"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/crdschema"
	"github.com/kubegen/kubegen/internal/text/diag"
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
	case s.Type == "" && len(s.Properties) == 0: // the Go type says what programs can read
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
	found := map[string]map[string]section{}
	for name, page := range pagesIn(t, dir, patterns...) {
		found[name] = sectionsOf(page)
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

// pagesIn returns the pages about packages, by name.
func pagesIn(t *testing.T, dir string, patterns ...string) map[string]string {
	t.Helper()
	l, types, _ := typesIn(t, dir, patterns)
	served := facts.ReadObjects(types, l.Input)
	var mistakes diag.List
	g, err := pages.Generator{}.Configure(render.Setup{Plan: &plan.Plan{Flags: &plan.Flags{}}}, &mistakes)
	if err != nil || len(mistakes) > 0 {
		t.Fatal(err, mistakes)
	}
	trees, _ := g.(render.ObjectGenerator).Generate(&render.Input{Kinds: render.Kinds{Types: types, All: served, Named: served}})
	found := map[string]string{}
	for _, file := range trees[0].Files {
		found[file.Path] = string(file.Content)
	}
	return found
}

// pieces are parts of comments that mean something in Markdown or HTML.
var pieces = []string{
	"<script>", "</td>", "<", ">", "&", "&#106;", "&lt;", "[", "]", "](", "](javascript:x)", "[a](data:x)", "![i](vbscript:y)", "]: javascript:z",
	"<javascript:a>", "<https://example.com/a?b&c>", "<http://", "`", "``", "```", "\n", "\n\n", "\n\n\t", "\n    ", "\n- ", "\n1. ", "\n# ", "\n## ", "\n==\n", "\n--\n", "\n> ", "\n| a | b |\n|---|---|\n", "|", `\`, `\|`, "*", "**", "_",
	"a", "word ", "https://example.com", "[ok](https://example.com)", "[here](#order)", "(", ")", ":", "\"", "'", "<!--", "-->", "<br", "{{ .x }}", "\n---\n", "~~~",
	"javascript:", "java\nscript:", "\n\n[r]: javascript:q\n\n[r]",
}

var (
	tag  = regexp.MustCompile(`<([^\s>]*)`)
	link = regexp.MustCompile(`(?i)(?:href|src)="([^"]*)"`)
	last = regexp.MustCompile(`<td>Matches <code>[^<]*</code></td>\s*</tr>`)
)

// TestHostilePages renders pages about types with hostile comments: there is no HTML, a link leads to a page, only
// types have headings, and each row of a table has its cells.
func TestHostilePages(t *testing.T) {
	dir := randomModule(t)
	r := rand.New(rand.NewPCG(*first, 1))
	text := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	comment := func() string {
		var b strings.Builder
		for line := range strings.Lines(text() + "\n") {
			b.WriteString("// " + line)
		}
		return b.String()
	}
	marker := func(name string) string { return "// +kubebuilder:" + name + "=" + strconv.Quote("x"+text()) + "\n" }
	const of = 5 // fields of each type
	for i := range *seeds {
		var b strings.Builder
		fmt.Fprintf(&b, "%s//\n// +groupName=g%d.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n", comment(), i)
		fmt.Fprintf(&b, "%stype Order struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata,omitempty\"`\nSpec Spec `json:\"spec\"`\n}\n\n", comment())
		fmt.Fprintf(&b, "%stype Spec struct {\n", comment())
		for f := range of {
			fmt.Fprintf(&b, "%s%s%s%sF%d string `json:\"f|%d,omitempty\"`\n", comment(), "//\n", marker("default"), marker("validation:Pattern"), f, f)
		}
		b.WriteString("}\n")
		write(t, filepath.Join(dir, fmt.Sprintf("g%d/v1/types.go", i)), []byte(b.String()))
	}
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(unsafe.WithUnsafe()))
	rendered := pagesIn(t, dir, "./...")
	if len(rendered) != *seeds {
		t.Fatalf("got %d pages, want %d", len(rendered), *seeds)
	}
	for name, page := range rendered {
		var out bytes.Buffer
		if err := markdown.Convert([]byte(page), &out); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(out.String(), "/v1 -->\n") // behind the comments with the mark and the package
		for _, m := range tag.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(strings.Fields("h1 h2 p ul ol li a table thead tbody tr th td code pre strong em del br br/ hr img blockquote"), strings.TrimPrefix(m[1], "/")) {
				t.Errorf("%s has the tag <%s", name, m[1])
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if to := html.UnescapeString(m[1]); !regexp.MustCompile(`^(https?://|[#./]|[\w-]+([/#.]|$))`).MatchString(to) {
				t.Errorf("%s has a link to %q", name, to)
			}
		}
		if h1, h2 := strings.Count(text, "<h1"), strings.Count(text, "<h2"); h1 != 1 || h2 != 2 {
			t.Errorf("%s has the headings of %d pages and %d types, want 1 and 2", name, h1, h2)
		}
		if rows := last.FindAllString(text, -1); len(rows) < of {
			t.Errorf("%s has %d rows with constraints, want %d", name, len(rows), of)
		}
		if t.Failed() {
			t.Fatalf("%s\n%s", page, text)
		}
	}
}
