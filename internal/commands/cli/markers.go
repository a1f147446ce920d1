package cli

import (
	"context"
	"fmt"

	"github.com/kubegen/kubegen/internal/terms/markers"
)

var markersCommand = Command{
	Name: "markers", of: "kubegen", usage: "kubegen markers [NAME]",
	short: "List the markers that kubegen reads, or describe one of them.", maxArgs: 1,
	run: func(_ context.Context, in *invocation) int {
		if len(in.args) == 0 {
			markers.Print(in.stdout, markers.Listed())
			return exitDone
		}
		found := markers.FindAll(in.args[0])
		if len(found) == 0 {
			return in.misused("text", "unknown marker "+in.args[0], markers.Advice(in.args[0]))
		}
		for i, def := range found {
			if i > 0 {
				fmt.Fprintln(in.stdout)
			}
			def.Print(in.stdout)
		}
		return exitDone
	},
}

// markersAsJSON prints definitions as a list of objects.
func markersAsJSON(w *stream, defs []markers.Definition) {
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
	printJSON(w, all, "")
}
