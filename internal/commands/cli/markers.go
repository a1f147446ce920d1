package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/text/diag"
)

var markersCommand = Command{
	Name: "markers", of: "kubegen", usage: "kubegen markers [NAME]",
	short: "List the markers that kubegen reads, or describe one of them.", maxArgs: 1,
	run: func(_ context.Context, in *invocation) int {
		if len(in.args) == 0 {
			listMarkers(in.stdout, markers.Listed())
			return exitDone
		}
		def, ok := markers.Find(in.args[0]) // Find accepts a marker in any form
		if !ok {
			advice := "kubegen markers lists all markers"
			if nearest, ok := diag.Nearest(strings.TrimPrefix(in.args[0], "+"), markers.Names()); ok {
				advice = "did you mean +" + nearest + "?"
			}
			return in.misused("text", "unknown marker "+in.args[0], advice)
		}
		describeMarker(in.stdout, def)
		return exitDone
	},
	suggest: func(_ *invocation, word string) (all []candidate) {
		plus := ""
		if strings.HasPrefix(word, "+") {
			plus = "+"
		}
		for _, def := range markers.Listed() {
			all = append(all, candidate{plus + def.Name, def.Help})
		}
		return all
	},
}

func listMarkers(w io.Writer, defs []markers.Definition) {
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

// markersAsJSON prints definitions as a list of objects.
func markersAsJSON(w io.Writer, defs []markers.Definition) {
	type object struct {
		Name      string   `json:"name"`
		Form      string   `json:"form"`
		Place     string   `json:"place"`
		Takes     string   `json:"takes,omitempty"`
		Effect    string   `json:"effect"`
		Otherwise string   `json:"otherwise,omitempty"`
		Also      []string `json:"also,omitempty"`
	}
	all := []object{}
	for _, def := range defs {
		all = append(all, object{def.Name, def.Example(), def.Where(), def.Takes(), def.Help, def.Default, def.Also()})
	}
	_ = printJSON(w, all, "") // the stream remembers write errors
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
