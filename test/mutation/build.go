// Package mutation breaks generated code and the store of own writes in every way that their syntax suggests, and finds
// out whether tests notice.
//
// Statements are left out; values, results of calls and literals are zeroed; conditions are negated; neighbouring
// arguments of the same type change places; elements of lists are dropped; fields, methods, functions and constants
// are replaced with the next of the same type; and calls are skipped whose result has the type of an operand. One
// binary has all mutants, because compiling takes most of the time; an environment variable says which is active.
package mutation

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// helperSource is the package that the changed files import. It becomes a part of the module whose code is changed.
//
//go:embed mutant/mutant.go
var helperSource string

// helperImports are the packages that it imports.
var helperImports = []string{"fmt", "os", "reflect", "runtime/debug", "runtime/metrics", "strconv", "sync/atomic", "time"}

// build mutates the files of a program and compiles the tests in some directories. The binaries go into dir. It also
// returns how many mutants were left out because they do not compile.
func (p *program) build(dir string, tests ...string) (binaries []string, mutants []change, left int, err error) {
	module := strings.TrimSuffix(p.packages[0].path, path.Dir(p.packages[0].files[0].name))
	helperPath := path.Join(module, "mutant")
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "mutant.go", helperSource, 0)
	if err != nil {
		return nil, nil, 0, err
	}
	helper, err := (&types.Config{Importer: p.exports}).Check(helperPath, fset, []*ast.File{syntax}, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	overlay := map[string]string{}
	replace := func(name, text string) error {
		changed := filepath.Join(dir, fmt.Sprintf("%d.go", len(overlay)))
		overlay[filepath.Join(p.dir, filepath.FromSlash(name))] = changed
		return os.WriteFile(changed, []byte(text), 0o644)
	}
	if err := replace("mutant/mutant.go", helperSource); err != nil {
		return nil, nil, 0, err
	}
	first := 1
	for _, pkg := range p.packages {
		texts, all, skip, err := p.mutatePackage(pkg, helper, first)
		if err != nil {
			return nil, nil, 0, err
		}
		first += len(all)
		for _, mutant := range all {
			if skip[mutant.id] {
				left++
			} else {
				mutants = append(mutants, mutant)
			}
		}
		for name, text := range texts {
			if err := replace(name, text); err != nil {
				return nil, nil, 0, err
			}
		}
	}
	content, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, nil, 0, err
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, content, 0o644); err != nil {
		return nil, nil, 0, err
	}
	for i, tested := range tests {
		binary := filepath.Join(dir, fmt.Sprintf("mutants%d.test", i))
		compile := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlayFile, "-ldflags=-s -w", "-o", binary, ".")
		compile.Dir = tested
		if out, err := compile.CombinedOutput(); err != nil {
			return nil, nil, 0, fmt.Errorf("%w\n%s", err, out)
		}
		binaries = append(binaries, binary)
	}
	return binaries, mutants, left, nil
}

// mutatePackage returns the changed files of a package, all mutants and those that do not compile, which it finds by
// type-checking.
func (p *program) mutatePackage(
	pkg *goPackage, helper *types.Package, first int,
) (texts map[string]string, all []change, skip map[int]bool, err error) {
	for skip = map[int]bool{}; ; {
		texts, all = map[string]string{}, nil
		for _, file := range pkg.files {
			if !file.mutated {
				continue
			}
			text, mutants := p.mutate(pkg, file, helper.Path(), first+len(all), skip)
			if len(mutants) > 0 {
				texts[file.name] = text
			}
			all = append(all, mutants...)
		}
		fset, files, errs, err := p.recheck(pkg, helper, texts)
		if err != nil || len(errs) == 0 {
			return texts, all, skip, err
		}
		before := len(skip)
		for _, err := range errs {
			for _, file := range files {
				if file.FileStart <= err.Pos && err.Pos < file.FileEnd {
					for _, id := range choicesAt(file, err.Pos) {
						skip[id] = true
					}
				}
			}
		}
		if len(skip) == before {
			var all []error
			for _, err := range errs {
				all = append(all, fmt.Errorf("%s: %w", fset.Position(err.Pos), err))
			}
			return nil, nil, nil, errors.Join(all...)
		}
	}
}

// choicesAt returns the mutants of the innermost choice around a position.
func choicesAt(file *ast.File, at token.Pos) (ids []int) {
	ast.Inspect(file, func(node ast.Node) bool {
		if node == nil || at < node.Pos() || node.End() <= at {
			return node == file
		}
		switch n := node.(type) {
		case *ast.CallExpr:
			if id := choice(n); id > 0 {
				ids = []int{id}
			}
		case *ast.CaseClause: // of the alternatives to a call
			for _, e := range n.List {
				if id := choice(e); id > 0 {
					ids = []int{id}
				}
			}
		case *ast.IfStmt: // of a statement that may be left out
			if not, ok := n.Cond.(*ast.UnaryExpr); ok {
				if id := choice(not.X); id > 0 {
					ids = []int{id}
				}
			}
		}
		return true
	})
	return ids
}

// choice returns the mutant that a call of the helper chooses, or 0.
func choice(e ast.Expr) (id int) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return 0
	}
	fun := call.Fun
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	if selector, ok := fun.(*ast.SelectorExpr); ok {
		if pkg, ok := selector.X.(*ast.Ident); ok && pkg.Name == "mutant_" {
			if literal, ok := call.Args[0].(*ast.BasicLit); ok {
				fmt.Sscan(literal.Value, &id)
			}
		}
	}
	return id
}
