// Package gofile completes the body of a Go file: it derives the import block from the identifiers that the body uses,
// gives every import a name without collisions, and formats the result like gofmt. It never guesses imports: an
// identifier of another package either carries its import path (Ident) or has a qualifier from a given table.
package gofile

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Ident is a Go identifier and the package that it belongs to.
type Ident struct{ Path, Name string }

// File is a Go file under construction. Its zero value is an empty file; write the body to Body.
type File struct {
	Name    string // file name, for messages
	Path    string // import path of the package that the file belongs to
	Package string // its name
	Header  string // text before the package comment, including comment markers
	Doc     string // package comment, without comment markers; may be empty

	Beside map[string]bool // names declared by files of the package that are not formatted together with this one

	Body bytes.Buffer // everything after the imports

	refs []string // import paths passed to Ref; placeholders have their indexes
}

// Ref returns the text with which the body refers to an identifier: its bare name if it belongs to this file's package,
// otherwise the name qualified by a placeholder that Format replaces with the import's name.
func (f *File) Ref(id Ident) string {
	if id.Path == f.Path {
		return id.Name
	}
	n := slices.Index(f.refs, id.Path)
	if n < 0 {
		n = len(f.refs)
		f.refs = append(f.refs, id.Path)
	}
	return placeholder + strconv.Itoa(n) + "." + id.Name
}

// Local returns the text with which the body declares or uses a local variable, parameter or receiver whose name comes
// from the input: a placeholder that Format replaces with wish, or with another name if wish is a keyword, predeclared,
// or taken in the file.
func Local(wish string) string { return localPlaceholder + wish }

// placeholder with a number, and localPlaceholder with a name, are identifiers that templates do not use otherwise.
const (
	placeholder      = "pkg__"
	localPlaceholder = "local__"
)

// Imports maps the fixed qualifiers that bodies may use to import paths: {"metav1":
// "k8s.io/apimachinery/pkg/apis/meta/v1"}. Bodies must not declare a name that equals a qualifier, unless they never
// select from it.
type Imports map[string]string

// Duplicate is the error for a package that declares a name twice, or a type with two fields or methods of the same
// name. In the latter case the name is "Type.Member".
type Duplicate struct {
	Name          string
	First, Second string // file names
}

func (d Duplicate) Error() string {
	if d.First == d.Second {
		return fmt.Sprintf("%s declares %s twice", d.First, d.Name)
	}
	return fmt.Sprintf("%s and %s both declare %s", d.First, d.Second, d.Name)
}

// SyntaxError is the error for a body that is not valid Go.
type SyntaxError struct {
	File string // its name
	Err  error
}

func (e SyntaxError) Error() string {
	return fmt.Sprintf("the template for %s does not produce valid Go: %v", e.File, e.Err)
}

// Unimportable is the error for a file that would import a package below a directory named internal that it cannot
// import.
type Unimportable struct {
	File string // its name
	Path string // of the package
}

func (u Unimportable) Error() string {
	return fmt.Sprintf("%s cannot import %s, which is internal", u.File, u.Path)
}

// importable reports whether a package may import another one.
func importable(from, importPath string) bool {
	i := strings.LastIndex("/"+importPath+"/", "/internal/")
	return i < 0 || strings.HasPrefix("/"+from+"/", ("/" + importPath + "/")[:i+1])
}

// Format returns the contents of all files of one package, in order. names maps import paths to Go package names where
// these differ from the last path element.
func Format(files []*File, imports Imports, names map[string]string) ([][]byte, error) {
	parsed, fsets := make([]*ast.File, len(files)), make([]*token.FileSet, len(files))
	declared := map[string]string{} // name -> file
	for i, f := range files {
		var err error
		fsets[i] = token.NewFileSet()
		text := slices.Concat([]byte("package "+f.Package+"\n"), f.Body.Bytes())
		if parsed[i], err = parser.ParseFile(fsets[i], f.Name, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return nil, SyntaxError{f.Name, err}
		}
		nameLocals(parsed[i], text, imports)
		for _, name := range slices.Concat(Declarations(parsed[i]), members(parsed[i])) {
			if first, ok := declared[name]; ok {
				return nil, Duplicate{Name: name, First: first, Second: f.Name}
			}
			declared[name] = f.Name
		}
	}
	contents := make([][]byte, len(files))
	for i, f := range files {
		for _, d := range parsed[i].Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				clearTypes(fn, declared)
			}
		}
		block := f.resolve(parsed[i], imports, names, declared)
		for _, imp := range block {
			if !importable(f.Path, imp.path) {
				return nil, Unimportable{f.Name, imp.path}
			}
		}
		var err error
		if contents[i], err = f.print(fsets[i], parsed[i], block); err != nil {
			return nil, err
		}
	}
	return contents, nil
}

// Declarations returns the names that a file declares in its package, in order; init and _ declare none.
func Declarations(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" && d.Name.Name != "_" {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if name.Name != "_" {
							names = append(names, name.Name)
						}
					}
				}
			}
		}
	}
	return names
}

