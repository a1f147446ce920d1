package generators

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/gofile"
)

// TemplatesVersion is the version of what templates are given: the methods that docs/templates.md lists. It changes when
// one of them goes away or answers something else, not when there are more.
const TemplatesVersion = "1"

// Overlay is templates of the user's, which change what is generated or add to it.
type Overlay struct {
	set     *template.Template // kubegen's templates, with those of the user in their place
	own     map[string]bool    // paths of the user's templates
	outputs map[string][]Output
}

// TemplateMistake is the error that something is wrong with a template of the user's.
type TemplateMistake struct {
	File         string // slash-separated, below the folder of the user's templates
	Line, Column int    // from 1; a Column of 0 is unknown
	Message      string
	Hint         string
}

func (m TemplateMistake) Error() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Message) }

// roots are the folders of templates, and the generators that they are of.
var roots = map[string]string{
	"applyconfigurations": ApplyConfigurations.Name, "clientset": Clientset.Name, "informers": Informers.Name, "listers": Listers.Name,
}

// ReadOverlay reads the templates of a file system, whose folders are those of templates.FS. A template with the path of
// one of those replaces it; any other .go.tmpl adds an output file, whose path and scope its own path tells: "group",
// "version", "kind" and "struct", as folders or as words between underscores in its name, stand for the names of those. It
// returns a TemplateMistake for everything that is wrong.
func ReadOverlay(fsys fs.FS) (*Overlay, []error) {
	o := &Overlay{own: map[string]bool{}, outputs: map[string][]Output{}}
	base, err := parsed()
	if err == nil {
		o.set, err = base.Clone()
	}
	if err != nil {
		return nil, []error{err}
	}
	var errs []error
	wrong := func(name, hint, format string, args ...any) {
		errs = append(errs, TemplateMistake{File: name, Line: 1, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case name == "VERSION":
			text, err := fs.ReadFile(fsys, name)
			if version := strings.TrimSpace(string(text)); err == nil && version != TemplatesVersion {
				wrong(name, "see docs/templates.md for what has changed", "these templates are for version %s of their data, this kubegen has version %s", version, TemplatesVersion)
			}
			return err
		case path.Ext(name) != ".tmpl":
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		o.own[name] = true
		if _, err := o.set.New(name).Parse(strings.ReplaceAll(string(text), "\r\n", "\n")); err != nil {
			errs = append(errs, mistakeOf(name, err))
		}
		root, rel, _ := strings.Cut(name, "/")
		switch generator, ok := roots[root]; {
		case !ok || rel == "":
			wrong(name, "put it below applyconfigurations, clientset, informers or listers", "no generator has templates in this folder")
		case base.Lookup(name) == nil && strings.HasSuffix(name, ".go.tmpl"):
			added, problem := newOutput(name)
			if problem != "" {
				wrong(name, "put it below group/version", "%s", problem)
			}
			o.outputs[generator] = append(o.outputs[generator], added)
		}
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	return o, errs
}

// newOutput works out from a template's path which files it is for.
func newOutput(name string) (o Output, problem string) {
	root, rel, _ := strings.Cut(strings.TrimSuffix(name, ".tmpl"), "/")
	names := map[string]string{"group": "{group}", "version": "{version}", "kind": "{kind}", "struct": "{kind}"}
	if root == "informers" {
		names["group"] = "{Group}"
	}
	var seen []string
	replace := func(words []string) {
		for i, word := range words {
			if stands, ok := names[word]; ok {
				words[i] = stands
				seen = append(seen, word)
			}
		}
	}
	dir, base := path.Split(rel)
	folders := strings.Split(strings.TrimSuffix(dir, "/"), "/")
	replace(folders)
	inFolders := slices.Clone(seen)
	names["group"] = "{Group}"
	words := strings.Split(strings.TrimSuffix(base, ".go"), "_")
	replace(words)
	o = Output{Template: name, Path: path.Join(path.Join(folders...), strings.Join(words, "_")+".go")}
	has := func(what string) bool { return slices.Contains(seen, what) }
	switch {
	case has("struct"):
		o.Scope = PerStruct
	case has("kind"):
		o.Scope = PerResource
	case has("version"):
		o.Scope = PerVersion
	case has("group"):
		o.Scope = PerGroup
	}
	switch {
	case o.Scope > PerVersion && !(slices.Contains(inFolders, "group") && slices.Contains(inFolders, "version")):
		problem = "a file for each kind or struct lies in the folder of its group and version"
	case o.Scope == PerVersion && !has("group"):
		problem = "a file for each version lies in the folder of its group"
	}
	typed, fake := strings.HasPrefix(rel, "typed/"), slices.Contains(folders, "fake")
	if root == "clientset" {
		o.When = func(d *Data) bool { return (!typed || d.Typed()) && (!fake || d.Fake()) }
	}
	return o, problem
}

// Extend returns the generator with the output files that the overlay adds. A nil Overlay adds none.
func (o *Overlay) Extend(g Generator) Generator {
	if o != nil {
		g.Outputs = slices.Concat(g.Outputs, o.outputs[g.Name])
	}
	return g
}

// templates returns the templates to render with.
func (o *Overlay) templates() (*template.Template, error) {
	if o == nil {
		return parsed()
	}
	return o.set, nil
}

// mistake turns an error of rendering a file with a template of the user's into a TemplateMistake.
func (o *Overlay) mistake(d *Data, err error) error {
	var failed template.ExecError
	if o == nil || errors.As(err, &failed) && !o.own[failed.Name] && !o.own[d.output.Template] {
		return err
	}
	return mistakeOf(d.output.Template, err)
}

// templateError matches what package text/template says.
var templateError = regexp.MustCompile(`template: (.+?):([0-9]+)(?::([0-9]+))?: (?:executing ".*?" at )?((?s:.*))$`)

func mistakeOf(name string, err error) error {
	m := TemplateMistake{File: name, Line: 1, Message: err.Error()}
	if parts := templateError.FindStringSubmatch(err.Error()); parts != nil {
		m.File, m.Message = parts[1], parts[4]
		m.Line, _ = strconv.Atoi(parts[2])
		if parts[3] != "" {
			m.Column, _ = strconv.Atoi(parts[3])
			m.Column++ // text/template counts from 0
		}
	}
	if before, _, ok := strings.Cut(m.Message, ": runtime error: "); ok {
		m.Message = before + ": there is none in a file of this scope"
		m.Hint = "range over .Groups, .Versions or .Resources, or name the template for what it is about"
	}
	return m
}

// explain finds the template of the user's that makes no Go code, or declares what another file declares.
func (o *Overlay) explain(err error, pkg []*Data) error {
	if o == nil || err == nil {
		return err
	}
	var syntax gofile.SyntaxError
	var duplicate gofile.Duplicate
	for _, d := range pkg {
		if !o.own[d.output.Template] {
			continue
		}
		switch {
		case errors.As(err, &syntax) && syntax.File == d.path:
			return TemplateMistake{File: d.output.Template, Line: 1, Message: fmt.Sprintf("this does not make Go code of %s: %v", d.path, syntax.Err)}
		case errors.As(err, &duplicate) && (duplicate.First == d.path || duplicate.Second == d.path):
			other := duplicate.First
			if other == d.path {
				other = duplicate.Second
			}
			return TemplateMistake{File: d.output.Template, Line: 1, Message: fmt.Sprintf("%s declares %s, as %s does", d.path, duplicate.Name, other),
				Hint: "choose another name"}
		}
	}
	return err
}

// Ref returns how to write an identifier of any package, which the file then imports. A path that none can have is an error.
func (d *Data) Ref(importPath, name string) (string, error) {
	if err := module.CheckImportPath(importPath); err != nil {
		return "", fmt.Errorf("no package has this import path: %w", err)
	}
	return d.ref(importPath, name), nil
}

// maxBody is how much text a template may make, in bytes: far more than any file has, and less than exhausts the memory.
const maxBody = 64 << 20

// body is the body of a file that a template makes.
type body struct{ *bytes.Buffer }

func (b body) Write(text []byte) (int, error) {
	if b.Len()+len(text) > maxBody {
		return 0, fmt.Errorf("this makes more than %d MiB of text; does it end?", maxBody>>20)
	}
	return b.Buffer.Write(text)
}
