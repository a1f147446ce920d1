package load

import (
	"path/filepath"
	"testing"
)

func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	env := Environment{Dir: filepath.Join(dir, "here"), Vars: []string{"A=1", "B=", "A=2", "AB=3"}}
	for name, want := range map[string]string{"A": "2", "B": "", "AB": "3", "C": ""} {
		if got := env.Getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"x": "x", "./x/../y": "y", "..": "..", "../other/z": "../other/z", filepath.Join(env.Dir, "x"): "x", "": ".",
	} {
		if got := env.Name(env.At(name)); got != want {
			t.Errorf("%q is named %s, want %s", name, got, want)
		}
	}
	if got, want := env.Shorten("cannot write "+filepath.Join(env.Dir, "x", "y")), "cannot write "+filepath.Join("x", "y"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
