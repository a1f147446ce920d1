package model

import (
	"io/fs"
	"os"
	"regexp"
	"testing"
)

func TestReleaseOf(t *testing.T) {
	for version, want := range map[string]struct {
		release Release
		ok      bool
	}{
		"v0.35.2":                             {35, true},
		"v0.37.0-alpha.1":                     {36, true},
		"v0.37.0-beta.0":                      {36, true},
		"v0.37.0-rc.0":                        {37, true},
		"v0.37.0-0.20260101000000-abcdefabcd": {36, true},
		"v0.37.1-beta.0":                      {37, true},
		"v0.38.0-beta.0":                      {38, true},
		"v0.39.0-alpha.0":                     {38, true},
		"v0.34.1-0.20260101000000-abcdefabcd": {34, true},
		"v0.35":                               {35, true},
		"v11.0.0+incompatible":                {0, true},
		"v1.5.2":                              {0, true},
		"v1.35.2":                             {35, true},
		"v1.32.10-fork1":                      {32, true},
		"v0.0.0":                              {0, false},
		"v0.0.0-20260101000000-abcdefabcdef":  {0, false},
		"":                                    {0, false},
		"0.35":                                {0, false},
	} {
		if release, ok := ReleaseOf(version); ok != want.ok || ok && release != want.release {
			t.Errorf("%q: got %d, %t, want %d, %t", version, release, ok, want.release, want.ok)
		}
	}
}

func TestParseRelease(t *testing.T) {
	for text, want := range map[string]Release{
		"v0.35": 35, "0.35": 35, "v0.35.2": 35, "0.36.0-rc.1": 36, "1.35": 35, "v1.34": 34, "v1.34.9": 34, "v0.40": 40,
		"": 0, "latest": 0, "35": 0, "v0": 0, "v1": 0, "v0.0": 0, "v2.35": 0, "v0.35.2.1": 0, "vv0.35": 0,
	} {
		got, err := ParseRelease(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
}

// TestCapabilities checks that each capability distinguishes the supported releases: some have it, and some do not.
func TestCapabilities(t *testing.T) {
	for c := range since {
		if OldestRelease.Has(c) || !PreviewRelease.Has(c) {
			t.Errorf("%s makes no difference between %s and %s", c, OldestRelease, PreviewRelease)
		}
	}
	if !Release(36).Has("InformerNames") || Release(35).Has("InformerNames") {
		t.Error("informers have names since v0.36")
	}
}

// TestCapabilitiesAreAskedFor checks that templates ask only for capabilities that exist, and for each of these.
func TestCapabilitiesAreAskedFor(t *testing.T) {
	asks := regexp.MustCompile(`\b(?:Has|Backports|cache)[ (](?:"|model\.)(\w+)`)
	asked := map[Capability]bool{}
	for _, dir := range []string{"../../../templates", "../../../generators"} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(os.DirFS(dir), name)
			for _, match := range asks.FindAllSubmatch(text, -1) {
				c := Capability(match[1])
				if asked[c] = true; since[c].release == 0 {
					t.Errorf("%s/%s asks for %s, which there is not", dir, name, c)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for c := range since {
		if !asked[c] {
			t.Errorf("nothing asks for %s", c)
		}
	}
}
