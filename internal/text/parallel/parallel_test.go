package parallel

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 3, 1000} {
		items := make([]*atomic.Int32, n)
		for i := range items {
			items[i] = new(atomic.Int32)
		}
		Each(items, func(count *atomic.Int32) { count.Add(1) })
		for i, count := range items {
			if count.Load() != 1 {
				t.Errorf("of %d items, item %d was done %d times", n, i, count.Load())
			}
		}
	}
}

func TestMap(t *testing.T) {
	got := Map([]int{4, 3, 2, 1}, func(i int) string { return fmt.Sprint("item ", i) })
	if want := []string{"item 4", "item 3", "item 2", "item 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A panic reaches the caller, which can report it.
func TestEachPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "item 2" {
			t.Errorf("recovered %v", got)
		}
	}()
	Each([]int{0, 1, 2, 3}, func(i int) {
		if i == 2 {
			panic("item 2")
		}
	})
	t.Error("Each returned")
}
