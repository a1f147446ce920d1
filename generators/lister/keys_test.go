package lister

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
)

// stepsOf reads a path as package kinds spells it in its tests, with spaces between the steps: .Field, ^ for a pointer,
// [] for elements, {} for values of a map, 'key', and ?.Field==VALUE for a filter.
func stepsOf(path string) (steps []model.Step) {
	for text := range strings.FieldsSeq(path) {
		condition, isFilter := strings.CutPrefix(text, "?")
		switch {
		case isFilter:
			where, equals, _ := strings.Cut(condition, "==")
			steps = append(steps, model.Step{Kind: model.FilterStep, Where: stepsOf(strings.ReplaceAll(where, "^", " ^ ")), Equals: equals})
		case text == "^":
			steps = append(steps, model.Step{Kind: model.PointerStep})
		case text == "[]":
			steps = append(steps, model.Step{Kind: model.ElementsStep})
		case text == "{}":
			steps = append(steps, model.Step{Kind: model.ValuesStep})
		case text[0] == '.':
			steps = append(steps, model.Step{Kind: model.FieldStep, Name: text[1:]})
		default:
			steps = append(steps, model.Step{Kind: model.KeyStep, Name: strings.Trim(text, "'")})
		}
	}
	return steps
}

// TestKeys compares the code for index keys of an object, in a line. parts has the type of the value at the path; of
// several parts, each is a path and a type. Types in upper case are declared as strings.
func TestKeys(t *testing.T) {
	for _, test := range []struct{ name, path, parts, want string }{
		{"string", ".Spec .Image", "string", "return []string{obj.Spec.Image}"},
		{"declared", ".Spec .Image", "Name", "return []string{string(obj.Spec.Image)}"},
		{"bool", ".On", "bool", "return []string{strconv.FormatBool(obj.On)}"},
		{"int64", ".Size", "int64", "return []string{strconv.FormatInt(obj.Size, 10)}"},
		{"int32", ".Size", "int32", "return []string{strconv.FormatInt(int64(obj.Size), 10)}"},
		{"byte", ".Size", "byte", "return []string{strconv.FormatUint(uint64(obj.Size), 10)}"},
		{"pointer", ".Image ^", "string", "var keys []string if obj.Image != nil { keys = append(keys, *obj.Image) } return keys"},
		{"field of a pointer", ".Spec ^ .Image", "string",
			"var keys []string if obj.Spec != nil { keys = append(keys, obj.Spec.Image) } return keys"},
		{"pointer to a pointer", ".Image ^ ^", "string",
			"var keys []string if obj.Image != nil { if *obj.Image != nil { keys = append(keys, **obj.Image) } } return keys"},
		{"elements", ".Ports [] .Name", "string",
			"var keys []string for i := range obj.Ports { keys = append(keys, obj.Ports[i].Name) } slices.Sort(keys) return slices.Compact(keys)"},
		{"elements of a pointer", ".Ports ^ []", "string",
			"var keys []string if obj.Ports != nil { for i2 := range *obj.Ports { keys = append(keys, (*obj.Ports)[i2]) } } slices.Sort(keys) return slices.Compact(keys)"},
		{"elements of elements", ".Ports [] .Names []", "string",
			"var keys []string for i := range obj.Ports { for i2 := range obj.Ports[i].Names { keys = append(keys, obj.Ports[i].Names[i2]) } } slices.Sort(keys) return slices.Compact(keys)"},
		{"values", ".Labels {}", "string",
			"var keys []string for _, value := range obj.Labels { keys = append(keys, value) } slices.Sort(keys) return slices.Compact(keys)"},
		{"key", ".Labels 'app'", "string",
			`var keys []string if value, ok := obj.Labels["app"]; ok { keys = append(keys, value) } return keys`},
		{"key of a pointer", ".Labels ^ 'a\"b'", "string",
			`var keys []string if obj.Labels != nil { if value2, ok := (*obj.Labels)["a\"b"]; ok { keys = append(keys, value2) } } return keys`},
		{"text", `.Ports [] ?.Name=="web" .Host`, "string",
			`var keys []string for i := range obj.Ports { if obj.Ports[i].Name == "web" { keys = append(keys, obj.Ports[i].Host) } } slices.Sort(keys) return slices.Compact(keys)`},
		{"true", ".Ports [] ?.Open==true .Host", "string",
			"var keys []string for i := range obj.Ports { if obj.Ports[i].Open { keys = append(keys, obj.Ports[i].Host) } } slices.Sort(keys) return slices.Compact(keys)"},
		{"false behind a pointer", ".Ports [] ?.Open^==false .Host", "string",
			"var keys []string for i := range obj.Ports { if obj.Ports[i].Open != nil && !*obj.Ports[i].Open { keys = append(keys, obj.Ports[i].Host) } } slices.Sort(keys) return slices.Compact(keys)"},
		{"two parts", ".Spec", ".Image string; .Size int32",
			`return []string{url.PathEscape(obj.Spec.Image) + "/" + strconv.FormatInt(int64(obj.Spec.Size), 10)}`},
		{"pointer in the first part", ".Spec", ".Image ^ string; .Name string",
			`var keys []string if obj.Spec.Image != nil { keys = append(keys, url.PathEscape(*obj.Spec.Image)+"/"+obj.Spec.Name) } return keys`},
	} {
		t.Run(test.name, func(t *testing.T) {
			index := &model.Index{Steps: stepsOf(test.path)}
			for part := range strings.SplitSeq(test.parts, "; ") {
				path, typ := "", part
				if i := strings.LastIndex(part, " "); i >= 0 {
					path, typ = part[:i], part[i+1:]
				}
				of := &model.Type{Kind: model.Basic, Name: model.TypeRef{Name: typ}}
				if strings.ToUpper(typ[:1]) == typ[:1] {
					of = &model.Type{Kind: model.Named, Name: model.TypeRef{Name: typ}, Elem: &model.Type{Kind: model.Basic, Name: model.TypeRef{Name: "string"}}}
				}
				index.Parts = append(index.Parts, model.Part{Steps: stepsOf(path), Type: of})
			}
			var lines []string
			for line := range strings.Lines(string(Index{Model: index}.Keys())) {
				if line = strings.TrimSpace(line); line != "" {
					lines = append(lines, line)
				}
			}
			if got := strings.Join(lines, " "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
