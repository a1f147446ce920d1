package render

import "github.com/kubegen/kubegen/internal/model"

// Package is the view for templates of files in a package of types.
type Package struct {
	*API
	Model *model.Package
}
