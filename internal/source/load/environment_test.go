package load

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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

// A go command names the modules that it downloads, here from the module cache into an empty one, and an error has the
// other messages only.
func TestDownloading(t *testing.T) {
	dir := t.TempDir()
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/spf13/pflag").Output()
	if err != nil {
		t.Fatal(err)
	}
	goMod := "module example.com\n\nrequire github.com/spf13/pflag " + string(version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644); err != nil {
		t.Fatal(err)
	}
	var said []string
	env := Environment{Dir: dir, Downloading: func(line []byte) { said = append(said, string(line)) }}
	for _, pattern := range []string{"github.com/spf13/pflag", "github.com/spf13/pflag/nosuch"} {
		cmd := exec.Command("go", "list", "-mod=mod", "--", pattern)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(strings.TrimSpace(string(cache)))+"/cache/download",
			"GOMODCACHE="+filepath.Join(dir, "cache"), "GOFLAGS=-modcacherw", "GOSUMDB=off", "GOWORK=off", "PWD="+dir)
		out, err := env.Output(cmd)
		exit := (*exec.ExitError)(nil)
		if found := err == nil && string(out) == pattern+"\n"; found != strings.HasSuffix(pattern, "pflag") {
			t.Errorf("got %s, %v", out, err)
		} else if !found && (!errors.As(err, &exit) || !strings.Contains(string(exit.Stderr), "nosuch") || strings.Contains(string(exit.Stderr), "downloading")) {
			t.Errorf("got %v: %s", err, exit.Stderr)
		}
	}
	if all := strings.Join(said, ""); !regexp.MustCompile(`\A(go: downloading github.com/spf13/pflag v[0-9.]+\n)+\z`).MatchString(all) {
		t.Errorf("got %q", all)
	}
}
