package crds_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

// malformedSuites are files of OpenShift's suites that crdtest refuses, with its message. OpenShift's harness ignores
// tests in them.
var malformedSuites = map[string]string{
	"config/v1/tests/infrastructures.config.openshift.io/DyanmicServiceEndpointIBMCloud.yaml": "field onUpdate not found",
	"operator/v1/tests/storages.operator.openshift.io/AAA_ungated.yaml":                       `mapping key "onCreate" already defined`,
}

// otherMessages are the tests of OpenShift that expect a part of a message which another release of API servers has,
// with the message of the release here.
var otherMessages = map[string]string{
	"imageregistry/v1/tests/configs.imageregistry.operator.openshift.io/ChunkSizeMiB.yaml: " +
		"Should reject configuration with decimal value in chunkSizeMiB for storage s3": "spec.storage.s3.chunkSizeMiB in body must be of type int32",
	"insights/v1/tests/datagathers.insights.openshift.io/InsightsOnDemandDataGather.yaml: lastGatherSeconds must be integer":       "in body must be of type int32",
	"insights/v1alpha2/tests/datagathers.insights.openshift.io/InsightsOnDemandDataGather.yaml: lastGatherSeconds must be integer": "in body must be of type int32",
}

// tooExpensive are OpenShift's definitions whose rules cost more than servers of this release allow, by parts of the
// names of their files. Their tests do not run.
var tooExpensive = []string{
	"-operator_01_infrastructures-CustomNoUpgrade", "-operator_01_infrastructures-DevPreviewNoUpgrade",
	"-operator_01_infrastructures-TechPreviewNoUpgrade", "_01_controllerconfigs-CustomNoUpgrade", "_01_controllerconfigs-DevPreviewNoUpgrade",
	"_01_controllerconfigs-TechPreviewNoUpgrade",
}

// TestSuites runs the suites of public modules with crdtest: objects in directories named valid and invalid, and
// OpenShift's, with the definitions that OpenShift's harness takes for them.
func TestSuites(t *testing.T) {
	policies := download(t, publicModule{path: "sigs.k8s.io/network-policy-api", version: "v0.3.0"})
	tests := 0
	refused := map[string]bool{}
	check := func(definitions string, suites []string, expect func(crdtest.Result)) {
		t.Helper()
		report, err := crdtest.Check([]string{definitions}, suites)
		for _, line := range strings.Split(fmt.Sprint(err), "\n") {
			if file, _, ok := strings.Cut(line, ".crd.yaml:"); ok && strings.Contains(line, "estimated rule cost") {
				_, of, _ := strings.Cut(filepath.Base(file), "config")
				refused[of] = true
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for _, result := range report.Results {
			expect(result)
		}
		tests += len(report.Results)
	}
	check(filepath.Join(policies, "config/crd/experimental"), []string{filepath.Join(policies, "pkg/crdtest/testdata")}, func(result crdtest.Result) {
		if result.Err != nil {
			t.Error(result)
		}
	})

	openshift := download(t, publicModule{path: "github.com/openshift/api", version: "v0.0.0-20251021211107-8c9accafe91d"})
	groups, err := filepath.Glob(filepath.Join(openshift, "*", "*", "tests"))
	if err != nil || len(groups) == 0 {
		t.Fatalf("no suites: %v", err)
	}
	differ, malformed := map[string]bool{}, map[string]bool{}
	for _, group := range groups {
		manifests, err := filepath.Glob(filepath.Join(filepath.Dir(group), "zz_generated.crd-manifests", "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if len(manifests) == 0 {
			continue // the group has no definitions
		}
		definitions := withGates(t, openshift, manifests)
		files, err := filepath.Glob(filepath.Join(group, "*", "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		name := func(file string) string {
			return filepath.ToSlash(strings.TrimPrefix(file, openshift+string(filepath.Separator)))
		}
		files = slices.DeleteFunc(files, func(file string) bool {
			message := malformedSuites[name(file)]
			if message == "" {
				return false
			}
			malformed[name(file)] = true
			if _, err := crdtest.Check([]string{definitions}, []string{file}); err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%s: got %v, want an error with %s", name(file), err, message)
			}
			return true
		})
		check(definitions, files, func(result crdtest.Result) {
			key := name(result.File) + ": " + result.Name
			message := otherMessages[key]
			if result.Err == nil || message != "" && strings.Contains(result.Err.Error(), message) {
				differ[key] = differ[key] || result.Err != nil
				return
			}
			t.Errorf("%s: %v", key, result.Err)
		})
	}
	for file := range malformedSuites {
		if !malformed[file] {
			t.Errorf("there is no %s", file)
		}
	}
	for key := range otherMessages {
		if !differ[key] {
			t.Errorf("no longer an exception: %s", key)
		}
	}
	if got := slices.Sorted(maps.Keys(refused)); !slices.Equal(got, tooExpensive) {
		t.Errorf("refused for their costs are %q, not %q", got, tooExpensive)
	}
	fmt.Printf("crds: %d tests of public suites are run; %d expect messages of another release\n", tests, len(otherMessages))
}

// withGates returns a directory with OpenShift's manifests, which have an annotation for each feature gate that is on
// in their feature set.
func withGates(t *testing.T, openshift string, manifests []string) string {
	t.Helper()
	definitions, err := crdvalidation.Definitions(manifests...)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i, d := range definitions {
		profile := "SelfManagedHA"
		if d.Annotations["include.release.openshift.io/ibm-cloud-managed"] == "true" {
			profile = "Hypershift"
		}
		set := d.Annotations["release.openshift.io/feature-set"]
		if set == "" {
			set = "Default"
		}
		for _, gate := range gatesOf(t, filepath.Join(openshift, "payload-manifests/featuregates", "featureGate-"+profile+"-"+set+".yaml")) {
			d.Annotations["feature-gate.release.openshift.io/"+gate] = "true"
		}
		text, err := yaml.Marshal(d.CustomResourceDefinition)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d-%s", i, filepath.Base(d.File))), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// gatesOf returns the enabled gates in a file, or none if it is missing: CustomNoUpgrade has all.
func gatesOf(t *testing.T, file string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) && strings.Contains(file, "CustomNoUpgrade") {
		return nil
	}
	var object struct {
		Status struct {
			FeatureGates []struct{ Enabled []struct{ Name string } }
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, gates := range object.Status.FeatureGates {
		for _, gate := range gates.Enabled {
			names = append(names, gate.Name)
		}
	}
	return names
}
