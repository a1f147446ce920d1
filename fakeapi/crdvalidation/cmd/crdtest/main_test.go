package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun writes first suites with the command, runs them, and makes mistakes.
func TestRun(t *testing.T) {
	const crds = "../../../../examples/crontab-types/crds"
	dir := filepath.Join(t.TempDir(), "suites")
	for _, test := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"-crds " + crds + " -init DIR crontabs.stable.example.com", 0, "wrote DIR/crontabs.stable.example.com_v1.testsuite.yaml", ""},
		{"-crds " + crds + " -init DIR", 2, "", "crdtest: DIR/crontabs.stable.example.com_v1.testsuite.yaml exists"},
		{"-crds " + crds + " -coverage DIR", 0, crds + "/stable.example.com_crontabs.yaml:124: crontabs.stable.example.com v1 " +
			"status.conditions[].message: maxLength: no object violates it", " tests, 0 failed"},
		{"-crds " + crds, 2, "", "usage: crdtest"},
		{"-crds " + crds + " -update -init DIR", 2, "", "usage: crdtest"},
		{"-crds " + crds + " missing", 2, "", "crdtest: "},
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(strings.ReplaceAll(test.args, "DIR", dir)), &stdout, &stderr)
		shown := func(text []byte) string { return filepath.ToSlash(strings.ReplaceAll(string(text), dir, "DIR")) }
		if out, errs := shown(stdout.Bytes()), shown(stderr.Bytes()); code != test.code || !strings.Contains(out, test.stdout) || !strings.Contains(errs, test.stderr) {
			t.Errorf("crdtest %s: exit code %d, %s%s", test.args, code, out, errs)
		}
	}
}
