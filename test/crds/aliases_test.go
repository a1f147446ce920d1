package crds_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/crd"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// aliasing is a way in which a field has an instance of a generic type.
type aliasing struct {
	body, method, marker string // of the generic type, and above each alias
	generic              bool   // the first alias is generic
	pointer              bool   // the first alias after it is of a pointer
	length               int    // number of aliases after it
	aliases, last        bool   // the aliases, or the last one only, are in the package of the kind
}

// aliasings returns all of them but for those with which controller-gen panics, and lists and maps with a method, of
// which it says that they have two types.
func aliasings() (all []aliasing) {
	for _, body := range []string{"struct{ V T `json:\"-\"` }", "struct{ V T `json:\"v\"`; A int32 `json:\"a\"` }", "[]string", "map[string]int32", "string"} {
		for _, method := range []string{"", "MarshalJSON", "MarshalText"} {
			if method != "" && (body == "[]string" || body == "map[string]int32") {
				continue
			}
			for _, marker := range []string{"", "// +kubebuilder:validation:Type=string"} {
				for _, generic := range []bool{false, true} {
					for length := range 3 {
						all = append(all,
							aliasing{body, method, marker, generic, false, length, true, true},
							aliasing{body, method, marker, generic, false, length, false, false},
							aliasing{body, method, marker, generic, true, length, false, false},
						)
						if body != "string" {
							all = append(all, aliasing{body, method, marker, generic, false, length, false, true})
						}
					}
				}
			}
		}
	}
	return all
}

// write writes the packages of an aliasing.
func (a aliasing) write(t *testing.T, i int, dir string) {
	t.Helper()
	pick := func(texts ...string) string { return texts[i%len(texts)] }
	types := "// G is generic.\n// +kubebuilder:pruning:PreserveUnknownFields\ntype G[T any] " + a.body + "\n"
	if a.method != "" {
		types += fmt.Sprintf("func (%sG[T]) %s() ([]byte, error) { return nil, nil }\n", pick("", "*"), a.method)
	}
	last := "G"
	alias := func(params, args string) string {
		name := fmt.Sprintf("A%d", strings.Count(types, " = "))
		text := fmt.Sprintf("// %s is an alias.\n%s\ntype %s%s = %s%s\n", name, a.marker, name, params, last, args)
		last = name
		return text
	}
	if a.generic {
		types += alias("[T any]", "[T]")
	}
	if a.pointer {
		last = "*" + last
	}
	types += alias("", "["+pick("int", "any", "*string", "[]string", "map[string]any")+"]")
	for range a.length {
		types += alias("", "")
	}
	path, imports, own := fmt.Sprintf("c%d", i), "", types
	if !a.aliases {
		write(t, filepath.Join(dir, path, "base/types.go"), []byte("package base\n"+types))
		imports, own, last = fmt.Sprintf("import %q\n", "example.com/random/"+path+"/base"), "", "base."+last
		if a.last {
			own = alias("", "")
		}
	}
	write(t, filepath.Join(dir, path, "v1/types.go"), fmt.Appendf(nil, `// +groupName=%s.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
%s
%s
// +kubebuilder:object:root=true
type Kind struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`

	// F is a field.
	F %s%s `+"`json:\"f\"`"+`
}
`, path, imports, own, pick("", "*", "[]", "map[string]"), last))
}

// TestAliases compares manifests of kinds that have instances of generic types through aliases, and which of them both
// tools refuse.
func TestAliases(t *testing.T) {
	dir, all := randomModule(t), aliasings()
	for i, a := range all {
		a.write(t, i, dir)
	}
	out := t.TempDir()
	cmd := exec.Command(controllerGen(t), "crd", "paths=./...", "output:dir="+out)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	text, _ := cmd.CombinedOutput()
	want := map[string]bool{}
	for _, match := range regexp.MustCompile(`\b(c\d+)/\w+`).FindAllStringSubmatch(string(text), -1) {
		want[match[1]] = true
	}
	got, diags := generate(t, dir, crd.Options{}, "./...")
	refused := map[string]bool{}
	for _, d := range diags {
		if match := regexp.MustCompile(`/(c\d+)/`).FindStringSubmatch(d.Pos.Filename); d.Severity == diag.Error && match != nil {
			refused[match[1]] = true
		}
	}
	equal := 0
	for i, a := range all {
		name := fmt.Sprintf("c%d", i)
		if refused[name] != want[name] {
			t.Errorf("%s: %+v: controller-gen refuses it: %v", name, a, want[name])
			continue
		}
		if want[name] {
			continue
		}
		file := name + ".example.com_kinds.yaml"
		reference, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Error(err)
			continue
		}
		equal += compare(t, map[string]string{file: got[file]}, map[string]string{file: string(reference)})
	}
	if t.Failed() {
		t.Logf("%s\nsee %s", text, keep(t, dir))
	}
	fmt.Printf("crds: %d manifests with aliases of instances are equal, and both tools refuse %d\n", equal, len(refused))
}
