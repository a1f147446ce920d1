package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
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
	"strconv"
	"strings"
)

// An api has the exported declarations of some packages, as syntax: "import/path.Name" and "import/path.Type.Member"
// with their types, in which identifiers of other packages have their import paths. It takes no compiler, unlike
// conformance.Load, so that each prerelease takes seconds.
type api map[string]string

// listAPI lists the packages in directories by import path, with their import paths renamed, also in types.
func listAPI(dirs map[string]string, renamed func(path string) string) (api, error) {
	found := api{}
	for importPath, dir := range dirs {
		found[renamed(importPath)] = "package"
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			name := entry.Name()
			if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				continue
			}
			if built, err := build.Default.MatchFile(dir, name); err != nil || !built {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil {
				err = found.add(renamed(importPath), text, renamed)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

func asIs(path string) string { return path }

// add adds the exported declarations of a file.
func (a api) add(pkg string, text []byte, renamed func(path string) string) error {
	file, err := parser.ParseFile(token.NewFileSet(), pkg, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	qualify(file, renamed)
	put := func(declaration string, names ...string) {
		if !slices.ContainsFunc(names, func(name string) bool { return !ast.IsExported(name) }) {
			a[pkg+"."+strings.Join(names, ".")] = strings.ReplaceAll(declaration, "interface{}", "any")
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				put(signature(decl.Type), decl.Name.Name)
			} else {
				put(signature(decl.Type), receiver(decl.Recv.List[0].Type), decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						put(decl.Tok.String(), name.Name)
					}
				case *ast.TypeSpec:
					putType(spec, put)
				}
			}
		}
	}
	return nil
}

func putType(spec *ast.TypeSpec, put func(declaration string, names ...string)) {
	name := spec.Name.Name
	members := func(list []*ast.Field, describe func(*ast.Field) string) {
		for _, f := range list {
			names := f.Names
			if len(names) == 0 {
				names = []*ast.Ident{{Name: embedded(f.Type)}}
			}
			for _, member := range names {
				put(describe(f), name, member.Name)
			}
		}
	}
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		put("type struct", name)
		members(typ.Fields.List, func(f *ast.Field) string {
			if f.Tag != nil {
				return types.ExprString(f.Type) + " " + f.Tag.Value
			}
			return types.ExprString(f.Type)
		})
	case *ast.InterfaceType:
		put("type interface", name)
		members(typ.Methods.List, func(f *ast.Field) string {
			if method, ok := f.Type.(*ast.FuncType); ok {
				return signature(method)
			}
			return types.ExprString(f.Type)
		})
	default:
		put("type "+types.ExprString(spec.Type), name)
	}
}

// qualify replaces the names of packages in a file by their import paths.
func qualify(file *ast.File, renamed func(path string) string) {
	paths := map[string]string{}
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		paths[name] = renamed(importPath)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && paths[x.Name] != "" {
				x.Name = paths[x.Name]
			}
		}
		return true
	})
}

// references returns the names of other packages' declarations in a file, such as "k8s.io/client-go/rest.Config".
func references(file *ast.File) (names []string) {
	qualify(file, asIs)
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && strings.Contains(x.Name, "/") {
				names = append(names, x.Name+"."+selector.Sel.Name)
			}
		}
		return true
	})
	return names
}

// declaration returns the name that a package declares, with its import path, of a name or a member of it.
func declaration(name string) string {
	slash := strings.LastIndexByte(name, '/')
	if parts := strings.SplitN(name[slash+1:], ".", 3); len(parts) == 3 {
		return name[:len(name)-len(parts[2])-1]
	}
	return name
}

// signature returns the type of a function without the names of its parameters and results.
func signature(t *ast.FuncType) string {
	unnamed := func(list *ast.FieldList) *ast.FieldList {
		if list == nil {
			return nil
		}
		var fields []*ast.Field
		for _, f := range list.List {
			for range max(1, len(f.Names)) {
				fields = append(fields, &ast.Field{Type: f.Type})
			}
		}
		return &ast.FieldList{List: fields}
	}
	return types.ExprString(&ast.FuncType{Params: unnamed(t.Params), Results: unnamed(t.Results)})
}

// receiver returns the name of a receiver's type.
func receiver(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return receiver(expr.X)
	case *ast.IndexExpr:
		return receiver(expr.X)
	case *ast.IndexListExpr:
		return receiver(expr.X)
	case *ast.Ident:
		return expr.Name
	}
	return ""
}

// embedded returns the name of an embedded field or interface.
func embedded(expr ast.Expr) string {
	if selector, ok := expr.(*ast.SelectorExpr); ok {
		return selector.Sel.Name
	}
	if star, ok := expr.(*ast.StarExpr); ok {
		return embedded(star.X)
	}
	return receiver(expr)
}

// ofNew reports whether a name is a member of a type, or in a package, that other lacks.
func (a api) ofNew(name string, other api) bool {
	i := strings.LastIndexByte(name, '.')
	return i > 0 && a[name[:i]] != "" && other[name[:i]] == ""
}

