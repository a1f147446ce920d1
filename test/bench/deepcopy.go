//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const deepCopyFile = "zz_generated.deepcopy.go"

// measureDeepCopy runs gen-deepcopy and deepcopy-gen in turn on all of k8s.io/api.
func measureDeepCopy(n int, temp string) (generate sides, err error) {
	command := func(tool string) func(string) [][]string {
		return func(string) [][]string {
			return [][]string{{filepath.Join(temp, "bin", tool), "--output-file", deepCopyFile, "./..."}}
		}
	}
	return measureBeside(n, filepath.Join(temp, "deepcopy"), command("gen-deepcopy"), command("deepcopy-gen"))
}

// measureAll runs kubegen with all generators, and the six classic tools one after the other, in turn on all of
// k8s.io/api.
func measureAll(in input, n int, temp string) (generate sides, err error) {
	packages, err := genclientPackages(in)
	if err != nil {
		return generate, err
	}
	bin := filepath.Join(temp, "bin")
	return measureBeside(n, filepath.Join(temp, "all"), func(out string) [][]string {
		commands := kubegenCommands(in, bin, out, []string{"./..."})
		commands[0] = slices.Insert(commands[0], 1, "--with-deepcopy", "--with-register")
		return commands
	}, func(out string) [][]string {
		return append(upstreamCommands(in, bin, out, packages),
			[]string{filepath.Join(bin, "deepcopy-gen"), "--output-file", deepCopyFile, "./..."},
			[]string{filepath.Join(bin, "register-gen"), "--output-file", "zz_generated.register.go", "./..."})
	})
}

// measureBeside runs the commands of both sides in turn. Each side has its own copy of k8s.io/api below dir, because
// the commands write into the packages of the types, and a new directory for other output.
func measureBeside(n int, dir string, ours, theirs func(out string) [][]string) (generate sides, err error) {
	module, err := output("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api")
	if err != nil {
		return generate, err
	}
	commands := []func(string) [][]string{ours, theirs}
	copies, outs := make([]string, len(commands)), make([]string, len(commands))
	for i := range commands {
		copies[i] = filepath.Join(dir, []string{"kubegen", "upstream"}[i])
		if err := os.CopyFS(copies[i], os.DirFS(strings.TrimSpace(module))); err != nil {
			return generate, err
		}
	}
	for i := range n + 1 {
		for j := range commands {
			if err := removeDeepCopies(copies[j]); err != nil {
				return generate, err
			}
			outs[j] = fmt.Sprintf("%s-out-%d", copies[j], i)
			if err := os.Mkdir(outs[j], 0o755); err != nil {
				return generate, err
			}
			spent, err := spend(copies[j], commands[j](outs[j]))
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
	return generate, errors.Join(wroteAll(copies[0], copies[1]), wroteAll(outs[0], outs[1]))
}

// deepCopies returns the files below dir that contain DeepCopy methods, sorted.
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
