package clientset

import (
	"slices"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// Templates of helpers: the package shared by all kinds, and the functions of one kind.
const (
	sharedHelpers = templates.Helpers + "/helpers.go.tmpl"
	kindHelpers   = templates.Clients + "/kind_helpers.go.tmpl"
)

func hasHelpers(k *render.Kind) bool { return k.Model.Helpers() }

// Helper refers to a name in the package shared by the helpers of all kinds.
func (k Client) Helper(name string) gofile.Code { return k.RefIn(templates.Helpers, name) }

// Iterates reports whether the kind has the function EachKIND.
func (k Client) Iterates() bool { return k.has("Each"+k.Kind(), model.VerbList) }

// Updates reports whether the kind has the function UpdateKIND.
func (k Client) Updates() bool { return k.has("Update"+k.Kind(), model.VerbGet, model.VerbUpdate) }

// UpdatesStatus reports whether the kind has the function UpdateKINDStatus.
func (k Client) UpdatesStatus() bool {
	return k.has("Update"+k.Kind()+"Status", model.VerbGet, model.VerbUpdateStatus)
}

// Waits reports whether the kind has the function WaitForKIND.
func (k Client) Waits() bool { return k.has("WaitFor"+k.Kind(), model.VerbList, model.VerbWatch) }

// has reports whether the kind's client has the methods required by a helper, and no hand-written file declares the
// helper.
func (k Client) has(helper string, needs ...model.Verb) bool {
	return !k.HandWritten(helper) && !slices.ContainsFunc(needs, func(v model.Verb) bool { return !k.Can(v) })
}
