package applyconfiguration

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/facts/products"
	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/templates"
)

// written and tagged match tags in the code of tests, 'name', and in Go.
var (
	written = regexp.MustCompile("'([^']*)'")
	tagged  = regexp.MustCompile("`json:\"([^\"]*)\"`")
)

// generated returns the apply configurations of the structs in code, by name of the file. A kind has a field of each.
func generated(t *testing.T, code string, structs []string) map[string]string {
	t.Helper()
	const path = "example.com/api/v1"
	code = "// +groupName=a.example.com\npackage v1; import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" + code +
		"\n// +genclient\ntype A struct { metav1.TypeMeta ',inline'; metav1.ObjectMeta 'metadata,omitempty'"
	for _, name := range structs {
		code += fmt.Sprintf("; %s %[1]s '%[1]s'", name)
	}
	p := &plan.Plan{Flags: &plan.Flags{}, Needs: plan.Needs{Kinds: true, Types: true}}
	cfg := facts.Config{Output: products.Output{Plan: p}, Purpose: facts.ToList}
	l := load.NewLoader(t.Context(), loadtest.InMemory(cfg.Loading(Published), map[string]string{
		path + "/types.go": written.ReplaceAllString(code+" }\n", "`json:\"$1\"`"),
		"k8s.io/apimachinery/pkg/apis/meta/v1/types.go":         "package v1\ntype TypeMeta struct{}\ntype ObjectMeta struct{}\n",
		"k8s.io/client-go/applyconfigurations/meta/v1/types.go": "package v1\ntype ObjectMetaApplyConfiguration struct{}\n",
	}))
	found, diags := l.Find([]string{path})
	known, diags := facts.Read(l, found, []string{path}, cfg, diags)
	parts, diags := known.Together(diags)
	part := parts[0]
	opts := &render.Options{Options: plan.Options{Roots: map[string]plan.Root{templates.ApplyConfigurations: {Path: "example.com/ac"}}}}
	reader := part.Reader()
	types, ofTypes := Read(reader, opts)
	api, ofNames := part.API(types, nil)
	files, ofFiles := render.Files(Generator{}, api, opts)
	for _, list := range []diag.List{diags, ofTypes, reader.Mistakes(), ofNames, ofFiles} {
		if list.HasErrors() {
			t.Fatal(list[0].Message)
		}
	}
	texts := map[string]string{}
	for _, f := range files {
		texts[f.Path[strings.LastIndex(f.Path, "/")+1:]] = string(f.Content)
	}
	return texts
}

// inOneLine returns the fields and methods of the apply configuration of a struct, without comments and constructor.
func inOneLine(name, text string) string {
	_, text, _ = strings.Cut(text, "type "+name+"ApplyConfiguration struct {\n")
	fields, methods, _ := strings.Cut(text, "}\n\n// "+name+" returns")
	_, methods, _ = strings.Cut(methods, "ApplyConfiguration{} }\n")
	var lines []string
	for line := range strings.Lines(fields + methods) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && line != "return b" && !strings.HasPrefix(line, "//") {
			lines = append(lines, line)
		}
	}
	short := strings.NewReplacer("func (b *"+name+"ApplyConfiguration) ", "", " *"+name+"ApplyConfiguration {", " {", "ApplyConfiguration", "AC")
	return tagged.ReplaceAllString(short.Replace(strings.Join(lines, " ")), "'$1'")
}

// TestFields compares the fields and With methods of apply configurations of structs with the given fields.
func TestFields(t *testing.T) {
	tests := []struct{ name, fields, want string }{
		{"text", `F string 'f'`, "F *string 'f,omitempty' WithF(value string) { b.F = &value }"},
		{"pointer", `F *int32 'f,omitempty'`, "F *int32 'f,omitempty' WithF(value int32) { b.F = &value }"},
		{"list", `F []string 'f'`, "F []string 'f,omitempty' WithF(values ...string) { b.F = append(b.F, values...) }"},
		{"pointer to a list", `F *[]string 'f'`, "F *[]string 'f,omitempty' WithF(value []string) { b.F = &value }"},
		{"array", `F [2]int64 'f'`, "F *[2]int64 'f,omitempty' WithF(value [2]int64) { b.F = &value }"},
		{"map", `F map[string]bool 'f'`,
			"F map[string]bool 'f,omitempty' WithF(entries map[string]bool) " +
				"{ if b.F == nil && len(entries) > 0 { b.F = make(map[string]bool, len(entries)) } for k, v := range entries { b.F[k] = v } }"},
		{"declared text", `F Text 'f'`, "F *apiv1.Text 'f,omitempty' WithF(value apiv1.Text) { b.F = &value }"},
		{"declared list", `F List 'f'`, "F *apiv1.List 'f,omitempty' WithF(value apiv1.List) { b.F = &value }"},
		{"struct", `F T 'f'`, "F *TAC 'f,omitempty' WithF(value *TAC) { b.F = value }"},
		{"pointer to a struct", `F *T 'f'`, "F *TAC 'f,omitempty' WithF(value *TAC) { b.F = value }"},
		{"list of structs", `F []T 'f'`,
			`F []TAC 'f,omitempty' WithF(values ...*TAC) { for _, value := range values { if value == nil { panic("WithF: nil value") } b.F = append(b.F, *value) } }`},
		{"list of pointers", `F []*T 'f'`,
			`F []TAC 'f,omitempty' WithF(values ...*TAC) { for _, value := range values { if value == nil { panic("WithF: nil value") } b.F = append(b.F, *value) } }`},
		{"map of structs", `F map[string]T 'f'`,
			"F map[string]TAC 'f,omitempty' WithF(entries map[string]TAC) " +
				"{ if b.F == nil && len(entries) > 0 { b.F = make(map[string]TAC, len(entries)) } for k, v := range entries { b.F[k] = v } }"},
		{"inlined", `T ',inline'`, "TAC '' WithG(value int64) { b.TAC.G = &value }"},
		{"embedded with a name", `T 't'`,
			"*TAC 't,omitempty' t() *TAC { if b.TAC == nil { b.TAC = &TAC{} } return b.TAC } WithG(value int64) { b.t().G = &value }"},
		{"hidden", "G string 'g'; U ',inline'",
			"G *string 'g,omitempty' UAC '' WithG(value string) { b.G = &value } WithH(value int64) { b.UAC.H = &value }"},
		{"not in JSON", `F string '-'; G string 'g'`, "G *string 'g,omitempty' WithG(value string) { b.G = &value }"},
		{"unexported", "f string; G string 'g'", "G *string 'g,omitempty' WithG(value string) { b.G = &value }"},
		{"interface", `F any 'f'`, "F *any 'f,omitempty' WithF(value any) { b.F = &value }"},
		{"struct without a name", `F struct { G int64 'g' } 'f'`,
			"F *struct { G int64 'g,omitempty' } 'f,omitempty' WithF(value struct { G int64 'g,omitempty' }) { b.F = &value }"},
	}
	code := "type Text string\ntype List []string\ntype T struct { G int64 'g' }\ntype U struct { G int64 'g'; H int64 'h' }\n"
	var structs []string
	for i, test := range tests {
		structs = append(structs, fmt.Sprintf("S%d", i))
		code += fmt.Sprintf("type S%d struct { %s }\n", i, test.fields)
	}
	files := generated(t, code, structs)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := inOneLine(structs[i], files[strings.ToLower(structs[i])+".go"]); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
