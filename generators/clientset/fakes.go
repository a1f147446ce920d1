package clientset

import (
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/templates"
)

// sharedFakes is the template of the package that the fake clients of all kinds share.
const sharedFakes = templates.SharedFakes + "/fakes.go.tmpl"

// SharedFake refers to a name in the package that the fake clients of all kinds share.
func (k Client) SharedFake(name string) gofile.Code { return k.RefIn(templates.SharedFakes, name) }

// FakeTypes returns the type arguments of the kind's fake client.
func (k Client) FakeTypes() gofile.Code {
	list, configuration := gofile.Code("any"), gofile.Code("any")
	if k.Lists() {
		list = "*" + k.ListType()
	}
	if k.HasApply() {
		configuration = "*" + k.ApplyType()
	}
	return "[" + gofile.Join([]gofile.Code{"*" + k.Type(), list, configuration}, ", ") + "]"
}
