//go:build unix

package main

import (
	"os"
	"path/filepath"
	"text/tabwriter"
)

// day measures the loop of docs/reference/loop.md for the API of kueue, and controller-gen for its code and manifests.
func day(n int, temp string) error {
	bin := func(name string) string { return filepath.Join(temp, "bin", name) }
	for module, command := range map[string]string{"../../apilint": "./cmd/apilint", "../../fakeapi/crdvalidation": "./cmd/crdtest"} {
		if _, err := output("go", "build", "-C", module, "-o", bin(""), command); err != nil {
			return err
		}
	}
	restore, err := withoutWorkspace()
	if err != nil {
		return err
	}
	defer restore()
	const crds, header = "config/components/crd/bases", "hack/boilerplate.go.txt"
	dirs := [2]string{}
	for side := range dirs {
		if dirs[side], err = copyModule("sigs.k8s.io/kueue@v0.17.0", temp); err != nil {
			return err
		}
	}
	found := func(command string) []string {
		return []string{"sh", "-c", command + " >findings.txt 2>&1 || test $? = 1"}
	}
	flows := [2][][]string{
		{
			{
				bin("kubegen"), "--only=deepcopy,crd,reference", "--boilerplate=" + header, "--crd-embedded-object-meta",
				"--with-crds=" + crds, "--with-reference=docs/api", "./apis/...",
			},
			found(bin("apilint") + " -c .golangci-kal.yaml ./apis/..."),
			found(bin("crdtest") + " -crds " + crds + " -server v1.33,v1.37"),
			found(bin("crdtest") + " -crds " + crds + " -samples keps"),
		},
		{
			{bin("controller-gen"), "object:headerFile=" + header, "paths=./apis/..."},
			{bin("controller-gen"), "crd:generateEmbeddedObjectMeta=true", "output:crd:artifacts:config=" + crds, "paths=./apis/..."},
		},
	}
	c := &costs{sides: []string{"kubegen, apilint, crdtest", "controller-gen"}}
	for run := range n + 1 {
		for side, commands := range flows {
			spent, err := spend(dirs[side], commands)
			if err != nil {
				return err
			}
			if run > 0 { // the first compiles and fills caches
				c.add("CPU s", side, spent.cpu.Seconds())
				c.add("wall s", side, spent.wall.Seconds())
			}
		}
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	c.header(table)
	c.print(table, "day")
	return table.Flush()
}
