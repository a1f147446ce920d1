package products

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// CopiedObjects names types of a package that must implement runtime.Object.
type CopiedObjects struct {
	Source   *load.Package
	Names    []string          // names of the types
	Copies   []*model.Declared // types of the package for which the output generates methods
	Promised gotypes.Promised  // methods that other outputs of the run generate
}

// ReportObjects adds one warning if some of the types have no DeepCopyObject method, which generated code needs to
// compile. It is a note if markers show that another tool generates the method. written reports whether the run
// generates DeepCopy methods.
func ReportObjects(outline *gotypes.Reader, packages []CopiedObjects, written bool, diags *diag.List) {
	l := outline.Loader
	var first string
	var pos token.Position
	others, tool := 0, ""
	for _, o := range packages {
		objects := o.have()
		for _, name := range o.Names {
			d, ok := l.Lookup(o.Source, name)
			if !ok || d.Type == nil || objects[name] || d.Type.Assign.IsValid() {
				continue
			}
			if base := promotedFrom(d, objects); base != "" {
				diags.Warnf(
					l.Fset.Position(d.Node.Pos()), "%s has the DeepCopyObject method of %s, which returns a *%s: fake clients and caches panic", name,
					base, base,
				).Suggest("put +%s:interfaces=%s.%s above %s", model.DeepCopyMarker, object.Path, object.Name, name)
				continue
			}
			if first != "" {
				others++
				continue
			}
			first, pos, tool = name, l.Fset.Position(d.Node.Pos()), copiedBy(o.Source)
		}
	}
	if first == "" {
		return
	}
	lack := " has"
	if others > 0 {
		lack = fmt.Sprintf(" and %s have", diag.Count(others, "other type"))
	}
	d := diags.Warnf(pos, "%s%s no DeepCopyObject method, which generated code needs to compile", first, lack)
	switch {
	case written && tool == "controller-gen":
		d.Suggest("put +%s:root=true above each", model.ObjectMarker)
	case written:
		d.Suggest("put +%s=true and +%[1]s:interfaces=%s.%s above each", model.DeepCopyMarker, object.Path, object.Name)
	case tool == "":
		d.Suggest("add %s to generate it", diag.Setting("with-deepcopy"))
	default:
		d.Severity = diag.Note
		d.Run("%s", tool).Or("add %s", diag.Setting("with-deepcopy"))
	}
}

// promotedFrom returns the embedded struct that has a DeepCopyObject method, or "" if there is none.
func promotedFrom(d load.Decl, objects map[string]bool) string {
	s, ok := d.Type.Type.(*ast.StructType)
	if !ok {
		return ""
	}
	for _, f := range s.Fields.List {
		if base := load.BaseName(f.Type); len(f.Names) == 0 && objects[base] {
			return base
		}
	}
	return ""
}

// have returns the types with a DeepCopyObject method in a file of the package or from the run.
func (o CopiedObjects) have() map[string]bool {
	found := map[string]bool{}
	for _, f := range o.Source.Files {
		for m := range f.Methods("DeepCopyObject") {
			found[m.Receiver] = found[m.Receiver] || m.Name == "DeepCopyObject"
		}
	}
	for _, d := range o.Copies {
		if slices.Contains(d.Interfaces, object) {
			found[d.Name] = true
		}
	}
	for name := range o.Promised.Methods {
		if o.Promised.IsObject(name) {
			found[name] = true
		}
	}
	return found
}

// Meant returns a function that reports whether a type has a DeepCopyObject method, from a file, the run, or another
// tool for which it has a marker.
func (o CopiedObjects) Meant(outline *gotypes.Reader) func(name string) bool {
	objects := o.have()
	return func(name string) bool {
		d, ok := outline.Lookup(o.Source, name)
		return objects[name] || ok && d.Type != nil && outline.HasMarker(d, gotypes.IsObjectMarker)
	}
}

// copiedBy returns the tool for which a package has DeepCopy markers, or "" if there are none.
func copiedBy(s *load.Package) string {
	for _, f := range s.Files {
		switch {
		case bytes.Contains(f.Text, []byte("+k8s:deepcopy-gen")):
			return "deepcopy-gen"
		case bytes.Contains(f.Text, []byte("+kubebuilder:object:")):
			return "controller-gen"
		}
	}
	return ""
}
