package impact

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
)

// Declarations holds the declarations of a package.
type Declarations struct {
	path    string // import path; "" for the package that is compared
	name    string
	file    string // name of one of its files
	fset    *token.FileSet
	objects map[string][]*object            // by name; several if they have different build constraints
	methods map[string]map[string][]*method // by the names of the type and of the method
}

// object is a declaration at package level.
type object struct {
	file     *file
	at       token.Pos
	typ      *ast.TypeSpec // for a type
	fn       *ast.FuncDecl // for a function
	constant bool          // a constant; otherwise a variable
	expr     ast.Expr      // the type of a constant or variable; nil if it is not written
	value    ast.Expr      // the value of a constant or variable
	index    int
}

type method struct {
	file *file
	decl *ast.FuncDecl
}

// file resolves package names in a file.
type file struct {
	name      string
	imports   map[string]string // import paths by name
	unnamed   []string          // paths of imports without a name
	unchanged bool
}

// Parse reads the files of a package that is imported by importPath.
func Parse(importPath string, files []File) *Declarations {
	p := parse(files, nil)
	p.path = importPath
	return p
}

func parse(files, others []File) *Declarations {
	p := &Declarations{fset: token.NewFileSet(), objects: map[string][]*object{}, methods: map[string]map[string][]*method{}}
	for _, f := range others {
		p.parse(f, true)
	}
	for _, f := range files {
		p.parse(f, false)
	}
	return p
}

func (p *Declarations) parse(f File, unchanged bool) {
	if strings.HasSuffix(f.Name, "_test.go") {
		return
	}
	// Use what could be parsed, for example of files with conflict markers.
	syntax, _ := parser.ParseFile(p.fset, f.Name, f.Content, parser.SkipObjectResolution|parser.ParseComments)
	if syntax == nil || syntax.Name == nil || syntax.Name.Name == "" || ignored(syntax) {
		return
	}
	p.name, p.file = syntax.Name.Name, f.Name
	in := &file{name: f.Name, imports: map[string]string{}, unchanged: unchanged}
	for _, spec := range syntax.Imports {
		importPath, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			in.imports[spec.Name.Name] = importPath
		} else {
			in.unnamed = append(in.unnamed, importPath)
		}
	}
	for _, decl := range syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				p.add(decl.Name, &object{file: in, fn: decl})
			} else if name, _ := receiver(decl); name != "" { // the type may be in another file
				if p.methods[name] == nil {
					p.methods[name] = map[string][]*method{}
				}
				if known := p.methods[name][decl.Name.Name]; len(known) == 0 || !known[0].file.unchanged {
					p.methods[name][decl.Name.Name] = append(known, &method{in, decl})
				}
			}
		case *ast.GenDecl:
			p.parseSpecs(in, decl)
		}
	}
}

func (p *Declarations) parseSpecs(in *file, decl *ast.GenDecl) {
	var last *ast.ValueSpec // the specification that implicit repetition repeats
	for i, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			p.add(spec.Name, &object{file: in, typ: spec})
		case *ast.ValueSpec:
			from := spec
			if decl.Tok == token.CONST && spec.Type == nil && len(spec.Values) == 0 && last != nil {
				from = last
			}
			last = from
			for j, name := range spec.Names {
				o := &object{file: in, constant: decl.Tok == token.CONST, expr: from.Type, index: i}
				if j < len(from.Values) {
					o.value = from.Values[j]
				}
				p.add(name, o)
			}
		}
	}
}

// add adds a declaration, unless a file from Context.Unchanged declares the same name.
func (p *Declarations) add(name *ast.Ident, o *object) {
	o.at = name.Pos()
	if known := p.objects[name.Name]; name.Name != "_" && (len(known) == 0 || !known[0].file.unchanged) {
		p.objects[name.Name] = append(known, o)
	}
}

// ignored reports whether no build includes a file.
func ignored(syntax *ast.File) bool {
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			if comment.Pos() < syntax.Package && constraint.IsGoBuild(comment.Text) {
				expr, err := constraint.Parse(comment.Text)
				met, _ := builds(expr)
				return err == nil && !met
			}
		}
	}
	return false
}

// builds reports whether some builds meet a constraint, and whether some do not. No build sets the tag "ignore".
func builds(expr constraint.Expr) (met, unmet bool) {
	switch e := expr.(type) {
	case *constraint.TagExpr:
		return e.Tag != "ignore", true
	case *constraint.NotExpr:
		met, unmet = builds(e.X)
		return unmet, met
	case *constraint.AndExpr:
		xMet, xUnmet := builds(e.X)
		yMet, yUnmet := builds(e.Y)
		return xMet && yMet, xUnmet || yUnmet
	case *constraint.OrExpr:
		xMet, xUnmet := builds(e.X)
		yMet, yUnmet := builds(e.Y)
		return xMet || yMet, xUnmet && yUnmet
	}
	return true, true
}

// receiver returns the type name of a method's receiver, and whether the receiver is a pointer.
func receiver(decl *ast.FuncDecl) (name string, pointer bool) {
	if len(decl.Recv.List) == 0 {
		return "", false
	}
	return baseName(decl.Recv.List[0].Type)
}

// receiverParams returns the names of the type parameters of a method's receiver.
func receiverParams(decl *ast.FuncDecl) (names []*ast.Ident) {
	typ := ast.Unparen(decl.Recv.List[0].Type)
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = ast.Unparen(star.X)
	}
	var args []ast.Expr
	switch generic := typ.(type) {
	case *ast.IndexExpr:
		args = []ast.Expr{generic.Index}
	case *ast.IndexListExpr:
		args = generic.Indices
	}
	for _, arg := range args {
		if ident, ok := arg.(*ast.Ident); ok {
			names = append(names, ident)
		}
	}
	return names
}

// importPath returns the import path for a package name in a file. An import without a name is assumed to have the last
// element of its path as its name, or else another name that the path suggests.
func (f *file) importPath(name string) string {
	if known, ok := f.imports[name]; ok {
		return known
	}
	i := slices.IndexFunc(f.unnamed, func(importPath string) bool { return path.Base(importPath) == name })
	if i < 0 {
		i = slices.IndexFunc(f.unnamed, func(importPath string) bool { return load.MayBeCalled(importPath, name) })
	}
	if i < 0 {
		return name
	}
	return f.unnamed[i]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
