package parser

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/model"
)

// unit is what one package contributes to the API.
type unit struct {
	src     *source
	pkg     *model.Package
	group   string
	version string // "" for unversioned types
	goName  string // wish of +groupGoName, "" for none
	dir     string // folder of the group where the layout is group/version, otherwise ""
	kinds   []*kind
}

// readPackage reads what a package has to say. It returns nil for a package that has nothing to generate.
func (p *parser) readPackage(src *source) *unit {
	comments := src.packageComments()
	found := markers.Read(p.fset, markers.Package, &p.List, comments...)
	p.lint(src, comments)

	u := &unit{src: src, pkg: &model.Package{Path: src.path, Name: src.name, Pos: p.packagePos(src)}}
	u.kinds = p.findKinds(src)
	group, groupPos, hasGroup := p.single(found, "groupName")
	version, _, hasVersion := p.single(found, "versionName")
	u.goName, _, _ = p.single(found, "groupGoName")
	u.pkg.NoClients = p.switchedOff(found, "k8s:client-gen")
	u.pkg.NoListers = p.switchedOff(found, "k8s:lister-gen")
	u.pkg.NoInformers = p.switchedOff(found, "k8s:informer-gen")

	if len(p.cfg.IncludedTypes) == 0 && len(u.kinds) == 0 {
		return p.passOver(src, "%s", src.whyNothing())
	}

	declared := p.declaredGroupVersion(src)
	u.pkg.GroupVersionVar = declared.name
	internal := isInternal(u.kinds)
	switch {
	case hasGroup:
		u.group = group
		if declared.group != nil && *declared.group != group {
			p.Warnf(groupPos, "+groupName=%s, but %s registers the types in group %q", group, declared.name, *declared.group).
				Suggest("make them the same, see %s", p.short(declared.pos))
		}
	case declared.group != nil:
		u.group, groupPos = *declared.group, declared.pos
	default:
		u.group, groupPos = path.Base(path.Dir(src.path)), u.pkg.Pos
		if internal {
			u.group = path.Base(src.path)
		}
	}
	switch {
	case internal:
	case hasVersion:
		u.version = version
	case declared.version != nil:
		u.version = strings.TrimPrefix(*declared.version, "__internal")
	default:
		u.version = path.Base(src.path)
		if !kubeVersion.MatchString(u.version) && declared.group == nil {
			p.Warnf(u.pkg.Pos, "taking %s for the API version, from the folder's name", u.version).
				Suggest("declare SchemeGroupVersion, or put +versionName=v1 into the package comment")
		}
	}
	if u.version == "" && !p.cfg.Internal {
		return p.passOver(src, "its types are unversioned (no JSON tags); gen-clientset, gen-lister and gen-informer take those")
	}
	if problems := validation.IsDNS1123Subdomain(u.group); u.group != "" && len(problems) > 0 {
		p.Errorf(groupPos, "%q is not a legal group name", u.group).
			Suggest("use lower case letters, digits, dashes and dots, as in +groupName=stable.example.com")
	}
	if problems := validation.IsDNS1035Label(u.version); u.version != "" && len(problems) > 0 {
		p.Errorf(u.pkg.Pos, "%q is not a legal version name", u.version).
			Suggest("use lower case letters, digits and dashes, starting with a letter, as in +versionName=v1")
	}
	switch base := path.Base(src.path); {
	case u.version == "":
		u.dir = base
	case strings.EqualFold(base, u.version) && strings.Contains(src.path, "/"):
		u.dir = path.Base(path.Dir(src.path))
	}

	u.kinds = p.include(u)
	if len(u.kinds) == 0 {
		return p.passOver(src, "none of its types is included")
	}
	if p.cfg.Clients && !u.pkg.NoClients && u.version != "" {
		p.requireAddToScheme(u)
	}
	for _, k := range u.kinds {
		p.readKind(u, k)
	}
	return u
}

var kubeVersion = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// packageComments returns the comments in which package markers may stand: those above a package clause, and all of
// doc.go.
func (s *source) packageComments() []*ast.CommentGroup {
	var groups []*ast.CommentGroup
	for _, f := range s.files {
		if f.ast == nil {
			continue
		}
		everywhere := filepath.Base(f.name) == "doc.go"
		for _, group := range f.ast.Comments {
			if everywhere || group.Pos() < f.ast.Package {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// packagePos returns the place that stands for the package as a whole: the package clause of doc.go, or of its first
// file.
func (p *parser) packagePos(src *source) token.Position {
	var pos token.Position
	for _, f := range src.files {
		if f.ast != nil && (!pos.IsValid() || filepath.Base(f.name) == "doc.go") {
			pos = p.fset.Position(f.ast.Package)
		}
	}
	return pos
}

// single returns the value of a marker that a package or type can have only once.
func (p *parser) single(found []markers.Marker, name string) (value string, pos token.Position, ok bool) {
	for _, m := range found {
		switch {
		case m.Name != name:
		case !ok:
			value, pos, ok = m.Value, m.Pos, true
		case m.Value != value:
			p.Errorf(m.Pos, "+%s=%s contradicts +%s=%s at %s", name, m.Value, name, value, p.short(pos)).Suggest("keep one of them")
		}
	}
	return value, pos, ok
}

func (p *parser) switchedOff(found []markers.Marker, name string) bool {
	value, _, ok := p.single(found, name)
	return ok && value == "false"
}

// short writes a position within a message.
func (p *parser) short(pos token.Position) string {
	return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
}

// requireAddToScheme checks that the generated scheme will find the registration of the package's types.
func (p *parser) requireAddToScheme(u *unit) {
	if _, ok := p.lookup(u.src, "AddToScheme"); ok || u.src.registerGen() {
		return
	}
	groupVersion := u.pkg.GroupVersionVar
	lines := []string{
		"var SchemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {",
		"s.AddKnownTypes(%[1]s, %[2]s); metav1.AddToGroupVersion(s, %[1]s); return nil })",
		"var AddToScheme = SchemeBuilder.AddToScheme",
	}
	if groupVersion == "" {
		groupVersion = fmt.Sprintf("schema.GroupVersion{Group: %q, Version: %q}", u.group, u.version)
	}
	var objects []string
	for _, k := range u.kinds {
		objects = append(objects, fmt.Sprintf("&%[1]s{}, &%[1]sList{}", k.spec.Name.Name))
	}
	p.Errorf(u.pkg.Pos, "package %s has no AddToScheme, which the generated scheme calls", u.src.path).
		Suggest("add these three lines: "+strings.Join(lines, " "), groupVersion, strings.Join(objects, ", "))
}

// registerGen reports whether register-gen is going to write the package's AddToScheme
// (zz_generated.register.go, by +k8s:register-gen).
func (s *source) registerGen() bool {
	for _, f := range s.files {
		if bytes.Contains(f.text, []byte("+k8s:register-gen")) {
			return true
		}
	}
	return false
}

// whyNothing says in a few words why there is nothing to generate from a package.
func (s *source) whyNothing() string {
	for _, name := range s.ignored {
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, genclient) {
			return filepath.Base(name) + " has +genclient, but build constraints exclude it"
		}
	}
	types := 0
	for _, d := range s.decls {
		if d.typ != nil {
			types++
		}
	}
	if len(s.files) == 0 {
		return "no Go files"
	}
	return fmt.Sprintf("no +genclient in %s with %s", count(len(s.files), "file"), count(types, "type"))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
