package chart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// reader reads the files of a chart that Helm renders.
type reader struct {
	*Generator
	setup render.Setup
	diags diag.List
	above map[string]bool // directories above the current one, without symbolic links
	ignored
}

// chart reads the files of a chart and of the charts below it.
func (r *reader) chart(dir string, sub bool) error {
	if !sub {
		text, _ := os.ReadFile(filepath.Join(dir, ".helmignore")) // optional
		r.ignored = ignoredBy(string(text))
	}
	for _, in := range []string{crds, templates} {
		if err := r.walk(filepath.Join(dir, in), func(name string) error { return r.file(name, in == templates, sub) }); err != nil {
			return err
		}
	}
	below, err := os.ReadDir(filepath.Join(dir, "charts"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range below {
		name := filepath.Join(dir, "charts", entry.Name())
		_, missing := os.Stat(filepath.Join(name, "Chart.yaml"))
		if missing != nil || r.ignores(r.relative(name), true) || strings.ContainsAny(entry.Name()[:1], "_.") {
			continue // a file, such as a packed chart
		}
		if err := r.chart(name, true); err != nil {
			return err
		}
	}
	return err
}

// relative returns the path of a file in the chart.
func (r *reader) relative(name string) string {
	rel, err := filepath.Rel(r.dir, name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// walk visits the files in and below a directory. Like Helm, it follows symbolic links.
func (r *reader) walk(dir string, visit func(name string) error) error {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) || r.above[real] {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	r.above[real] = true
	defer delete(r.above, real)
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		info, err := os.Stat(name)
		switch {
		case err != nil:
		case r.ignores(r.relative(name), info.IsDir()):
		case info.IsDir():
			err = r.walk(name, visit)
		default:
			err = visit(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file reads a file of the chart. Helm renders templates with any name. Names with an underscore first are only
// for other templates.
func (r *reader) file(name string, template, sub bool) error {
	ext := filepath.Ext(name)
	switch {
	case template && filepath.Base(name) == "NOTES.txt":
		return nil
	case !template && ext != ".yaml" && ext != ".yml" && ext != ".json":
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.Size() > maxFile {
		return fmt.Errorf("%s is larger than the limit of %d MiB", name, maxFile>>20)
	}
	text, err := load.ReadFile(name) // with a byte order mark, since the file on disk is compared with it
	if err != nil {
		return err
	}
	if template && !sub {
		r.helpers = append(r.helpers, defines.FindAllString(string(text), -1)...)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	f := &file{real: real, shownPath: filepath.ToSlash(r.setup.Name(name)), text: string(text), template: template, sub: sub}
	if f.source, err = readSource(name, f.text, template); err != nil {
		r.diags.Errorf(f.at(len(f.lines)-1), "cannot read this template: %v", err).Suggest("correct it, so that Helm can read it")
		return nil
	}
	r.files = append(r.files, f)
	return nil
}

var defines = regexp.MustCompile(`define\s+"[^"]+"`)

// ignored are the patterns of .helmignore.
type ignored []struct {
	pattern      string
	not, onlyDir bool
}

func ignoredBy(text string) (all ignored) {
	for _, line := range append(strings.Split(text, "\n"), "templates/.?*") { // as in Helm
		rule := make(ignored, 1)
		rule[0].pattern = strings.TrimSpace(line)
		if rule[0].pattern == "" || rule[0].pattern[0] == '#' {
			continue
		}
		rule[0].pattern, rule[0].not = strings.CutPrefix(rule[0].pattern, "!")
		rule[0].pattern, rule[0].onlyDir = strings.CutSuffix(rule[0].pattern, "/")
		all = append(all, rule...)
	}
	return all
}

// ignores reports whether Helm ignores a file or directory at a path in the chart. As in Helm, the first pattern counts
// that matches, and an exception ignores everything that it does not match.
func (all ignored) ignores(name string, dir bool) bool {
	for _, rule := range all {
		pattern, at := strings.CutPrefix(rule.pattern, "/")
		of := name
		if !at && !strings.Contains(pattern, "/") {
			of = path.Base(name)
		}
		if ok, _ := path.Match(pattern, of); (ok && (dir || !rule.onlyDir)) != rule.not {
			return true
		}
	}
	return false
}
