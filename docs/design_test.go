package docs

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/facts/checks"
	"github.com/kubegen/kubegen/internal/moduletest"
)

// Pages for contributors.
const (
	designPage  = "contributing/design.md"
	testingPage = "contributing/testing.md"
)

var update = flag.Bool("update", false, "write the map of packages in design.md and the table in checks.md")

// TestMap compares the map of packages in design.md with the first sentences of package comments. -update writes it.
func TestMap(t *testing.T) {
	want := &strings.Builder{}
	want.WriteString("| package | task |\n|---|---|\n")
	sentences := packageComments(t)
	for _, dir := range slices.Sorted(maps.Keys(sentences)) {
		fmt.Fprintf(want, "| `%s` | %s |\n", dir, strings.ReplaceAll(sentences[dir], "|", `\|`))
	}
	compareSection(t, designPage, "map", want.String())
}

// TestLayers compares the table of layers in design.md with the imports of the commands: each package is in one layer,
// and imports only packages of the layers before it, or before it in its layer. A folder is a layer.
func TestLayers(t *testing.T) {
	text, err := os.ReadFile(designPage)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "<!-- layers -->\n")
	table, _, ok := strings.Cut(rest, "<!-- /layers -->")
	if !ok {
		t.Fatal("design.md has no table of layers")
	}
	for line := range strings.Lines(table) {
		folders := map[string]bool{}
		for _, found := range regexp.MustCompile("`([^`/]+)[^`]*`").FindAllStringSubmatch(line, -1) {
			folders[found[1]] = true
		}
		delete(folders, "templates") // users know these two directories
		delete(folders, "cmd")
		if len(folders) > 1 {
			t.Errorf("the packages of a layer are below one folder: %s", strings.TrimSpace(line))
		}
	}
	place := map[string]int{}
	for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(table, -1) {
		if _, twice := place[found[1]]; twice {
			t.Errorf("%s is in two layers", found[1])
		}
		place[found[1]] = len(place)
	}
	seen := map[string]bool{}
	for _, err := range wrongImports(t, "..", place, seen) {
		t.Error(err)
	}
	for name := range place {
		if !seen[name] {
			t.Errorf("%s is in a layer, but there is no such package", name)
		}
	}
}

