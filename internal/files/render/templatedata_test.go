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
	Books []*Book
	Best  *Book
	inner int
}

type Book struct{ Pages int }

// TestExplainTemplate checks that messages name the data of a template instead of Go types.
func TestExplainTemplate(t *testing.T) {
	const absent = " does not exist in this template's scope (docs/reference/template-data.md lists what each scope has)"
	for text, want := range map[string]string{
		"{{.Foo}}":                                  ".Foo" + absent,
		"{{.inner}}":                                ".inner" + absent,
		"{{.Books.Pages}}":                          ".Pages" + absent,
		"{{.Best.Pages}}":                           "there is no value before .Pages here (write {{with}} around it, which leaves out what is absent)",
		"{{range .Books}}{{len .}}{{end}}":          "<len .>: error calling len: len of type Book",
		"{{range .Title}}{{end}}":                   "<.Title>: range needs a list, a map or a number",
		"{{range .Books}}{{range .}}{{end}}{{end}}": "<.>: range needs a list, a map or a number",
	} {
		data := &shelf{inner: 1, Title: "a", Books: []*Book{{}}}
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
		explainTemplate(d, message)
		got := d.Message
		if d.Hint != "" {
			got += " (" + d.Hint + ")"
		}
		if got != want {
			t.Errorf("%s: got %s\nwant %s", text, got, want)
		}
	}
}
