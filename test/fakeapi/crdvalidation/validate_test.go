package crdvalidation_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// The manifests of the example are such that a server accepts them, with their CEL rules.
func TestValidateExample(t *testing.T) {
	must(t, crdvalidation.Validate(crds))
}

const refused = `apiVersion: v1
kind: ConfigMap
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: geese.example.com
spec:
  group: example.com
  names: {kind: Goose, plural: geese}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: string, jsonPath: size}
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - rule: self.sise > 0
        properties:
          size:
            type: integer
            default: big
          names:
            type: array
            items: {type: string}
            x-kubernetes-validations:
            - rule: self.all(x, self.all(y, x == y))
`

// Errors have the place of what is wrong, also where a server calls it by another name.
func TestValidate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "geese.yaml")
	places := func(text string) (found []string) {
		t.Helper()
		must(t, os.WriteFile(file, []byte(text), 0o600))
		return leaves(t, file, crdvalidation.Validate(dir))
	}
	check := func(found []string, want ...string) {
		t.Helper()
		if len(found) != len(want) {
			t.Fatalf("found %d errors, want %d: %q", len(found), len(want), found)
		}
		for i := range want {
			place, part, _ := strings.Cut(want[i], " ")
			if !strings.HasPrefix(found[i], place) || !strings.Contains(found[i], part) {
				t.Errorf("found %s, want %s", found[i], want[i])
			}
		}
	}
	check(places(refused), "17:44: JSONPath", "26:22: must be of type integer")
	corrected := strings.ReplaceAll(strings.ReplaceAll(refused, "default: big", "default: 1"), "jsonPath: size", "jsonPath: .size")
	check(places(corrected), "20:9: for entire OpenAPIv3 schema exceeds budget", "22:17: undefined field 'sise'", "31:21: contributed to", "31:21: estimated rule cost exceeds budget")
	corrected = strings.ReplaceAll(strings.ReplaceAll(corrected, "sise", "size"), "items: {type: string}", "items: {type: string, maxLength: 9}\n            maxItems: 9")
	check(places(corrected))
	check(places(strings.Replace(corrected, "geese.example.com", "goose.example.com", 1)), "7:9: metadata.name")
	if err := crdvalidation.Validate(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
}

// leaves returns the texts of joined errors, without the file.
func leaves(t *testing.T, file string, err error) (found []string) {
	t.Helper()
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			found = append(found, leaves(t, file, err)...)
		}
		return found
	}
	if err == nil {
		return nil
	}
	var one *crdvalidation.Error
	var server *field.Error
	if !errors.As(err, &one) || !errors.As(err, &server) || one.File != file {
		t.Errorf("%T is no %T of %s", err, one, file)
	}
	return []string{strings.TrimPrefix(err.Error(), file+":")}
}
