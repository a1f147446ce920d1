package render

import (
	"errors"
	"io"
	"testing"
	"text/template"

	"github.com/kubegen/kubegen/internal/text/diag"
)

type shelf struct {
	Title string
	Books []*book
	Best  *book
	Tags  map[string]string
	inner int
}

type book struct{ Pages int }

// Next returns a method with a result that templates reach.
func (b *book) Next() *author { return nil }

type author struct{ Name string }

// TestExplainTemplate checks that messages name the data of a template instead of Go types.
func TestExplainTemplate(t *testing.T) {
	for text, want := range map[string]string{
		"{{.Foo}}":                                  ".Foo does not exist in this template's scope (known are .Best, .Books, .Tags, .Title)",
		"{{.inner}}":                                ".inner does not exist in this template's scope (known are .Best, .Books, .Tags, .Title)",
		"{{.Titel}}":                                ".Titel does not exist in this template's scope (did you mean .Title?)",
		"{{.Books.Pages}}":                          ".Pages does not exist in this template's scope (this is a list: write {{range}} around it for a field of the elements)",
		"{{range .Books}}{{.Title}}{{end}}":         ".Title does not exist in this template's scope (known are .Next, .Pages)",
		"{{.Title.Foo}}":                            ".Foo does not exist in this template's scope (this is a text or number without fields)",
		"{{range .Books}}{{.Next.No}}{{end}}":       ".No does not exist in this template's scope (known are .Name)",
		"{{.Best.Pages}}":                           "there is no value before .Pages here (write {{with}} around it, which leaves out what is absent)",
		"{{range .Books}}{{len .}}{{end}}":          "<len .>: error calling len: len of type book",
		"{{range .Title}}{{end}}":                   "<.Title>: range needs a list, a map or a number",
		"{{range .Books}}{{range .}}{{end}}{{end}}": "<.>: range needs a list, a map or a number",
	} {
		data := &shelf{inner: 1, Title: "a", Books: []*book{{}}}
		err := template.Must(template.New("t").Parse(text)).Execute(io.Discard, data)
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}
		var failed template.ExecError
		if !errors.As(err, &failed) {
			t.Fatal(err)
		}
		message := templateError.FindStringSubmatch(err.Error())[4]
		d := &diag.Diagnostic{}
		explainTemplate(d, message, data)
		got := d.Message
		if d.Hint != "" {
			got += " (" + d.Hint + ")"
		}
		if got != want {
			t.Errorf("%s: got %s\nwant %s", text, got, want)
		}
	}
}
