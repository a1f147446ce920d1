package stamp

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestStamp(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if Of(name) != (Stamp{}) {
		t.Error("there is a stamp without a file")
	}
	hourAgo := time.Now().Add(-time.Hour)
	write := func(name, text string, at time.Time) Stamp {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
		return Of(name)
	}
	first := write(name, "one", hourAgo)
	if first != Of(name) || first == (Stamp{}) {
		t.Error("the stamp of a file that has not changed is another one")
	}
	if write(name, "three", hourAgo) == first {
		t.Error("the size does not count")
	}
	if write(name, "two", hourAgo.Add(time.Millisecond)) == first {
		t.Error("the time does not count")
	}
	if write(name, "one", hourAgo) != first {
		t.Error("more counts than size, time and number")
	}
}
