package cli

import "slices"

// releases says which releases of client-go the outputs are for, and why, each once. What is beside the types is for any.
func (r *run) releases(tasks []*task) []string {
	list := []string{}
	for _, t := range tasks {
		if len(t.jobs) > 0 && !t.Parser.Beside {
			list = append(list, t.ReleaseSource(t.jobs[0].api.ClientGo, r.env.Name))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
