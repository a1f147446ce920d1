package cli

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"testing"
)

// The flags of kube_codegen.sh are those that hints may name when it runs the command.
func TestScriptFlags(t *testing.T) {
	script, err := os.ReadFile("../../kube_codegen.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scriptFlags {
		if !bytes.Contains(script, []byte("--"+name+" |")) && !bytes.Contains(script, []byte("--"+name+")")) {
			t.Errorf("kube_codegen.sh has no flag --%s", name)
		}
	}
	for _, match := range regexp.MustCompile(`--([a-z-]+)(?: \||\))`).FindAllSubmatch(script, -1) {
		if name := string(match[1]); name != "kube-codegen" && !slices.Contains(scriptFlags, name) {
			t.Errorf("--%s of kube_codegen.sh is missing", match[1])
		}
	}
}

func TestPossible(t *testing.T) {
	script := &command{options: &options{script: true}}
	lister := &command{options: &options{}, declared: func(name string) bool { return name == "output-dir" }}
	for _, test := range []struct{ hint, script, lister string }{
		{"move it", "move it", "move it"},
		{"move the package, or omit --classic", "move the package", "move the package"},
		{"omit --classic", "", ""},
		{"correct --output-pkg or --output-dir", "correct --output-pkg or --output-dir", ""},
		{"name the directory with --output-dir", "name the directory with --output-dir", "name the directory with --output-dir"},
		{"write a--b", "write a--b", "write a--b"},
	} {
		if got := script.possible(test.hint); got != test.script {
			t.Errorf("kube_codegen.sh: %q becomes %q", test.hint, got)
		}
		if got := lister.possible(test.hint); got != test.lister {
			t.Errorf("gen-lister: %q becomes %q", test.hint, got)
		}
	}
}
