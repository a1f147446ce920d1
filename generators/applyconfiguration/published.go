package applyconfiguration

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// findPublished sets the Published package of structs that have apply configurations in client-go. client-go has a file
// for each of them, named after the struct. The tools of k8s.io/code-generator only use the apply configurations of
// some structs of metav1. While client-go cannot be read, the inputs of apply methods count as published.
func findPublished(structs []*model.StructType, applied []model.TypeRef, r model.Reader, opts *render.Options) (diags diag.List) {
	homes := map[string][]*model.StructType{}
	for _, s := range structs {
		switch home := Published.Of(s.Path); {
		case home == "" || s.Package != nil && !s.External:
		case s.Path == model.MetaV1 && slices.Contains(model.PublishedMetaV1, s.Name): // in every release of client-go
			s.Published = home
		case !opts.Policy.PublishedOnlyOfMetaV1:
			homes[home] = append(homes[home], s)
		}
	}
	sorted := slices.Sorted(maps.Keys(homes))
	files := r.Files(sorted...)
	for _, home := range sorted {
		members := homes[home]
		why, commands := r.WhyMissing(home)
		unknown := commands != "" && members[0].Path != model.MetaV1 // the types of metav1 are known
		if unknown {
			diags.Warnf(token.Position{}, "cannot determine which types of %s have an apply configuration in client-go: %s", members[0].Path, why).
				Run("%s, then run the command again", commands)
		}
		for _, s := range members {
			if unknown && slices.Contains(applied, s.TypeRef) || slices.Contains(files[home], strings.ToLower(s.Name)+".go") {
				s.Published = home
			}
		}
	}
	return diags
}

// Published are the packages of client-go that may have apply configurations for the structs of a package.
var Published = model.Companions{
	model.MetaV1:  "k8s.io/client-go/applyconfigurations/meta/v1",
	"k8s.io/api/": "k8s.io/client-go/applyconfigurations/",
}
