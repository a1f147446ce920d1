package render

import (
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Method is an additional method of a kind's client, from +genclient:method or +kubebuilder:subresource:scale.
type Method struct {
	*Kind
	Model model.Method
}

// Methods returns the additional methods of the kind's client. It omits apply methods if there are no apply
// configurations, and implied methods that a hand-written expansion declares.
func (k *Kind) Methods() []Method {
	var list []Method
	for _, m := range k.Model.Methods {
		expanded := m.Implied && (k.HandWritten(k.Struct()+"."+m.Name) || k.HandWritten("fake"+k.Plural()+"."+m.Name))
		if (m.Verb != model.VerbApply || k.Applies()) && !expanded {
			list = append(list, Method{k, m})
		}
	}
	return list
}

// Name returns the name of the method: "GetScale".
func (m Method) Name() string { return m.Model.Name }

// IsApply, IsList and IsPatch report whether the method has the verb apply, list or patch.
func (m Method) IsApply() bool { return m.Model.Verb == model.VerbApply }
func (m Method) IsList() bool  { return m.Model.Verb == model.VerbList }
func (m Method) IsPatch() bool { return m.Model.Verb == model.VerbPatch }

// ObjectName returns the parameter for the object's name, or "" if the request body contains the name.
func (m Method) ObjectName() gofile.Code {
	switch {
	case m.Model.Subresource != "":
		return param(m.Kind.Model.Kind, "Name")
	case m.Model.Verb == model.VerbGet:
		return "name"
	}
	return ""
}

// BodyName returns the parameter for the request body, or "".
func (m Method) BodyName() gofile.Code {
	switch m.Model.Verb {
	case model.VerbCreate, model.VerbUpdate, model.VerbApply:
		if name := param(m.Model.Input.Name); name != m.ObjectName() {
			return name
		}
		return gofile.Local("obj")
	}
	return ""
}

// Body returns the type of the request body.
func (m Method) Body() gofile.Code {
	if m.IsApply() {
		return m.ApplyTypeOf(m.Model.Input)
	}
	return m.TypeRef(m.Model.Input)
}

// Result returns the type of the result.
func (m Method) Result() gofile.Code {
	t := m.Model.Result
	if m.IsList() {
		t.Name += "List"
	}
	return m.TypeRef(t)
}

// Options returns the name of the options type in metav1.
func (m Method) Options() string {
	return strings.ToUpper(string(m.Model.Verb[:1])) + string(m.Model.Verb[1:]) + "Options"
}

// Does returns a verb phrase that describes the method, for its comment.
func (m Method) Does() string {
	does := map[model.Verb]string{
		model.VerbCreate: "creates", model.VerbUpdate: "replaces", model.VerbGet: "reads",
		model.VerbList: "lists", model.VerbPatch: "patches", model.VerbApply: "applies",
	}[m.Model.Verb]
	if m.Model.Subresource != "" {
		return does + " the " + m.Model.Subresource + " subresource of one of the " + m.ResourceName()
	}
	return does + " " + m.ResourceName()
}
