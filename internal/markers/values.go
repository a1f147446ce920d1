package markers

import (
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/model"
)

// ParseVerbs reads the comma-separated verbs of +genclient:onlyVerbs and +genclient:skipVerbs. Spaces around a verb
// mean nothing; an unknown verb is an error.
func (m Marker) ParseVerbs(errs *diag.List) model.Verbs {
	var verbs model.Verbs
	for _, word := range strings.Split(m.Value, ",") {
		verb := model.Verb(strings.TrimSpace(word))
		if set := model.NewVerbs(verb); set != 0 {
			verbs |= set
			continue
		}
		if verb == "" {
			errs.Errorf(m.Pos, "empty verb in +%s=%s", m.Name, m.Value).Suggest("remove the extra comma")
			continue
		}
		unknownVerb(m, verb, model.AllVerbs(), errs)
	}
	return verbs
}

// methodVerbs are the verbs that a client method can have.
var methodVerbs = []model.Verb{
	model.VerbCreate, model.VerbUpdate, model.VerbGet, model.VerbList, model.VerbPatch, model.VerbApply,
}

// inputVerbs send a body of a type that can be chosen; every method returns one.
var inputVerbs = model.NewVerbs(model.VerbCreate, model.VerbUpdate, model.VerbApply)

// MethodSpec is the value of +genclient:method. Input and Result are as written: "Scale" or
// "k8s.io/api/autoscaling/v1.Scale"; "" where not given.
type MethodSpec struct {
	Name, Subresource, Input, Result string
	Verb                             model.Verb
}

// ParseMethod reads the value of +genclient:method; ok is false where it could not be understood.
func (m Marker) ParseMethod(errs *diag.List) (spec MethodSpec, ok bool) {
	before := len(*errs)
	name, rest, _ := strings.Cut(m.Value, ",")
	spec.Name = strings.TrimSpace(name)
	switch {
	case strings.Contains(spec.Name, "="):
		errs.Errorf(m.Pos, "+%s=%s has no method name", m.Name, m.Value).Suggest("the name comes first: %s", example(definition(m)))
	case !token.IsIdentifier(spec.Name) || !token.IsExported(spec.Name):
		errs.Errorf(m.Pos, "%q in +%s is not an exported Go name", spec.Name, m.Name).
			Suggest("the name comes first and starts with a capital letter: %s", example(definition(m)))
	}
	seen := map[string]bool{}
	for _, arg := range strings.Split(rest, ",") {
		key, value, _ := strings.Cut(arg, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if rest == "" {
			break
		}
		if seen[key] {
			errs.Errorf(m.Pos, "%s= is given twice in +%s=%s", key, m.Name, m.Value)
		}
		seen[key] = true
		if value == "" {
			errs.Errorf(m.Pos, "%q in +%s needs a value", key, m.Name).Suggest("write %s=VALUE", key)
			continue
		}
		switch key {
		case "verb":
			spec.Verb = model.Verb(value)
		case "subresource":
			spec.Subresource = value
		case "input":
			spec.Input = value
		case "result":
			spec.Result = value
		default:
			d := errs.Errorf(m.Pos, "unknown key %q in +%s", key, m.Name)
			if nearest, ok := Nearest(key, []string{"verb", "subresource", "input", "result"}); ok {
				d.Suggest("did you mean %s=?", nearest)
			} else {
				d.Suggest("known are verb, subresource, input and result")
			}
		}
	}
	switch {
	case spec.Verb == "" && !seen["verb"]:
		errs.Errorf(m.Pos, "+%s=%s has no verb", m.Name, m.Value).Suggest("add verb=, one of %s", join(methodVerbs))
	case spec.Verb != "" && !slices.Contains(methodVerbs, spec.Verb):
		unknownVerb(m, spec.Verb, methodVerbs, errs)
	case spec.Input != "" && !inputVerbs.Has(spec.Verb):
		errs.Errorf(m.Pos, "method %s: verb %s takes no input type", spec.Name, spec.Verb).
			Suggest("remove input=, which goes with %s", join(inputVerbs.List()))
	}
	return spec, len(*errs) == before
}

func unknownVerb(m Marker, verb model.Verb, known []model.Verb, errs *diag.List) {
	what := "unknown verb"
	if model.NewVerbs(verb) != 0 {
		what = "a method cannot have the verb"
	}
	d := errs.Errorf(m.Pos, "%s %q in +%s", what, verb, m.Name)
	if nearest, ok := Nearest(string(verb), words(known)); ok {
		d.Suggest("did you mean %s?", nearest)
	} else {
		d.Suggest("known are %s", join(known))
	}
}

func definition(m Marker) Definition {
	def, _ := Lookup(m.Name)
	return def
}

func words(verbs []model.Verb) []string {
	list := make([]string, len(verbs))
	for i, v := range verbs {
		list[i] = string(v)
	}
	return list
}

func join(verbs []model.Verb) string { return strings.Join(words(verbs), ", ") }
