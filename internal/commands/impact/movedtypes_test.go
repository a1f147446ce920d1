package impact

import (
	"strings"
	"testing"
)

func TestCollapsed(t *testing.T) {
	change := func(symbol, was, is string) Change {
		return Change{Difference: Changed, Symbol: symbol, Was: was, Is: is}
	}
	report := Report{{"example.com/client", []Change{
		change("Foos.Get", "func(string) (*example.com/apis/v1.Foo, error)", "func(string) (*example.com/api/v1.Foo, error)"),
		change("Foos.List", "func() *example.com/apis/v1.FooList", "func() *example.com/api/v1.FooList"),
		change("Foos.Renamed", "func() *example.com/apis/v1.Foo", "func() *example.com/api/v1.Bar"),
		change("Foos.Watch", "func(example.com/a/v1.A) *example.com/b/v1.B", "func(example.com/c/v1.A) *example.com/d/v1.B"),
		{Difference: Removed, Symbol: "Gone", Was: "func()"},
	}}}
	want := strings.TrimSpace(`
example.com/a/v1
	types moved to example.com/c/v1, which changes 1 symbol
example.com/apis/v1
	types moved to example.com/api/v1, which changes 2 symbols
example.com/b/v1
	types moved to example.com/d/v1, which changes 1 symbol
example.com/client
	Foos.Renamed: was func() *example.com/apis/v1.Foo, is func() *example.com/api/v1.Bar
	Gone: removed; was func()`)
	if got := strings.Join(report.Collapsed().Lines(100), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
