package keep

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// full is a version with all fields, and base one that lacks some.
type full struct {
	metav1.ObjectMeta `json:"metadata"`
	Level             int32                 `json:"level,omitempty"`
	Hidden            string                `json:"-"`
	Dotted            string                `json:"a.b,omitempty"`
	Nested            fullPart              `json:"a"`
	Pointer           *fullPart             `json:"pointer,omitempty"`
	Ports             []fullPort            `json:"ports,omitempty"`
	Keyed             []*fullPort           `json:"keyed,omitempty"`
	Matrix            [][]fullPort          `json:"matrix,omitempty"`
	ByName            map[string]fullPort   `json:"byName,omitempty"`
	ByNumber          map[int32]*fullPort   `json:"byNumber,omitempty"`
	Sets              map[string][]fullPort `json:"sets,omitempty"`
	*Inline
}

type fullPart struct {
	B string `json:"b,omitempty"`
	C string `json:"c,omitempty"`
}

type fullPort struct {
	Number   int32  `json:"number,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Name     string `json:"name,omitempty"`
}

// Inline has only kept fields.
type Inline struct {
	Extra string `json:"extra,omitempty"`
}

type base struct {
	metav1.ObjectMeta `json:"metadata"`
	Nested            basePart              `json:"a"`
	Pointer           *basePart             `json:"pointer,omitempty"`
	Ports             []basePort            `json:"ports,omitempty"`
	Keyed             []*basePort           `json:"keyed,omitempty"`
	Matrix            [][]basePort          `json:"matrix,omitempty"`
	ByName            map[string]basePort   `json:"byName,omitempty"`
	ByNumber          map[int32]*basePort   `json:"byNumber,omitempty"`
	Sets              map[string][]basePort `json:"sets,omitempty"`
	*BaseInline
}

type basePart struct {
	C string `json:"c,omitempty"`
}

// basePort has its fields in another order than fullPort.
type basePort struct {
	Protocol string `json:"protocol,omitempty"`
	Number   int32  `json:"number,omitempty"`
}

// BaseInline has no fields.
type BaseInline struct{}

func visit(f *Fields, full *full, base *base) {
	f.Value("level", &full.Level)
	f.Unnamed("Hidden", &full.Hidden)
	f.Value("a.b", &full.Dotted)
	visitPart(f.In("a"), &full.Nested, &base.Nested)
	Pointer(f, "pointer", full.Pointer, base.Pointer, visitPart)
	List(f, "ports", full.Ports, base.Ports, visitPort)
	List(f, "keyed", full.Keyed, base.Keyed, visitPointer, "number")
	List(f, "matrix", full.Matrix, base.Matrix, func(f *Fields, full *[]fullPort, base *[]basePort) { List(f, "", *full, *base, visitPort) })
	Map(f, "byName", full.ByName, base.ByName, visitPort)
	Map(f, "byNumber", full.ByNumber, base.ByNumber, visitPointer)
	Map(f, "sets", full.Sets, base.Sets, func(f *Fields, full *[]fullPort, base *[]basePort) { List(f, "", *full, *base, visitPort) })
	Embedded(f, "Inline", &full.Inline, base.BaseInline, func(f *Fields, full *Inline, _ *BaseInline) { f.Value("extra", &full.Extra) })
}

func visitPart(f *Fields, full *fullPart, _ *basePart) { f.Value("b", &full.B) }
func visitPort(f *Fields, full *fullPort, _ *basePort) { f.Value("name", &full.Name) }
func visitPointer(f *Fields, full **fullPort, base **basePort) {
	Pointer(f, "", *full, *base, visitPort)
}

const annotation = "example.com/conversion-data"

// toBase and toFull convert as generated functions do, and as API servers do, through JSON. A pointer to a struct
// without values in JSON is nil.
func toBase(t *testing.T, stored string, in *full) (*base, error) {
	t.Helper()
	out := new(base)
	through(t, in, out)
	if in.Inline != nil {
		out.BaseInline = &BaseInline{}
	}
	err := Carry(Conversion{annotation, "Widget", "v1", "v1beta1", stored}, in, out, nil, visit)
	again := new(base)
	through(t, out, again)
	return again, err
}

func toFull(t *testing.T, stored string, in *base) (*full, error) {
	t.Helper()
	out := new(full)
	through(t, in, out)
	return out, Carry(Conversion{annotation, "Widget", "v1beta1", "v1", stored}, in, out, visit, nil)
}

func through(t *testing.T, from, to any) {
	t.Helper()
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func example() *full {
	port := func(number int32, name string) fullPort { return fullPort{number, "", name} }
	first, second := port(1, "a"), port(2, "")
	return &full{
		Level: 3, Hidden: "hidden", Dotted: "dotted", Nested: fullPart{"nested", "c"}, Pointer: &fullPart{B: "pointer"},
		Ports: []fullPort{port(80, "http"), port(80, ""), port(80, "other")}, Keyed: []*fullPort{&first, nil, &second},
		Matrix: [][]fullPort{{port(1, "x")}, nil, {port(1, "y"), port(2, "z")}},
		ByName: map[string]fullPort{"": port(1, "empty"), "a.b": port(2, "dot"), "=c": {}}, ByNumber: map[int32]*fullPort{7: &first},
		Sets: map[string][]fullPort{"s": {port(3, "s")}}, Inline: &Inline{"extra"},
	}
}

func TestCarry(t *testing.T) {
	want := example()
	converted, err := toBase(t, "v1", want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := toFull(t, "v1", converted)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s, not %s: %v", textOfIdentity(got), textOfIdentity(want), err)
	}
}

// Bytes that the first release has stored are read by every later one.
const firstFormat = `{"format":1,"kind":"Widget","versions":{"v1":{"-Hidden":"hidden","-Inline":{},` +
	`".a":{"=b":"nested"},".byName":{".":{"=name":"empty"},".a.b":{"=name":"dot"}},".byNumber":{".7":{"=name":"a"}},` +
	`".keyed":[[{"number":1},{"=name":"a"}],[null],[{"number":2}]],` +
	`".matrix":[[[{"number":1}],{".":[[{"number":1},{"=name":"x"}]]}],[null],[[{"number":1},{"number":2}],` +
	`{".":[[{"number":1},{"=name":"y"}],[{"number":2},{"=name":"z"}]]}]],` +
	`".pointer":{"=b":"pointer"},".ports":[[{"number":80},{"=name":"http"}],[{"number":80}],[{"number":80},{"=name":"other"}]],` +
	`".sets":{".s":{".":[[{"number":3},{"=name":"s"}]]}},"=a.b":"dotted","=extra":"extra","=level":3}}}`

// firstCompressed is a compressed document of the first release, with {"=level":3}.
const firstCompressed = "gzip:H4sIAAAAAAAA/6pWSssvyk0sUbIy1FHKzsxLUbJSCs9MSU8tUdJRKkstKs7MzytWsqpWKjMEkbY5qWWpOUpWxrW1tYAAAAD//84kUFg7AAAA"

func TestFirstFormat(t *testing.T) {
	converted, err := toBase(t, "v1", example())
	if err != nil {
		t.Fatal(err)
	}
	if got := converted.Annotations[annotation]; got != firstFormat {
		t.Errorf("the format has changed to\n%s, from\n%s", got, firstFormat)
	}
	converted.Annotations[annotation] = firstFormat
	if got, err := toFull(t, "v1", converted); err != nil || !reflect.DeepEqual(got, example()) {
		t.Errorf("%s is not read: %v", firstFormat, err)
	}
}

func TestCompressed(t *testing.T) {
	in := &full{Dotted: strings.Repeat("long ", 100<<10)}
	converted, err := toBase(t, "v1beta1", in)
	if err != nil {
		t.Fatal(err)
	}
	first := new(base)
	first.Annotations = map[string]string{annotation: firstCompressed}
	if got, err := toFull(t, "v1beta1", first); err != nil || got.Level != 3 {
		t.Errorf("%s is not read: %d: %v", firstCompressed, got.Level, err)
	}
	value := converted.Annotations[annotation]
	if !strings.HasPrefix(value, compressed) || len(value) > 10<<10 {
		t.Errorf("%d bytes: %.100s", len(value), value)
	}
	if got, err := toFull(t, "v1beta1", converted); err != nil || !reflect.DeepEqual(got, in) {
		t.Errorf("%v: %.1000s", err, textOfIdentity(got))
	}
}

// API servers set defaults, clients reorder and leave out what is empty, and releases add, remove and reorder fields.
// None of it makes an element another one.
func TestIdentityIsMadeOfValues(t *testing.T) {
	kept := `{"format":1,"kind":"Widget","versions":{"v1":{".ports":[[{"number":80,"gone":"field"},{"=name":"http"}],[{"number":81},{"=name":"s"}]]}}}`
	in := &base{Ports: []basePort{{"TCP", 80}, {"TCP", 81}}}
	in.Annotations = map[string]string{annotation: kept}
	got, err := toFull(t, "v1", in)
	want := []fullPort{{80, "TCP", "http"}, {81, "TCP", "s"}}
	if err != nil || !reflect.DeepEqual(got.Ports, want) || got.Annotations != nil {
		t.Errorf("%v %v, not %v: %v", got.Ports, got.Annotations, want, err)
	}
	for _, same := range []string{`{"a":1,"b":{"c":[]}}`, `{"b":null,"a":1.0}`, `{"d":"","a":1e0,"e":false,"f":0}`} {
		if got := textOfIdentity(decodeIdentity([]byte(same), nil)); got != `{"a":1}` {
			t.Errorf("%s: %s", same, got)
		}
	}
	if decodeIdentity([]byte("12345678901234567890"), nil) == decodeIdentity([]byte("12345678901234567891"), nil) {
		t.Log("integers above 64 bits are the same if they are the same float64")
	}
	if decodeIdentity([]byte("9007199254740993"), nil) == decodeIdentity([]byte("9007199254740992"), nil) {
		t.Error("integers of 64 bits are mixed up")
	}
}

// A value that a function has set stays.
func TestValuesOfFunctionsStay(t *testing.T) {
	in := new(base)
	in.Annotations = map[string]string{annotation: `{"format":1,"kind":"Widget","versions":{"v1":{"=level":3,"=a.b":"kept"}}}`}
	out := &full{Level: 7}
	err := Carry(Conversion{annotation, "Widget", "v1beta1", "v1", "v1"}, in, out, visit, nil)
	if err != nil || out.Level != 7 || out.Dotted != "kept" {
		t.Errorf("%d %s: %v", out.Level, out.Dotted, err)
	}
}

// Annotations that are not ours change nothing, and go.
func TestForeignAnnotations(t *testing.T) {
	later := `{"format":2,"kind":"Widget","versions":{"v1":{"=level":3}}}`
	for _, value := range []string{
		"", "null", "[]", "{", `"x"`, `{"format":1,"kind":"Other","versions":{"v1":{"=level":3}}}`, `{"format":1,"kind":"Widget","versions":[]}`,
		`{"format":1,"kind":"Widget","versions":{"v1":3}}`, `{"format":1,"kind":"Widget","versions":{"v1":{".ports":{"a":1},"=level":"x",".a":[]}}}`,
		`{"format":1,"kind":"Widget","versions":{"v1":{".ports":[[],[1,2],["x",{"=name":3}]],".byName":[1]}}}`,
		`{"format":1,"kind":"Widget","omitted":["v1","v1beta1","x"]}`, "gzip:", "gzip:x", "gzip:H4sI", strings.Repeat("[", 1<<20), later,
	} {
		in := &base{Ports: []basePort{{"TCP", 80}, {"", 81}}, ByName: map[string]basePort{"a": {}}}
		in.Annotations = map[string]string{annotation: value, "other": "x"}
		got, err := toFull(t, "v1beta1", in)
		if err != nil {
			t.Fatalf("%.100s: %v", value, err)
		}
		want := map[string]string{"other": "x"}
		if value == later {
			want[annotation] = later
		}
		if !reflect.DeepEqual(got.Annotations, want) || got.Level != 0 {
			t.Errorf("%.100s: %v %d", value, got.Annotations, got.Level)
		}
	}
}

// Whatever the annotation of a stored object is, it is read.
func FuzzRead(f *testing.F) {
	f.Add(firstFormat)
	f.Add(firstCompressed)
	f.Add(`{"format":1,"kind":"Widget","omitted":["v1"]}`)
	f.Fuzz(func(t *testing.T, value string) {
		in := &base{Ports: []basePort{{"TCP", 80}}, Keyed: []*basePort{nil}, Matrix: [][]basePort{nil}}
		in.Annotations = map[string]string{annotation: value}
		out := new(full)
		through(t, &base{Ports: in.Ports, Keyed: in.Keyed, Matrix: in.Matrix}, out)
		if err := Carry(Conversion{annotation, "Widget", "v1beta1", "v1", "v1beta1"}, in, out, visit, nil); err != nil {
			t.Error(err)
		}
	})
}

// incompressible returns a text of a length that compression does not shorten by much.
func incompressible(length int) string {
	var text strings.Builder
	for i := 0; text.Len() < length; i++ {
		fmt.Fprintf(&text, "%x", (uint64(i)+1)*0x9e3779b97f4a7c15^uint64(i)<<17*0xbf58476d1ce4e5b9)
	}
	return text.String()[:length]
}

// For each stored version, an object of any size can be read in all versions, and a write loses nothing or is
// refused. The steps are those of API servers: a write converts to the stored version, a read from it.
func TestSizes(t *testing.T) {
	for _, stored := range []string{"v1", "v1beta1"} {
		refused := 0
		values := []string{strings.Repeat("<", maxDocument/6)} // 6 bytes each in JSON, which are few when compressed
		for _, kib := range []int{1, 10, 100, 200, 250, 300, 400, 600, 1000, 1400} {
			values = append(values, incompressible(kib<<10))
		}
		for _, value := range values {
			in, kib := &full{Dotted: value, Level: 3}, len(value)>>10
			in.Annotations = map[string]string{"mine": incompressible(10 << 10)}
			if stored == "v1" {
				read, err := toBase(t, stored, in)
				if err != nil {
					t.Fatalf("%d KiB, stored in v1: cannot be read in v1beta1: %v", kib, err)
				}
				if size := sizeOf(read.Annotations); size > MaxAnnotations {
					t.Errorf("%d KiB, stored in v1: annotations of %d bytes cannot be read in v1beta1", kib, size)
				}
				written, err := toFull(t, stored, read)
				if err == nil && written.Dotted != in.Dotted {
					t.Errorf("%d KiB, stored in v1: a write in v1beta1 loses a value", kib)
				}
				if err != nil {
					refused++
				}
				continue
			}
			written, err := toBase(t, stored, in)
			if err != nil {
				refused++
				continue
			}
			if read, err := toFull(t, stored, written); err != nil || read.Dotted != in.Dotted {
				t.Errorf("%d KiB, stored in v1beta1: a write in v1 loses a value: %v", kib, err)
			}
		}
		if refused == 0 || refused > 7 {
			t.Errorf("stored in %s: %d of %d writes are refused", stored, refused, len(values))
		}
	}
}

func sizeOf(annotations map[string]string) (size int) {
	for name, value := range annotations {
		size += len(name) + len(value)
	}
	return size
}

// Between two versions that are not the hub, an object is converted twice. The hub in between is no object of a server,
// so that neither reads fail there nor writes pass.
func TestSizesByHub(t *testing.T) {
	type object struct{ metav1.ObjectMeta }
	long, short := incompressible(400<<10), "short"
	for _, test := range []struct {
		stored, value string
		fails         bool
	}{{"v1", long, true}, {"v2", long, true}, {"v1beta1", long, false}, {"v1", short, false}, {"v2", short, false}, {"v1beta1", short, false}} {
		value := test.value
		kept := func(f *Fields, _, _ *object) { f.Value("old", &value) }
		hub, v1, back, again := &object{}, &object{}, &object{}, &object{}
		err := Carry(Conversion{annotation, "Widget", "v1beta1", "v2", test.stored}, &object{}, hub, nil, kept)
		if err == nil {
			err = Carry(Conversion{annotation, "Widget", "v2", "v1", test.stored}, hub, v1, nil, nil)
		}
		if test.stored == "v1beta1" {
			if err != nil { // a read
				t.Fatalf("%.9s stored in v1beta1 cannot be read in v1: %v", value, err)
			}
			// a write of what was read, in v1
			err = Carry(Conversion{annotation, "Widget", "v1", "v2", test.stored}, v1, back, nil, nil)
			restored := ""
			if err == nil {
				restore := func(f *Fields, _, _ *object) { f.Value("old", &restored) }
				err = Carry(Conversion{annotation, "Widget", "v2", "v1beta1", test.stored}, back, again, restore, nil)
			}
			if lost := restored != value; lost && err == nil || !lost && len(value) > MaxAnnotations {
				t.Errorf("%.9s stored in v1beta1, written in v1: lost: %v, refused: %v", value, lost, err)
			}
			continue
		}
		if (err != nil) != test.fails {
			t.Errorf("%.9s written in v1beta1, stored in %s: %v", value, test.stored, err)
		}
	}
}

// Fields are kept up to the last byte that API servers allow, and then left out. A write that would lose them is
// refused. Names and other annotations count.
func TestLimit(t *testing.T) {
	in := &full{Dotted: incompressible(100 << 10)}
	alone, err := toBase(t, "v1", in)
	if err != nil {
		t.Fatal(err)
	}
	room := MaxAnnotations - sizeOf(alone.Annotations)
	for more, kept := range map[int]bool{0: true, 1: false} {
		in.Annotations = map[string]string{"mine": strings.Repeat("x", room-len("mine")+more)}
		read, err := toBase(t, "v1", in)
		if err != nil {
			t.Fatal(err)
		}
		if got := read.Annotations[annotation] == alone.Annotations[annotation]; got != kept {
			t.Errorf("with %d bytes more than allowed, the field is kept: %v", more, got)
		}
		written, err := toFull(t, "v1", read)
		refused := err != nil && strings.Contains(err.Error(), "(write the object in version v1)")
		if refused == kept || kept && written.Dotted != in.Dotted {
			t.Errorf("with %d bytes more than allowed, a write is refused: %v", more, err)
		}
	}
}
