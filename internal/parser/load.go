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

// load finds and reads the packages that match the patterns. It returns them ordered by import path.
//
// Running the go command takes longer than all other work for a small API. So the same run also lists the packages that
// the API will probably refer to.
func (p *parser) load(ctx context.Context, patterns []string) []*source {
	p.goMods = p.findGoMods()
	existing := p.existing(patterns)
	if len(existing) == 0 {
		return nil
	}
	likely := p.likely(existing)
	hasErrors := func(pkg *packages.Package) bool { return len(pkg.Errors) > 0 }
	loaded, err := p.list(ctx, slices.Concat(likely, existing))
	if likely != nil && (err != nil || slices.ContainsFunc(loaded, hasErrors)) {
		likely = nil // it may have caused the error
		loaded, err = p.list(ctx, existing)
	}
	if (err != nil || slices.ContainsFunc(loaded, hasErrors)) && p.reportElsewhere(existing) {
		return nil
	}
	if err != nil {
		p.reportRefusal(err)
		return nil
	}
	var found []*source
	for _, pkg := range loaded {
		p.noteModule(pkg.Module)
		if slices.Contains(likely, pkg.PkgPath) {
			p.sources[pkg.PkgPath] = p.newSource(pkg)
			continue
		}
		if len(pkg.Errors) > 0 {
			p.reportListing(pkg, p.matters(pkg, existing))
		}
		if p.sources[pkg.PkgPath] != nil || len(pkg.Errors) > 0 && len(pkg.GoFiles) == 0 && len(pkg.IgnoredFiles) == 0 {
			continue
		}
		src := p.newSource(pkg)
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

// matters reports whether an invalid package is an error: it is if the package was named explicitly or has kinds, but
// not if it merely matches a pattern.
func (p *parser) matters(pkg *packages.Package, patterns []string) bool {
	files := slices.Concat(pkg.GoFiles, pkg.OtherFiles)
	if len(files) == 0 {
		return true // the package does not exist
	}
	return p.isNamed(pkg.PkgPath, filepath.Dir(files[0]), patterns) || slices.ContainsFunc(pkg.GoFiles, func(name string) bool {
		text, err := p.readFile(name)
		return err == nil && bytes.Contains(text, genclient)
	})
}

// isNamed reports whether one of the patterns is the path of a package, or names its directory.
func (p *parser) isNamed(importPath, dir string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if !p.isLocal(pattern) {
			return pattern == importPath
		}
		named, err := filepath.Abs(p.at(pattern))
		return err == nil && named == filepath.Clean(dir)
	})
}

// placeOf returns the position of an error of the go command: that in the message, or else the package's first file.
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

// reportListing reports the errors of the go command for a package, unless parsing its files gives better ones.
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
			message := p.shortened(e.Msg)
			if why, commands := p.explain(pkg.ID, message); commands != "" {
				p.Errorf(placeOf(pkg, e), "cannot read %s: %s", pkg.ID, why).Suggest("run %s", commands)
			} else {
				p.suggestMeant(p.Errorf(placeOf(pkg, e), "%s", message), pkg.ID)
			}
		}
	}
}

// shortened removes absolute paths from a message of the go command: "package apis is not in std
// (/usr/local/go/src/apis)".
func (p *parser) shortened(message string) string {
	if before, inside, ok := strings.Cut(message, " ("); ok && filepath.IsAbs(inside) {
		message = before
	}
	if dir, err := filepath.Abs(p.cfg.Dir); err == nil {
		message = strings.ReplaceAll(message, dir+string(filepath.Separator), "")
	}
	return message
}

// goMessage returns the output of a failed go command.
func goMessage(err error) string {
	before, stderr, _ := strings.Cut(err.Error(), ": stderr: ")
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		return stderr
	}
	return strings.TrimPrefix(before, "err: ")
}

func (p *parser) newSource(pkg *packages.Package) *source {
	src := &source{path: pkg.PkgPath, name: pkg.Name, ignored: pkg.IgnoredFiles}
	if m := pkg.Module; m != nil && m.Main {
		src.module = m.Dir
	} else if m != nil {
		src.foreign = m.Replace == nil || m.Replace.Version != ""
	}
	for _, name := range p.shared.goFiles(pkg) {
		src.files = append(src.files, &file{name: name})
	}
	return src
}

// likely returns packages that the API will probably refer to: the one of the Scale type and, if the types of fields are read,
// those of common field types. They must be required by the module and not match a pattern.
func (p *parser) likely(patterns []string) []string {
	var found []string
	add := func(importPaths ...string) {
		for _, importPath := range importPaths {
			_, required := p.required(kubernetesModule(importPath))
			if required && !slices.ContainsFunc(patterns, func(pattern string) bool { return mayMatch(pattern, importPath) }) {
				found = append(found, importPath)
			}
		}
	}
	if p.cfg.Read != nil || len(p.cfg.DeepCopy) > 0 {
		const module = "k8s.io/apimachinery/pkg/"
		add(module+"api/resource", module+"apis/meta/v1", module+"runtime", module+"types", module+"util/intstr")
	}
	if p.cfg.Beside {
		return found
	}
	add("k8s.io/api/autoscaling/v1")
	if p.cfg.Read != nil {
		add("k8s.io/api/core/v1", p.along("k8s.io/api/core/v1"))
	}
	add(clientGoPackage) // its version is always needed
	return found
}

// outsideVersions reports whether VersionDirs excludes a package.
func (p *parser) outsideVersions(src *source) bool {
	if !src.mentionsGenclient() {
		return true
	}
	if kubeVersion.MatchString(path.Base(src.path)) {
		return false
	}
	p.Warnf(p.packagePos(src), "package %s gets no clients: its directory is not named like a version", src.path).
		Suggest("move the package to a directory such as v1, or omit --classic")
	return true
}

// position parses the "file:line:col" of a go/packages error.
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
