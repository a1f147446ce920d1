package checks

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/kubegen/kubegen/internal/facts/kinds"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
)

func metadata(p *Pass, k *kinds.Kind) {
	what := "kind " + k.Resource.Kind
	p.embeds(k.Pos, k.Fields, what, []meta{typeMeta, objectMeta})
	if k.Clients.Version != "" {
		p.tags(k.Fields, what, []meta{typeMeta, objectMeta})
	}
}

// meta is a struct of metav1 embedded in API types, with its usual JSON tag.
type meta struct{ name, json string }

func (m meta) String() string { return fmt.Sprintf("metav1.%s `json:%q`", m.name, m.json) }

var (
	typeMeta   = meta{"TypeMeta", ",inline"}
	objectMeta = meta{"ObjectMeta", "metadata,omitempty"}
	listMeta   = meta{"ListMeta", "metadata,omitempty"}
)

// embeds checks that a type embeds the metadata of an API type by value and inlines it in JSON.
func (p *Pass) embeds(pos token.Position, in gotypes.Fields, what string, wanted []meta) bool {
	before := len(p.diags)
	var missing, lines []string
	reported := map[token.Position]bool{} // fields; both kinds of metadata may be in the same one
	for _, m := range wanted {
		f, found := in.Meta(m.name)
		other, named := in.ByName(m.name)
		switch {
		case found:
			p.holds(f, what, m, wanted, reported)
		case named && !other.Embedded:
			p.diags.Errorf(other.Pos, "%s of %s is not embedded", m.name, what).Suggest("remove the name of the field")
		case named && other.Type.Deref().Kind != model.Unknown:
			p.diags.Errorf(other.Pos, "%s of %s is not the one of metav1", m.name, what).Suggest("write %s", m)
		case !in.Opaque && !named:
			missing, lines = append(missing, "metav1."+m.name), append(lines, m.String())
		}
	}
	if len(missing) > 0 {
		p.diags.Errorf(pos, "%s does not embed %s", what, strings.Join(missing, " and ")).Suggest("add %s", strings.Join(lines, " and "))
	}
	return !p.diags[before:].HasErrors()
}

// holds checks the metadata of an API type: it must be embedded by value, because promoted fields of a nil pointer
// panic, and inlined in JSON. Lists must embed ListMeta under its own name, which generated code uses.
func (p *Pass) holds(f gotypes.Field, what string, m meta, wanted []meta, reported map[token.Position]bool) {
	pointer, inPointer := f.InPointer()
	outer, nested := f.Nested()
	switch {
	case inPointer && reported[pointer.Pos], nested && reported[outer.Pos]:
	case inPointer:
		reported[pointer.Pos] = true
		p.diags.Mistakef(p.Policy.AcceptMistakes, pointer.Pos, "where it is nil, clients panic",
			"%s embeds a pointer to %s, but kinds and lists embed metav1.%s and metav1.%s by value",
			what, pointer.Name, wanted[0].name, wanted[1].name).Suggest("remove the asterisk")
	case nested:
		reported[outer.Pos] = true
		tag, _ := outer.Tag.Lookup("json")
		p.diags.Mistakef(p.Policy.AcceptMistakes, outer.Pos, "no API server finds it there",
			"the metadata of %s is in %s, which is tagged json:%q", what, outer.Name, tag).Suggest("write `json:\",inline\"`")
	case m == listMeta && f.Name != m.name:
		p.diags.Errorf(f.Pos, "%s embeds ListMeta under the name %s", what, f.Name).Suggest("write %s", m)
	}
}

// tags reports metadata whose JSON tags do not follow the API conventions
// (https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#types-kinds).
func (p *Pass) tags(in gotypes.Fields, what string, wanted []meta) {
	for _, m := range wanted {
		f, found := in.Meta(m.name)
		if !found {
			continue
		}
		tag, tagged := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		wantedName, _, _ := strings.Cut(m.json, ",")
		if !tagged {
			p.diags.Warnf(f.Pos, "%s of %s %s", m.name, what, model.NoJSONTag(f.Tag)).Suggest("write %s", m)
		} else if name != wantedName {
			p.diags.Mistakef(
				p.Policy.AcceptMistakes, f.Pos, "", "%s of %s is tagged json:%q, but API servers use json:%q", m.name, what, tag, m.json,
			).Suggest("write %s", m)
		}
	}
}