// TestWrongImports checks that TestLayers notices imports of later packages, and packages in no layer.
func TestWrongImports(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"internal/a/a.go": "package a\n\nimport _ \"github.com/kubegen/kubegen/internal/b\"\n",
		"internal/b/b.go": "package b\n\nimport _ \"github.com/kubegen/kubegen/generators/c\"\n", "generators/c/c.go": "package c\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := wrongImports(t, dir, map[string]int{"a": 0, "b": 1}, map[string]bool{})
	want := []string{"generators/c is in no layer", "a imports b, which is in a later layer", "b imports generators/c, which is in no layer"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// wrongImports returns what contradicts the places of packages, and adds the packages to seen. Packages for tests are
// left out.
func wrongImports(t *testing.T, root string, place map[string]int, seen map[string]bool) (wrong []error) {
	t.Helper()
	const module = "github.com/kubegen/kubegen/"
	name := func(dir string) string {
		if strings.HasPrefix(dir, "cmd/") {
			return "cmd"
		}
		return strings.TrimPrefix(dir, "internal/")
	}
	sources(t, root, func(file string, syntax *ast.File, _ []byte) {
		importer := name(path.Dir(file))
		at, known := place[importer]
		if !known && !seen[importer] {
			wrong = append(wrong, fmt.Errorf("%s is in no layer", importer))
		}
		seen[importer] = true
		for _, spec := range syntax.Imports {
			dir, own := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
			switch below, ok := place[name(dir)]; {
			case !own || !known:
			case !ok:
				wrong = append(wrong, fmt.Errorf("%s imports %s, which is in no layer", importer, name(dir)))
			case below >= at:
				wrong = append(wrong, fmt.Errorf("%s imports %s, which is in a later layer", importer, name(dir)))
			}
		}
	})
	return wrong
}

// sources calls visit with each Go file of the commands, without tests.
func sources(t *testing.T, root string, visit func(file string, syntax *ast.File, text []byte)) {
	t.Helper()
	for _, top := range []string{"cmd", "generators", "internal", "templates"} {
		err := fs.WalkDir(os.DirFS(root), top, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err) && file == top:
				return nil
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || strings.HasSuffix(entry.Name(), "test")): // such as moduletest
				return fs.SkipDir
			case path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			syntax, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			visit(file, syntax, text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRooms holds the size of the house: the number of packages of the commands (with generators and cmd as one each),
// the depth of their imports, the number of imports, and the lines of each package without tests.
func TestRooms(t *testing.T) {
	const rooms, floors, imports, lines = 30, 14, 196, 4000
	const module = "github.com/kubegen/kubegen/"
	below, length := map[string]map[string]bool{}, map[string]int{}
	name := func(dir string) string {
		if top, _, _ := strings.Cut(dir, "/"); top != "internal" {
			return top
		}
		return dir
	}
	sources(t, "..", func(file string, syntax *ast.File, text []byte) {
		room := name(path.Dir(file))
		length[path.Dir(file)] += bytes.Count(text, []byte("\n"))
		if below[room] == nil {
			below[room] = map[string]bool{}
		}
		for _, spec := range syntax.Imports {
			if dir, own := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); own && name(dir) != room {
				below[room][name(dir)] = true
			}
		}
	})
	var floor func(room string) int
	floor = func(room string) (above int) {
		for lower := range below[room] {
			above = max(above, floor(lower))
		}
		return above + 1
	}
	count, highest := 0, 0
	for room, lower := range below {
		count, highest = count+len(lower), max(highest, floor(room))
	}
	for dir, n := range length {
		if n > lines {
			t.Errorf("%s has %d lines, more than %d; divide it by concepts", dir, n, lines)
		}
	}
	for _, figure := range []struct {
		of         string
		got, limit int
	}{{"packages", len(below), rooms}, {"floors", highest, floors}, {"imports", count, imports}} {
		if figure.got > figure.limit {
			t.Errorf("there are %d %s, more than %d; see whose concept the new one is", figure.got, figure.of, figure.limit)
		}
	}
}

// declarations calls visit with the syntax of each Go file of the commands, without tests.
func declarations(t *testing.T, visit func(positions *token.FileSet, syntax *ast.File)) {
	t.Helper()
	sources(t, "..", func(file string, _ *ast.File, text []byte) {
		positions := token.NewFileSet()
		syntax, err := parser.ParseFile(positions, file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		visit(positions, syntax)
	})
}

// TestSizes holds the sizes of declarations: the lines of functions, and how many functions have more than six
// parameters, and types more than twelve fields.
func TestSizes(t *testing.T) {
	const lines, manyParameters, manyFields = 100, 4, 26
	var functions, structs []string
	declarations(t, func(positions *token.FileSet, syntax *ast.File) {
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				at := positions.Position(n.Pos())
				if length := positions.Position(n.End()).Line - at.Line + 1; length > lines {
					t.Errorf("%s: %s has %d lines, more than %d", at, n.Name.Name, length, lines)
				}
				if n.Type.Params.NumFields() > 6 {
					functions = append(functions, fmt.Sprintf("%s %s", at, n.Name.Name))
				}
			case *ast.StructType:
				if n.Fields.NumFields() > 12 {
					structs = append(structs, positions.Position(n.Pos()).String())
				}
			}
			return true
		})
	})
	if len(functions) > manyParameters {
		t.Errorf("%d functions have more than 6 parameters, more than %d:\n%s", len(functions), manyParameters, strings.Join(functions, "\n"))
	}
	if len(structs) > manyFields {
		t.Errorf("%d types have more than 12 fields, more than %d:\n%s", len(structs), manyFields, strings.Join(structs, "\n"))
	}
}

// TestDiagnostics checks how functions report: a list of diagnostics is a parameter only of functions that add to it
// themselves, and pass it on to no other.
func TestDiagnostics(t *testing.T) {
	declarations(t, func(positions *token.FileSet, syntax *ast.File) {
		ast.Inspect(syntax, func(n ast.Node) bool {
			var typ *ast.FuncType
			var body *ast.BlockStmt
			switch fn := n.(type) {
			case *ast.FuncDecl:
				typ, body = fn.Type, fn.Body
			case *ast.FuncLit:
				typ, body = fn.Type, fn.Body
			default:
				return true
			}
			for _, param := range typ.Params.List {
				if star, ok := param.Type.(*ast.StarExpr); ok && types.ExprString(star.X) == "diag.List" && passesOn(body, param.Names) {
					t.Errorf("%s: this function passes on the list of diagnostics that it is given; return the diagnostics, and let callers "+
						"append them", positions.Position(n.Pos()))
				}
			}
			return true
		})
	})
}

// passesOn reports whether code uses one of the variables other than by its methods, or by what it points to.
func passesOn(body *ast.BlockStmt, names []*ast.Ident) (found bool) {
	used := map[*ast.Ident]bool{} // by methods and pointers
	ast.Inspect(body, func(n ast.Node) bool {
		var of ast.Expr
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of, used[n.Sel] = n.X, true
		case *ast.StarExpr:
			of = n.X
		case *ast.KeyValueExpr:
			of = n.Key // the name of a field
		case *ast.Ident:
			isParam := func(name *ast.Ident) bool { return name.Name == n.Name && name.Name != "_" }
			found = found || !used[n] && slices.ContainsFunc(names, isParam)
		}
		if ident, ok := of.(*ast.Ident); ok {
			used[ident] = true
		}
		return true
	})
	return found
}

