package gofile

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"
)

// hostile are texts that would end what they stand in, or have a meaning there.
var hostile = []string{
	"x\n\nfunc init() { panic(0) }\n\n// y", "x\r\nimport \"os\"\r\n", "x\rfunc init() {}", "x\vy", "x\fy", "x\u0085y", "x\u2028func init() {}", "x\u2029y",
	"*/ func init() {} /*", "+genclient", " +kubebuilder:validation:Optional", "\t+k8s:deepcopy-gen=package", "x\n+genclient\n// y", "* +genclient", "/ +genclient",
	"go:build ignore", "//go:generate rm -rf .", "go:embed x", "line a.go:1", "/*line a.go:1*/", "export F", "#cgo LDFLAGS: -lx", "+build ignore",
	"x\u202ey\u202c", "x\u2066y", "\xff\xfe", "x\x00y", "x\x1b[31my", "`+os.Exit(0)+`", `"+os.Exit(0)+"`, `\`, `\"`, `'`, "\ufeff", "x`json:\"y\"`", "}; func init() {}; type T struct {",
	"A", "", " ", "func", placeholder + "0.X", localPlaceholder + "x", "x" + reserved + "y", "%s%q%!", "{{.X}}", "::error::x",
}

// skeleton returns the declarations, imports and comment signs of a file, with the texts of literals and comments left
// out.
func skeleton(t *testing.T, text []byte) string {
	t.Helper()
	fset := gotoken.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%q", err, text)
	}
	var b strings.Builder
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommentGroup:
			return false
		case *ast.BasicLit:
			b.WriteString(n.Kind.String() + " ")
		case *ast.Ident:
			b.WriteString("name ")
		case nil:
		default:
			b.WriteString(strings.TrimPrefix(strings.TrimPrefix(strings.Split(typeName(n), " ")[0], "*"), "ast.") + " ")
		}
		return true
	})
	for _, group := range f.Comments {
		for _, c := range group.List {
			switch line := strings.TrimLeft(c.Text, "/* \t"); {
			case strings.HasPrefix(c.Text, "/* x") && strings.Count(c.Text, "\n") == 0:
			case !strings.HasPrefix(c.Text, "// ") && c.Text != "//" && !strings.HasPrefix(c.Text, "//\t"):
				b.WriteString("\n" + c.Text)
			case strings.HasPrefix(line, "+"), strings.ContainsFunc(c.Text, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' && printable(string(r)) == " " }),
				strings.Contains(c.Text, "/*line "):
				b.WriteString("\n" + c.Text)
			}
		}
	}
	return b.String()
}

func typeName(n ast.Node) string {
	switch n.(type) {
	case *ast.File:
		return "File"
	case *ast.GenDecl:
		return "GenDecl"
	case *ast.FuncDecl:
		return "FuncDecl"
	case *ast.CallExpr:
		return "CallExpr"
	case *ast.BinaryExpr:
		return "BinaryExpr"
	}
	return "node"
}

