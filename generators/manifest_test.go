package generators

import (
	"go/token"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/templates"
)

// Every template is some output's, and the other way round, but for those that only define parts.
func TestManifestNamesAllTemplates(t *testing.T) {
	var named, present []string
	for _, g := range []Generator{ApplyConfigurations, Clientset, Listers, Informers} {
		for _, o := range g.Outputs {
			named = append(named, o.Template)
		}
	}
	err := fs.WalkDir(templates.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go.tmpl") {
			present = append(present, name)
		}
		return err
	})
	slices.Sort(named)
	if err != nil || !slices.Equal(named, present) {
		t.Errorf("the manifests name\n%q, but there are (%v)\n%q", named, err, present)
	}
}

// The folders of templates mirror those of the output, so that a reader finds one by the other.
func TestTemplatesLieLikeOutputs(t *testing.T) {
	what := map[Scope]string{PerResource: "kind", PerStruct: "struct"}
	for g, root := range map[*Generator]string{&Clientset: "clientset/", &Listers: "listers/", &Informers: "informers/", &ApplyConfigurations: "applyconfigurations/"} {
		for _, o := range g.Outputs {
			place := strings.NewReplacer("{group}", "group", "{Group}", "group", "{version}", "version", "{kind}", what[o.Scope]).Replace(o.Path)
			if want := root + place + ".tmpl"; o.Template != want {
				t.Errorf("the template of %s is %s, want %s", o.Path, o.Template, want)
			}
		}
	}
}

// All that is generated is made of packages that the go.mod of a client-go user has: structured-merge-diff, which
// client-go's own apply configurations need, is there, too.
func TestTemplatesImportClientGoAlone(t *testing.T) {
	for qualifier, importPath := range templates.Imports {
		if !token.IsIdentifier(qualifier) {
			t.Errorf("%q cannot qualify anything", qualifier)
		}
		first, _, _ := strings.Cut(importPath, "/")
		known := slices.ContainsFunc([]string{"k8s.io/client-go/", "k8s.io/apimachinery/", "sigs.k8s.io/structured-merge-diff/"}, func(module string) bool {
			return strings.HasPrefix(importPath, module)
		})
		if strings.Contains(first, ".") && !known {
			t.Errorf("templates import %s; generated code may depend on client-go and apimachinery only", importPath)
		}
	}
}
