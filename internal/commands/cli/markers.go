package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
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
		found := markers.FindAll(in.args[0])
		if len(found) == 0 {
			return in.misused("text", "unknown marker "+in.args[0], nearestMarker(in.args[0]))
		}
		for i, def := range found {
			if i > 0 {
				fmt.Fprintln(in.stdout)
			}
			describeMarker(in.stdout, def)
		}
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

// nearestMarker returns advice for an unknown marker: the nearest name, or the nearest last part of names.
func nearestMarker(text string) string {
	name, names, last := strings.TrimPrefix(text, "+"), markers.Names(), map[string]string{}
	for _, full := range slices.Backward(names) {
		last[full[strings.LastIndexByte(full, ':')+1:]] = full
	}
	if nearest, ok := diag.Nearest(name, names); ok {
		return "did you mean +" + nearest + "?"
	}
	if nearest, ok := diag.Nearest(name, slices.Sorted(maps.Keys(last))); ok {
		return "did you mean +" + last[nearest] + "?"
	}
	return "kubegen markers lists all markers"
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
