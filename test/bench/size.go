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
var trees = []string{"applyconfiguration", "clientset", "informers", "listers"}

// sizes prints the number of lines that kubegen, kubegen --classic and the upstream tools write, including schemas and
// Extract functions, and what it costs to compile and use them.
func sizes(chosen []input, n int, temp string) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer table.Flush() // also prints what was measured before an error
	for i, in := range chosen {
		say("Measuring %s.", in.name)
		c := &costs{sides: []string{"kubegen", "--classic", "upstream"}}
		if i == 0 {
			c.header(table)
		}
		dirs, err := in.generate(c, temp)
		if err == nil && n > 0 {
			err = in.compile(c, dirs, n, temp)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		c.print(table, in.name)
	}
	return nil
}

// generate generates the code of all sides, counts lines, and returns the directories.
func (in input) generate(c *costs, temp string) (dirs []string, err error) {
	packages, err := genclientPackages(in)
	if err != nil {
		return nil, err
	}
	document := filepath.Join(temp, in.name+".json")
	if err := in.document(document); err != nil {
		return nil, err
	}
	bin := filepath.Join(temp, "bin")
	for side, name := range c.sides {
		dir := filepath.Join(temp, in.name, name)
		commands := kubegenCommands(in, bin, dir, packages)
		switch name {
		case "--classic":
			commands[0] = slices.Insert(commands[0], 1, name)
		case "upstream":
			commands = upstreamCommands(in, bin, dir, packages)
			commands[0] = slices.Insert(commands[0], 1, "--openapi-schema", document)
		}
		if _, err := spend(in.dir, commands); err != nil {
			return nil, err
		}
		all := 0
		for _, tree := range trees {
			lines, err := countLines(filepath.Join(dir, tree))
			if err != nil {
				return nil, err
			}
			c.add("lines of "+tree, side, float64(lines))
			all += lines
		}
		c.add("lines", side, float64(all))
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// document writes the OpenAPI document of the API to a file.
func (in input) document(name string) error {
	schema, err := output("go", "list", "-C", in.dir, "-f", "{{.Dir}}", in.schema)
	if err != nil {
		return err
	}
	return writeDocument(filepath.Join(strings.TrimSpace(schema), "internal.go"), name)
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
