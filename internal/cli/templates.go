package cli

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/diag"
)

// readTemplates reads the templates of --templates.
func (r *run) readTemplates() (diag.List, error) {
	if r.templates == "" {
		return nil, nil
	}
	if info, err := os.Stat(r.templates); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("--templates: there is no folder %s", r.templates)
	}
	overlay, errs := generators.ReadOverlay(templateFS{os.DirFS(r.templates)})
	r.overlay = overlay
	var diags diag.List
	var others []error
	for _, err := range errs {
		var mistake generators.TemplateMistake
		if errors.As(err, &mistake) {
			reportTemplate(r.templates, mistake, &diags)
		} else {
			others = append(others, fmt.Errorf("--templates: %w", err))
		}
	}
	return diags, errors.Join(others...)
}

// reportTemplate adds what is wrong with a template in dir.
func reportTemplate(dir string, mistake generators.TemplateMistake, diags *diag.List) {
	name := filepath.Join(dir, filepath.FromSlash(mistake.File))
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	diags.Errorf(token.Position{Filename: name, Line: mistake.Line, Column: mistake.Column}, "%s", mistake.Message).Suggest("%s", mistake.Hint)
}

// makeTargets returns what the command generates, with the templates of the user.
func (r *run) makeTargets() ([]target, error) {
	targets, err := r.tool.targets(r)
	errs := []error{err}
	for i := range targets {
		t := &targets[i]
		t.Generator, t.opts.Overlay, t.templates = r.overlay.Extend(t.Generator), r.overlay, r.templates
		errs = append(errs, checkInside(t.dir))
	}
	return targets, errors.Join(errs...)
}
