package facts

import (
	"path/filepath"

	"github.com/kubegen/kubegen/internal/gotypes"
	"github.com/kubegen/kubegen/internal/model"
)

// reader implements model.Reader for some of the packages.
type reader struct {
	types    *gotypes.Reader
	packages []*model.Package
	kinds    []*model.Resource
	byType   map[model.TypeRef]*model.Resource
}

func (p *Part) newReader() *reader {
	r := &reader{types: p.NewTypeReader(), byType: map[model.TypeRef]*model.Resource{}}
	for _, src := range p.packages {
		r.types.Packages[src] = p.Facts.packages[src]
		r.packages = append(r.packages, p.Facts.packages[src])
	}
	for _, u := range p.units {
		for _, k := range u.kinds {
			if k.Resource != nil {
				r.kinds = append(r.kinds, k.Resource)
				r.byType[k.Resource.Type()] = k.Resource
			}
		}
	}
	return r
}

func (r *reader) Packages() []*model.Package { return r.packages }

func (r *reader) Kinds() []*model.Resource { return r.kinds }

func (r *reader) Structs(types ...model.TypeRef) []*model.StructType {
	found := r.types.Structs(types...)
	for _, s := range found {
		s.Resource = r.byType[s.TypeRef]
	}
	return found
}

func (r *reader) Files(importPaths ...string) map[string][]string {
	p := r.types.Loader
	p.Preload(importPaths...)
	files := map[string][]string{}
	for _, importPath := range importPaths {
		if src := p.Known[importPath]; src != nil {
			for _, f := range src.Files {
				files[importPath] = append(files[importPath], filepath.Base(f.Name))
			}
		}
	}
	return files
}

func (r *reader) WhyMissing(importPath string) (why, commands string) {
	return r.types.WhyMissing(importPath)
}
