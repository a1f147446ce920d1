package openapi

import (
	"golang.org/x/mod/module"

	"github.com/kubegen/kubegen/internal/source/load"
)

// release has what differs between releases of k8s.io/kube-openapi, whose openapi-gen defines what types and markers
// mean.
type release struct {
	modelNames  bool // methods OpenAPIModelName name definitions, and interfaces and unexported structs have none
	byTag       bool // the fields of an embedded struct without a name in JSON take its place, without the option inline
	plain       bool // only the exact option omitempty counts, and elements of lists and maps have no defaults
	ownComments bool // the comment above an alias does not replace the one above the type
	declarative bool // markers of declarative validation, such as +k8s:optional, mean the same as those without a prefix
}

// releaseOf returns the release that go.mod requires, or else the one for the newest release of client-go.
func releaseOf(modules *load.Modules) release {
	day := func(path, missing string) string {
		required, _ := modules.Required(path)
		if at, err := module.PseudoVersionTime(required.Version); err == nil {
			return at.Format("20060102")
		}
		return missing
	}
	of := day("k8s.io/kube-openapi", "20260721")
	found := release{modelNames: of >= "20250820", byTag: of >= "20260401", plain: of >= "20260515", declarative: of >= "20260901"}
	found.ownComments = found.plain || day("k8s.io/gengo/v2", "") >= "20250901" // the module that reads types for openapi-gen
	return found
}
