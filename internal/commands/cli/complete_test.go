package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/generators"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
)

// completed returns what the last word of a command line can become.
func completed(t *testing.T, dir string, words ...string) (texts []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := execute(t.Context(), Kubegen, append([]string{"__complete"}, words...), load.Environment{Dir: dir}, &stdout, &stderr)
	if code != exitDone || stderr.Len() > 0 {
		t.Fatalf("%q: exit code %d, %s", words, code, stderr.String())
	}
	for line := range strings.Lines(stdout.String()) {
		text, _, found := strings.Cut(line, "\t")
		if !found {
			t.Errorf("%q: there is no tab in %q", words, line)
		}
		texts = append(texts, text)
	}
	return texts
}

// What can be completed, word by word; words are separated by |.
func TestComplete(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"apis/stable/v1/types.go", "apis/_old/x.go", "apis/testdata/x.go", ".hidden/x", "hack/my header.txt", "hack/lib/x", "vendor/x/x.go"} {
		writeFile(t, filepath.Join(dir, name), nil)
	}
	if err := os.Symlink("apis", filepath.Join(dir, "link")); err != nil {
		t.Log(err) // nothing depends on it where there are no symlinks
		writeFile(t, filepath.Join(dir, "link", "x"), nil)
	}
	var others []string
	for _, name := range plan.Names(generators.Infos()) {
		if name != "clientset" && name != "lister" {
			others = append(others, "clientset,lister,"+name)
		}
	}
	for line, want := range map[string]string{
		"li":                                "list",
		"":                                  strings.Join(Kubegen.commandNames(), " ") + " ./",
		"ver":                               "verify version",
		"__":                                "",
		"gen-dee":                           "gen-deepcopy",
		"nothing":                           "",
		"help|co":                           "completion",
		"help|list|":                        "",
		"completion|":                       "bash fish powershell zsh",
		"outdated|-":                        "--format --exit-code --help",
		"outdated|--format|":                "text json",
		"outdated|":                         "",
		"completion|-":                      "--help",
		"version|":                          "",
		"markers|genclient:no":              "genclient:noStatus genclient:noVerbs genclient:nonNamespaced",
		"markers|+kubebuilder:st":           "+kubebuilder:storageversion",
		"--verif":                           "--verify",
		"verify|--ver":                      "--versioned-name --version",
		"list|--lo":                         "--long",
		"list|--format|":                    "table json",
		"--format|":                         "text json github",
		"--format=g":                        "--format=github",
		"--only|clientset,lister,":          strings.Join(others, " "),
		"--only=l":                          "--only=lister",
		"--lint-rules|k":                    "known-tags-only",
		"--client-go-version|v0.33":         "v0.33",
		"--with-w":                          "--with-webhooks --with-watch=false",
		"--with-watch=":                     "--with-watch=true --with-watch=false",
		"--with-watch|l":                    "",
		"-v|./a":                            "./apis/",
		"-":                                 "-v", // among others, see below
		"gen-clientset|-n|x":                "",
		"gen-clientset|--input-":            "--input-base",
		"--nothing=":                        "",
		"--nothing|./a":                     "./apis/",
		"./":                                "./... ./apis/ ./hack/ ./link/",
		"./apis/":                           "./apis/... ./apis/stable/",
		"./apis/stable/v":                   "./apis/stable/v1/",
		"./nowhere/":                        "./nowhere/...",
		"..":                                "../",
		"list|./link/s":                     "./link/stable/",
		"--|./h":                            "./hack/",
		"--|--v":                            "",
		"--boilerplate|hack/":               "hack/lib/ hack/my header.txt",
		"--boilerplate=hack/m":              "--boilerplate=hack/my header.txt",
		"--output-dir|":                     "apis/ hack/ link/ vendor/",
		"--output-dir|.":                    ".hidden/",
		"--output-dir|x|--verify|--output-": "--output-dir --output-pkg",
	} {
		words := strings.Split(line, "|")
		got := completed(t, dir, words...)
		if line == "-" {
			got = slices.DeleteFunc(got, func(text string) bool { return strings.HasPrefix(text, "--") })
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q can become\n%s, want\n%s", line, got, want)
		}
	}
	if got := completed(t, dir); len(got) != len(Kubegen.commandNames())+1 {
		t.Errorf("without any word: %q", got)
	}
}

// Every flag and every command is offered, and nothing that is hidden.
func TestCompleteEverything(t *testing.T) {
	for _, c := range Kubegen.commands {
		if c.flags == nil {
			continue
		}
		got := completed(t, t.TempDir(), c.Name, "-")
		_, flags := c.flags.flagSet()
		flags.VisitAll(func(f *pflag.Flag) {
			offered := slices.ContainsFunc(got, func(text string) bool {
				name, _, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
				return name == f.Name
			})
			if offered == f.Hidden {
				t.Errorf("%s --%s: offered is %t", c.Name, f.Name, offered)
			}
		})
	}
}