// TestChecks compares the table of checks in reference/checks.md with the checks. -update writes it.
func TestChecks(t *testing.T) {
	want := &strings.Builder{}
	want.WriteString("| check | mistake |\n|---|---|\n")
	for _, c := range slices.SortedFunc(slices.Values(checks.All), func(a, b checks.Check) int { return strings.Compare(a.Name, b.Name) }) {
		rule := ""
		if c.Rule {
			rule = " (rule)"
		}
		fmt.Fprintf(want, "| `%s`%s | %s |\n", c.Name, rule, c.Doc)
	}
	compareSection(t, "reference/checks.md", "checks", want.String())
}

// compareSection compares a section of a page, between comments with its name, with its wanted rows. -update writes it.
func compareSection(t *testing.T, page, section, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+section+" -->\n", "<!-- /"+section+" -->"
	before, rest, begins := strings.Cut(string(text), begin)
	got, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no section between %q and %q", page, begin, end)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	rows := strings.Split(got, "\n")
	for row := range strings.Lines(want) {
		if !slices.Contains(rows, strings.TrimSuffix(row, "\n")) {
			t.Errorf("the section %s in %s has no row\n%s", section, page, row)
		}
	}
	if got != want {
		t.Errorf("the section %s in %s is out of date (go test ./docs -run '%s' -update writes it)", section, page, t.Name())
	}
}

// packageComments returns the first sentence of each package comment, without the name of the package.
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	sentences := map[string]string{}
	published := moduletest.Published(t, "..")[1:] // beside the commands
	for _, top := range append([]string{"cmd", "docs", "generators", "hack", "internal", "templates"}, published...) {
		err := fs.WalkDir(os.DirFS(".."), top, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "testdata" {
				return fs.SkipDir
			}
			dir := path.Dir(name)
			if path.Ext(name) != ".go" || sentences[dir] != "" {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", filepath.FromSlash(name)), nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				return err
			}
			sentence := new(doc.Package).Synopsis(file.Doc.Text())
			for _, prefix := range []string{"Package ", "Command "} {
				if text, ok := strings.CutPrefix(sentence, prefix); ok {
					_, sentence, _ = strings.Cut(text, " ")
				}
			}
			sentences[dir] = sentence
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for dir, sentence := range sentences {
		if sentence == "" {
			t.Errorf("the package in %s has no comment", dir)
		}
	}
	return sentences
}

// TestNames checks that the pages for contributors name files, tests, steps and declarations that exist.
func TestNames(t *testing.T) {
	script, err := os.ReadFile("../hack/test.sh")
	if err != nil {
		t.Fatal(err)
	}
	tests, packages := testNames(t), map[string][]byte{} // the text of all packages with a name
	sources(t, "..", func(_ string, syntax *ast.File, text []byte) {
		packages[syntax.Name.Name] = append(packages[syntax.Name.Name], text...)
	})
	qualified := regexp.MustCompile(`^([a-z]+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?$`)
	code := regexp.MustCompile("`([^`\n]+)`")
	for _, page := range []string{designPage, testingPage, "../CONTRIBUTING.md", "../AGENTS.md", "../.github/pull_request_template.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range code.FindAllStringSubmatch(string(text), -1) {
			name := found[1]
			command, args, _ := strings.Cut(name, " ")
			top, _, isPath := strings.Cut(name, "/")
			switch {
			case command == "hack/test.sh":
				for _, step := range strings.Fields(args) {
					if step != "STEP..." && step != "all" && step != "rest" && !bytes.Contains(script, []byte("\n"+step+"() {")) {
						t.Errorf("%s: hack/test.sh has no step %s", page, step)
					}
				}
			case regexp.MustCompile(`^(Test|Fuzz)[A-Z]\w*$`).MatchString(name):
				if !tests[name] {
					t.Errorf("%s: there is no %s", page, name)
				}
			case (page == designPage || page == testingPage) && qualified.MatchString(name):
				parts := qualified.FindStringSubmatch(name)
				for _, part := range parts[2:] {
					if !regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var |const |\t)` + part + `\b`).Match(packages[parts[1]]) {
						t.Errorf("%s: there is no %s", page, name)
						break
					}
				}
			case isPath && command == name && exists(top) && !regexp.MustCompile(`\b[A-Z]{2,}\b|/v1\.2\.3$`).MatchString(name):
				if !exists(name) {
					t.Errorf("%s: there is no %s", page, name)
				}
			}
		}
	}
}

// exists reports whether a name or pattern matches a file or directory below the root of the repository.
func exists(name string) bool {
	matches, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(strings.TrimSuffix(name, "/..."))))
	return err == nil && len(matches) > 0
}

// testNames returns the names of all tests and fuzz targets.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names, declaration := map[string]bool{}, regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w*)\(`)
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		for _, found := range declaration.FindAllSubmatch(text, -1) {
			names[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
