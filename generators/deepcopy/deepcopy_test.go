package deepcopy

import (
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/source/gotypes"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// generated returns the file with the methods for the exported types in code, or the messages. Line 3 is the first line
// of the code.
func generated(t *testing.T, code string) (text string, messages []string) {
	t.Helper()
	const path = "own.example.com/own"
	l := loadtest.Read(t, map[string]string{
		path + "/types.go": "package own\nimport (\"foreign.example.com/foreign\"; \"time\")\n" + code,
		"foreign.example.com/foreign/f.go": `package foreign
type Good struct { A []string }
type Bad struct { a []string }
type Pointer struct{ A *int }
func (in *Pointer) DeepCopy() *Pointer { return nil }
type Value struct{ A *int }
func (in Value) DeepCopy() Value { return in }
type Into struct{ A *int }
func (in *Into) DeepCopyInto(out *Into) {}
type Interface interface{ DeepCopyInterface() Interface }
type Other interface{}
`,
		"time/time.go": "package time\ntype Time struct { p *int }\ntype Duration int64\n",
	}, path)
	pkg := &model.Package{Path: path, Name: "own"}
	for _, d := range gotypes.NewReader(l, model.Policy{}).ReadCopied(l.Input, nil)[l.Input[0]] {
		if d.Copied = token.IsExported(d.Name) && d.Type.Kind != model.Interface && d.Type.Underlying().Kind != model.Pointer; d.Copied {
			pkg.Copies = append(pkg.Copies, d)
		}
	}
	files, diags := render.Files(Generator{}, &model.API{Packages: []*model.Package{pkg}}, &render.Options{})
	for _, d := range diags {
		messages = append(messages, d.Message)
	}
	if len(files) == 1 {
		text = string(files[0].Content)
	}
	return text, messages
}

// bodyOf returns the statements of a function, in a line and separated by semicolons.
func bodyOf(text, function string) string {
	_, text, _ = strings.Cut(text, "\nfunc "+function+" {\n")
	text, _, _ = strings.Cut(text, "\n}\n")
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if b.Len() > 0 && line != "}" && !strings.HasSuffix(b.String(), "{ ") {
			b.WriteString("; ")
		} else if line == "}" {
			b.WriteString(" ")
		}
		b.WriteString(line)
		if strings.HasSuffix(line, "{") {
			b.WriteString(" ")
		}
	}
	return b.String()
}

