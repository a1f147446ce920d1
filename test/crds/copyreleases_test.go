package crds_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestCopiesOfReleases copies the types of public modules into a module that requires only client-go, of an old and a
// new release. All copies compile, need no other module, and do nothing when a program starts.
func TestCopiesOfReleases(t *testing.T) {
	bin := moduletest.Build(t, "kubegen")
	for _, release := range []string{"v0.35", "v0.37"} {
		t.Run(release, func(t *testing.T) {
			project, packages, refused := t.TempDir(), 0, 0
			write(t, filepath.Join(project, "go.mod"), []byte("module example.com/copies\n\ngo 1.24.0\n"))
			goIn(t, project, "", "get", "k8s.io/client-go@"+release)
			before := goIn(t, project, "", "list", "-m", "-f", "{{.Path}}", "all")
			for i, m := range copiedModules(t) {
				cmd := exec.Command(filepath.Join(bin, "kubegen"), append(m.importInto(fmt.Sprintf("copy%d", i)), "--types-only")...)
				cmd.Dir, cmd.Env = project, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
				out, err := cmd.CombinedOutput()
				switch {
				case m.options["refused"] && err == nil:
					t.Errorf("%s: not refused", m.path)
				case m.options["refused"] && bytes.Contains(out, []byte(".go:")):
					refused += len(m.packages)
				case err != nil:
					t.Errorf("%s: %v\n%s", m.path, err, out)
				default:
					packages += len(m.packages)
				}
			}
			goIn(t, project, "", "mod", "tidy")
			for _, r := range moduletest.ModFile(t, filepath.Join(project, "go.mod")).Require {
				if !r.Indirect && !strings.Contains(before, r.Mod.Path+"\n") {
					t.Errorf("go.mod requires %s", r.Mod)
				}
			}
			reportStarts(t, project)
			goIn(t, project, "", "vet", "./...")
			fmt.Printf("copies with client-go %s: %d packages compile, %d are refused\n", release, packages, refused)
		})
	}
}

// reportStarts reports what the copies in a directory, other than their registration, do when a program starts.
func reportStarts(t *testing.T, dir string) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		text, readErr := []byte(nil), error(nil)
		if err == nil && strings.HasPrefix(entry.Name(), "zz_generated.") && !strings.HasSuffix(name, ".register.go") {
			text, readErr = os.ReadFile(name)
		}
		if err != nil || readErr != nil || !bytes.Contains(text, []byte("\n// Checksum: sha256:")) {
			return err
		}
		syntax, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: init runs", fset.Position(d.Pos()))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if value, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						ast.Inspect(value, func(n ast.Node) bool {
							if call, ok := n.(*ast.CallExpr); ok {
								if _, converts := call.Fun.(*ast.ArrayType); !converts {
									t.Errorf("%s: the value of %s calls a function", fset.Position(n.Pos()), value.Names[0].Name)
								}
							}
							_, isFunction := n.(*ast.FuncLit)
							return !isFunction // which does not run
						})
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
