// Package mutant chooses which of the mutants that a program contains is active. Changed code calls its functions
// with the numbers of mutants; without an active one, they change nothing.
package mutant

import (
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"time"
)

// The environment variables that choose the active mutant, and the file in which a run records the mutants that it
// reaches.
const (
	Active = "MUTANT"
	Record = "MUTANTS_REACHED"
)

var (
	active  = number(os.Getenv(Active))
	reached []atomic.Bool
	record  *os.File
)

func init() {
	if name := os.Getenv(Record); name != "" {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		reached, record = make([]atomic.Bool, 1<<16), file
	}
	if active > 0 {
		debug.SetMaxStack(64 << 20)
		go limitMemory()
	}
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// limitMemory ends the program when a mutant that never ends has filled a gigabyte.
func limitMemory() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(50 * time.Millisecond) {
		if metrics.Read(sample); sample[0].Value.Uint64() > 1<<30 {
			fmt.Println("FAIL: the mutant fills the memory")
			os.Exit(1)
		}
	}
}

func reach(id int) {
	if record != nil && reached[id].CompareAndSwap(false, true) {
		fmt.Fprintln(record, id)
	}
}

// On reports whether a mutant is active.
func On(id int) bool {
	reach(id)
	return active == id
}

// Zero returns v, or the zero value. The mutant is reached where that makes a difference.
func Zero[T any](id int, v T) T {
	var zero T
	return Put(id, v, zero)
}

// Put returns v, or other in its place.
func Put[T any](id int, v, other T) T {
	switch {
	case active == id:
		return other
	case record != nil && !reached[id].Load() && !same(v, other): // which allocates
		reach(id)
	}
	return v
}

func same[T any](a, b T) bool {
	defer func() { _ = recover() }() // an interface may hold values that cannot be compared: they differ
	v, w := reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem()
	return v.IsZero() && w.IsZero() || v.Comparable() && w.Comparable() && v.Equal(w)
}

// Not returns condition, or its negation.
func Not(id int, condition bool) bool { return condition != On(id) }

// Pick returns v, or other in its place.
func Pick[T any](id int, v, other T) T {
	if On(id) {
		return other
	}
	return v
}

// Clear sets a variable to its zero value. It returns true, for use in conditions.
func Clear[T any](id int, v *T) bool {
	*v = Zero(id, *v)
	return true
}

// Flip negates a variable. It returns true, for use in conditions.
func Flip(id int, v *bool) bool {
	*v = Not(id, *v)
	return true
}

// Drop returns a list, or the list without an element.
func Drop[S ~[]E, E any](id, i int, list S) S {
	if On(id) {
		return append(list[:i:i], list[i+1:]...)
	}
	return list
}
