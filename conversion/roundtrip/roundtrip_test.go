package roundtrip

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// widget and hub have the same fields, but different types where conversions look at fields.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              widgetSpec `json:"spec,omitempty"`
}

type widgetSpec struct {
	First  *string               `json:"first,omitempty"`
	Second *string               `json:"second,omitempty"`
	Third  []string              `json:"third,omitempty"`
	Count  int32                 `json:"count,omitempty"`
	Parts  []part                `json:"parts,omitempty"`
	ByName map[string]part       `json:"byName,omitempty"`
	Tree   *tree                 `json:"tree,omitempty"`
	Time   *metav1.Time          `json:"time,omitempty"`
	Micro  *metav1.MicroTime     `json:"micro,omitempty"`
	Amount *resource.Quantity    `json:"amount,omitempty"`
	Either *intstr.IntOrString   `json:"either,omitempty"`
	Any    json.RawMessage       `json:"any,omitempty"`
	Object *runtime.RawExtension `json:"object,omitempty"`
	Wait   *metav1.Duration      `json:"wait,omitempty"`
	Matrix [2][]part             `json:"matrix"`
}

type part struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
}

type tree struct {
	Value string `json:"value,omitempty"`
	Left  *tree  `json:"left,omitempty"`
}

type hub struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              hubSpec `json:"spec,omitempty"`
}

type hubSpec widgetSpec

// convert converts all fields, and then does something else.
func convert[In, Out any](also func(*Out) error) func(*In, *Out, conversion.Scope) error {
	return func(in *In, out *Out, _ conversion.Scope) error {
		text, err := json.Marshal(in)
		if err == nil {
			err = json.Unmarshal(text, out)
		}
		return errors.Join(err, also(out))
	}
}

// reports are what a test has said.
type reports struct{ said []string }

type failed struct{}

func (r *reports) Helper() {}
func (r *reports) Logf(format string, args ...any) {
	r.said = append(r.said, "log: "+fmt.Sprintf(format, args...))
}
func (r *reports) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *reports) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(failed{})
}

func versions(to func(*hub) error, from func(*widget) error) Versions[widget, hub] {
	return Versions[widget, hub]{To: convert[widget, hub](to), From: convert[hub, widget](from)}
}

func run(v Versions[widget, hub]) (said []string) {
	r := &reports{}
	defer func() {
		if e := recover(); e != nil && e != (failed{}) {
			panic(e)
		}
		said = r.said
	}()
	test(r, v)
	return r.said
}

func nothing[T any](*T) error { return nil }

// lost returns the paths that are reported as lost, from widgets and from hubs.
func lost(said []string) (paths []string) {
	for _, line := range said {
		if before, _, ok := strings.Cut(line, " is lost: "); ok {
			from, _, _ := strings.Cut(strings.TrimPrefix(before, "*roundtrip."), " ")
			paths = append(paths, from+before[strings.LastIndex(before, " ")+1:])
		}
	}
	return paths
}

