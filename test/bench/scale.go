//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"
)

// kindsOfGroup is the number of kinds in each group of the APIs that scales generates.
const kindsOfGroup = 50

// scales prints the time and memory of kubegen for APIs of the given numbers of kinds, for new files and for --verify.
func scales(temp string, sizes []int) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "kinds\tgroups\tfiles\tmeasure\twall s\tCPU s\tCPU ms per kind\tpeak MB\t")
	for _, kinds := range sizes {
		say("Measuring %d kinds.", kinds)
		dir := filepath.Join(temp, fmt.Sprint("scale", kinds))
		if err := writeAPI(dir, kinds); err != nil {
			return err
		}
		command := []string{filepath.Join(temp, "bin", "kubegen"), "--with-register", "--output-dir", "generated", "./apis/..."}
		for _, measure := range []string{"generate", "--verify"} {
			args := command
			if measure == "--verify" {
				args = append(args[:len(args):len(args)], measure)
			}
			spent, err := spend(dir, [][]string{args})
			if err != nil {
				return err
			}
			files, err := countFiles(filepath.Join(dir, "generated"))
			if err != nil {
				return err
			}
			fmt.Fprintf(table, "%d\t%d\t%d\t%s\t%.2f\t%.2f\t%.1f\t%.0f\t\n", kinds, kinds/kindsOfGroup, files, measure,
				spent.wall.Seconds(), spent.cpu.Seconds(), spent.cpu.Seconds()*1000/float64(kinds), float64(spent.peak)/1e6)
		}
	}
	return table.Flush()
}

// writeAPI writes a module with an API of the given number of kinds.
func writeAPI(dir string, kinds int) error {
	files := map[string]string{}
	for group := range kinds / kindsOfGroup {
		pkg := fmt.Sprintf("apis/group%d/v1/", group)
		files[pkg+"register.go"] = fmt.Sprintf(registration, group)
		types := "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"
		for kind := range kindsOfGroup {
			types += fmt.Sprintf(kindTypes, fmt.Sprintf("Widget%d", kind))
		}
		files[pkg+"types.go"] = types
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return writeModule(dir, "example.com/scale")
}

// writeFile writes a file, and makes its directory.
func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// writeModule writes the go.mod and go.sum of a module that requires the newest release of client-go.
func writeModule(dir, path string) error {
	for _, ext := range []string{".mod", ".sum"} {
		text, err := os.ReadFile("../conformance/releases/v0.37" + ext)
		if err != nil {
			return err
		}
		text = bytes.Replace(text, []byte("module conformance\n"), []byte("module "+path+"\n"), 1)
		if err := os.WriteFile(filepath.Join(dir, "go"+ext), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// registration is the file of a group, with a verb for its number.
const registration = `// +groupName=group%d.example.com
package v1
`

// kindTypes are the types of a kind with various fields.
const kindTypes = `
// %[1]s is a kind.
//
// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type %[1]s struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec   %[1]sSpec   ` + "`json:\"spec\"`" + `
	Status %[1]sStatus ` + "`json:\"status,omitempty\"`" + `
}

// %[1]sSpec is what users want.
type %[1]sSpec struct {
	// Image is what runs.
	Image    string                ` + "`json:\"image\"`" + `
	Replicas *int32                ` + "`json:\"replicas,omitempty\"`" + `
	Paused   bool                  ` + "`json:\"paused,omitempty\"`" + `
	Args     []string              ` + "`json:\"args,omitempty\"`" + `
	Selector *metav1.LabelSelector ` + "`json:\"selector,omitempty\"`" + `
	Labels   map[string]string     ` + "`json:\"labels,omitempty\"`" + `
}

// %[1]sStatus is what was seen.
type %[1]sStatus struct {
	Ready      int32              ` + "`json:\"ready,omitempty\"`" + `
	Conditions []metav1.Condition ` + "`json:\"conditions,omitempty\"`" + `
}

// %[1]sList is a list.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type %[1]sList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `

	Items []%[1]s ` + "`json:\"items\"`" + `
}
`

// countFiles returns the number of files below a directory.
func countFiles(dir string) (n int, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	})
	return n, err
}
