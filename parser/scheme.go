package parser

import (
	"bytes"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/model"
)

// requireAddToScheme checks that the generated scheme will find the registration of the package's types.
func (p *parser) requireAddToScheme(u *unit) {
	if d, ok := p.lookup(u.src, "AddToScheme"); ok && d.typ == nil || u.src.registerGen() || u.src.broken() {
		return
	}
	groupVersion, declare := u.pkg.GroupVersionVar, ""
	version := strconv.Quote(u.version)
	if u.version == "" {
		version = "runtime.APIVersionInternal"
	}
	if groupVersion == "" {
		groupVersion = "SchemeGroupVersion"
		declare = fmt.Sprintf("var SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %s}; ", u.group, version)
	}
	register := fmt.Sprintf("metav1.AddToGroupVersion(s, %s); ", groupVersion)
	if u.version == "" {
		register = "" // AddToGroupVersion panics
	}
	args := []string{groupVersion}
	for _, k := range u.kinds {
		for _, name := range []string{k.spec.Name.Name, k.spec.Name.Name + "List"} {
			if d, ok := p.lookup(u.src, name); ok && d.typ != nil && token.IsExported(name) && k.fields.isStruct && !k.spec.Assign.IsValid() && k.spec.TypeParams == nil {
				args = append(args, "&"+name+"{}")
			}
		}
	}
	p.Errorf(u.pkg.Pos, "package %s has no AddToScheme, which the generated scheme calls", u.src.path).
		Suggest("add: %sfunc AddToScheme(s *runtime.Scheme) error { s.AddKnownTypes(%s); %sreturn nil }", declare, strings.Join(args, ", "), register)
}

// findSchemes finds the packages that register what the methods of a kind send and return.
func (p *parser) findSchemes(r *model.Resource) {
	for i := range r.Methods {
		m := &r.Methods[i]
		for _, importPath := range []string{m.Input.Path, m.Result.Path} {
			if importPath != r.Package.Path && !slices.Contains(m.Schemes, importPath) && p.addsToScheme(importPath) {
				m.Schemes = append(m.Schemes, importPath)
			}
		}
	}
}

// addsToScheme reports whether a package registers its types. Those of k8s.io/api do, which holds where they cannot be
// looked at yet.
func (p *parser) addsToScheme(importPath string) bool {
	src := p.sources[importPath]
	if src == nil {
		return strings.HasPrefix(importPath, "k8s.io/api/")
	}
	d, ok := p.lookup(src, "AddToScheme")
	return ok && d.typ == nil
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
