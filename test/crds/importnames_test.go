package crds_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/imported/importer"
)

// TestImportedNames imports two releases of public modules. Whatever is in the schemas of both has the same Go name
// in both.
func TestImportedNames(t *testing.T) {
	bin, project := importProject(t)
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
			args := []string{"import", "--types-only", "--core-types=false", "--output-dir", out}
			runIn(t, project, bin, append(args, manifestsOf(t, publicModule{path: h.module, version: in.version}, in.dir)...)...)
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

// revisions are the last ten minor releases of public APIs, with the directory of the manifests.
var revisions = []struct {
	module, dir string
	versions    []string
}{
	{"github.com/cert-manager/cert-manager", "deploy/crds",
		[]string{"v1.12.0", "v1.13.6", "v1.14.7", "v1.15.5", "v1.16.5", "v1.17.4", "v1.18.2", "v1.19.5", "v1.20.2", "v1.21.2"}},
	{"sigs.k8s.io/gateway-api", "config/crd/experimental",
		[]string{"v0.6.2", "v0.7.1", "v0.8.1", "v1.0.0", "v1.1.1", "v1.2.1", "v1.3.0", "v1.4.1", "v1.5.1", "v1.6.3"}},
	{"istio.io/api", "kubernetes",
		[]string{"v1.22.0", "v1.23.0", "v1.24.0", "v1.25.0", "v1.26.0", "v1.27.0", "v1.28.0", "v1.29.0", "v1.30.8", "v1.31.4"}},
}

// TestRevisions imports one release after the other into a directory. What is still in the schema keeps its Go name,
// and the report of each run names what is not. An ordinary run has the last three releases.
func TestRevisions(t *testing.T) {
	bin, project := importProject(t)
	kept, gone := 0, 0
	for i, r := range revisions {
		versions := r.versions
		if !*allHistories {
			versions = versions[len(versions)-3:]
		}
		out := fmt.Sprint("r", i)
		var before map[string]string
		for _, version := range versions {
			args := []string{"import", "--types-only", "--output-dir", out}
			args = append(args, manifestsOf(t, publicModule{path: r.module, version: version}, r.dir)...)
			removed := removedNames(runIn(t, project, bin, slices.Insert(slices.Clone(args), 1, "--dry-run")...), "example.com/imports/"+out+"/")
			runIn(t, project, bin, args...)
			now := goNames(t, filepath.Join(project, out))
			for _, at := range slices.Sorted(maps.Keys(before)) {
				was := before[at]
				if is, ok := now[at]; ok {
					kept++
					if is != was {
						t.Errorf("%s: %s was %s, and is %s in %s", r.module, at, was, is, version)
					}
					continue
				}
				gone++
				pkg, name, _ := strings.Cut(was, " ")
				typ, _, _ := strings.Cut(name, ".")
				if !removed[pkg] && !removed[pkg+" "+typ] && !removed[was] {
					t.Errorf("%s: %s, %s, is not in %s, which the report does not say", r.module, at, was, version)
				}
			}
			before = now
		}
	}
	fmt.Printf("revisions: %d fields keep their Go names in the next release; the reports name the %d that are no longer there\n", kept, gone)
	if kept == 0 || gone == 0 {
		t.Error("no field is in two releases, or none is removed")
	}
}

// removedNames returns what a report says is removed from the packages below a path: PACKAGE NAME, or PACKAGE for all
// of one.
func removedNames(report, path string) map[string]bool {
	removed, pkg := map[string]bool{}, ""
	for line := range strings.Lines(report) {
		entry, isEntry := strings.CutPrefix(line, "\t\t")
		heading, isHeading := strings.CutPrefix(line, "\t"+path)
		name, what, _ := strings.Cut(entry, ": ")
		switch {
		case isHeading:
			pkg = strings.TrimSpace(heading)
		case isEntry && strings.HasPrefix(entry, "the package is removed"):
			removed[pkg] = true
		case isEntry:
			removed[pkg+" "+name] = strings.HasPrefix(what, "removed")
		}
	}
	return removed
}

// manifestsOf returns the files with manifests in a directory of a module.
func manifestsOf(t *testing.T, m publicModule, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(download(t, m), dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasPrefix(filepath.Base(file), "kustom") })
}

// goNames returns the Go names of all fields of imported kinds, by their paths: "cert-manager.io/v1
// Certificate.spec.secretName" is "cert-manager/v1 CertificateSpec.SecretName".
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
		doc, err := os.ReadFile(filepath.Join(filepath.Dir(name), "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		group := importer.GroupOf(doc)
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
					found[at+"."+json] = rel + " " + typ + "." + f.Names[0].Name
					visit(at+"."+json, typ, f.Type)
				}
			}
		}
		for name, under := range types {
			if s, ok := under.(*ast.StructType); ok && len(s.Fields.List) > 0 && len(s.Fields.List[0].Names) == 0 && !strings.HasSuffix(name, "List") {
				visit(group+"/"+filepath.Base(rel)+" "+name, name, under)
			}
		}
	}
	return found
}
