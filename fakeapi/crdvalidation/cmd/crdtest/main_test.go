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
		".rule": widgets,
		".bad":  strings.Replace(widgets, "kind", "kind: CustomResourceDefinition\nkind", 1),
		".suite.yaml": "crdName: widgets.example.com\ntests:\n  onCreate:\n  - name: b\n    initial: '{apiVersion: example.com/v1, kind: Widget}'\n" +
			"  - name: a\n    initial: '{apiVersion: example.com/v1, kind: Widget, ip: x}'\n",
		".rule.yaml": "tests:\n  onCreate: []\n",
		".yaml":      "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {schedules: 1}\n",
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
		{"-crds " + crds + " -list DIR.json DIR", 2, "", "crdtest: -list has an effect only with -coverage, -init, or without suites and samples (see crdtest -h)\n"},
		{"-h", 0, "", "usage: crdtest"},
		{"-crds " + crds + " -update", 2, "", "crdtest: name the files or directories with suites, or write first ones with -init DIRECTORY (see crdtest -h)\n"},
		{"-crds " + crds, 0, crds + "/stable.example.com_crontabs.yaml:2:1: crontabs.stable.example.com (accepted by v1.", ", 0 errors; 0 other documents\n"},
		{"-crds DIR.rule -server v1.31,v1.30", 1, "DIR.rule:16:64: spec.validation.openAPIV3Schema.properties[ip].x-kubernetes-validations[0].rule: Invalid value: " +
			"compilation failed: ERROR: <input>:1:5: undeclared reference to 'isIP' (in container '') (refused by v1.30, accepted by v1.31)\n", ", 1 errors; 0 other documents\n"},
		{"-crds DIR.rule -server v1.31,v1.30 -format json", 1, `{"severity":"note","file":"DIR.rule","line":1,"column":1,"message":"widgets.example.com",` +
			`"symbol":"widgets.example.com","refused":["v1.30"],"accepted":["v1.31"]}` + "\n", ""},
		{"-crds DIR.rule -server v1.31 -format json", 0, `"accepted":["v1.31"]}` + "\n", ""},
		{"-crds DIR.rule -server v1.33-v1.35", 2, "", "crdtest: \"v1.33-v1.35\" is not a release of Kubernetes, such as v1."},
		{"-crds DIR.rule -server 31", 2, "", "crdtest: \"31\" is not a release of Kubernetes, such as v1."},
		{"-crds DIR.rule -server v1.1", 2, "", "crdtest: v1.1 is not one of the releases v1.28 to v1."},
		{"-crds DIR.rule -format yaml", 2, "", "crdtest: the formats are text and json"},
		{"-crds " + crds + " -server v1.30,v1.31 DIR", 0, "", " tests, 0 failed"},
		{"-crds " + crds + " -server v1.30 -update DIR", 2, "", "leave out -server"},
		{"-crds " + crds + " -samples DIR.yaml", 1, `DIR.yaml:4:8: unknown field "spec.schedules"` + "\n", "crdtest: 1 samples, "},
		{"-crds " + crds + " -samples DIR.yaml -server v1.31 -format json DIR", 1, `{"severity":"error","file":"DIR.yaml","line":4,"column":8,` +
			`"message":"unknown field \"spec.schedules\"","symbol":"CronTab","refused":["v1.31"]}` + "\n", " tests, 0 failed\ncrdtest: 1 samples, "},
		{"DIR", 2, "", "crdtest: name the files or directories with CustomResourceDefinitions with -crds, such as -crds config/crd/bases"},
		{"-crds " + crds + " -update -init DIR", 2, "", "crdtest: -init writes suites and runs none; leave out -update, -coverage, -samples and -server"},
		{"-crds " + crds + " missing", 2, "", "crdtest: missing: file does not exist; name files and directories with suites, or write first ones with " +
			"crdtest -init missing\n"},
		{"-crds missing," + crds + " DIR", 2, "", "crdtest: missing: file does not exist; name files and directories with CustomResourceDefinitions, " +
			"such as config/crd/bases\n"},
		{"-crds missing -crds DIR.rule -server v1.31 -server 1.30", 2, "", "crdtest: missing: file does not exist"},
		{"-crds " + crds + " -crds DIR.rule -server v1.31 -server v1.30", 1, "", "crdtest: 4 definitions, servers of v1.31, v1.30, 1 errors"},
		{"-crds " + crds + ", -server v1.30", 2, "", "a name is empty"},
		{"-crds missing,missing2", 2, "", "config/crd/bases\ncrdtest: missing2: file does not exist"},
		{"-crds DIR.rule -server v1.30,v1.31 DIR.suite.yaml", 1, "DIR.rule:16:64: spec.validation.openAPIV3Schema.properties[ip].x-kubernetes-validations[0].rule: " +
			"Invalid value: compilation failed: ERROR: <input>:1:5: undeclared reference to 'isIP' (in container '') (refused by v1.30, accepted by v1.31)\n" +
			"DIR.suite.yaml:6: a: the object is refused: Widget.example.com \"test\" is invalid: ip: Invalid value: \"x\": failed rule: isIP(self) (refused by v1.31)\n",
			"crdtest: 2 tests, 1 failed with any of the servers v1.30, v1.31\n"},
		{"-crds DIR.bad -format json DIR.suite.yaml", 1, `{"severity":"error","file":"DIR.bad","line":3,"column":1,"message":"the key \"kind\" is there twice"}` + "\n", ""},
		{"-crds DIR.rule DIR.rule.yaml", 1, "DIR.rule.yaml:1: the suite has no crdName, the name of the definition\n", ""},
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

// widgets is a definition with a rule that servers take from v1.31 on.
const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, listKind: WidgetList, singular: widget}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          ip: {type: string, x-kubernetes-validations: [{rule: isIP(self)}]}
`
