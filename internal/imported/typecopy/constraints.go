package typecopy

import (
	"bytes"
	"fmt"
	"go/build"
	goparser "go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
)

// systems are systems and architectures that build constraints distinguish. Words in names of files are among them.
var (
	systems = []string{
		"linux", "windows", "darwin", "aix", "android", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "nacl", "netbsd", "openbsd",
		"plan9", "solaris", "wasip1", "zos",
	}
	architectures = []string{
		"amd64", "arm64", "386", "amd64p32", "arm", "arm64be", "armbe", "loong64", "mips", "mips64", "mips64le", "mips64p32", "mips64p32le",
		"mipsle", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390", "s390x", "sparc", "sparc64", "wasm",
	}
)

// isPlatform reports whether the last word of a file name restricts the file to a system, an architecture or tests.
func isPlatform(word string) bool {
	return slices.Contains(systems, word) || slices.Contains(architectures, word) || word == "test"
}

// differsBySystem reports whether some systems, architectures or builds without cgo exclude a file.
func (f *file) differsBySystem() bool {
	if f.differs == nil {
		differs := f.isConditional()
		f.differs = &differs
	}
	return *f.differs
}

func (f *file) isConditional() bool {
	head, base := f.Text[:f.syntax.Package-f.syntax.FileStart], filepath.Base(f.Name)
	if f.imports("C") {
		return true
	}
	words := strings.Split(strings.TrimSuffix(base, ".go"), "_")
	if !slices.ContainsFunc(words[1:], isPlatform) && !bytes.Contains(head, []byte("//go:build")) && !bytes.Contains(head, []byte("+build")) {
		return false
	}
	includes := func(system, architecture string, cgo bool) bool {
		ctx := build.Default
		ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled, ctx.BuildTags, ctx.ToolTags, ctx.Compiler = system, architecture, cgo, nil, nil, "gc"
		ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.Text)), nil }
		ok, err := ctx.MatchFile(filepath.Dir(f.Name), base)
		return ok && err == nil
	}
	return slices.ContainsFunc(systems, func(system string) bool {
		return slices.ContainsFunc(architectures, func(architecture string) bool {
			return !includes(system, architecture, true) || !includes(system, architecture, false)
		})
	})
}

// constraints returns the reasons why a declaration, or a method that determines the form of a type's values, is not
// the same on all systems.
func (c *copier) constraints(d *decl) (problems []problem) {
	at, ok := c.otherwise(d.in, d.String())
	switch {
	case len(d.problems) > 0:
	case ok:
		pos := c.position(d.node().Pos())
		if at.Filename < pos.Filename { // the message is the same on all systems
			pos, at = at, pos
		}
		problems = append(problems, problem{
			pos, fmt.Sprintf("%s depends on build constraints: another file declares it, too", d), c.keepHint(d.in.Path), at,
		})
	case d.file.differsBySystem():
		problems = append(problems, c.conditional(c.position(d.node().Pos()), d.String(), d.in.Path))
	}
	if d.typ() == nil {
		return problems
	}
	for _, m := range d.in.methods[d.name] {
		if c.determinesForm(m) && m.file.differsBySystem() {
			problems = append(problems, c.conditional(c.position(m.node().Pos()), m.String(), d.in.Path))
		}
	}
	for _, m := range c.outside(d) {
		if slices.Contains(slices.Concat(wireMethods, otherMethods, deepCopyMethods[1:2]), m.name) {
			problems = append(problems, c.excluded(m))
		}
	}
	return problems
}

// conditional returns the problem of a name whose file at pos some systems exclude.
func (c *copier) conditional(pos token.Position, name, importPath string) problem {
	return problem{
		pos: pos, message: name + " depends on build constraints: some systems exclude its file", hint: c.keepHint(importPath),
	}
}

// determinesForm reports whether a method is copied because of its name.
func (c *copier) determinesForm(m *decl) bool {
	return slices.Contains(wireMethods, m.name) || slices.Contains(otherMethods, m.name) || m.name == "DeepCopyInto" && !m.isGenerated()
}

// outside returns the methods of a type that only files that build constraints exclude declare.
func (c *copier) outside(typ *decl) []*decl {
	c.readExcluded(typ.in)
	return typ.in.outside[typ.name]
}

// excluded returns the problem of a method that outside returns.
func (c *copier) excluded(m *decl) problem {
	return c.conditional(c.sources[m.in.Path].excluded[m.String()], m.String(), m.in.Path)
}

// otherwise returns the position where a file that build constraints exclude declares a name, too. Methods are named
// Type.Method.
func (c *copier) otherwise(src *source, name string) (token.Position, bool) {
	c.readExcluded(src)
	pos, ok := src.excluded[name]
	return pos, ok
}

// readExcluded reads the files of a source that build constraints exclude, once.
func (c *copier) readExcluded(src *source) {
	if src.excluded != nil {
		return
	}
	src.excluded, src.outside = map[string]token.Position{}, map[string][]*decl{}
	if len(src.Ignored) == 0 {
		return
	}
	known := map[string]bool{} // methods
	for _, f := range src.files {
		for _, d := range f.all {
			known[d.String()] = true
		}
	}
	for _, ignored := range src.Ignored {
		base := filepath.Base(ignored)
		if filepath.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") || base[0] == '_' || base[0] == '.' ||
			leaves(root(src.Package), ignored) {
			continue
		}
		text, err := c.l.ReadFile(ignored)
		if err != nil {
			continue
		}
		syntax, _ := goparser.ParseFile(c.l.Fset, ignored, text, goparser.ParseComments|goparser.SkipObjectResolution)
		if syntax == nil || syntax.Name == nil || syntax.Name.Name != src.Name {
			continue
		}
		outside := newSource(src.Package)
		for _, d := range newFile(&load.File{Name: ignored}, outside, syntax).all {
			name := d.String()
			if d.recv != "" && d.isDeepCopy() && d.isGenerated() { // the copy has it anyway
				continue
			}
			src.excluded[name], d.excluded = c.position(d.node().Pos()), true
			if d.recv != "" && !known[name] { // a known one is reported where it is
				known[name] = true
				src.outside[d.recv] = append(src.outside[d.recv], d)
			}
		}
		for name, d := range outside.decls {
			src.excluded[name] = c.position(d.node().Pos())
		}
	}
}