// short returns a declaration with import paths that are shorter: without modules and the groups of APIs.
func short(declaration string) string {
	return importPath.ReplaceAllStringFunc(declaration, func(path string) string {
		if rest, ok := strings.CutPrefix(path, clientGo+"/"); ok {
			return rest
		}
		return ""
	})
}

// retyped returns the form of a change of a type.
func retyped(name, was, is string, form func(string) string) string {
	before, after := form(name+" "+was), form(name+" "+is)
	if before == after {
		return form(name) + " has types of other packages: " + strings.Join(newWords(was, is), ", ")
	}
	return after + ", was" + strings.TrimPrefix(before, form(name))
}

// newWords returns the qualified names in a declaration that another lacks.
func newWords(was, is string) (words []string) {
	for _, word := range qualifiedName.FindAllString(is, -1) {
		if !strings.Contains(was, word) && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

var (
	importPath    = regexp.MustCompile(`\b[\w.-]+/(?:[\w.-]+/)*`)
	qualifiedName = regexp.MustCompile(`\b[\w.-]+/[\w./-]+`)
	words         = regexp.MustCompile(`[\w./-]+`)
	exportedName  = regexp.MustCompile(`\b[A-Z]\w*`)
	groupVersion  = regexp.MustCompile(
		`(k8s\.io/(?:api|client-go/(?:informers|listers|kubernetes/typed|applyconfigurations)))/[a-z0-9]+/v[0-9][a-z0-9]*`)
	inFactories = regexp.MustCompile(`\b[A-Z][a-z]+V[0-9](?:(?:alpha|beta)[0-9])?(Client|Interface)?\b`)
)

// kindsOf returns the names of the types that have apply configurations, and their plurals, longer ones first.
func kindsOf(a api) (kinds []string) {
	for name, declaration := range a {
		kind, ok := strings.CutSuffix(name[strings.LastIndexByte(name, '.')+1:], "ApplyConfiguration")
		if !ok || kind == "" || kind == "ApplyConfiguration" || !strings.HasPrefix(declaration, "type ") {
			continue
		}
		kinds = append(kinds, kind, kind+"s", kind+"es")
		if stem, ok := strings.CutSuffix(kind, "y"); ok {
			kinds = append(kinds, stem+"ies")
		}
	}
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(kinds)
}

// A group has all differences that are the same except for their kind, group and version.
type group struct {
	sign  string // "+" for what is new, "-" for what is gone, and "~" for what has another type
	text  string // with KIND, GROUP and VERSION
	count int
	first string // the name of one of them
}

func (g group) String() string {
	if g.count == 1 {
		return g.text
	}
	return fmt.Sprintf("%s (%d, such as %s)", g.text, g.count, short(g.first))
}

// differences returns how one API differs from another, in order.
func differences(was, is api, kinds []string) (all []group) {
	found := map[string]*group{}
	form := func(text string) string { return short(abstract(text, kinds)) }
	add := func(sign, name, text string) {
		if g := found[sign+text]; g != nil {
			g.count++
			g.first = min(g.first, name)
		} else {
			found[sign+text] = &group{sign, text, 1, name}
		}
	}
	for name, typ := range is {
		switch old, ok := was[name]; {
		case !ok && !is.ofNew(name, was):
			add("+", name, form(name+" "+typ))
		case ok && old != typ:
			add("~", name, retyped(name, old, typ, form))
		}
	}
	for name, typ := range was {
		if is[name] == "" && !was.ofNew(name, is) {
			add("-", name, form(name+" "+typ))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[key])
	}
	return all
}

// abstract replaces the names of kinds, groups and versions in a declaration of a package for a group and version.
// Names of other packages stay as they are.
func abstract(text string, kinds []string) string {
	text = groupVersion.ReplaceAllString(text, "$1/GROUP/VERSION")
	text = inFactories.ReplaceAllString(text, "GROUPVERSION$1")
	if !strings.Contains(text, "/VERSION.") {
		return text
	}
	return words.ReplaceAllStringFunc(text, func(name string) string {
		if strings.Contains(name, "/") && !strings.Contains(name, "/VERSION.") {
			return name
		}
		return exportedName.ReplaceAllStringFunc(name, func(word string) string {
			for _, kind := range kinds {
				before, after, ok := strings.Cut(word, kind)
				if ok && (after == "" || !('a' <= after[0] && after[0] <= 'z')) {
					return before + "KIND" + after
				}
			}
			return word
		})
	})
}

// packagesBelow returns the directories with Go files below the directory of a module, by import path.
func packagesBelow(module, dir string, trees ...string) (map[string]string, error) {
	found := map[string]string{}
	var errs []error
	for _, tree := range trees {
		errs = append(errs, fs.WalkDir(os.DirFS(dir), tree, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
				found[module+"/"+path.Dir(name)] = filepath.Join(dir, filepath.FromSlash(path.Dir(name)))
			}
			return err
		}))
	}
	return found, errors.Join(errs...)
}
