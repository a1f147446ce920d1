package templates

import (
	"bytes"
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "derive templates from the files that they generate")

// derived are templates that are nothing but Go, except for placeholders. Their source is the file that they generate
// for an example, or one of test/backport, which editors and vet read as Go. To change one, edit the file, not the
// template, and run "make generate".
var derived = []struct {
	template, source string
	placeholders     []string // texts of the file, each followed by its form in the template
}{
	{Helpers + "/helpers.go.tmpl", generated + "/clientset/versioned/internal/helpers/helpers.go", nil},
	{SharedFakes + "/fakes.go.tmpl", generated + "/clientset/versioned/internal/fakes/fakes.go", []string{
		"\nfunc (c *Client[T, L, C]) DeleteCollection(", `{{- if .Has "DeleteWithResult"}}

func (c *Client[T, L, C]) DeleteWithResult(ctx context.Context, name string, opts metav1.DeleteOptions) (metav1.APIResult, error) {
	return c.fake.DeleteWithResult(ctx, name, opts)
}
{{- end}}

func (c *Client[T, L, C]) DeleteCollection(`,
	}},
	{SharedIndexes + "/indexes.go.tmpl", generated + "/listers/internal/indexes/indexes.go", nil},
	{Consistency + "/consistency.go.tmpl", generated + "/informers/externalversions/consistency/consistency.go", []string{
		"kubegenconsistency.", "consistency.",
	}},
	{SharedInformers + "/typed_informer.go.tmpl", "../test/backport/typed_informer.go", nil},
	{SharedInformers + "/sync_result.go.tmpl", "../test/backport/sync_result.go", nil},
	{SharedInformers + "/feed.go.tmpl", generated + "/informers/externalversions/internalinterfaces/feed.go", []string{
		"\tmerged   *namespaces\n", "{{- if .Consistent}}\n\tmerged   *namespaces\n{{- end}}\n",
		"\t\tf.merged = merged\n", "{{- if .Consistent}}\n\t\tf.merged = merged\n{{- end}}\n",
		"\n// Received returns", "{{- if .Consistent}}\n\n// Received returns",
		"\n// client returns", "{{- end}}\n{{- if .Has \"WatchListSemantics\"}}\n\n// client returns",
		"\n// request sends", "{{- end}}\n\n// request sends",
	}},
	{SharedInformers + "/namespaces.go.tmpl", generated + "/informers/externalversions/internalinterfaces/namespaces.go", []string{
		"\n// IsWatchListSemanticsUnSupported", "{{- if .Has \"WatchListSemantics\"}}\n\n// IsWatchListSemanticsUnSupported",
		"\nfunc (n *namespaces) listAll", "{{- end}}\n\nfunc (n *namespaces) listAll",
		"\tmerged := &namespacesWatch{", `{{- if not (.Has "WatchListSemantics")}}
	if opts.SendInitialEvents != nil && *opts.SendInitialEvents {
		return nil, errors.New("a watch of several namespaces cannot start with a list") // so the Reflector lists
	}
{{- end}}
	merged := &namespacesWatch{`,
	}},
	{Informers + "/wait.go.tmpl", generated + "/informers/externalversions/wait.go", []string{
		"cronruns.stable.example.com/v1", "{{.ExampleResource}}", "internalinterfaces.Feed", `{{.Shared "Feed"}}`,
	}},
}

// TestDerived compares the templates with their sources.
func TestDerived(t *testing.T) {
	for _, d := range derived {
		want := derive(t, d.source, d.placeholders)
		if *update {
			if err := os.WriteFile(d.template, want, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if text, err := fs.ReadFile(FS, d.template); err != nil || !bytes.Equal(text, want) {
			t.Errorf("%s does not match %s: edit the latter and run make generate (%v)", d.template, d.source, err)
		}
	}
}

// derive returns a Go file as a template: without package and imports, and with placeholders.
func derive(t *testing.T, source string, placeholders []string) []byte {
	code, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), source, code, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.TrimLeft(code[file.Decls[len(file.Decls)-1].End()-1:], "\n")
	for i := 0; i < len(placeholders); i += 2 {
		if !bytes.Contains(body, []byte(placeholders[i])) {
			t.Errorf("%s has no %q", source, placeholders[i])
		}
	}
	return []byte(strings.NewReplacer(placeholders...).Replace(string(body)))
}
