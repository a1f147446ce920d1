package mutation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// program is a module with its type-checked packages.
type program struct {
	dir      string // of the module
	fset     *token.FileSet
	packages []*goPackage
	exports  types.Importer // reads what the go command has compiled
}

// goPackage is a package with its syntax and types.
type goPackage struct {
	path  string
	files []*goFile
	types *types.Package
	info  *types.Info
	unset map[types.Object]bool // see neverSet
}

// goFile is a file.
type goFile struct {
	name    string // relative to the module, with slashes
	text    []byte
	syntax  *ast.File
	mutated bool
}

// load type-checks the packages of a module that match the patterns. Files are mutated if they are generated, or all if
// written is true.
func load(dir string, written bool, patterns ...string) (*program, error) {
	list := exec.Command(
		"go", append([]string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles"}, append(patterns, helperImports...)...)...,
	)
	list.Dir, list.Stderr = dir, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	p := &program{dir: dir, fset: token.NewFileSet()}
	p.exports = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s is no dependency", path)
		}
		return os.Open(exports[path])
	})
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			return p, nil
		} else if err != nil {
			return nil, err
		}
		exports[listed.ImportPath] = listed.Export
		relative, err := filepath.Rel(dir, listed.Dir)
		if err != nil || !filepath.IsLocal(relative) {
			continue
		}
		pkg := &goPackage{path: listed.ImportPath}
		for _, name := range listed.GoFiles {
			text, err := os.ReadFile(filepath.Join(listed.Dir, name))
			if err != nil {
				return nil, err
			}
			syntax, err := parser.ParseFile(p.fset, filepath.Join(listed.Dir, name), text, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			pkg.files = append(pkg.files, &goFile{filepath.ToSlash(filepath.Join(relative, name)), text, syntax, written || ast.IsGenerated(syntax)})
		}
		if err := p.check(pkg); err != nil {
			return nil, err
		}
		p.packages = append(p.packages, pkg)
	}
}

// check type-checks the files of a package.
func (p *program) check(pkg *goPackage) error {
	pkg.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
	var err error
	pkg.types, err = (&types.Config{Importer: p.exports}).Check(pkg.path, p.fset, syntaxOf(pkg.files), pkg.info)
	return err
}

func syntaxOf(files []*goFile) (syntax []*ast.File) {
	for _, file := range files {
		syntax = append(syntax, file.syntax)
	}
	return syntax
}

// recheck type-checks a package with changed texts of its files, which may import the package helper, and returns all
// errors.
func (p *program) recheck(
	pkg *goPackage, helper *types.Package, texts map[string]string,
) (*token.FileSet, []*ast.File, []types.Error, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, file := range pkg.files {
		text, ok := texts[file.name]
		if !ok {
			text = string(file.text)
		}
		syntax, err := parser.ParseFile(fset, file.name, text, 0)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("changed text of %s: %w", file.name, err)
		}
		files = append(files, syntax)
	}
	var errs []types.Error
	config := types.Config{Importer: withHelper{p.exports, helper}, Error: func(err error) {
		if of := (types.Error{}); errors.As(err, &of) {
			errs = append(errs, of)
		}
	}}
	_, _ = config.Check(pkg.path, fset, files, nil) // which returns the first of the errors
	return fset, files, errs, nil
}

// withHelper imports the package helper, too.
type withHelper struct {
	types.Importer
	helper *types.Package
}

func (w withHelper) Import(path string) (*types.Package, error) {
	if path == w.helper.Path() {
		return w.helper, nil
	}
	return w.Importer.Import(path)
}
