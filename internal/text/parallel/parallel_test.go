package parallel

import (
	"fmt"
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

func TestTry(t *testing.T) {
	err := Try([]int{4, 3, 2, 1}, func(i int) error {
		if i%2 == 0 {
			return fmt.Errorf("item %d", i)
		}
		return nil
	})
	if want := "item 4\nitem 2"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := Try([]int{1}, func(int) error { return nil }); err != nil {
		t.Error(err)
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
