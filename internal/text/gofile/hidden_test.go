package gofile_test

import (
	"errors"
	"go/types"
	"testing"

	"github.com/kubegen/kubegen/internal/text/gofile"
)

// TestHidden uses each predeclared name in a package that declares it as something else, and where it is no such name.
func TestHidden(t *testing.T) {
	for _, name := range types.Universe.Names() {
		f := gofile.File{Name: "a.go", Path: "example.com/a", Package: "a", OtherNames: map[string]bool{name: true}}
		for body, want := range map[gofile.Code]bool{
			"var x = " + gofile.Name(name) + "\n":                                       true,
			"var x = y." + gofile.Name(name) + "\n":                                     false,
			"// " + gofile.Name(name) + "\nvar x = 1\n":                                 false,
			"var x = " + f.Ref(gofile.Ident{Path: "example.com/b", Name: "B"}) + "{}\n": false,
		} {
			f.Body = body
			_, err := gofile.Format([]*gofile.File{&f}, nil, nil)
			var hidden gofile.Mistake
			if (errors.As(err, &hidden) && hidden.Cause == gofile.Hidden) != want || want && hidden.Name != name {
				t.Errorf("%q: %v", body, err)
			}
		}
	}
}
