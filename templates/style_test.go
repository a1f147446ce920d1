package templates

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// generated is the code that kubegen generates for an example with all options.
const generated = "../examples/crontab-types/generated"

// uncommented matches what has a name that says all, or is the same for all kinds. The comment of an apply
// configuration says what With methods do: those with a comment do more, those of metadata call client-go's methods.
var uncommented = regexp.MustCompile(`^(` + strings.Join([]string{
	`Interface\.(Discovery|\w+V1(beta1)?)`, `Clientset\.\w+V1(beta1)?`,
	`Interface\.(V1(beta1)?|CronRuns|CronTabs|CronTabClasses)`, // of informers
	`\w+ApplyConfiguration\.(With\w+|Get(Name|Namespace)|IsApplyConfiguration)`,
	`\w+V1(beta1)?Interface\.RESTClient`, `(Fake\w+V1(beta1)?|\w+V1(beta1)?Client)\.\w+`,
	`\w+Getter(\.\w+)?`, `\w+Expansion`, // the first expansion of a file has a comment for all
	`Client\[T, L, C\]\.\w+`, // of the fake clients
	`Client\.(List|Watch)`,   // of informers
	`\w+Interface\.(Create|Update|Delete|DeleteCollection|Get|List|Watch|Patch|Apply|ApplyStatus)`,
	`\w*Informer\.(Informer|TypedInformer|Lister)`,
	`SharedInformerFactory\.(Start|InformerFor|InformerName|Stable)`,
}, "|") + `)$`)

// mostLines and mostColumns limit the generated code of the example: three kinds, one of them in two versions.
const mostLines, mostColumns = 4400, 140

// wide matches the lines that may have more than mostColumns: signatures and types of client-go, which has them on one
// line, and the packages that a file is generated from.
var wide = regexp.MustCompile(`^// Source: |^\t?(` + strings.Join([]string{
	`func New(Typed)?(Filtered)?\w+Informer(WithOptions)?`,
	`func New(Filtered)?SharedInformerFactory(WithOptions)?`,
	`func \(b \*\w+ApplyConfiguration\) With\w+`,
	`func \(c \*(fakeC|c)ronTabs\) UpdateScale`, `Patch`, `Apply(Status)?`,
	`return (&cronTabs\{)?(fakes\.New|gentype\.NewClientWithListAndApply)`, // with three types of a kind
}, "|") + `)[([]`)

// TestStyle checks the generated code of an example: all exported declarations have a comment, consecutive parameters
// of a type share it, no format has an argument that is a constant, there are at most mostLines lines, and only those
// that wide matches have more than mostColumns.
func TestStyle(t *testing.T) {
	lines := 0
	err := filepath.WalkDir(generated, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			lines++
			if columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); columns > mostColumns && !wide.MatchString(line) {
				t.Errorf("%s: a line of %d columns: %s", name, columns, line)
			}
		}
		report := func(at ast.Node, format string, args ...any) {
			t.Helper()
			t.Errorf("%s: "+format, append([]any{positions.Position(at.Pos())}, args...)...)
		}
		for _, decl := range file.Decls {
			for name, at := range missing(decl) {
				if !uncommented.MatchString(name) {
					report(at, "%s has no comment", name)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncType:
				for i := 1; i < len(n.Params.List); i++ {
					before, param := n.Params.List[i-1], n.Params.List[i]
					if len(before.Names) > 0 && source(before.Type) == source(param.Type) {
						report(param, "%s has the type of the parameter before it", param.Names[0])
					}
				}
			case *ast.CallExpr:
				if len(n.Args) > 1 && strings.Contains(source(n.Args[0]), "%") {
					for _, arg := range n.Args[1:] {
						if _, ok := arg.(*ast.BasicLit); ok {
							report(arg, "the format takes a constant")
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || lines == 0 || lines > mostLines {
		t.Errorf("%d lines of generated code, want at most %d (%v)", lines, mostLines, err)
	}
}

// missing returns the exported names without a comment in a declaration. Methods have the names TYPE.METHOD.
func missing(decl ast.Decl) map[string]ast.Node {
	found := map[string]ast.Node{}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if decl.Recv != nil {
			name = strings.TrimPrefix(source(decl.Recv.List[0].Type), "*") + "." + name
		}
		if decl.Doc == nil && ast.IsExported(name) && decl.Name.IsExported() {
			found[name] = decl
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && decl.Doc == nil && spec.Doc == nil {
						found[name.Name] = name
					}
				}
			case *ast.TypeSpec:
				if spec.Name.IsExported() && decl.Doc == nil && spec.Doc == nil {
					found[spec.Name.Name] = spec
				}
				if body, ok := spec.Type.(*ast.InterfaceType); ok && spec.Name.IsExported() {
					for _, method := range body.Methods.List {
						if len(method.Names) > 0 && method.Doc == nil {
							found[spec.Name.Name+"."+method.Names[0].Name] = method
						}
					}
				}
			}
		}
	}
	return found
}

// source returns the text of an expression.
func source(expr ast.Expr) string {
	var text bytes.Buffer
	if err := printer.Fprint(&text, token.NewFileSet(), expr); err != nil {
		return ""
	}
	return text.String()
}
