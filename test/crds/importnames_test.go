package crds_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestImportedNames imports two releases of public modules. Whatever is in the schemas of both has the same Go name in both.
func TestImportedNames(t *testing.T) {
	bin := moduletest.Build(t, "kubegen")
	project := keep(t, t.TempDir())
	moduletest.Write(t, project, []byte("module example.com/imports\n"))
	paths, gone := 0, 0
	for i, h := range histories {
		if !h.quick && !*allHistories {
			continue
		}
		nextDir := h.nextDir
		if nextDir == "" {
			nextDir = h.dir
		}
		var names [2]map[string]string
		for release, in := range []struct{ version, dir string }{{h.before, h.dir}, {h.after, nextDir}} {
			out := fmt.Sprintf("h%d-%d", i, release)
			manifests := filepath.Join(download(t, publicModule{path: h.module, version: in.version}), in.dir)
			args := []string{"import", "--types-only", "--core-types=false", "--output-dir", out}
			files, err := filepath.Glob(filepath.Join(manifests, "*.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				if !strings.HasPrefix(filepath.Base(file), "kustom") {
					args = append(args, file)
				}
			}
			runIn(t, project, bin, args...)
			names[release] = goNames(t, filepath.Join(project, out))
		}
		for _, at := range slices.Sorted(maps.Keys(names[0])) {
			now, ok := names[1][at]
			if !ok {
				gone++
				continue
			}
			paths++
			if was := names[0][at]; was != now {
				t.Errorf("%s: %s was %s, and is %s in %s", h.module, at, was, now, h.after)
			}
		}
	}
	fmt.Printf("imports: %d fields of two releases have the same Go names in both; %d are no longer there\n", paths, gone)
	if paths == 0 {
		t.Error("no field is in two releases")
	}
}

// goNames returns the Go names of all fields of imported kinds, by their paths: "certmanager/v1 Certificate.spec.secretName" is "CertificateSpec.SecretName".
func goNames(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "zz_generated.types.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no types in %s: %v", dir, err)
	}
	found := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, filepath.Dir(name))
		types := map[string]ast.Expr{}
		for _, d := range file.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
				for _, spec := range gen.Specs {
					types[spec.(*ast.TypeSpec).Name.Name] = spec.(*ast.TypeSpec).Type
				}
			}
		}
		var visit func(at, typ string, e ast.Expr)
		visit = func(at, typ string, e ast.Expr) {
			switch e := e.(type) {
			case *ast.StarExpr:
				visit(at, typ, e.X)
			case *ast.ArrayType:
				visit(at, typ, e.Elt)
			case *ast.MapType:
				visit(at, typ, e.Value)
			case *ast.Ident:
				if under, ok := types[e.Name]; ok {
					visit(at, e.Name, under)
				}
			case *ast.StructType:
				for _, f := range e.Fields.List {
					if len(f.Names) == 0 || f.Tag == nil {
						continue
					}
					tag, _ := strconv.Unquote(f.Tag.Value)
					json, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
					found[at+"."+json] = typ + "." + f.Names[0].Name
					visit(at+"."+json, typ, f.Type)
				}
			}
		}
		for name, under := range types {
			if s, ok := under.(*ast.StructType); ok && len(s.Fields.List) > 0 && len(s.Fields.List[0].Names) == 0 && !strings.HasSuffix(name, "List") {
				visit(rel+" "+name, name, under)
			}
		}
	}
	return found
}
