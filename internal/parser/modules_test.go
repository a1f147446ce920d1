package parser

import (
	"testing"

	"golang.org/x/mod/modfile"
)

// client-go does not require client-go: its release is that of the k8s.io/api that it requires. A fork without tags has the release
// that it replaces.
func TestClientGoItself(t *testing.T) {
	for _, test := range []struct{ goMod, want string }{
		{"module k8s.io/client-go\nrequire k8s.io/api v0.35.1\n", "v0.35.1"},
		{"module example.com/other\nrequire k8s.io/api v0.35.1\n", ""},
		{"module example.com/other\nrequire (\n\tk8s.io/api v0.35.1\n\tk8s.io/client-go v0.34.0\n)\n", "v0.34.0"},
		{"module example.com/other\nrequire k8s.io/client-go v0.36.0\nreplace k8s.io/client-go => example.com/fork v0.0.0-20260602065202-e006560fc76a\n", "v0.36.0"},
		{"module example.com/other\nrequire k8s.io/client-go v0.36.0\nreplace k8s.io/client-go => example.com/fork v1.35.0\n", "v1.35.0"},
	} {
		parsed, err := modfile.Parse("go.mod", []byte(test.goMod), nil)
		if err != nil {
			t.Fatal(err)
		}
		p := newParser(Config{})
		p.goMods = []*modfile.File{parsed}
		if got := p.clientGo().Version; got != test.want {
			t.Errorf("%s\nclient-go is %q, want %q", test.goMod, got, test.want)
		}
	}
}
