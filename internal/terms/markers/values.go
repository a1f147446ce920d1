package markers

import (
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// ParseVerbs returns the verbs in the value of +genclient:onlyVerbs or +genclient:skipVerbs, which are separated by
// commas. Spaces around a verb are ignored. An unknown verb is an error; Classic mode ignores it.
func ParseVerbs(m model.Marker, mode Mode, errs *diag.List) model.Verbs {
	var verbs model.Verbs
	for _, word := range strings.Split(m.Text, ",") {
		verb := model.Verb(word)
		if mode == Strict {
			verb = model.Verb(strings.TrimSpace(word))
		}
		if set := model.NewVerbs(verb); set != 0 {
			verbs |= set
			continue
		}
		if verb == "" {
			errs.Mistakef(mode == Classic, m.Pos, noEffect, "+%s=%s has an extra comma", m.Name, m.Text).Suggest("remove it")
			continue
		}
		errs.Mistakef(mode == Classic, m.Pos, noEffect, "unknown verb %q in +%s", verb, m.Name).
			Meant(string(verb), words(model.AllVerbs()), knownVerbs, list(model.AllVerbs()))
	}
	return verbs
}

// methodVerbs lists the verbs that an additional client method can have.
var methodVerbs = []model.Verb{
	model.VerbCreate, model.VerbUpdate, model.VerbGet, model.VerbList, model.VerbPatch, model.VerbApply,
}

// inputVerbs is the set of verbs with a request body. input= sets its type.
var inputVerbs = model.NewVerbs(model.VerbCreate, model.VerbUpdate, model.VerbApply)

// MethodSpec is the value of +genclient:method. Input and Result have their form in the marker: "Scale",
// "k8s.io/api/autoscaling/v1.Scale", or "" for the default.
type MethodSpec struct {
	Name, Subresource, Input, Result string
	Verb                             model.Verb
}

// ParseMethod parses the value of +genclient:method. An error means that it is malformed.
func ParseMethod(m model.Marker, mode Mode) (spec MethodSpec, errs diag.List) {
	example := byName[m.Name].Example()
	name, rest, hasArgs := strings.Cut(m.Text, ",")
	spec.Name = strings.TrimSpace(name)
	switch {
	case strings.Contains(spec.Name, "="):
		errs.Errorf(m.Pos, "+%s=%s has no method name", m.Name, m.Text).Suggest("the name comes first: %s", example)
		return spec, errs
	case !token.IsIdentifier(spec.Name) || !token.IsExported(spec.Name):
		errs.Errorf(m.Pos, "%q in +%s is not an exported Go identifier", spec.Name, m.Name).
			Suggest("the name comes first and starts with a capital letter: %s", example)
	}
	var verb string
	values := map[string]*string{"verb": &verb, "subresource": &spec.Subresource, "input": &spec.Input, "result": &spec.Result}
	var seen map[string]bool
	if hasArgs {
		seen = readArguments(m, rest, values, mode, &errs)
	}
	spec.Verb = model.Verb(verb)
	switch {
	case verb == "" && !seen["verb"]:
		errs.Errorf(m.Pos, "+%s=%s has no verb", m.Name, m.Text).Suggest("add verb=, one of %s", Join(methodVerbs))
	case verb == "":
	case model.NewVerbs(spec.Verb) != 0 && !slices.Contains(methodVerbs, spec.Verb):
		errs.Errorf(m.Pos, "a method cannot have the verb %s", verb).Suggest("use one of %s", Join(methodVerbs))
	case !slices.Contains(methodVerbs, spec.Verb):
		errs.Errorf(m.Pos, "unknown verb %q in +%s", verb, m.Name). // an error in the classic tools as well
										Meant(verb, words(methodVerbs), knownVerbs, list(methodVerbs))
	case spec.Input != "" && !inputVerbs.Has(spec.Verb):
		errs.Errorf(m.Pos, "method %s: verb %s takes no input type", spec.Name, spec.Verb).
			Suggest("remove input=, which goes with %s", Join(inputVerbs.List()))
	}
	if trimmed := strings.Trim(spec.Subresource, "/"); spec.Subresource != "" && !subresource.MatchString(trimmed) {
		errs.Errorf(m.Pos, "%q is not the path of a subresource", spec.Subresource).
			Suggest("use letters, digits and dashes, with slashes between segments, such as subresource=scale")
	} else {
		spec.Subresource = trimmed
	}
	return spec, errs
}

// readArguments parses "key=value,key=value", stores the values, and returns the set of keys that are present.
func readArguments(m model.Marker, text string, values map[string]*string, mode Mode, errs *diag.List) map[string]bool {
	seen := map[string]bool{}
	for _, arg := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(arg, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch target := values[key]; {
		case key == "" && value == "":
			errs.Errorf(m.Pos, "+%s=%s has an extra comma", m.Name, m.Text).Suggest("remove it")
		case target == nil:
			d := errs.Errorf(m.Pos, "unknown key %q in +%s", key, m.Name)
			if nearest, ok := diag.Nearest(key, methodKeys); ok {
				d.Suggest("did you mean %s=?", nearest)
			} else {
				d.Suggest("known are %s", strings.Join(methodKeys, ", "))
			}
		case seen[key] && value != "":
			errs.Mistakef(mode == Classic, m.Pos, "the last one is used", "%s= is given twice in +%s=%s", key, m.Name, m.Text).
				Suggest("keep one of them")
			*target = value
		case value == "":
			errs.Errorf(m.Pos, "%s= in +%s has no value", key, m.Name).Suggest("write %s=VALUE", key)
		default:
			*target = value
		}
		seen[key] = true
	}
	return seen
}

// methodKeys lists the keys of +genclient:method in their usual order.
var methodKeys = []string{"verb", "subresource", "input", "result"}

// subresource matches the path of a subresource, if it needs no escaping in a URL.
var subresource = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

// knownVerbs is the advice about an unknown verb.
const knownVerbs = "known are %s; separate them by commas"

// RequireVerbs reports the verbs in a marker that the clients of a release do not have.
func RequireVerbs(m model.Marker, client model.Client, mode Mode, errs *diag.List) {
	for _, verb := range ParseVerbs(m, Classic, &diag.List{}).List() {
		if !client.Knows(verb) {
			since := verb.Capability().Since()
			errs.Mistakef(mode == Classic, m.Pos, noEffect, "unknown verb %q in +%s, which clients have since %s", verb, m.Name, since).
				Suggest("remove it").Or("generate code for client-go %s", since)
		}
	}
}

// list returns verbs for messages, with the release of each that older clients do not have.
func list(verbs []model.Verb) string {
	all := words(verbs)
	for i, v := range verbs {
		if c := v.Capability(); c != "" {
			all[i] += " (since " + c.Since().String() + ")"
		}
	}
	return strings.Join(all, ", ")
}

func words(verbs []model.Verb) []string {
	list := make([]string, len(verbs))
	for i, v := range verbs {
		list[i] = string(v)
	}
	return list
}

// Join returns the verbs for a message, separated by commas.
func Join(verbs []model.Verb) string { return strings.Join(words(verbs), ", ") }
