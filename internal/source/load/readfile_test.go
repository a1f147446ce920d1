package load

import (
	"io"
	"strings"
	"testing"
)

// zeros is a reader without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestBounded(t *testing.T) {
	for _, test := range []struct {
		r         io.Reader
		want, err string
	}{
		{strings.NewReader("abcd"), "abcd", ""},
		{strings.NewReader("\ufeffa"), "a", ""},
		{strings.NewReader("abcde"), "", "x is larger than the limit of 0 MiB"},
		{zeros{}, "", "x is larger than the limit of 0 MiB"},
	} {
		text, err := ReadBounded(test.r, "x", 4)
		switch {
		case test.err == "" && (err != nil || string(text) != test.want):
			t.Errorf("got %q, %v; want %q", text, err, test.want)
		case test.err != "" && (err == nil || err.Error() != test.err):
			t.Errorf("got %v, want %s", err, test.err)
		}
	}
}
