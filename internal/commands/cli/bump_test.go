package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestBumps checks that generated code shows the release of client-go that it is for, whatever the flags are: no
// feature of the release is taken for missing, and none of a newer one for present. With -short, it does so for the
// oldest and the newest release without flags.
func TestBumps(t *testing.T) {
	t.Chdir(filepath.Join(moduletest.Root, "examples", "crontab-types"))
	packages := []string{"./apis/..."}
	for _, group := range []string{"autoscaling/v1", "apps/v1", "authentication/v1", "certificates/v1", "core/v1", "policy/v1"} {
		packages = append(packages, "k8s.io/api/"+group)
	}
	for release := model.OldestRelease; release <= model.PreviewRelease; release++ {
		if testing.Short() && release != model.OldestRelease && release != model.NewestRelease {
			continue // releases in between take as long
		}
		for flags, want := range map[string]string{ // releases for which the code is the same
			"":                              release.String(),
			"--classic":                     release.String(),
			"--with-consistency":            release.String(),
			"--backport":                    release.String(),
			"--backport --with-consistency": release.String(),
			"--only clientset --fake-clientset=false --with-applyconfig=false": strings.NewReplacer("v0.33", "v0.33 to v0.36",
				"v0.34", "v0.33 to v0.36", "v0.35", "v0.33 to v0.36", "v0.36", "v0.33 to v0.36").Replace(release.String()),
			"--only lister": "v0.33 to v0.38",
		} {
			if testing.Short() && flags != "" {
				continue
			}
			code := load.CodeOf(generated(t, release, strings.Fields(flags), packages))
			if got := code.Releases().String(); got != want {
				t.Errorf("%s %s: the code is for %s, want %s", release, flags, got, want)
			}
			client := model.Client{Release: release}
			if lacks, exceeds := code.Lacks(client, nil), code.Exceeds(client, nil); len(lacks)+len(exceeds) > 0 {
				t.Errorf("%s %s: the code lacks %v and exceeds %v", release, flags, lacks, exceeds)
			}
		}
	}
}

// generated returns the Go files that kubegen generates for a release.
func generated(t *testing.T, release model.Release, flags, packages []string) (files [][]byte) {
	t.Helper()
	out := t.TempDir()
	args := append([]string{"--output-dir", out, "--output-pkg", "example.com/generated", "--client-go-version", release.String()}, flags...)
	var stdout, stderr bytes.Buffer
	if code := Main(Kubegen, append(args, packages...), &stdout, &stderr); code != exitDone {
		t.Fatalf("%s %s: exit code %d: %s", release, flags, code, stderr.String())
	}
	for _, text := range readFiles(t, out) {
		files = append(files, []byte(text))
	}
	return files
}