// TestInto compares the statements that copy a type T after its value was assigned, or the message. Types in lower case
// have no methods.
func TestInto(t *testing.T) {
	for _, test := range []struct{ name, code, want string }{
		{"value", "type T struct { F string; G [2]int; H struct { A bool } }", "*out = *in"},
		{"pointer", "type T struct { F *int }", "if in.F != nil { v := *in.F; out.F = &v }"},
		{"pointer to a pointer", "type T struct { F **int }",
			"if in.F != nil { v := *in.F; if *in.F != nil { v2 := **in.F; v = &v2 }; out.F = &v }"},
		{"slice", "type T struct { F []string }", "out.F = slices.Clone(in.F)"},
		{"slice of slices", "type T struct { F [][]string }",
			"out.F = slices.Clone(in.F); for i := range out.F { out.F[i] = slices.Clone(in.F[i]) }"},
		{"pointer to a slice", "type T struct { F *[]string }", "if in.F != nil { v := slices.Clone(*in.F); out.F = &v }"},
		{"array", "type T struct { F [2]*int }", "for i := range out.F { if in.F[i] != nil { v := *in.F[i]; out.F[i] = &v } }"},
		{"map", "type T struct { F map[string]int }", "out.F = maps.Clone(in.F)"},
		{"map of slices", "type T struct { F map[string][]int }",
			"if in.F != nil { out.F = make(map[string][]int, len(in.F)); for key, val := range in.F { out.F[key] = slices.Clone(val) } }"},
		{"map of maps of pointers", "type T struct { F map[string]map[int]*int }",
			"if in.F != nil { out.F = make(map[string]map[int]*int, len(in.F)); for key, val := range in.F " +
				"{ v := val; if val != nil { v = make(map[int]*int, len(val)); for key2, val2 := range val " +
				"{ v2 := val2; if val2 != nil { v3 := *val2; v2 = &v3 }; v[key2] = v2 } }; out.F[key] = v } }"},
		{"struct without a name", "type T struct { F struct { A []int; B int } }", "out.F.A = slices.Clone(in.F.A)"},
		{"embedded", "type T struct { A }\ntype A struct { F *int }", "in.A.DeepCopyInto(&out.A)"},
		{"own type", "type T struct { F A; G *A; H []A }\ntype A struct { F *int }",
			"in.F.DeepCopyInto(&out.F); out.G = in.G.DeepCopy(); out.H = slices.Clone(in.H); for i := range out.H { in.H[i].DeepCopyInto(&out.H[i]) }"},
		{"own type of values", "type T struct { F A; G []A }\ntype A struct { F int }", "out.G = slices.Clone(in.G)"},
		{"own slice", "type T struct { F A; G *A }\ntype A []string",
			"out.F = in.F.DeepCopy(); if in.G != nil { v := in.G.DeepCopy(); out.G = &v }"},
		{"without methods", "type T struct { F a; G *a; H b }\ntype a struct { F *int }\ntype b []int",
			"in.F.deepCopyInto(&out.F); if in.G != nil { v := *in.G; in.G.deepCopyInto(&v); out.G = &v }; in.H.deepCopyInto(&out.H)"},
		{"itself", "type T struct { F *T; G []T }",
			"out.F = in.F.DeepCopy(); out.G = slices.Clone(in.G); for i := range out.G { in.G[i].DeepCopyInto(&out.G[i]) }"},
		{"hand-written DeepCopy", "type T struct { F *int }\nfunc (in *T) DeepCopy() *T { return nil }", "*out = *in.DeepCopy()"},
		{"hand-written DeepCopy of a value", "type T struct { F *int }\nfunc (in T) DeepCopy() T { return in }", "*out = in.DeepCopy()"},
		{"hand-written for a field", "type T struct { F A }\ntype A struct { f *int }\nfunc (in *A) DeepCopy() *A { return nil }",
			"in.F.DeepCopyInto(&out.F)"},
		{"time", "type T struct { F time.Time; G *time.Time; H time.Duration }", "if in.G != nil { v := *in.G; out.G = &v }"},
		{"foreign", "type T struct { F foreign.Good }", "out.F.A = slices.Clone(in.F.A)"},
		{"foreign with methods", "type T struct { F foreign.Pointer; G foreign.Value; H foreign.Into }",
			"out.F = *in.F.DeepCopy(); out.G = in.G.DeepCopy(); in.H.DeepCopyInto(&out.H)"},
		{"pointers to foreign", "type T struct { F *foreign.Pointer; G *foreign.Value; H *foreign.Into }",
			"if in.F != nil { out.F = in.F.DeepCopy() }; if in.G != nil { v := in.G.DeepCopy(); out.G = &v }; if in.H != nil { v := *in.H; in.H.DeepCopyInto(&v); out.H = &v }"},
		{"interface", "type T struct { F foreign.Interface; G []foreign.Interface }",
			"if in.F != nil { out.F = in.F.DeepCopyInterface() }; out.G = slices.Clone(in.G); for i := range out.G { if in.G[i] != nil { out.G[i] = in.G[i].DeepCopyInterface() } }"},
		{"slice type", "type T []*int",
			"*out = slices.Clone(in); for i := range *out { if in[i] != nil { v := *in[i]; (*out)[i] = &v } }"},
		{"map type", "type T map[string][]int",
			"*out = in; if in != nil { *out = make(T, len(in)); for key, val := range in { (*out)[key] = slices.Clone(val) } }"},
		{"string type", "type T string", "*out = *in"},
		{"blank field", "type T struct { _ func(); F []int }", "out.F = slices.Clone(in.F)"},
		{"generic instance", "type T struct { F g[*int] }\ntype g[E any] struct { E E }",
			"if in.F.E != nil { v := *in.F.E; out.F.E = &v }"},
		{"func", "type T struct { F func() }", "cannot copy field F of T: it contains a func or channel"},
		{"any", "type T struct { F any }", "cannot copy field F of T: it contains an unnamed interface"},
		{"unnamed interface", "type T struct { F interface { A() } }", "cannot copy field F of T: it contains an unnamed interface"},
		{"interface without the method", "type T struct { F A }\ntype A interface { B() }",
			"cannot copy field F of T: interface A has no method DeepCopyA() A"},
		{"foreign interface without the method", "type T struct { F foreign.Other }",
			"cannot copy field F of T: interface foreign.example.com/foreign.Other has no method DeepCopyOther() Other"},
		{"foreign, not exported", "type T struct { F foreign.Bad }",
			"cannot copy field F of T: foreign.example.com/foreign.Bad has no DeepCopy methods, and its field a is not exported"},
		{"keys", "type T struct { F map[*int]int }",
			"cannot copy field F of T: the keys of a map contain pointers, slices, maps or interfaces"},
		{"recursive without methods", "type T struct { F g[int] }\ntype g[E any] struct { G []g[E] }",
			"cannot copy field F of T: g is recursive and has no DeepCopy methods"},
		{"not declared", "type T struct { F A }", "cannot copy field F of T: cannot find type A"},
		{"type parameter", "type T[E any] struct { F E }", "cannot copy field F of T: type parameter E can be any type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, messages := generated(t, test.code)
			got := bodyOf(text, "(in *T) DeepCopyInto(out *T)")
			if got == "" {
				got = bodyOf(text, "(in T) DeepCopyInto(out *T)")
			}
			got = strings.TrimPrefix(got, "*out = *in; ")
			if len(messages) > 0 {
				got = strings.Join(messages, "; ")
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// method matches the receiver and name of a generated method.
var method = regexp.MustCompile(`(?m)^func \(in (.*)\) (\w+)\(`)

// TestMethods lists the methods of types, by receiver and name.
func TestMethods(t *testing.T) {
	for _, test := range []struct{ name, code, want string }{
		{"struct", "type T struct { F int }", "*T DeepCopyInto, *T DeepCopy"},
		{"slice", "type T []int", "T DeepCopyInto, T DeepCopy"},
		{"generic", "type T[E any] struct { F int }", "*T[E] DeepCopyInto, *T[E] DeepCopy"},
		{"not exported", "type T struct { F *a }\ntype a struct { F []int }",
			"*T DeepCopyInto, *T DeepCopy, *a deepCopyInto"},
		{"copied by assignment", "type T struct { F a }\ntype a struct { F int }", "*T DeepCopyInto, *T DeepCopy"},
		{"hand-written DeepCopy", "type T struct { F *int }\nfunc (in *T) DeepCopy() *T { return nil }", "*T DeepCopyInto"},
		{"hand-written DeepCopyInto", "type T struct { F *int }\nfunc (in *T) DeepCopyInto(out *T) {}", "*T DeepCopy"},
		{"both", "type T struct { F *int }\nfunc (in *T) DeepCopy() *T { return nil }\nfunc (in *T) DeepCopyInto(out *T) {}", ""},
		{"sorted", "type B struct { A }\ntype A struct { F []int }", "*A DeepCopyInto, *A DeepCopy, *B DeepCopyInto, *B DeepCopy"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, messages := generated(t, test.code)
			for _, found := range method.FindAllStringSubmatch(text, -1) {
				messages = append(messages, found[1]+" "+found[2])
			}
			if got := strings.Join(messages, ", "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
