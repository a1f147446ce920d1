package parser

import (
	"bytes"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// reportObjects warns, once, if kinds or their lists have no DeepCopyObject method, which generated code needs to compile.
// Where markers show that another tool generates it, this is a note.
func (p *parser) reportObjects(units []*unit) {
	if !p.cfg.Clients || p.cfg.Policy.NoAdvice {
		return
	}
	var first string
	var pos token.Position
	others, unmarked := 0, false
	var tools []string
	for _, u := range units {
		if u.src.Foreign || u.src.Broken() {
			continue
		}
		objects := p.objects(u.src)
		lacking := 0
		for _, k := range u.kinds {
			if k.resource == nil {
				continue
			}
			for _, name := range []string{k.resource.Kind, k.resource.List.Name} {
				d, ok := p.Lookup(u.src, name)
				if !ok || d.Type == nil || objects[name] || d.Type.Assign.IsValid() {
					continue
				}
				if lacking++; first == "" {
					first, pos = name, p.Fset.Position(d.Node.Pos())
				} else {
					others++
				}
			}
		}
		if lacking == 0 {
			continue
		}
		tool := copiedBy(u.src)
		if unmarked = unmarked || tool == ""; tool != "" && !slices.Contains(tools, tool) {
			tools = append(tools, tool)
		}
	}
	if first == "" {
		return
	}
	lack := " has"
	if others > 0 {
		lack = " and " + count(others, "other type") + " have"
	}
	d := p.Warnf(pos, "%s%s no DeepCopyObject method, which generated code needs to compile", first, lack)
	switch {
	case len(p.cfg.DeepCopy) > 0 && slices.Contains(tools, "controller-gen"):
		d.Suggest("put +%s:root=true above each", model.ObjectMarker)
		return
	case len(p.cfg.DeepCopy) > 0:
		d.Suggest("put +%s:interfaces=%s.%s above each", model.DeepCopyMarker, object.Path, object.Name)
		return
	case unmarked:
		d.Suggest("add --with-deepcopy to generate it")
		return
	}
	d.Severity = diag.Note
	slices.Sort(tools)
	d.Suggest("run %s, or add --with-deepcopy", strings.Join(tools, " and "))
}

// objects returns the types of a package that have a DeepCopyObject method in any of its files, or get one from the run.
func (p *parser) objects(src *load.Package) map[string]bool {
	found := map[string]bool{}
	for _, f := range src.Files {
		for text, ok := f.Text, true; ok; {
			var before []byte
			if before, text, ok = bytes.Cut(text, []byte(") DeepCopyObject(")); ok {
				found[string(before[bytes.LastIndexAny(before, " *(")+1:])] = true
			}
		}
	}
	for _, d := range p.copies[src] {
		if slices.Contains(d.Interfaces, object) {
			found[d.Name] = true
		}
	}
	return found
}

// copiedBy returns the tool that markers of a package ask for DeepCopy methods, "" if there is none.
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