func TestLosses(t *testing.T) {
	for _, c := range []struct {
		name string
		v    Versions[widget, hub]
		want []string
	}{
		{"nothing", versions(nothing, nothing), nil},
		{"a field", versions(func(h *hub) error { h.Spec.Third = nil; return nil }, nothing), []string{"widget.spec.third", "hub.spec.third"}},
		{"a field of an element", versions(nothing, func(w *widget) error {
			for i := range w.Spec.Parts {
				w.Spec.Parts[i].Kind = ""
			}
			return nil
		}), []string{"widget.spec.parts[].kind", "hub.spec.parts[].kind"}},
		{"a field that is alone", versions(nothing, func(w *widget) error {
			s := &w.Spec
			if s.First == nil && s.Second == nil && s.Count == 0 && s.Parts == nil && s.ByName == nil && s.Tree == nil && s.Time == nil && s.Micro == nil &&
				s.Amount == nil && s.Either == nil && s.Any == nil && s.Object == nil && s.Wait == nil {
				s.Third = nil
			}
			return nil
		}), []string{"widget.spec.third", "hub.spec.third"}},
		{"a field beside all but one", versions(func(h *hub) error {
			s := &h.Spec
			if s.Second == nil && s.First != nil && s.Third != nil && s.Count != 0 && s.Parts != nil && s.ByName != nil && s.Tree != nil && s.Time != nil &&
				s.Micro != nil && s.Amount != nil && s.Either != nil && s.Any != nil && s.Object != nil && s.Wait != nil {
				s.Count = 0
			}
			return nil
		}, nothing), []string{"widget.spec.count", "hub.spec.count"}},
		{"a pointer to nothing", versions(func(h *hub) error {
			if h.Spec.First != nil && *h.Spec.First == "" {
				h.Spec.First = nil
			}
			return nil
		}, nothing), []string{"widget.spec.first", "hub.spec.first"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lost(run(c.v)); !slices.Equal(got, c.want) {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}

// A conversion that finds elements by all their values loses what it keeps when a server sets a default in them.
func TestDefaults(t *testing.T) {
	kept := map[string]string{} // names by elements without them
	v := versions(func(h *hub) error {
		for i, p := range h.Spec.Parts {
			h.Spec.Parts[i].Name = kept[fmt.Sprint(i, p.Kind)]
		}
		return nil
	}, func(w *widget) error {
		clear(kept)
		for i, p := range w.Spec.Parts {
			kept[fmt.Sprint(i, p.Kind)], w.Spec.Parts[i].Name = p.Name, ""
		}
		return nil
	})
	v.GivenUp = []string{".spec.parts[].name"}
	if got := lost(run(v)); len(got) > 0 {
		t.Errorf("without defaults: %q", got)
	}
	v.Defaults = `{"properties":{"spec":{"properties":{"parts":{"items":{"properties":{"kind":{"default":"TCP"}}}}}}}}`
	if got := lost(run(v)); !slices.Equal(got, []string{"hub.spec.parts[].name"}) {
		t.Errorf("%q", got)
	}
}

func TestApply(t *testing.T) {
	d := newDefaults(t, `{"properties":{"a":{"default":{}, "properties":{"b":{"default":1}}},"n":{"default":2,"nullable":true},"z":{"default":3},`+
		`"l":{"items":{"properties":{"b":{"default":4}}}},"m":{"additionalProperties":{"properties":{"b":{"default":5}}}}}}`)
	var object any
	_ = json.Unmarshal([]byte(`{"n":null,"z":null,"l":[{},{"b":0},1],"m":{"x":{}}}`), &object)
	d.apply(object)
	want := `{"a":{"b":1},"l":[{"b":4},{"b":0},1],"m":{"x":{"b":5}},"n":null,"z":3}`
	if got := jsonOf(object); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if said := run(Versions[widget, hub]{Defaults: "{"}); len(said) != 1 {
		t.Errorf("%q", said)
	}
}

func TestGivenUp(t *testing.T) {
	v := versions(func(h *hub) error { h.Spec.Third, h.Spec.Tree = nil, nil; return nil }, nothing)
	v.GivenUp, v.HubGivenUp = []string{".spec.third", ".spec.tree"}, []string{".spec.third"}
	said := run(v)
	if got := lost(said); !slices.Equal(got, []string{"hub.spec.tree"}) {
		t.Errorf("%q", got)
	}
	if !slices.Contains(said, "log: *roundtrip.widget: .spec.third is given up by a marker") {
		t.Errorf("%q", said)
	}
}

func TestMistakes(t *testing.T) {
	said := run(versions(nothing, func(*widget) error { return errors.New("refused") }))
	if len(said) != 1 || !strings.Contains(said[0], "*roundtrip.widget to *roundtrip.hub and back: refused: {") {
		t.Errorf("%q", said)
	}
	v := versions(nothing, nothing)
	v.To = func(in *widget, out *hub, s conversion.Scope) error {
		err := convert[widget, hub](nothing)(in, out, s)
		in.Spec.Third = append(in.Spec.Third, "more")
		return err
	}
	if said := run(v); len(said) != 1 || !strings.Contains(said[0], " changes the original from {") {
		t.Errorf("%q", said)
	}
}

// Functions that accept only some values are tested with these.
func TestFillers(t *testing.T) {
	v := versions(func(h *hub) error {
		if h.Spec.First != nil && *h.Spec.First != "valid" {
			return errors.New("invalid")
		}
		return nil
	}, nothing)
	if said := run(v); len(said) != 1 || !strings.Contains(said[0], "invalid") {
		t.Errorf("%q", said)
	}
	v.Fillers = []any{
		func(s *widgetSpec, c randfill.Continue) { c.FillNoCustom(s); valid := "valid"; s.First = &valid },
		func(s *hubSpec, c randfill.Continue) { c.FillNoCustom(s); valid := "valid"; s.First = &valid },
	}
	if said := run(v); len(said) > 0 {
		t.Errorf("%q", said)
	}
}

// Every field gets values that JSON can express.
func TestFill(t *testing.T) {
	fill := newFiller(nil, reflect.TypeFor[widget]())
	var all widget
	fill.complete(&all)
	found := map[string]bool{}
	for seed := range int64(20) {
		var w widget
		fill.random(seed, &w)
		for name := range treeOf(w.Spec).(map[string]any) {
			found[name] = true
		}
	}
	for _, name := range strings.Fields("first second third count parts byName tree time micro amount either any object wait matrix") {
		if !found[name] {
			t.Errorf("%s is never filled", name)
		}
	}
	if fill.chance < 0.5 {
		t.Error("a tree is filled without end")
	}
}