// makers return the body of a file with a text that is made a comment, a literal or a name.
func makers(t testing.TB) map[string]func(text string) Code {
	makers := map[string]func(text string) Code{
		"comment":  func(text string) Code { return Comment("", text) + "var A = 1\n" },
		"indented": func(text string) Code { return "type T struct {\n" + Comment("\t", text) + "\tA int\n}\n" },
		"literal":  func(text string) Code { return "var A = " + Quote(text) + "\n" },
		"lines":    func(text string) Code { return "var A = " + QuoteLines(text) + "\n" },
		"codef":    func(text string) Code { return Codef("var A = %q\n", text) },
		"tag":      func(text string) Code { return "type T struct {\n\tA int " + Tag("json", text) + "\n}\n" },
		"marker":   func(text string) Code { return Marker("", "x="+text) + "var A = 1\n" },
		"bare":     func(text string) Code { return Marker("", text) + "var A = 1\n" },
		"mark":     func(text string) Code { return Mark("// x "+text) + "var A = 1\n" },
		"name":     func(text string) Code { return "var " + Name(text) + " = 1\n" },
		"local":    func(text string) Code { return "func f() {\n\tvar " + Local(text) + " int\n}\n" },
		"ident":    func(text string) Code { return "var A " + (&File{Path: "p"}).Ref(Ident{"p", text}) + "\n" },
		"%s":       func(text string) Code { return Codef("var A %s\n", text) },
		"length":   func(text string) Code { return "var A [" + Length(text) + "]int\n" },
		"value":    func(text string) Code { return "var A = " + Literal(text) + "\n" },
	}
	for name, body := range map[string]string{
		"template comment": "// A is {{.}}.\nvar A = 1\n", "template begin": "// {{.}}\nvar A = 1\n", "template directive": "//{{.}}\nvar A = 1\n",
		"template string": "var A = \"x{{.}}y\"\n", "template raw": "var A = `x{{.}}y`\n", "template quoted": "var A = {{printf \"%q\" .}}\n",
		"template word": "var A{{.}} = 1\n", "template code": "var A = {{.}}\n", "template lines": "/* x{{.}} */\nvar A = 1\n", "template character": "var A = '{{.}}'\n",
		"template pair": "// {{.}}{{.}}\n\n// {{if .}}x{{end}}{{.}}\nvar A = 1\n", "template printed": "var A{{print . \"\"}} = 1\n",
		"template with": "{{with .}}// {{.}}\n{{end}}var A = 1\n", "template range": "{{range $x := .List}}// {{$x}}\n{{end}}var A = 1\n",
	} {
		set := template.Must(template.New("x").Parse(body))
		Guard(set)
		Guard(set)
		templates, err := NewTemplates(set, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		makers[name] = func(text string) Code {
			var view any = text
			if strings.Contains(body, ".List") {
				view = map[string][]string{"List": {text, text}}
			}
			code, err := templates.Execute("x", view)
			if err != nil {
				return refuse("", text)
			}
			return code
		}
	}
	return makers
}

// written returns the file with what is made of a text; ok is false if the text is refused.
func written(maker func(string) Code, text string, clean bool) (content []byte, ok bool) {
	contents, err := Format([]*File{{Name: "x.go", Path: "p", Package: "p", Body: maker(text)}}, nil, nil)
	if err == nil && clean {
		contents, err = Format([]*File{{Name: "x.go", Path: "p", Package: "p", Body: maker(text), Clean: true}}, nil, nil)
	}
	if err != nil {
		return nil, false
	}
	return contents[0], true
}

// checkText reports what is made of a text if that has not the structure of what is made of a harmless one. It returns
// false if the text is refused.
func checkText(t *testing.T, name string, maker func(string) Code, text string, clean bool) bool {
	t.Helper()
	content, ok := written(maker, text, clean)
	if !ok {
		return false
	}
	possible := map[string]bool{}
	for _, harmless := range []string{"A", "1", "+1", "1e0", "0i", "'A'", `"A"`, ""} {
		if content, ok := written(maker, harmless, clean); ok {
			possible[skeleton(t, content)] = true
		}
	}
	got := skeleton(t, content)
	if name == "marker" || name == "bare" { // of which the text determines one line
		if strings.Count(string(content), "\n") != 4 {
			t.Errorf("%s, %q: several lines\n%s", name, text, content)
		}
		return true
	}
	if !possible[got] {
		t.Errorf("%s: %q becomes\n%s\nwith\n%s", name, text, content, got)
	}
	return true
}

// TestHostile checks that no text leaves the comment or literal that is made of it. It does not rely on how that is
// done: the file has the structure of one with a harmless text.
func TestHostile(t *testing.T) {
	for name, maker := range makers(t) {
		t.Run(name, func(t *testing.T) {
			accepted := 0
			for _, text := range hostile {
				for _, clean := range []bool{false, true} {
					if checkText(t, name, maker, text, clean) {
						accepted++
					}
				}
			}
			if accepted == 0 {
				t.Error("every text is refused")
			}
		})
	}
}

// FuzzText does the same with any text.
func FuzzText(f *testing.F) {
	all := makers(f)
	names := slices.Sorted(maps.Keys(all))
	for i, text := range hostile {
		f.Add(uint8(i), text, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, n uint8, text string, clean bool) {
		name := names[int(n)%len(names)]
		checkText(t, name, all[name], text, clean)
	})
}

// TestRefused checks that what cannot be an identifier, a marker or code is an error with the text.
func TestRefused(t *testing.T) {
	for _, code := range []Code{Name("a b"), Name("func"), Local("a\n"), Marker("", "x\ny"), Marker("", "+x"), Marker("", "build x"), Marker("", "build"), Marker("", ""), Length("f()"), Literal("a"), Codef("%s", "a()"), Codef("%s", []string{"a"})} {
		_, err := Format([]*File{{Name: "x.go", Path: "p", Package: "p", Body: "var A = " + code}}, nil, nil)
		if m, ok := err.(Mistake); !ok || m.Cause != Refused {
			t.Errorf("%q: the error is %v", code, err)
		}
	}
	if _, err := Format([]*File{{Name: "x.go", Path: "p", Package: "p\nimport \"os\""}}, nil, nil); err == nil {
		t.Error("a package name with a line break is accepted")
	}
}

// TestCode checks that no package but this one converts text to Code.
func TestCode(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files := 0
	for _, dir := range []string{"cmd", "generators", "internal", "templates"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() && entry.Name() == "testdata" {
				return fs.SkipDir
			}
			if entry.IsDir() || filepath.Ext(name) != ".go" || filepath.Base(filepath.Dir(name)) == "gofile" {
				return nil
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fset := gotoken.NewFileSet()
			f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files++
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if isCode(n.Fun) && !isConstant(n.Args) {
						t.Errorf("%s converts text to gofile.Code; use a function of package gofile", fset.Position(n.Pos()))
					}
				case *ast.TypeSpec:
					if isCode(n.Type) {
						t.Errorf("%s declares a type that can be converted to gofile.Code", fset.Position(n.Pos()))
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were read", files)
	}
}

// isCode reports whether an expression is the type Code, or one made of it.
func isCode(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isCode(e.X)
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		return ok && pkg.Name == "gofile" && e.Sel.Name == "Code"
	}
	return false
}

// isConstant reports whether the argument of a conversion is a literal.
func isConstant(args []ast.Expr) bool {
	_, ok := args[0].(*ast.BasicLit)
	return ok
}
