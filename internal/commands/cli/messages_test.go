package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// The flags of kube_codegen.sh are those that hints may name when it runs the command.
func TestScriptFlags(t *testing.T) {
	script, err := os.ReadFile("../../../kube_codegen.sh")
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

func TestAdvice(t *testing.T) {
	script := &invocation{options: &options{script: "/"}}
	_, flags := declaration(func(_ *options, fs *pflag.FlagSet) { fs.String("output-dir", "", "") }).flagSet()
	lister := &invocation{options: &options{}, flags: flags}
	var diags diag.List
	add := func() *diag.Diagnostic { return diags.Errorf(token.Position{}, "wrong") }
	for _, test := range []struct {
		diagnostic     *diag.Diagnostic
		script, lister string
	}{
		{add().Suggest("move it"), "move it", "move it"},
		{add().Suggest("move the package").Or("omit %s", diag.Setting("classic")), "move the package", "move the package"},
		{add().Suggest("omit %s", diag.Setting("classic")), "", ""},
		{add().Suggest("correct %s or %s", diag.Setting("output-pkg"), diag.Setting("output-dir")), "correct --output-pkg or --output-dir", ""},
		{add().Suggest("%s", diag.Textf("name it with %s", diag.Setting("output-dir"))), "name it with --output-dir", "name it with --output-dir"},
		{add().Suggest("run git fetch --unshallow"), "run git fetch --unshallow", "run git fetch --unshallow"},
	} {
		if got := test.diagnostic.Advice(script.takes); got != test.script {
			t.Errorf("kube_codegen.sh: %q becomes %q", test.diagnostic.Hint, got)
		}
		if got := test.diagnostic.Advice(lister.takes); got != test.lister {
			t.Errorf("gen-lister: %q becomes %q", test.diagnostic.Hint, got)
		}
	}
}

// TestSettingsInMessages finds messages that write a flag instead of passing a diag.Setting: in kubegen.yaml the
// setting has another name, and other commands lack the flag.
func TestSettingsInMessages(t *testing.T) {
	settings := map[string]bool{}
	for _, s := range settingsOf(kubegenSettings) {
		settings[s.Name] = true
	}
	literal := regexp.MustCompile(`--([a-z][a-z-]*)`)
	for _, root := range []string{"../..", "../../../generators"} {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || filepath.Base(filepath.Dir(name)) == "cli" {
				return err
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, name, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, arg := range call.Args {
					text, ok := arg.(*ast.BasicLit)
					if !ok || text.Kind != token.STRING {
						continue
					}
					for _, match := range literal.FindAllStringSubmatch(text.Value, -1) {
						if settings[match[1]] {
							t.Errorf("%s: pass diag.Setting(%q) instead of --%s", fset.Position(text.Pos()), match[1], match[1])
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
