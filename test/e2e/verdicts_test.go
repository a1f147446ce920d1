package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

// gadgets is a definition with a rule in place of RULE.
const gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.verdicts.example.com}
spec:
  group: verdicts.example.com
  names: {kind: Gadget, plural: gadgets, listKind: GadgetList, singular: gadget}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          text: {type: string, maxLength: 64}
          tags: {type: array, items: {type: string}}
          few: {type: array, maxItems: 4, items: {type: string, maxLength: 9}}
        x-kubernetes-validations:
        - rule: RULE
`

// TestVerdicts compares the verdicts of crdtest for the newest release with those of a server.
func TestVerdicts(t *testing.T) {
	config, err := shared.config()
	must(t, err)
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	definitions := client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
	refused := 0
	for _, rule := range []string{
		"self.text.size() < 9", "isIP(self.text)", "isCIDR(self.text)", "isSemver(self.text)", "isQuantity(self.text)", "isURL(self.text)",
		"!format.dns1123Label().validate(self.text).hasValue()", "self.few.all(a, self.few.all(b, a.contains(b)))",
		"self.tags.all(a, self.tags.all(b, a.contains(b)))", "self.tags.all(t, t.matches('(a+)+'))", "self.text", "self.txt == ''", "self.text.size(",
		"sets.contains(self.few, self.tags)", "oldSelf == self", "self.few.transformMap(i, v, v).size() == 0", "self.text.nosuch()",
	} {
		text := strings.Replace(gadgets, "RULE", fmt.Sprintf("%q", rule), 1)
		file := filepath.Join(t.TempDir(), "gadgets.yaml")
		must(t, os.WriteFile(file, []byte(text), 0o666))
		report, err := crdtest.Verdicts([]string{file}, []string{crdvalidation.NewestRelease()}, nil)
		must(t, err)
		found := slices.DeleteFunc(report.Findings, func(f crdtest.Finding) bool { return f.Severity != "error" })
		o := &unstructured.Unstructured{}
		must(t, yaml.Unmarshal([]byte(text), &o.Object))
		_, err = definitions.Create(t.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if (err != nil) != (len(found) > 0) {
			t.Errorf("%s: the server says %v, crdtest %v", rule, err, found)
		}
		if err == nil {
			continue
		}
		refused++
		causes := causesOf(t, err)
		for _, f := range found {
			_, detail, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(f.Message, "spec.validation.openAPIV3Schema"), ".x-kubernetes-validations[0].rule"), ": ")
			detail = strings.TrimPrefix(detail, "Invalid value: ") // which crdtest leaves out
			if !slices.ContainsFunc(causes, func(cause metav1.StatusCause) bool {
				return strings.Contains(strings.Join(strings.Fields(cause.Message), " "), detail)
			}) {
				t.Errorf("%s: the server does not say %s: %v", rule, detail, causes)
			}
		}
		if len(causes) != len(found) {
			t.Errorf("%s: the server says %v, crdtest %v", rule, causes, found)
		}
	}
	if refused < 5 {
		t.Errorf("the server refuses %d rules", refused)
	}
}

func causesOf(t *testing.T, err error) []metav1.StatusCause {
	t.Helper()
	status, ok := err.(apierrors.APIStatus)
	if !ok || status.Status().Details == nil {
		t.Fatal(err)
	}
	return status.Status().Details.Causes
}

// TestSampleVerdicts compares what crdtest says about samples with a server's answers to strict requests: unknown
// fields, which a server names first and alone, or else the errors of the object.
func TestSampleVerdicts(t *testing.T) {
	config, err := shared.config()
	must(t, err)
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	in := client.Resource(stablev1.SchemeGroupVersion.WithResource("crontabs")).Namespace("default")
	for _, object := range []string{
		`{"metadata":{"name":"a"},"spec":{"cronSpec":"* * * * *","image":"a"}}`,
		`{"metadata":{"name":"a","labls":{}},"spec":{"cronSpec":"* * * * *","imag":"a","x":[{"y":1}]}}`,
		`{"metadata":{"name":"a"},"spec":{"cronSpec":1,"replicas":"many"}}`,
		`{"metadata":{"name":"a"},"spec":{"cronSpec":"x","replicas":-1}}`,
		`{"metadata":{"name":"A_a"},"spec":{}}`,
		`{"metadata":{"name":"a"},"spec":{"cronSpec":"* * * * *"},"status":{"unknown":1}}`,
		`{"metadata":{"name":"a"},"status":{}}`,
		`{"spec":{"cronSpec":"* * * * *"}}`,
		`{"metadata":{"name":"a"},"spec":[]}`,
		`{"metadata":{"name":"a","labels":{"a":1}},"spec":{}}`,
	} {
		o := &unstructured.Unstructured{}
		text := strings.Replace(object, "{", `{"apiVersion":"`+stablev1.SchemeGroupVersion.String()+`","kind":"CronTab",`, 1)
		must(t, o.UnmarshalJSON([]byte(text)))
		file := filepath.Join(t.TempDir(), "sample.json")
		must(t, os.WriteFile(file, []byte(text), 0o666))
		report, err := crdtest.Samples([]string{crds}, []string{file})
		must(t, err)
		_, err = in.Create(t.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict})
		if (err != nil) != (len(report.Findings) > 0) {
			t.Errorf("%s: the server says %v, crdtest %v", object, err, report.Findings)
		}
		for _, f := range report.Findings {
			unknown := strings.HasPrefix(f.Message, "unknown field")
			message := f.Message
			if field, types, ok := strings.Cut(message, " must be of type "); ok && strings.HasPrefix(field, "metadata") { // in words of JSON, not of Go
				_, is, _ := strings.Cut(types, ", not ")
				message = "cannot unmarshal " + is
			}
			if said := strings.Contains(err.Error(), message); !said && (unknown || !strings.Contains(err.Error(), "unknown field")) {
				t.Errorf("%s: the server does not say %s: %v", object, f.Message, err)
			}
		}
	}
}
