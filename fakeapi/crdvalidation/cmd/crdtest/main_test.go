package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun writes first suites with the command, runs them, and makes mistakes.
func TestRun(t *testing.T) {
	const crds = "../../../../examples/crontab-types/crds"
	dir := filepath.Join(t.TempDir(), "suites")
	for name, text := range map[string]string{
		".json": `{"constraints":[{"definition":"crontabs.stable.example.com","version":"v1","pointer":` +
			`"/properties/status/properties/conditions/items/properties/message/maxLength","from":{"position":"api/types.go:86:2"}}]}`,
		".none": `{"resources":[]}`,
	} {
		if err := os.WriteFile(dir+name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
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
		{"-crds " + crds + " -coverage -list DIR.json DIR", 0, "api/types.go:86: crontabs.stable.example.com v1 " +
			"status.conditions[].message: maxLength: no object violates it", " tests, 0 failed"},
		{"-crds " + crds + " -coverage -list DIR.none DIR", 2, "", "crdtest: DIR.none: kubegen's list has no constraints; write it with"},
		{"-crds " + crds + " -coverage -list missing DIR", 2, "", "crdtest: open missing"},
		{"-crds " + crds + " -coverage -list " + crds + "/stable.example.com_crontabs.yaml DIR", 2, "", "this is not kubegen's list"},
		{"-crds " + crds + " -list DIR.json DIR", 2, "", "crdtest: -list has an effect only with -coverage or -init (see crdtest -h)\n"},
		{"-h", 0, "", "usage: crdtest"},
		{"-crds " + crds, 2, "", "crdtest: name the files or directories with suites, or write first ones with -init DIRECTORY (see crdtest -h)\n"},
		{"DIR", 2, "", "crdtest: name the files or directories with CustomResourceDefinitions with -crds, such as -crds config/crd/bases"},
		{"-crds " + crds + " -update -init DIR", 2, "", "crdtest: -init writes suites and runs none; leave out -update and -coverage"},
		{"-crds " + crds + " missing", 2, "", "crdtest: missing: file does not exist; name files and directories with suites, or write first ones with " +
			"crdtest -init missing\n"},
		{"-crds missing," + crds + " DIR", 2, "", "crdtest: missing: file does not exist; name files and directories with CustomResourceDefinitions, " +
			"such as config/crd/bases\n"},
		{"-crds " + crds + " ..", 2, "", "crdtest: no suites in .. (.yaml, .yml and .json files there: 0); a suite has the keys crdName"},
		{"-crds DIR DIR", 2, "", "crdtest: no CustomResourceDefinition of apiextensions.k8s.io/v1 in DIR (.yaml, .yml and .json files there: 1); name the"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(strings.ReplaceAll(test.args, "DIR", dir)), &stdout, &stderr)
		shown := func(text []byte) string { return filepath.ToSlash(strings.ReplaceAll(string(text), dir, "DIR")) }
		if out, errs := shown(stdout.Bytes()), shown(stderr.Bytes()); code != test.code || !strings.Contains(out, test.stdout) || !strings.Contains(errs, test.stderr) {
			t.Errorf("crdtest %s: exit code %d, %s%s", test.args, code, out, errs)
		}
	}
}
