//go:build go1.23

// Command conversions fills values at random, converts them by the functions that packages register, and prints a line
// for each pair of types:
//
//	k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1 generated v1alpha1.Flunder wardle.Flunder 20 values 8d1f...
//
// The last word is a hash of all results and errors, and of what is left of the values, which depends on nothing but
// -seed and -values.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
)

var (
	seed   = flag.Uint64("seed", 1, "what random values depend on")
	values = flag.Int("values", 20, "how many `values` of each type are converted")
)

// registers are the functions RegisterConversions by package, to which a generated file beside this one adds.
var registers = map[string]func(*runtime.Scheme) error{}

func main() {
	flag.Parse()
	var lines []string
	for pkg, register := range registers {
		scheme := runtime.NewScheme()
		if err := register(scheme); err != nil {
			panic(err)
		}
		for _, p := range pairs(scheme) {
			lines = append(lines, fmt.Sprintf("%s %s %s %s %d values %x", pkg, p.kind, p.from, p.to, *values, p.convert(pkg, scheme)[:8]))
		}
	}
	slices.Sort(lines)
	fmt.Println(strings.Join(lines, "\n"))
}

// pair is two types that a scheme converts.
type pair struct {
	kind     string // generated, or manual, which comes first
	from, to reflect.Type
}

// pairs returns what a scheme converts, in any order. There is no method for that.
func pairs(scheme *runtime.Scheme) (all []pair) {
	field := func(v reflect.Value, name string) reflect.Value {
		f := v.FieldByName(name)
		return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
	}
	converter := field(reflect.ValueOf(scheme).Elem(), "converter").Interface().(*conversion.Converter)
	for kind, name := range map[string]string{"generated": "generatedConversionFuncs", "manual": "conversionFuncs"} {
		for key := range field(field(reflect.ValueOf(converter).Elem(), name), "untyped").Seq2() {
			types := reflect.New(key.Type()).Elem()
			types.Set(key)
			from, to := field(types, "source").Interface().(reflect.Type), field(types, "dest").Interface().(reflect.Type)
			all = append(all, pair{kind, from.Elem(), to.Elem()})
		}
	}
	return all
}

// convert returns a hash of what comes of random values.
func (p pair) convert(pkg string, scheme *runtime.Scheme) []byte {
	h := fnv.New64a()
	io.WriteString(h, pkg+" "+p.from.String()+" "+p.to.String())
	f := filler{rand.New(rand.NewPCG(*seed, h.Sum64()))}
	sum := sha256.New()
	for range *values {
		in, out := reflect.New(p.from), reflect.New(p.to)
		f.fill(in.Elem(), 0)
		if query, ok := in.Interface().(*url.Values); ok && p.to.Kind() == reflect.Struct {
			*query = f.query(p.to)
		}
		if f.IntN(2) == 0 {
			f.fill(out.Elem(), 0)
		}
		io.WriteString(sum, attempt(func() error { return scheme.Convert(in.Interface(), out.Interface(), nil) }))
		write(sum, out)
		write(sum, in)
	}
	return sum.Sum(nil)
}

// attempt returns an error's message, or what a function panics with. Functions written by hand do that for values that
// a server refuses.
func attempt(convert func() error) (result string) {
	defer func() {
		if v := recover(); v != nil {
			result = fmt.Sprint("panic ", v)
		}
	}()
	if err := convert(); err != nil {
		return err.Error()
	}
	return ""
}

// query returns parameters for the fields of a struct.
func (f filler) query(t reflect.Type) url.Values {
	query := url.Values{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		for range f.IntN(3) {
			query.Add(name, []string{"", "true", "0", "12", "a"}[f.IntN(5)])
		}
	}
	return query
}
