package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/render"
)

// readTemplates reads the templates of --templates.
func (r *run) readTemplates() (diags diag.List, err error) {
	if r.templates == "" {
		return nil, nil
	}
	if info, err := os.Stat(r.templates); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("--templates: there is no folder %s", r.templates)
	}
	r.overlay, diags = render.ReadOverlay(templateFS{os.DirFS(r.templates)}, r.templates, generators.All)
	return diags, nil
}

// makeTargets returns what the command generates, with the templates of the user.
func (r *run) makeTargets() ([]target, error) {
	targets, err := r.tool.targets(r)
	errs := []error{err}
	for i := range targets {
		t := &targets[i]
		t.Family, t.opts.Overlay = r.overlay.Extend(t.Family), r.overlay
		errs = append(errs, checkInside(t.dir))
	}
	return targets, errors.Join(errs...)
}
