package render

import (
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Kind is the view for templates of files for a kind.
type Kind struct {
	*Version
	Model *model.Resource
}

// Kind returns the name of the kind: "CronTab".
func (k *Kind) Kind() string { return k.Model.Kind }

// ObjectKind returns the kind in objects.
func (k *Kind) ObjectKind() string { return k.Model.ObjectKind() }

// Singular returns the kind in lower case: "crontab".
func (k *Kind) Singular() string { return strings.ToLower(k.Model.Kind) }

// Unexported returns the kind as an unexported identifier: "cronTab".
func (k *Kind) Unexported() string { return strings.TrimSuffix(model.Unexported(k.Model.Kind), "_") }

// Plural returns the plural of the kind: "CronTabs".
func (k *Kind) Plural() string { return k.Model.Plural }

// ResourceName returns the name of the resource in URLs: "crontabs".
func (k *Kind) ResourceName() string { return k.Model.Name }

// Struct returns the name of the client's struct: "cronTabs".
func (k *Kind) Struct() string { return model.Unexported(k.Model.Plural) }

// Param returns a parameter name: "cronTab", or a placeholder for another name if the file already uses that.
func (k *Kind) Param() gofile.Code { return param(k.Model.Kind) }

// Namespaced reports whether the kind is namespaced.
func (k *Kind) Namespaced() bool { return k.Model.Namespaced }

// NamespaceParam returns the parameters of the method that returns the kind's client: "namespace string", or "" for a
// cluster-scoped kind.
func (k *Kind) NamespaceParam() gofile.Code { return k.ifNamespaced("namespace string") }

// AndNamespace returns the result of NamespaceParam with a leading comma, to follow another parameter.
func (k *Kind) AndNamespace() gofile.Code { return k.ifNamespaced(", namespace string") }

// NamespaceArg returns the namespace argument with a leading comma, to follow another argument.
func (k *Kind) NamespaceArg() gofile.Code { return k.ifNamespaced(", namespace") }

func (k *Kind) ifNamespaced(text gofile.Code) gofile.Code {
	if k.Model.Namespaced {
		return text
	}
	return ""
}

// Type returns the kind's Go type.
func (k *Kind) Type() gofile.Code { return k.TypeRef(k.Model.Type()) }

// ListType returns the Go type of lists of the kind.
func (k *Kind) ListType() gofile.Code { return k.TypeRef(k.Model.ListType()) }

// Indexed reports whether the kind has indexes.
func (k *Kind) Indexed() bool { return len(k.Model.Indexes) > 0 }

// PointerItems reports whether the items of lists of the kind are pointers.
func (k *Kind) PointerItems() bool { return k.Model.List.Pointers }

// Verbs returns the verbs of the kind's client, in order.
func (k *Kind) Verbs() []string {
	var list []string
	for _, verb := range k.Model.Verbs.List() {
		if k.Can(verb) {
			list = append(list, string(verb))
		}
	}
	return list
}

// Can reports whether the kind's client has the method for a verb.
func (k *Kind) Can(verb model.Verb) bool {
	applies := verb == model.VerbApply || verb == model.VerbApplyStatus
	return k.Model.Verbs.Has(verb) && !k.Model.NoVerbs && (!applies || k.Applies()) && k.Options().ClientGo().Knows(verb)
}

// Lists reports whether the kind's client has List.
func (k *Kind) Lists() bool { return k.Can(model.VerbList) }

// DeletesUnlisted reports whether the kind's client has DeleteCollection but not List. For this combination, client-go
// has no client to embed.
func (k *Kind) DeletesUnlisted() bool { return k.Can(model.VerbDeleteCollection) && !k.Lists() }

// ClientType returns the type of client-go's gentype package embedded in the kind's client, with type arguments.
func (k *Kind) ClientType() gofile.Code {
	name, args := gofile.Code("Client"), []gofile.Code{"*" + k.Type()}
	if k.Lists() {
		name, args = name+"WithList", append(args, "*"+k.ListType())
	}
	if k.HasApply() {
		with := gofile.Code("WithApply")
		if k.Lists() {
			with = "AndApply"
		}
		name, args = name+with, append(args, "*"+k.ApplyType())
	}
	return name + "[" + gofile.Join(args, ", ") + "]"
}

// HasApply reports whether the kind's client has Apply or ApplyStatus.
func (k *Kind) HasApply() bool { return k.Can(model.VerbApply) || k.Can(model.VerbApplyStatus) }

// Applies reports whether the kind has an apply configuration.
func (k *Kind) Applies() bool { return k.API.Applies() && !k.Model.Package.Off(model.ApplySwitch) }

// ApplyType returns the type of the kind's apply configuration.
func (k *Kind) ApplyType() gofile.Code { return k.ApplyTypeOf(k.Model.Type()) }

// ExpansionFile returns the name of the file for a hand-written expansion: "crontab_expansion.go".
func (k *Kind) ExpansionFile() string { return k.Singular() + "_expansion.go" }

// KindInterface returns the interface of the kind's client.
func (k *Kind) KindInterface() gofile.Code { return k.ClientFunc(k.Kind() + "Interface") }

// GroupVersion returns an expression for the schema.GroupVersion of the kind: the variable in the kind's package, if
// there is one, or else a composite literal.
func (k *Kind) GroupVersion() gofile.Code { return k.groupVersionIn(k.Model.Package) }

// param returns the name of a parameter for a kind. A suffix names a part of the kind.
func param(kind string, suffix ...string) gofile.Code {
	name := strings.TrimSuffix(model.Unexported(kind), "_")
	return gofile.Local(name + strings.Join(suffix, ""))
}