// members returns the fields and methods that a file declares, as "Type.Member".
func members(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.Name != "_" {
				names = append(names, baseName(d.Recv.List[0].Type)+"."+d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				typ, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				var list *ast.FieldList
				embeds := true
				switch t := typ.Type.(type) {
				case *ast.StructType:
					list = t.Fields
				case *ast.InterfaceType:
					list, embeds = t.Methods, false
				default:
					continue
				}
				for _, field := range list.List {
					for _, name := range field.Names {
						names = append(names, typ.Name.Name+"."+name.Name)
					}
					if len(field.Names) == 0 && embeds {
						names = append(names, typ.Name.Name+"."+baseName(field.Type))
					}
				}
			}
		}
	}
	return names
}

// baseName returns the name of the type in an expression, without package and type arguments.
func baseName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	}
	return ""
}

// imported is a line of an import block.
type imported struct{ alias, path string }

// resolve names every import that the file uses, updates its uses, and returns the imports.
func (f *File) resolve(file *ast.File, table Imports, names map[string]string, declared map[string]string) []imported {
	uses := map[string][]*ast.Ident{} // import path -> qualifiers
	wishes := map[string]string{}     // import path -> name that the table has for it
	used := map[string]bool{}
	var visit func(n ast.Node) bool // skips identifiers that cannot collide with an import
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				ast.Inspect(n.X, visit)
				return false
			}
			if number, ok := strings.CutPrefix(x.Name, placeholder); ok {
				i, _ := strconv.Atoi(number)
				uses[f.refs[i]] = append(uses[f.refs[i]], x)
			} else if importPath, ok := table[x.Name]; ok {
				uses[importPath] = append(uses[importPath], x)
				wishes[importPath] = x.Name
			} else {
				used[x.Name] = true
			}
			return false
		case *ast.StructType: // field names shadow nothing
			for _, field := range n.Fields.List {
				ast.Inspect(field.Type, visit)
			}
			return false
		case *ast.KeyValueExpr:
			if _, ok := n.Key.(*ast.Ident); !ok {
				ast.Inspect(n.Key, visit)
			}
			ast.Inspect(n.Value, visit)
			return false
		case *ast.Ident:
			used[n.Name] = true
		}
		return true
	}
	ast.Inspect(file, visit)
	taken := func(name string) bool {
		_, isDeclared := declared[name]
		return isDeclared || f.Beside[name] || used[name]
	}
	var block []imported
	for _, wished := range []bool{true, false} { // fixed qualifiers come before chosen ones
		for _, importPath := range slices.Sorted(maps.Keys(uses)) {
			if (wishes[importPath] != "") != wished {
				continue
			}
			alias := chooseAlias(path.Join(path.Dir(importPath), cmp.Or(names[importPath], path.Base(importPath))), wishes[importPath], taken)
			used[alias] = true
			for _, use := range uses[importPath] {
				use.Name = alias
			}
			if alias == path.Base(importPath) && (names[importPath] == "" || names[importPath] == alias) {
				alias = ""
			}
			block = append(block, imported{alias, importPath})
		}
	}
	slices.SortFunc(block, func(a, b imported) int { return strings.Compare(a.path, b.path) })
	return block
}

// print writes header, package clause, imports and declarations.
func (f *File) print(fset *token.FileSet, file *ast.File, block []imported) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(f.Body.Len() * 9 / 8)
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8} // as gofmt
	if err := config.Fprint(&body, fset, file); err != nil {
		return nil, fmt.Errorf("format %s: %w", f.Name, err)
	}
	_, decls, _ := bytes.Cut(body.Bytes(), []byte("\n"))

	var out bytes.Buffer
	out.Grow(len(f.Header) + len(decls) + 80*len(block) + 200)
	out.WriteString(f.Header)
	for line := range strings.Lines(f.Doc) {
		out.WriteString("// " + strings.TrimSuffix(line, "\n") + "\n")
	}
	out.WriteString("package " + f.Package + "\n")
	writeImports(&out, block)
	if decls = bytes.TrimSpace(decls); len(decls) > 0 {
		out.WriteByte('\n')
		out.Write(decls)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// writeImports writes the import block, the standard library first.
func writeImports(out *bytes.Buffer, block []imported) {
	if len(block) == 0 {
		return
	}
	out.WriteString("\nimport (\n")
	for i, section := range [][]imported{standard(block, true), standard(block, false)} {
		if i > 0 && len(section) > 0 && len(section) < len(block) {
			out.WriteByte('\n')
		}
		for _, imp := range section {
			out.WriteByte('\t')
			if imp.alias != "" {
				out.WriteString(imp.alias + " ")
			}
			out.WriteString(strconv.Quote(imp.path) + "\n")
		}
	}
	out.WriteString(")\n")
}

// standard returns the imports that are, or are not, of the standard library: those without a dot in the first element
// of their path.
func standard(block []imported, want bool) []imported {
	var section []imported
	for _, imp := range block {
		first, _, _ := strings.Cut(imp.path, "/")
		if strings.Contains(first, ".") != want {
			section = append(section, imp)
		}
	}
	return section
}
