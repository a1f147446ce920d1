package gotypes

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// loaded returns package x/v1 and an outline of its types.
func loaded(t *testing.T, files map[string]string) (*Reader, *load.Package) {
	t.Helper()
	l := loadtest.Read(t, files, "x/v1")
	if len(l.Input) != 1 || len(l.Mistakes()) > 0 {
		t.Fatalf("%d packages, %v", len(l.Input), l.Mistakes())
	}
	return NewReader(l, model.Policy{}).Outline(), l.Input[0]
}

func TestFields(t *testing.T) {
	for _, test := range []struct{ name, code, want string }{
		{"plain", "type T struct { A, B int; C string }", "A B C"},
		{"embedded", "type T struct { metav1.TypeMeta; *metav1.ObjectMeta; E }\ntype E struct { F int }", "TypeMeta! ObjectMeta! E! F"},
		{"of another package", "type T struct { other.E }", "E! opaque"},
		{"declared as another type", "type T U\ntype U struct { A int }", "A"},
		{"alias", "type T = U\ntype U = V\ntype V struct { A int }", "A"},
		{"pointer", "type T = *U\ntype U struct { A int }", "A"},
		{"in brackets", "type T (struct { A int })", "A"},
		{"generic", "type T = G[int, U]\ntype G[A, B any] struct { Items []B; X A }\ntype U struct{}", "Items X"},
		{"declared as another package's", "type T other.U", "opaque"},
		{"embedding an unknown type", "type T struct { Unknown }", "Unknown! opaque"},
		{"embedding itself", "type T struct { A int; *T }", "A T!"},
		{"no struct", "type T map[string]int", "none"},
		{"an interface", "type T interface { M() }", "none"},
		{"circular", "type T U\ntype U T", "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			types, src := loaded(t, map[string]string{"x/v1/types.go": "package v1\n" + test.code + "\n"})
			d, _ := types.Lookup(src, "T")
			found := types.FieldsOf(src, d)
			var got []string
			for _, f := range found.List {
				name := f.Name
				if f.Embedded {
					name += "!"
				}
				got = append(got, name)
			}
			if found.Opaque {
				got = append(got, "opaque")
			}
			if !found.IsStruct {
				got = append(got, "none")
			}
			if list := strings.Join(got, " "); list != test.want {
				t.Errorf("got %s, want %s", list, test.want)
			}
		})
	}
}

func TestElementOf(t *testing.T) {
	for _, test := range []struct {
		items             string
		element           string
		pointers, unknown bool
	}{
		{items: "[]Foo", element: "Foo"},
		{items: "[]*Foo", element: "Foo", pointers: true},
		{items: "[]Alias", element: "Foo"},
		{items: "Foos", element: "Foo"},
		{items: "Generic[Foo]", element: "Foo"},
		{items: "Pair[int, *Foo]", element: "Foo", pointers: true},
		{items: "[]any", element: "any"},
		{items: "[3]Foo"},
		{items: "map[string]Foo"},
		{items: "Foo"},
		{items: "Missing", element: "Missing"},
		{items: "[]other.Foo", unknown: true},
		{items: "other.Foos", unknown: true},
		{items: "Circle", unknown: true},
	} {
		t.Run(test.items, func(t *testing.T) {
			types, src := loaded(t, map[string]string{"x/v1/types.go": `package v1
type Foo struct{}
type Alias = Foo
type Foos []Foo
type Generic[T any] []T
type Pair[K, V any] []V
type Circle Circle
type List struct { Items ` + test.items + " }\n"})
			d, _ := types.Lookup(src, "List")
			items, _ := types.FieldsOf(src, d).ByName("Items")
			element, pointers, known := ElementOf(src, items.Type)
			if element != test.element || pointers != test.pointers || known == test.unknown {
				t.Errorf("got %q, pointers %v, known %v", element, pointers, known)
			}
		})
	}
}
