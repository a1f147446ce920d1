package cli

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/source/load"
)

// typeCheck compiles, as far as types go, all packages below the modules in dir: what they import of each other from
// source, everything else from the compiler's export data.
func typeCheck(t *testing.T, dir string) {
	t.Helper()
	check := newChecker()
	check.find(t, dir)
	for importPath := range check.dirs {
		if _, err := check.Import(importPath); err != nil {
			t.Errorf("%s does not compile: %v", importPath, err)
		}
	}
}

// find finds the packages below dir, and below the symlinks there.
func (c *checker) find(t *testing.T, dir string) {
	for _, file := range listFiles(t, dir+"/") {
		name := filepath.Join(dir, filepath.FromSlash(file))
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			c.find(t, name)
		} else if importPath, ok := (load.Environment{}).ImportPath(filepath.Dir(name)); ok && strings.HasSuffix(file, ".go") {
			c.dirs[importPath] = filepath.Dir(name)
		}
	}
}

// checker is a types.Importer that checks the packages in dirs and texts from source.
type checker struct {
	fset  *token.FileSet
	dirs  map[string]string            // import path -> directory
	texts map[string]map[string][]byte // import path -> contents of its files, by name
	done  map[string]*types.Package
	alone bool // knows no other packages: what refers to them is not checked
}

func newChecker() *checker {
	return &checker{
		fset: token.NewFileSet(), dirs: map[string]string{}, texts: map[string]map[string][]byte{}, done: map[string]*types.Package{},
	}
}

// unknownImport matches the errors for what refers to a package that cannot be imported.
var unknownImport = regexp.MustCompile(`could not import \S+ \(it is elsewhere\)|has no field or method`)

// parse parses the files of a package.
func (c *checker) parse(importPath string) (files []*ast.File, err error) {
	texts := c.texts[importPath]
	if dir, ok := c.dirs[importPath]; ok {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		texts = map[string][]byte{}
		for _, name := range names {
			if match, err := build.Default.MatchFile(dir, filepath.Base(name)); err == nil && match && !strings.HasSuffix(name, "_test.go") {
				if texts[name], err = os.ReadFile(name); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file, err := parser.ParseFile(c.fset, name, texts[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func (c *checker) Import(importPath string) (*types.Package, error) {
	if pkg, ok := c.done[importPath]; ok && pkg == nil {
		return nil, errors.New("it imports itself")
	} else if ok {
		return pkg, nil
	}
	if own, ok := strings.CutPrefix(importPath, "github.com/kubegen/kubegen/"); ok && (importPath == load.Consistency || strings.HasPrefix(importPath, load.Conversion)) {
		c.dirs[importPath] = filepath.Join(moduletest.Root, filepath.FromSlash(own))
	} else if c.dirs[importPath] == "" && c.texts[importPath] == nil {
		if c.alone {
			return nil, errors.New("it is elsewhere")
		}
		return importCompiled(importPath)
	}
	files, err := c.parse(importPath)
	if err != nil {
		return nil, err
	}
	c.done[importPath] = nil
	files = append(files, c.deepCopies(files)...)
	var errs []error
	config := types.Config{Importer: c, Error: func(err error) {
		if c.alone && unknownImport.MatchString(err.Error()) {
			return
		}
		if typeError, ok := err.(types.Error); !ok || !strings.HasPrefix(filepath.Base(c.fset.Position(typeError.Pos).Filename), "broken") {
			errs = append(errs, err)
		}
	}}
	pkg, _ := config.Check(importPath, c.fset, files, nil)
	c.done[importPath] = pkg
	return pkg, errors.Join(errs...)
}

// deepCopies returns a file with the DeepCopyObject methods that a package lacks, so that archives need none: API types
// are what embeds TypeMeta, or has a list.
func (c *checker) deepCopies(files []*ast.File) []*ast.File {
	var methods strings.Builder
	have, declared := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		for _, d := range file.Decls {
			if gen, ok := d.(*ast.GenDecl); ok {
				for _, spec := range gen.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok && embedsTypeMeta(typ) {
						declared[typ.Name.Name] = true
					}
				}
			}
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "DeepCopyObject" {
				if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
					have[types.ExprString(star.X)] = true
				}
			}
		}
	}
	for _, file := range files {
		for _, d := range file.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				if typ, ok := spec.(*ast.TypeSpec); ok && (embedsTypeMeta(typ) || declared[typ.Name.Name+"List"]) && typ.TypeParams == nil && !have[typ.Name.Name] {
					fmt.Fprintf(&methods, "func (x *%s) DeepCopyObject() runtime.Object { return x }\n", typ.Name.Name)
				}
			}
		}
	}
	if methods.Len() == 0 {
		return nil
	}
	text := "package " + files[0].Name.Name + "\nimport \"k8s.io/apimachinery/pkg/runtime\"\n" + methods.String()
	file, err := parser.ParseFile(c.fset, "deepcopy.go", text, parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	return []*ast.File{file}
}

func embedsTypeMeta(typ *ast.TypeSpec) bool {
	structType, ok := typ.Type.(*ast.StructType)
	if !ok || typ.TypeParams != nil {
		return false
	}
	for _, field := range structType.Fields.List {
		if sel, ok := field.Type.(*ast.SelectorExpr); ok && len(field.Names) == 0 && sel.Sel.Name == "TypeMeta" {
			return true
		}
	}
	return false
}

// importCompiled returns a package that a client depends on.
func importCompiled(importPath string) (*types.Package, error) {
	exports, err := compiled()
	if err != nil {
		return nil, err
	}
	exports.Lock()
	defer exports.Unlock()
	return exports.Import(importPath)
}

// exportData imports what the compiler knows of packages.
type exportData struct {
	sync.Mutex
	files map[string]string // where that is, by import path
	types.Importer
}

// compiled compiles what generated code and API packages import, once.
var compiled = sync.OnceValues(func() (*exportData, error) {
	list := exec.Command("go", "list", "-modfile="+moduletest.Client, "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "k8s.io/client-go/kubernetes/fake", "k8s.io/client-go/informers",
		"k8s.io/client-go/util/apply", "k8s.io/client-go/discovery/fake", "k8s.io/client-go/util/retry", "std")
	list.Dir, list.Env = moduletest.Releases, append(os.Environ(), "GOWORK=off")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		importPath, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[importPath] = file
	}
	return &exportData{files: files, Importer: importer.ForCompiler(token.NewFileSet(), "gc", func(importPath string) (io.ReadCloser, error) {
		if files[importPath] == "" {
			return nil, fmt.Errorf("package %s is not among what a client depends on", importPath)
		}
		return os.Open(files[importPath])
	})}, nil
})
