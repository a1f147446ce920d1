package run

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/kubegen/kubegen/internal/config"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/stamp"
)

// inputs holds the stamps, at the beginning of the run, of all files that it depends on, other than Go files.
type inputs map[string]stamp.Stamp

func (in inputs) add(names ...string) {
	for _, name := range names {
		in[name] = stamp.Of(name)
	}
}

// addBelow adds a file, or a directory with its contents, down to the given depth of subdirectories.
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

// NoteModule adds the files that determine a run without flags. It is called before they are read.
func (r *Run) NoteModule() {
	r.inputs = inputs{}
	if dir, _, ok := r.Env.FindModule("."); ok {
		r.module = dir
		r.inputs.add(filepath.Join(dir, "go.mod"), filepath.Join(dir, config.Name))
	}
}

// NoteFlags adds the files named by flags.
func (r *Run) NoteFlags(outputs []*Output) {
	for _, t := range outputs {
		for name, depth := range map[string]int{t.Flags.HeaderFile: 0, t.Flags.OpenAPISchema: 0, t.Flags.Manifests: 1, t.Flags.Templates: 8} {
			if name != "" && !t.WritesManifests(name) {
				r.inputs.addBelow(t.Environment.At(name), depth)
			}
		}
		for _, name := range t.Flags.Import.Manifests {
			if name != plan.Stdin {
				r.inputs.addBelow(t.Environment.At(name), 8)
			}
		}
	}
}

// Basis returns the inputs that the changes were computed from.
func (r *Run) Basis(outputs []*Output, trees []output.Tree) output.Basis {
	return output.Basis{Trees: trees, Dir: r.module, Sources: func() error {
		changed := outputs[0].Sources.Changed()
		for name, was := range r.inputs {
			if (changed == "" || name < changed) && stamp.Of(name) != was {
				changed = name
			}
		}
		if changed != "" {
			return fmt.Errorf("%s was changed during the run; run the command again", r.Env.Name(changed))
		}
		return nil
	}}
}
