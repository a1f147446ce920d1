package parser

import (
	"bytes"
	"context"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// load finds the packages that match the patterns and reads them. It returns them ordered by import path.
//
// Asking the go command takes longer than all the rest does for a small API, so it is asked at the same time for the
// package that +genclient:method most often refers to.
func (p *parser) load(ctx context.Context, patterns []string) []*source {
	p.goMods = p.findGoMods()
	existing := p.existing(patterns)
	if len(existing) == 0 {
		return nil
	}
	likely := p.likely(existing)
	loaded, err := p.list(ctx, slices.Concat(likely, existing))
	if likely != nil && (err != nil || slices.ContainsFunc(loaded, func(pkg *packages.Package) bool { return len(pkg.Errors) > 0 })) {
		likely = nil // it may be what is wrong
		loaded, err = p.list(ctx, existing)
	}
	if err != nil {
		p.Errorf(token.Position{}, "cannot list packages: %s", p.shortened(goMessage(err)))
		return nil
	}
	var found []*source
	for _, pkg := range loaded {
		p.noteModule(pkg.Module)
		if slices.Contains(likely, pkg.PkgPath) {
			p.sources[pkg.PkgPath] = newSource(pkg)
			continue
		}
		p.reportListing(pkg, p.matters(pkg, existing))
		if p.sources[pkg.PkgPath] != nil || len(pkg.Errors) > 0 && len(pkg.GoFiles) == 0 && len(pkg.IgnoredFiles) == 0 {
			continue
		}
		src := newSource(pkg)
		p.sources[src.path] = src
		found = append(found, src)
	}
	slices.SortFunc(found, func(a, b *source) int { return strings.Compare(a.path, b.path) })
	if p.cfg.Found != nil {
		p.cfg.Found(len(found))
	}
	p.read(found)
	p.hideRegistrations(found)
	p.input = found
	return found
}

// goList asks the go command, or the driver that GOPACKAGESDRIVER names, for packages and their files. Where GOFLAGS
// would let the go command download modules and write go.mod for that, it must not: who only asks changes nothing.
func (c *Config) goList(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Context: ctx, Dir: c.Dir, Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule,
		Env: append(slices.Clip(c.environ()), "GOFLAGS="+strings.ReplaceAll(c.getenv("GOFLAGS"), "-mod=mod", "-mod=readonly")),
	}, patterns...)
}

// matters reports whether a package that the go command rejects is one that was named, or has kinds: any other one, which
// only a pattern matches, may be as wrong as it likes.
func (p *parser) matters(pkg *packages.Package, patterns []string) bool {
	if len(pkg.GoFiles)+len(pkg.OtherFiles) == 0 {
		return true // there is no such package
	}
	for _, pattern := range patterns {
		switch {
		case strings.Contains(pattern, "..."):
		case pattern == pkg.PkgPath:
			return true
		case p.isLocal(pattern):
			if dir, err := filepath.Abs(p.at(pattern)); err == nil && dir == filepath.Clean(pkg.Dir) {
				return true
			}
		}
	}
	return slices.ContainsFunc(pkg.GoFiles, func(name string) bool {
		text, err := p.readFile(name)
		return err == nil && bytes.Contains(text, genclient)
	})
}

// placeOf returns the place of what the go command says of a package: the file that it names, else the first one.
func placeOf(pkg *packages.Package, e packages.Error) token.Position {
	if pos := position(e.Pos); pos.IsValid() {
		return pos
	}
	for _, name := range slices.Concat(pkg.OtherFiles, pkg.GoFiles) {
		if strings.Contains(e.Msg, filepath.Base(name)) {
			return token.Position{Filename: name, Line: 1}
		}
	}
	for _, name := range pkg.GoFiles {
		return token.Position{Filename: name, Line: 1}
	}
	return token.Position{}
}

