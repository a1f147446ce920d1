package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// unpack writes the files of an archive into a directory. The contents of a file whose name is followed by a kind, a
// group and a package, as in "apis/stable/v1/types.go CronTab stable.example.com/v1", are those of ordinary types.
func unpack(t *testing.T, dir string, files []txtar.File) {
	t.Helper()
	for _, f := range files {
		name, kind, ordinary := strings.Cut(f.Name, " ")
		if ordinary {
			f.Data = []byte(ordinaryTypes(t, kind))
		}
		writeFile(t, filepath.Join(dir, name), f.Data)
	}
}

// ordinaryTypes returns types without anything special: a kind without a spec, with a client and a list.
func ordinaryTypes(t *testing.T, kind string) string {
	kind, version, ok := strings.Cut(kind, " ")
	group, pkg, isVersion := strings.Cut(version, "/")
	if !ok || !isVersion {
		t.Fatalf("%s %s is not of the form KIND GROUP/PACKAGE", kind, version)
	}
	return strings.NewReplacer("GROUP", group, "PACKAGE", pkg, "KIND", kind).Replace(`// +groupName=GROUP
package PACKAGE

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func AddToScheme(*runtime.Scheme) error { return nil }

// +genclient
type KIND struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
}

type KINDList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items           []KIND ` + "`json:\"items\"`" + `
}
`)
}
