package run

import (
	"bytes"
	"slices"

	"github.com/kubegen/kubegen/generators/rbac"
	"github.com/kubegen/kubegen/generators/webhook"
	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/manifest"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
	"github.com/kubegen/kubegen/internal/output"
	"github.com/kubegen/kubegen/internal/parallel"
)

// roles derives the roles of an output from the markers in all its packages.
func (o *Output) roles(f *facts.Facts, diags *diag.List) []written {
	flags := o.Flags.RBAC
	content := rbac.Generate(slices.Concat(o.fileMarkers(f, markers.Roles, diags)...), rbac.Options{RoleName: flags.RoleName, Header: o.header("rbac")})
	return []written{o.single(flags.FileName, content, rbac.Kinds)}
}

// webhooks derives the configurations of webhooks of an output from the markers in all its packages.
func (o *Output) webhooks(f *facts.Facts, diags *diag.List) []written {
	content := webhook.Generate(o.fileMarkers(f, markers.Webhooks, diags), o.header("webhook"), diags)
	return []written{o.single(webhook.FileName, content, webhook.Kinds)}
}

// fileMarkers returns the markers of an effect in the files of each package of an output, in the order of these.
func (o *Output) fileMarkers(f *facts.Facts, effect markers.Effect, diags *diag.List) (found [][]model.Marker) {
	type inFile struct {
		*load.File
		src   int
		found []model.Marker
		diags diag.List
	}
	var files []*inFile
	for i, src := range f.Sources() {
		for _, file := range src.Files {
			if file.Syntax != nil && bytes.Contains(file.Text, []byte("+kubebuilder:")) {
				files = append(files, &inFile{File: file, src: i})
			}
		}
	}
	parallel.Each(files, func(file *inFile) {
		read, _ := markers.OfFile(f.Fset, file.Syntax, effect)
		file.found = markers.ReadFile(read, effect, &file.diags)
	})
	found = make([][]model.Marker, len(f.Sources()))
	for _, file := range files {
		found[file.src], *diags = append(found[file.src], file.found...), append(*diags, file.diags...)
	}
	return found
}

// header returns the text above the manifests of a generator.
func (o *Output) header(generator string) string {
	for _, t := range o.ManifestTargets {
		if t.Name == generator {
			return t.Header
		}
	}
	return ""
}

// single returns the only file of a generator, whose content is nil if there is nothing to write. A file of this name
// may be replaced if it has objects of these kinds and no others. If there is nothing to write, it is stale if it has
// the form of a generated file, and the packages of the output include all in its module.
func (o *Output) single(name string, content []byte, kinds []string) (w written) {
	w.owned = func(text []byte) bool { return manifest.Holds(text, kinds...) }
	w.stale = func(other string, text []byte) bool {
		return other == name && manifest.Written(text, kinds...) && o.coversModule()
	}
	if content != nil {
		w.files = []output.File{{Path: name, Content: content}}
	}
	return w
}

// coversModule reports whether the packages of the output include all packages of the module that has kubegen.yaml or
// the current directory.
func (o *Output) coversModule() bool {
	_, module, ok := o.FindModule(".")
	covers := o.Covers("")
	return ok && covers(module) && covers(module+"/any")
}
