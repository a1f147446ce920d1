package clientset

import (
	"strings"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// method is the general view, renamed because embedding it must not hide its methods.
type method = render.Method

// Method is an additional method of a kind's client, with the request that it makes.
type Method struct{ method }

// Request returns the call that starts the request.
func (m Method) Request() gofile.Code {
	return map[model.Verb]gofile.Code{
		model.VerbCreate: "Post()", model.VerbUpdate: "Put()", model.VerbGet: "Get()", model.VerbList: "Get()",
		model.VerbPatch: "Patch(pt)",
	}[m.Model.Verb]
}

// RequestName returns the expression for the object's name in the request's path, or "".
func (m Method) RequestName() gofile.Code {
	switch {
	case m.IsPatch():
		return "name"
	case m.ObjectName() != "":
		return m.ObjectName()
	case m.IsApply():
		return "*name"
	case m.Model.Verb == model.VerbUpdate:
		return m.BodyName() + ".GetName()"
	}
	return ""
}

// RequestSubresource returns the arguments for the subresource in the request's path, or "".
func (m Method) RequestSubresource() gofile.Code {
	var list gofile.Code
	if m.Model.Subresource != "" {
		list = gofile.QuoteAll(strings.Split(m.Model.Subresource, "/"))
	}
	switch {
	case m.IsPatch() && list != "":
		return "append([]string{" + list + "}, subresources...)..."
	case m.IsPatch():
		return "subresources..."
	}
	return list
}

// RequestBody returns the expression for the request's body, or "".
func (m Method) RequestBody() gofile.Code {
	switch {
	case m.IsPatch():
		return "data"
	case m.IsApply():
		return "" // apply.NewRequest has set it
	}
	return m.BodyName()
}

// Action returns the call that creates the action of the fake client. For client-go's object tracker, an action without
// a namespace is for a cluster-scoped object.
func (m Method) Action() gofile.Code {
	sub := gofile.Quote(m.Model.Subresource)
	nested := m.Model.Subresource != ""
	switch m.Model.Verb {
	case model.VerbGet:
		if nested {
			return gofile.Codef("NewGetSubresourceActionWithOptions(c.Resource(), c.Namespace(), %s, %s, opts)", sub, m.ObjectName())
		}
		return "NewGetActionWithOptions(c.Resource(), c.Namespace(), name, opts)"
	case model.VerbCreate:
		if nested {
			return gofile.Codef(
				"NewCreateSubresourceActionWithOptions(c.Resource(), %s, %s, c.Namespace(), %s, opts)", m.ObjectName(), sub, m.BodyName(),
			)
		}
		return gofile.Codef("NewCreateActionWithOptions(c.Resource(), c.Namespace(), %s, opts)", m.BodyName())
	case model.VerbUpdate:
		if nested {
			return gofile.Codef("NewUpdateSubresourceActionWithOptions(c.Resource(), %s, c.Namespace(), %s, opts)", sub, m.BodyName())
		}
		return gofile.Codef("NewUpdateActionWithOptions(c.Resource(), c.Namespace(), %s, opts)", m.BodyName())
	case model.VerbPatch:
		return gofile.Codef("NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), name, pt, data, opts, %s)", m.RequestSubresource())
	case model.VerbApply:
		trailing := gofile.Code("")
		if nested {
			trailing = ", " + m.RequestSubresource()
		}
		return gofile.Codef(
			"NewPatchSubresourceActionWithOptions(c.Resource(), c.Namespace(), %s, types.ApplyPatchType, data, opts.ToPatchOptions()%s)",
			m.RequestName(), trailing,
		)
	}
	return "NewListActionWithOptions(c.Resource(), c.Kind(), c.Namespace(), opts)"
}
