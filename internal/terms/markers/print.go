package markers

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// Advice returns advice for an unknown marker: the nearest name, or the nearest last part of names.
func Advice(text string) string {
	name, names, last := strings.TrimPrefix(text, "+"), Names(), map[string]string{}
	for _, full := range slices.Backward(names) {
		last[full[strings.LastIndexByte(full, ':')+1:]] = full
	}
	if meant := diag.Meant(name, names, "+"); meant != "" {
		return meant
	}
	if nearest, ok := diag.Nearest(name, slices.Sorted(maps.Keys(last))); ok {
		return "did you mean +" + last[nearest] + "?"
	}
	return "kubegen markers lists all markers"
}

// Print writes a table of definitions for each place of markers.
func Print(w io.Writer, defs []Definition) {
	title := ""
	var table *tabwriter.Writer
	for _, def := range defs {
		if where := def.Where(); where != title {
			if title != "" {
				_ = table.Flush()
				fmt.Fprintln(w)
			}
			title = where
			fmt.Fprintf(w, "%s:\n", title)
			table = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		}
		fmt.Fprintf(table, "  +%s\t%s\n", def.Name, def.Help)
	}
	if table != nil {
		_ = table.Flush()
	}
}

// Print describes a marker to its user.
func (d Definition) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n  %s\n\n", d.Example(), d.Help)
	for _, row := range [][2]string{
		{"stands", d.Where()},
		{"takes", d.Takes()},
		{"otherwise", d.Default},
		{"also", strings.Join(d.Also(), ", ")},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "  %-10s %s\n", row[0]+":", row[1])
		}
	}
}
