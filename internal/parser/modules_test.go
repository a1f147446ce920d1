package parser

import (
	"os"
	"path/filepath"
	"testing"
)

// Without client-go, other modules of Kubernetes determine the release, as in client-go itself. A fork without tags has the release
// that it replaces.
func TestClientGo(t *testing.T) {
	for _, test := range []struct{ goMod, want string }{
		{"module k8s.io/client-go\nrequire k8s.io/api v0.35.1\n", "v0.35.1"},
		{"module example.com/other\nrequire k8s.io/api v0.35.1\n", "v0.35.1"},
		{"module example.com/other\nrequire (\n\tk8s.io/api v0.34.1\n\tk8s.io/apimachinery v0.34.2 // indirect\n)\n", "v0.34.2"},
		{"module example.com/other\nrequire (\n\tk8s.io/api v0.35.1\n\tk8s.io/client-go v0.34.0\n)\n", "v0.34.0"},
		{"module example.com/other\nrequire (\n\tk8s.io/apimachinery v0.33.0\n\tk8s.io/client-go v0.0.0\n)\n", "v0.33.0"},
		{"module example.com/other\nrequire k8s.io/client-go v0.36.0\nreplace k8s.io/client-go => example.com/fork v0.0.0-20260602065202-e006560fc76a\n", "v0.36.0"},
		{"module example.com/other\nrequire k8s.io/client-go v0.36.0\nreplace k8s.io/client-go => example.com/fork v1.35.0\n", "v1.35.0"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(test.goMod), 0o644); err != nil {
			t.Fatal(err)
		}
		p := newParser(Config{Dir: dir})
		p.goMods = p.findGoMods()
		if got := p.clientGo().Version; got != test.want {
			t.Errorf("%s\nclient-go is %q, want %q", test.goMod, got, test.want)
		}
	}
}
