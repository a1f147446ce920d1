package render

import "github.com/kubegen/kubegen/internal/model"

// Package is what a template is given whose file lies beside the types of a package.
type Package struct {
	*API
	Model *model.Package
}
