package render

import (
	"errors"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// TemplatesVersion is the version of the methods available in templates, listed in docs/reference/template-data.md. It
// changes if a method is removed or changed, but not if one is added.
const TemplatesVersion = "1"

var noPosition token.Position

// builtIn returns kubegen's templates, parsed once, under their paths in templates.FS. Parts shared by several
// templates are in files of their own.
var builtIn = sync.OnceValues(func() (*template.Template, error) {
	set := template.New("")
	err := fs.WalkDir(templates.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(templates.FS, name)
		if err == nil {
			_, err = set.New(name).Parse(bodyOf(name, text))
		}
		return err
	})
	gofile.Guard(set)
	return set, err
})

// ParseTemplates parses kubegen's templates. Otherwise they are parsed when they are needed.
func ParseTemplates() { _, _ = builtIn() }

// bodyOf returns the text of a template. It removes the final newline of a part, because parts are used within lines.
func bodyOf(name string, text []byte) string {
	body := strings.ReplaceAll(string(text), "\r\n", "\n")
	if !strings.HasSuffix(name, ".go.tmpl") {
		body = strings.TrimSuffix(body, "\n")
	}
	return body
}

// Overlay holds the user's templates, which change or extend the generated code.
type Overlay struct {
	dir     string             // absolute path of the directory of the templates
	set     *template.Template // kubegen's templates, some of them replaced with the user's
	own     map[string]bool    // paths of the user's templates
	outputs map[string][]plan.Output
}

