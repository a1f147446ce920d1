//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// trees lists the output directories of both sides.
var trees = []string{"applyconfiguration", "clientset", "listers", "informers"}

// sizes prints the number of lines that each side writes, including schemas and Extract functions on both sides, and
// the time to compile them with the go command. Their imports are compiled beforehand.
func sizes(chosen []input, n int, temp string) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "case\tmeasure\tkubegen\tupstream\tupstream / kubegen\t")
	for _, in := range chosen {
		packages, err := genclientPackages(in)
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		document := filepath.Join(temp, in.name+".json")
		if err := in.document(document); err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		bin := filepath.Join(temp, "bin")
		ours, theirs := filepath.Join(temp, in.name, "kubegen"), filepath.Join(temp, in.name, "upstream")
		upstream := upstreamCommands(in, bin, theirs, packages)
		upstream[0] = slices.Insert(upstream[0], 1, "--openapi-schema", document)
		if _, err := spend(in.dir, kubegenCommands(in, bin, ours, packages)); err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		if _, err := spend(in.dir, upstream); err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		var all [2]int
		for _, tree := range trees {
			var lines [2]int
			for i, out := range []string{ours, theirs} {
				if lines[i], err = countLines(filepath.Join(out, tree)); err != nil {
					return err
				}
				all[i] += lines[i]
			}
			fmt.Fprintf(table, "%s\tlines of %s\t%d\t%d\t%.1f\t\n", in.name, tree, lines[0], lines[1], float64(lines[1])/float64(lines[0]))
		}
		fmt.Fprintf(table, "%s\tlines\t%d\t%d\t%.1f\t\n", in.name, all[0], all[1], float64(all[1])/float64(all[0]))
		if n < 1 {
			continue
		}
		var builds [2][]usage
		for i := range n + 1 {
			for side, out := range []string{ours, theirs} {
				spent, err := in.compile(out, i)
				if err != nil {
					return fmt.Errorf("%s: %w", in.name, err)
				}
				if i > 0 { // the first time, imports are compiled as well
					builds[side] = append(builds[side], spent)
				}
			}
		}
		both := sides{builds[0], builds[1]}
		row(table, in.name, "go build: wall s", both, func(u usage) float64 { return u.wall.Seconds() })
		row(table, "", "CPU s", both, func(u usage) float64 { return u.cpu.Seconds() })
	}
	return table.Flush()
}

// document writes the OpenAPI document of the API to a file.
func (in input) document(name string) error {
	schema, err := output("go", "list", "-C", in.dir, "-f", "{{.Dir}}", in.schema)
	if err != nil {
		return err
	}
	return writeDocument(filepath.Join(strings.TrimSpace(schema), "internal.go"), name)
}

// compile compiles the packages below dir as a module. It first changes each package, so that the build cache does not
// contain it.
func (in input) compile(dir string, run int) (usage, error) {
	if err := writeModule(dir, outputPkg); err != nil {
		return usage{}, err
	}
	if in.module != "" {
		types, err := filepath.Abs(in.dir)
		if err == nil {
			_, err = output("go", "mod", "edit", "-require="+in.module+"@v0.0.0", "-replace="+in.module+"="+types, filepath.Join(dir, "go.mod"))
		}
		if err != nil {
			return usage{}, err
		}
	}
	files, err := goFiles(dir)
	for _, name := range files {
		file, err2 := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
		if err2 == nil {
			_, err2 = fmt.Fprintf(file, "\n// %s %d\n", filepath.Base(dir), run)
			err2 = errors.Join(err2, file.Close())
		}
		err = errors.Join(err, err2)
	}
	if err != nil {
		return usage{}, err
	}
	return spend(dir, [][]string{{"go", "build", "-mod=mod", "./..."}})
}

func countLines(dir string) (lines int, err error) {
	files, err := goFiles(dir)
	for _, name := range files {
		text, err2 := os.ReadFile(filepath.Join(dir, name))
		lines += bytes.Count(text, []byte("\n"))
		err = errors.Join(err, err2)
	}
	return lines, err
}
