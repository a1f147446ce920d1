//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
)

// roundTrip measures the generated test of a conversion between versions of a kind with the template of a Pod, compiled
// beforehand.
func roundTrip(n int, temp string) error {
	dir := filepath.Join(temp, "roundtrip")
	for _, version := range []string{"v1", "v1beta1"} {
		hub, kept := "", ""
		if version == "v1" {
			hub = "\n// +kubebuilder:storageversion\n// +kubegen:conversion:hub"
			kept = "// +kubegen:conversion:restore\n\tName string `json:\"name,omitempty\"`"
		}
		types := fmt.Sprintf(templateTypes, version, hub, kept)
		if err := writeFile(filepath.Join(dir, "api", version, "types.go"), types); err != nil {
			return err
		}
	}
	module, err := filepath.Abs("../../conversion")
	if err != nil {
		return err
	}
	if err := writeModule(dir, "example.com/roundtrip"); err != nil {
		return err
	}
	restore, err := withoutWorkspace()
	if err != nil {
		return err
	}
	defer restore()
	const conversion = "github.com/kubegen/kubegen/conversion"
	if _, err := spend(dir, [][]string{
		{"go", "mod", "edit", "-require=" + conversion + "@v0.0.0", "-replace=" + conversion + "=" + module},
		{filepath.Join(temp, "bin", "kubegen"), "--only", "crd,deepcopy,register,conversion", "./api/..."},
		{"go", "test", "-c", "-o", "roundtrip.test", "./api/v1beta1"},
	}); err != nil {
		return err
	}
	c := &costs{sides: []string{"kubegen"}}
	for range n {
		spent, err := spend(dir, [][]string{{"./roundtrip.test"}})
		if err != nil {
			return err
		}
		c.add("CPU s", 0, spent.cpu.Seconds())
		c.add("wall s", 0, spent.wall.Seconds())
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	c.header(table)
	c.print(table, "roundtrip")
	return table.Flush()
}

// templateTypes are the types of a version, with markers of the kind and a field of elements of a list.
const templateTypes = `// +groupName=example.com
package %[1]s

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true%[2]s
type Job struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec JobSpec ` + "`json:\"spec,omitempty\"`" + `
}

type JobSpec struct {
	Template corev1.PodTemplateSpec ` + "`json:\"template\"`" + `
	Tasks    []Task                 ` + "`json:\"tasks,omitempty\"`" + `
}

type Task struct {
	%[3]s
	Parallelism int32                   ` + "`json:\"parallelism,omitempty\"`" + `
	Template    *corev1.PodTemplateSpec ` + "`json:\"template,omitempty\"`" + `
}
`
