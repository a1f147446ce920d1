package typecopy

import (
	"go/build"
	"go/build/constraint"
	goparser "go/parser"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// isPlatform reports whether files whose names end with a word are only for tests, or for a system or an architecture.
func isPlatform(word string) bool {
	nowhere := build.Context{OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p")), nil }}
	matches, err := nowhere.MatchFile("", "p_"+word+".go")
	return word == "test" || !matches || err != nil
}

// isConditional reports whether the name of a file or its constraints distinguish systems, architectures or compilers,
// or it needs cgo.
func (f *file) isConditional() bool {
	words := strings.Split(strings.TrimSuffix(filepath.Base(f.Name), ".go"), "_")
	found := f.imports("C") || len(words) > 1 && isPlatform(words[len(words)-1])
	for _, group := range f.syntax.Comments {
		if group.Pos() > f.syntax.Package {
			break
		}
		for _, comment := range group.List {
			if expr, err := constraint.Parse(comment.Text); err == nil {
				expr.Eval(func(tag string) bool {
					found = found || isPlatform(tag) || slices.Contains([]string{"cgo", "unix", "gc", "gccgo"}, tag)
					return false
				})
			}
		}
	}
	return found
}

// constraints returns the reasons why a declaration, or a method that determines the form of a type's values, is not
// the same on all systems.
func (c *copier) constraints(d *decl) (problems diag.List) {
	check := func(d *decl) {
		pos := c.position(d.node().Pos())
		switch {
		case d.also != nil:
			at := c.position(d.also.node().Pos())
			if at.Filename < pos.Filename { // the message is the same on all systems
				pos, at = at, pos
			}
			problems.Errorf(pos, "%s depends on build constraints: another file declares it, too", d).WithRelated(at).
				Suggest("%s", c.keepHint(d.in.Path))
		case d.file.differs:
			problems.Errorf(pos, "%s depends on build constraints: some systems exclude its file", d).Suggest("%s", c.keepHint(d.in.Path))
		}
	}
	if len(d.needs.problems) == 0 {
		check(d)
	}
	if d.typ() != nil {
		for _, m := range d.in.methods[d.name] {
			if m.name == "DeepCopyInto" && !m.isGenerated() || slices.Contains(wireMethods, m.name) || slices.Contains(otherMethods, m.name) {
				check(m)
			}
		}
	}
	return problems
}

// readExcluded adds the declarations in files that build constraints exclude on this system, unless other files have
// them.
func (c *copier) readExcluded(src *source) {
	for _, name := range src.Ignored {
		base := filepath.Base(name)
		if filepath.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") || base[0] == '_' || base[0] == '.' ||
			leaves(root(src.Package), name) {
			continue
		}
		text, err := c.l.ReadFile(name)
		if err != nil {
			continue
		}
		syntax, _ := goparser.ParseFile(c.l.Fset, name, text, goparser.ParseComments|goparser.SkipObjectResolution)
		if syntax == nil || syntax.Name == nil || syntax.Name.Name != src.Name {
			continue
		}
		newFile(&file{File: &load.File{Name: name, Text: text}, in: src, syntax: syntax, excluded: true, differs: true})
	}
}