// reportListing reports what the go command says is wrong with a package, unless its files tell better.
func (p *parser) reportListing(pkg *packages.Package, matters bool) {
	for _, e := range pkg.Errors {
		pos := position(e.Pos)
		inFile := slices.ContainsFunc(pkg.GoFiles, func(name string) bool { return filepath.Base(name) == filepath.Base(pos.Filename) })
		switch {
		case inFile, strings.HasPrefix(e.Msg, "found packages "), strings.Contains(e.Msg, "build constraints exclude all Go files"):
		case strings.HasPrefix(e.Msg, "no Go files in "):
			p.Errorf(pos, "no Go files in %s", pkg.ID).Suggest("write %s/... for the directories below it", strings.TrimSuffix(pkg.ID, "/"))
		case strings.Contains(e.Msg, "does not contain main module"):
			p.Errorf(pos, "%s is not in a module that the go command uses here", pkg.ID).
				Suggest("run the command in that directory's module, or add the module to go.work")
		case !matters:
			p.Warnf(placeOf(pkg, e), "the go command rejects this package: %s", p.shortened(e.Msg)).
				Suggest("nothing is generated for it; to leave it out, name only the packages of the API")
		default:
			p.suggestFolder(p.Errorf(placeOf(pkg, e), "%s", p.shortened(e.Msg)), pkg.ID)
		}
	}
}

// shortened removes absolute paths from what the go command says: "package apis is not in std (/usr/local/go/src/apis)".
func (p *parser) shortened(message string) string {
	if before, inside, ok := strings.Cut(message, " ("); ok && filepath.IsAbs(inside) {
		message = before
	}
	if dir, err := filepath.Abs(p.cfg.Dir); err == nil {
		message = strings.ReplaceAll(message, dir+string(filepath.Separator), "")
	}
	return message
}

// goMessage returns what the go command printed, if that is why it could not be asked.
func goMessage(err error) string {
	before, stderr, _ := strings.Cut(err.Error(), ": stderr: ")
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		return stderr
	}
	return strings.TrimPrefix(before, "err: ")
}

func newSource(pkg *packages.Package) *source {
	src := &source{path: pkg.PkgPath, name: pkg.Name, ignored: pkg.IgnoredFiles}
	if m := pkg.Module; m != nil && m.Main {
		src.module = m.Dir
	} else if m != nil {
		src.foreign = m.Replace == nil || m.Replace.Version != ""
	}
	for _, name := range pkg.GoFiles {
		src.files = append(src.files, &file{name: name})
	}
	return src
}

// likely returns the packages that are not input but will probably be asked for: the one with the Scale type, and those of
// many fields, which apply configurations are about, if the module requires them and no pattern can match them.
func (p *parser) likely(patterns []string) []string {
	var found []string
	add := func(module string, below ...string) {
		if _, required := p.required(module); !required {
			return
		}
		for _, dir := range below {
			importPath := module + "/" + dir
			if !slices.ContainsFunc(patterns, func(pattern string) bool { return mayMatch(pattern, importPath) }) {
				found = append(found, importPath)
			}
		}
	}
	add("k8s.io/api", "autoscaling/v1")
	if p.cfg.Types {
		add("k8s.io/api", "core/v1")
		add("k8s.io/apimachinery", "pkg/api/resource", "pkg/apis/meta/v1", "pkg/runtime", "pkg/types", "pkg/util/intstr")
		add(clientGo, "applyconfigurations/core/v1")
	}
	add(clientGo, "applyconfigurations/meta/v1") // its version is wanted in any case
	return found
}

// outsideVersions reports whether VersionDirs leaves a package out.
func (p *parser) outsideVersions(src *source) bool {
	if !src.mentionsGenclient() {
		return true
	}
	if kubeVersion.MatchString(path.Base(src.path)) {
		return false
	}
	p.Warnf(p.packagePos(src), "package %s is ignored: its directory is not named like a version", src.path).
		Suggest("omit --classic, or move the package to a directory such as v1")
	return true
}

// position reads the "file:line:col" of a go/packages error.
func position(s string) token.Position {
	var pos token.Position
	rest, column, ok := cutLast(s, ":")
	name, line, ok2 := cutLast(rest, ":")
	if !ok || !ok2 {
		name, line, _ = cutLast(s, ":")
		column = ""
	}
	pos.Filename = name
	pos.Line, _ = strconv.Atoi(line)
	pos.Column, _ = strconv.Atoi(column)
	return pos
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