// ReadOverlay reads the user's templates from a file system with the directories of templates.FS. dir is its path, for
// positions. A template replaces kubegen's template with the same path. Any other .go.tmpl file adds an output file
// whose path and scope are determined by its own path.
func ReadOverlay(fsys fs.FS, dir string, generators []Generator) (*Overlay, diag.List) {
	o := &Overlay{dir: dir, own: map[string]bool{}, outputs: map[string][]plan.Output{}}
	if abs, err := filepath.Abs(dir); err == nil {
		o.dir = abs
	}
	var diags diag.List
	base, err := builtIn()
	if err == nil {
		o.set, err = base.Clone()
	}
	if err != nil {
		diags.Errorf(noPosition, "%v", err)
		return nil, diags
	}
	var dirs []string
	for _, g := range generators {
		if dir := g.Info().Templates; dir != "" {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	wrong := func(name, format string, args ...any) *diag.Diagnostic {
		return diags.Errorf(o.position(name, 1, 0), format, args...)
	}
	definedIn := map[string]string{} // part -> user's file
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case name == "VERSION":
			text, err := fs.ReadFile(fsys, name)
			if version := strings.TrimSpace(string(text)); err == nil && version != TemplatesVersion {
				wrong(name, "these templates are for version %s of the template data, but this kubegen has version %s", version, TemplatesVersion).
					Suggest("see docs/templates.md for what has changed")
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
		parsed, err := template.New(name).Parse(bodyOf(name, text))
		if err != nil {
			o.reportTemplate(name, err, &diags)
		} else {
			o.add(name, parsed, base, definedIn, &diags)
		}
		root, rel, _ := strings.Cut(name, "/")
		switch {
		case rel == "" || !slices.Contains(dirs, root):
			wrong(name, "no generator has templates in this directory").
				Suggest("put it below %s or %s", strings.Join(dirs[:len(dirs)-1], ", "), dirs[len(dirs)-1])
		case base.Lookup(name) == nil && strings.HasSuffix(name, ".go.tmpl") && slices.ContainsFunc(generators, func(g Generator) bool {
			return g.Info().Templates == root && g.Info().Manifests != nil
		}):
			wrong(name, "these templates do not generate Go files").Suggest("delete it, or rename it to a part such as page.tmpl")
		case base.Lookup(name) == nil && strings.HasSuffix(name, ".go.tmpl"):
			layout, problem := layoutOf(name)
			beside := slices.ContainsFunc(generators, func(g Generator) bool { return g.Info().Templates == root && g.Info().InPackages() })
			switch {
			case beside && layout.scope != PerPackage:
				wrong(name, "these templates generate files in the packages of the types").Suggest("put it into %s/package", root)
			case !beside && layout.scope == PerPackage:
				wrong(name, "these templates do not generate files in the packages of the types").Suggest("rename the directory package")
			case problem != "":
				wrong(name, "%s", problem).Suggest("put it below group/version")
			}
			o.outputs[root] = append(o.outputs[root], plan.Output{Template: name})
		}
		return nil
	})
	if err != nil {
		diags.Errorf(noPosition, "%s: %v", diag.Setting("templates"), err)
	}
	gofile.Guard(o.set)
	return o, diags
}

// add adds the definitions in a user's file. The file must not define a part defined by kubegen or another file. To
// replace a part, the user writes a file with the path of the part.
func (o *Overlay) add(name string, parsed, base *template.Template, definedIn map[string]string, diags *diag.List) {
	for _, t := range parsed.Templates() {
		if t.Name() != name {
			other, again := definedIn[t.Name()]
			if base.Lookup(t.Name()) != nil {
				other, again = "kubegen", true
			}
			if again {
				diags.Errorf(o.position(name, 1, 0), "%q is already defined by %s", t.Name(), other).Suggest("choose another name")
				continue
			}
			definedIn[t.Name()] = name
		}
		if t.Tree != nil {
			_, _ = o.set.AddParseTree(t.Name(), t.Tree)
		}
	}
}

// Has reports whether the user has templates in a directory.
func (o *Overlay) Has(dir string) bool {
	if o == nil {
		return false
	}
	for name := range o.own {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// templates returns the set of templates to render with.
func (o *Overlay) templates() (*template.Template, error) {
	if o == nil {
		return builtIn()
	}
	return o.set, nil
}

// Text returns the output of a template of kubegen, or of the user's in its place, for a file that is not in Go. It
// writes values unchanged.
func (o *Overlay) Text(name string, data any) (text []byte, diags diag.List) {
	set, err := o.templates()
	if err == nil {
		text, err = gofile.ExecuteText(set, name, data, maxBody)
	}
	switch {
	case err == nil:
		return text, nil
	case o != nil && o.own[name]:
		o.reportTemplate(name, err, &diags)
	default:
		diags.Errorf(noPosition, "%v", err)
	}
	return nil, diags
}

// position returns a position in a user's template.
func (o *Overlay) position(name string, line, column int) token.Position {
	return token.Position{Filename: filepath.Join(o.dir, filepath.FromSlash(name)), Line: line, Column: column}
}

// report reports an error from rendering a file, with its position if it is in a user's template.
func (o *Overlay) report(f *file, err error) (diags diag.List) {
	var failed template.ExecError
	if o == nil || errors.As(err, &failed) && !o.own[failed.Name] && !o.own[f.out.Template] {
		diags.Errorf(f.place(), "%s", gofile.Complaint(err.Error()))
		return diags
	}
	o.reportTemplate(f.out.Template, err, &diags)
	return diags
}

// templateError matches error messages of package text/template.
var templateError = regexp.MustCompile(`template: (.+?):([0-9]+)(?::([0-9]+))?: (?:executing ".*?" at )?((?s:.*))$`)

// reportTemplate reports an error from parsing or executing a template.
func (o *Overlay) reportTemplate(name string, err error, diags *diag.List) {
	line, column, message, within := 1, 0, gofile.Complaint(err.Error()), ""
	if parts := templateError.FindStringSubmatch(message); parts != nil {
		message = parts[4]
		if failed := parts[1]; o.own[failed] {
			name = failed
			line, _ = strconv.Atoi(parts[2])
			if parts[3] != "" {
				column, _ = strconv.Atoi(parts[3])
				column++ // columns of text/template start at 0
			}
		} else {
			within = "in kubegen's " + failed + ": "
		}
	}
	d := diags.Errorf(o.position(name, line, column), "%s", message)
	explainTemplate(d, message)
	if within != "" {
		d.SetMessage("%s%s", within, d.Message)
	}
}
