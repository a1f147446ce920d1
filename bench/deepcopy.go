//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const deepCopyFile = "zz_generated.deepcopy.go"

// measureDeepCopy runs gen-deepcopy and deepcopy-gen in turn on all of k8s.io/api, each on a copy of its own: they write
// beside the types.
func measureDeepCopy(n int, temp string) (generate sides, err error) {
	module, err := output("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api")
	if err != nil {
		return generate, err
	}
	tools := []string{"gen-deepcopy", "deepcopy-gen"}
	dirs := make([]string, len(tools))
	for i, tool := range tools {
		dirs[i] = filepath.Join(temp, "api-"+tool)
		if err := os.CopyFS(dirs[i], os.DirFS(strings.TrimSpace(module))); err != nil {
			return generate, err
		}
	}
	for i := range n + 1 {
		for j, tool := range tools {
			if err := removeDeepCopies(dirs[j]); err != nil {
				return generate, err
			}
			spent, err := spend(dirs[j], [][]string{{filepath.Join(temp, "bin", tool), "--output-file", deepCopyFile, "./..."}})
			switch {
			case err != nil:
				return generate, err
			case i == 0: // the warm-up
			case j == 0:
				generate.kubegen = append(generate.kubegen, spent)
			default:
				generate.upstream = append(generate.upstream, spent)
			}
		}
	}
	return generate, sameDirs(dirs[0], dirs[1])
}

// deepCopies returns the files with DeepCopy methods below dir, sorted.
func deepCopies(dir string) ([]string, error) {
	files, err := goFiles(dir)
	return slices.DeleteFunc(files, func(name string) bool { return filepath.Base(name) != deepCopyFile }), err
}

func removeDeepCopies(dir string) error {
	files, err := deepCopies(dir)
	for _, name := range files {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}
