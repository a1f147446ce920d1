package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/kubegen/kubegen/internal/config"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/stamp"
)

// inputs are the files other than Go files that a run depends on, as they were when it began.
type inputs map[string]stamp.Stamp

func (in inputs) add(names ...string) {
	for _, name := range names {
		in[name] = stamp.Of(name)
	}
}

// addBelow adds a file, or a directory with what is in it and in its directories, down to that depth.
func (in inputs) addBelow(name string, depth int) {
	in.add(name)
	if depth == 0 {
		return
	}
	entries, _ := os.ReadDir(name)
	for _, entry := range entries {
		if entry.IsDir() {
			in.addBelow(filepath.Join(name, entry.Name()), depth-1)
		} else {
			in.add(filepath.Join(name, entry.Name()))
		}
	}
}

// noteModule adds the files that determine what a run without flags does, before they are read.
func (r *run) noteModule() {
	r.inputs = inputs{}
	if dir, _, ok := r.env.FindModule("."); ok {
		r.module = dir
		r.inputs.add(filepath.Join(dir, "go.mod"), filepath.Join(dir, config.Name))
	}
}

// noteFlags adds the files that flags name.
func (r *run) noteFlags(tasks []*task) {
	for _, t := range tasks {
		for name, depth := range map[string]int{t.flags.HeaderFile: 0, t.flags.OpenAPISchema: 0, t.flags.Manifests: 1, t.flags.Templates: 8} {
			if name != "" {
				r.inputs.addBelow(t.Environment.At(name), depth)
			}
		}
	}
}

// basis returns what the run has planned from.
func (r *run) basis(tasks []*task, trees []output.Tree) output.Basis {
	return output.Basis{Trees: trees, Dir: r.module, Sources: func() error {
		changed := tasks[0].sources.Changed()
		for name, was := range r.inputs {
			if (changed == "" || name < changed) && stamp.Of(name) != was {
				changed = name
			}
		}
		if changed != "" {
			return fmt.Errorf("%s was changed during the run; run the command again", r.env.Name(changed))
		}
		return nil
	}}
}
