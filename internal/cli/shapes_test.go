package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestApplyShapes generates apply configurations for fields of every type that comes of two wrappings of a type, and
// expects the result to compile. The only complaints are of what Kubernetes itself cannot handle.
func TestApplyShapes(t *testing.T) {
	wrappings := []string{
		"%s", "*%s", "[]%s", "[2]%s", "map[string]%s", "map[Mode]%s", "Box[%s]", "Alias[%s]", "Pair[string, %s]", "struct{ Inner %s `json:\"inner\"` }",
	}
	elements := []string{
		"string", "bool", "byte", "float64", "any", "Mode", "Modes", "Item", "hidden", "Node", "Renamed", "runtime.Object",
		"metav1.Time", "metav1.LabelSelector", "runtime.RawExtension", "corev1.Container", "corev1.ResourceList", "time.Duration",
	}
	var fields strings.Builder
	n := 0
	for _, outer := range wrappings {
		for _, inner := range wrappings {
			for _, element := range elements {
				n++
				fmt.Fprintf(&fields, "\tF%d %s `json:\"f%[1]d\"`\n", n, fmt.Sprintf(outer, fmt.Sprintf(inner, element)))
			}
		}
	}
	dir := t.TempDir()
	sum, _ := os.ReadFile(filepath.Join(packageDir, "..", "..", "go.sum"))
	writeFile(t, filepath.Join(dir, "go.mod"), completeGoMod(t, txtar.File{Name: "go.mod", Data: []byte("module example.com/api\n")}))
	writeFile(t, filepath.Join(dir, "go.sum"), sum)
	writeFile(t, filepath.Join(dir, "apis", "stable", "v1", "types.go"), []byte(`// +groupName=stable.example.com
package v1

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type (
	Mode    string
	Modes   []Mode
	Renamed Item
	Item    struct{ Name string `+"`json:\"name\"`"+` }
	hidden  struct{ Name string `+"`json:\"name\"`"+` }
	Node    struct{ Nodes []Node `+"`json:\"nodes\"`"+` }

	Alias[T any]   = []T
	Box[T any]     struct{ Content T `+"`json:\"content\"`"+` }
	Pair[A, B any] struct{
		First  A `+"`json:\"first\"`"+`
		Second B `+"`json:\"second\"`"+`
	}
)

// +genclient
// +genclient:skipVerbs=list,watch,deleteCollection
type Thing struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata\"`"+`
`+fields.String()+"}\n"))
	t.Chdir(dir)
	var stdout, stderr bytes.Buffer
	if code := Main(GenApplyConfiguration, []string{"--output-dir", "gen", "./apis/..."}, &stdout, &stderr); code != exitDone {
		t.Fatalf("exit code %d:\n%s", code, stderr.String())
	}
	for line := range strings.Lines(stderr.String()) {
		if !strings.Contains(line, "is an array or a pointer to a pointer") {
			t.Error(line)
		}
	}
	typeCheck(t, dir)
}
