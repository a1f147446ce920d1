package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/source/load"
)

// With --format json, both streams have an object in each line, whatever a run prints, and the diffs of --verify are
// those that it prints without.
func TestJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	moduletest.Write(t, dir, []byte("module example.com/api\n"))
	api := func(kind, markers string) {
		writeFile(t, filepath.Join(dir, "apis", "stable", "v1", "types.go"), []byte(strings.NewReplacer("Kind", kind, "// +more", markers).Replace(`// +groupName=stable.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
// +more
type Kind struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`
}

type KindList struct {
	metav1.TypeMeta `+"`json:\",inline\"`"+`
	metav1.ListMeta `+"`json:\"metadata,omitempty\"`"+`
	Items           []Kind `+"`json:\"items\"`"+`
}
`)))
	}
	run := func(args string) (code int, stdout, stderr string) {
		var out, err bytes.Buffer
		code = execute(t.Context(), Kubegen, strings.Fields(args), load.Environment{Dir: dir, Vars: nil}, &out, &err)
		return code, out.String(), err.String()
	}
	api("Job", "")
	var diffs string
	for _, test := range []struct {
		args         string
		code         int
		onOut, onErr string // what there must be among the messages; "" is nothing at all
	}{
		{"--only lister --dry-run -v 1", exitDone, "this file would be created", "stable.example.com/v1: Job"},
		{"--only lister -v 2", exitDone, "", "./stable/v1/  expansion_generated.go job.go"},
		{"--only lister", exitDone, "", ""},
		{"CHANGE", 0, "", ""},
		{"--only lister --dry-run", exitDone, "this file would be deleted", "exported API: 0 changed, 5 removed"},
		{"--only lister --verify", exitStale, "this generated file is left over", "exported API: 0 changed, 5 removed"},
		{"verify --only lister", exitStale, "this generated file is out of date", "exported API: 0 changed, 5 removed"},
		{"--only lister --verify --dry-run", exitError, "", "--verify and --dry-run cannot be used together"},
		{"--onyl lister", exitError, "", "unknown flag: --onyl"},
		{"--only listers", exitError, "", "--only: unknown value"},
		{"vrify", exitError, "", "package vrify is not in std"},
		{"./nowhere", exitError, "", "no packages match ./nowhere: no such directory"},
		{"breaking", exitError, "", "--against is required"},
		{"gen-lister ./...", exitError, "", "--output-dir is required"},
		{"MISTAKE", 0, "", ""},
		{"--only lister", exitError, "", "unknown marker +genclient:nonamespaced"},
	} {
		switch test.args {
		case "CHANGE":
			api("CronTab", "")
			continue
		case "MISTAKE":
			api("CronTab", "// +genclient:nonamespaced")
			continue
		}
		code, stdout, stderr := run(test.args + " --format json")
		if code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.args, code, test.code)
		}
		for want, text := range map[*string]string{&test.onOut: stdout, &test.onErr: stderr} {
			found := *want == "" && text == ""
			for line := range strings.Lines(text) {
				var message struct{ Severity, Message, Diff string }
				if err := json.Unmarshal([]byte(line), &message); err != nil || message.Severity == "" || message.Message == "" {
					t.Errorf("%s: this is no message in JSON: %s(%v)", test.args, line, err)
				}
				found = found || *want != "" && strings.Contains(message.Message, *want)
				if test.args == "--only lister --verify" {
					diffs += message.Diff
				}
			}
			if !found {
				t.Errorf("%s prints\n%swithout %q", test.args, text, *want)
			}
		}
		if test.args != "--only lister --verify" {
			continue
		}
		for _, format := range []string{"text", "github"} {
			_, stdout, stderr := run(test.args + " --format " + format)
			if stdout != diffs || len(diffs) == 0 {
				t.Errorf("%s in format %s prints\n%sand in JSON has the diffs\n%s", test.args, format, stdout, diffs)
			}
			for line := range strings.Lines(stderr) {
				if format == "github" != strings.HasPrefix(line, "::") {
					t.Errorf("%s in format %s: %s", test.args, format, line)
				}
			}
		}
	}
}
