package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kubegen/kubegen/internal/markers"
)

// printMarkers is "kubegen markers [NAME]": it documents all markers, or one. The name may be written as the marker is.
func printMarkers(args []string, stdout, stderr io.Writer) int {
	switch {
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h"):
		fmt.Fprint(stdout, "List the markers that kubegen reads, or describe one of them.\n\nUsage: kubegen markers [NAME]\n")
		return exitDone
	case len(args) > 1 || len(args) == 1 && strings.HasPrefix(args[0], "-"):
		fmt.Fprintln(stderr, "kubegen: markers takes at most one name and no flags (see kubegen markers --help)")
		return exitError
	case len(args) == 0:
		listMarkers(stdout)
		return exitDone
	}
	def, ok := markers.Find(args[0])
	if !ok {
		advice := "kubegen markers lists all markers"
		if nearest, ok := markers.Nearest(strings.TrimPrefix(args[0], "+"), markers.Names()); ok {
			advice = "did you mean +" + nearest + "?"
		}
		fmt.Fprintf(stderr, "kubegen: unknown marker %s (%s)\n", args[0], advice)
		return exitError
	}
	describeMarker(stdout, def)
	return exitDone
}

func listMarkers(w io.Writer) {
	title := ""
	var table *tabwriter.Writer
	for _, def := range markers.Definitions {
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
	_ = table.Flush()
}

func describeMarker(w io.Writer, def markers.Definition) {
	fmt.Fprintf(w, "%s\n  %s\n\n", def.Example(), def.Help)
	for _, row := range [][2]string{
		{"stands", def.Where()},
		{"takes", def.Takes()},
		{"otherwise", def.Default},
		{"also", strings.Join(def.Also(), ", ")},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "  %-10s %s\n", row[0]+":", row[1])
		}
	}
}
