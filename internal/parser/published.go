package parser

import (
	"context"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
)

// findPublished finds the apply configurations that client-go has for structs of other packages: a file of each, named
// as its struct. The tools of k8s.io/code-generator know only those of some structs of metav1.
func (r *typeReader) findPublished(ctx context.Context, structs []*model.StructType) {
	homes := map[string][]*model.StructType{}
	for _, s := range structs {
		switch home := publishedIn(s.Path); {
		case home == "" || s.Package != nil:
		case !r.cfg.Classic:
			homes[home] = append(homes[home], s)
		case alwaysPublished(s):
			s.Published = home
		}
	}
	var missing []string
	for _, home := range slices.Sorted(maps.Keys(homes)) {
		if _, ok := r.sources[home]; !ok {
			missing = append(missing, home)
		}
	}
	if len(missing) > 0 {
		r.preload(ctx, missing...)
	}
	for _, home := range slices.Sorted(maps.Keys(homes)) {
		members := homes[home]
		if why, commands := r.whyMissing(home); commands != "" && members[0].Path != model.MetaV1 { // of which that is known
			r.Warnf(token.Position{}, "cannot determine which types of %s have an apply configuration in client-go: %s", members[0].Path, why).
				Suggest("run %s, then run the command again", commands)
		}
		files := map[string]bool{}
		if src := r.sources[home]; src != nil {
			for _, f := range src.files {
				files[path.Base(strings.ReplaceAll(f.name, "\\", "/"))] = true
			}
		}
		for _, s := range members {
			if files[strings.ToLower(s.Name)+".go"] || alwaysPublished(s) {
				s.Published = home
			}
		}
	}
}

// alwaysPublished reports whether every client-go has an apply configuration for a struct.
func alwaysPublished(s *model.StructType) bool {
	return s.Path == model.MetaV1 && slices.Contains(model.PublishedMetaV1, s.Name)
}

// publishedIn returns the package of client-go that may have apply configurations for the structs of a package, or "".
func publishedIn(importPath string) string {
	const published = "k8s.io/client-go/applyconfigurations/"
	if importPath == model.MetaV1 {
		return published + "meta/v1"
	}
	if below, ok := strings.CutPrefix(importPath, "k8s.io/api/"); ok {
		return published + below
	}
	return ""
}
