package generators

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/model"
)

// MethodData is what templates are given for a client method of +genclient:method: the Data of its kind, and the
// method.
type MethodData struct {
	*Data
	method model.Method
}

// Methods returns the additional methods of the kind's client. Those that apply need apply configurations, and those that
// nobody asked for by +genclient:method make way for methods of an expansion.
func (d *Data) Methods() []MethodData {
	var list []MethodData
	for _, m := range d.resource.Methods {
		expanded := m.Implied && (d.HandWritten(d.Struct()+"."+m.Name) || d.HandWritten("fake"+d.Plural()+"."+m.Name))
		if (m.Verb != model.VerbApply || d.Applies()) && !expanded {
			list = append(list, MethodData{d, m})
		}
	}
	return list
}

// HasMethods reports whether any kind of the version has additional methods.
func (d *Data) HasMethods() bool {
	for _, r := range d.Resources() {
		if len(r.Methods()) > 0 {
			return true
		}
	}
	return false
}

// Name returns "GetScale".
func (m MethodData) Name() string { return m.method.Name }

// IsApply, IsList and IsPatch tell what the method does.
func (m MethodData) IsApply() bool { return m.method.Verb == model.VerbApply }
func (m MethodData) IsList() bool  { return m.method.Verb == model.VerbList }
func (m MethodData) IsPatch() bool { return m.method.Verb == model.VerbPatch }

// ObjectName returns the parameter that names the object, or "" where the body does.
func (m MethodData) ObjectName() string {
	switch {
	case m.method.Subresource != "":
		return param(m.resource.Kind, "Name")
	case m.method.Verb == model.VerbGet:
		return "name"
	}
	return ""
}

// BodyName returns the parameter that is sent, or "".
func (m MethodData) BodyName() string {
	switch m.method.Verb {
	case model.VerbCreate, model.VerbUpdate, model.VerbApply:
		if name := param(m.method.Input.Name); name != m.ObjectName() {
			return name
		}
		return gofile.Local("obj")
	}
	return ""
}

// Body returns the type of what is sent.
func (m MethodData) Body() string {
	if m.IsApply() {
		return m.applyType(m.method.Input)
	}
	return m.typeRef(m.method.Input)
}

// Result returns the type of what is returned.
func (m MethodData) Result() string {
	t := m.method.Result
	if m.IsList() {
		t.Name += "List"
	}
	return m.typeRef(t)
}

// Options returns the options type in metav1.
func (m MethodData) Options() string {
	return strings.ToUpper(string(m.method.Verb[:1])) + string(m.method.Verb[1:]) + "Options"
}

// Does describes the method, for its comment.
func (m MethodData) Does() string {
	does := map[model.Verb]string{
		model.VerbCreate: "creates", model.VerbUpdate: "replaces", model.VerbGet: "reads",
		model.VerbList: "lists", model.VerbPatch: "patches", model.VerbApply: "applies",
	}[m.method.Verb]
	if m.method.Subresource != "" {
		return does + " the " + m.method.Subresource + " subresource of one of the " + m.ResourceName()
	}
	return does + " " + m.ResourceName()
}

// Request returns the call that starts the request.
func (m MethodData) Request() string {
	return map[model.Verb]string{
		model.VerbCreate: "Post()", model.VerbUpdate: "Put()", model.VerbGet: "Get()", model.VerbList: "Get()",
		model.VerbPatch: "Patch(pt)",
	}[m.method.Verb]
}

// RequestName returns the expression for the object's name in the request's path, or "".
func (m MethodData) RequestName() string {
	switch {
	case m.IsPatch():
		return "name"
	case m.ObjectName() != "":
		return m.ObjectName()
	case m.IsApply():
		return "*name"
	case m.method.Verb == model.VerbUpdate:
		return m.BodyName() + ".GetName()"
	}
	return ""
}

// RequestSubresource returns the arguments for the subresource in the request's path, or "".
func (m MethodData) RequestSubresource() string {
	var quoted []string
	if m.method.Subresource != "" {
		for _, segment := range strings.Split(m.method.Subresource, "/") {
			quoted = append(quoted, strconv.Quote(segment))
		}
	}
	list := strings.Join(quoted, ", ")
	switch {
	case m.IsPatch() && list != "":
		return "append([]string{" + list + "}, subresources...)..."
	case m.IsPatch():
		return "subresources..."
	}
	return list
}

// RequestBody returns the expression for the request's body, or "".
func (m MethodData) RequestBody() string {
	switch {
	case m.IsPatch():
		return "data"
	case m.IsApply():
		return "" // apply.NewRequest has set it
	}
	return m.BodyName()
}

// Action returns the call that makes the fake client's action. In client-go's object tracker an action without a
// namespace is one on a cluster-scoped object.
func (m MethodData) Action() string {
	sub := strconv.Quote(m.method.Subresource)
	nested := m.method.Subresource != ""
	switch m.method.Verb {
	case model.VerbGet:
		if nested {
			return fmt.Sprintf("NewGetSubresourceActionWithOptions(c.Resource(), c.Namespace(), %s, %s, opts)", sub, m.ObjectName())
		}
		return "NewGetActionWithOptions(c.Resource(), c.Namespace(), name, opts)"
	case model.VerbCreate:
		if nested {
			return fmt.Sprintf("NewCreateSubresourceActionWithOptions(c.Resource(), %s, %s, c.Namespace(), %s, opts)", m.ObjectName(), sub, m.BodyName())
		}
		return fmt.Sprintf("NewCreateActionWithOptions(c.Resource(), c.Namespace(), %s, opts)", m.BodyName())
	case model.VerbUpdate:
		if nested {
			return fmt.Sprintf("NewUpdateSubresourceActionWithOptions(c.Resource(), %s, c.Namespace(), %s, opts)", sub, m.BodyName())
		}
		return fmt.Sprintf("NewUpdateActionWithOptions(c.Resource(), c.Namespace(), %s, opts)", m.BodyName())
	case model.VerbPatch:
		return fmt.Sprintf("NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), name, pt, data, opts, %s)", m.RequestSubresource())
	case model.VerbApply:
		trailing := ""
		if nested {
			trailing = ", " + m.RequestSubresource()
		}
		return fmt.Sprintf("NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), %s, types.ApplyPatchType, data, opts.ToPatchOptions()%s)", m.RequestName(), trailing)
	}
	return "NewListActionWithOptions(c.Resource(), c.Kind(), c.Namespace(), opts)"
}
