package crdtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Update makes the tests that have failed expect what they got, and writes their suites. Comments stay; the layout
// becomes the one of package yaml. If a test cannot be updated, which is so for objects in directories named valid and
// invalid, and if an initial object is refused, nothing is written. It returns the names of the written files.
func (r *Report) Update() (files []string, err error) {
	var changed []*suite
	var errs []error
	for _, result := range r.Results {
		switch {
		case result.Err == nil:
		case result.suite.root == nil || result.Got == "":
			errs = append(errs, fmt.Errorf("%s; it cannot be updated", result))
		default:
			result.of.expect(result.Got, result.refusal)
			if !slices.Contains(changed, result.suite) {
				changed = append(changed, result.suite)
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	for _, s := range changed {
		text, err := encoded(s.root)
		if err == nil {
			err = os.WriteFile(s.file, text, 0o666)
		}
		if errs = append(errs, err); err == nil {
			files = append(files, s.file)
		}
	}
	return files, errors.Join(errs...)
}

// expect sets the expected object, or the expected error with the key refusal.
func (t *test) expect(got, refusal string) {
	key := cmp.Or(refusal, "expected")
	value := &yaml.Node{Kind: yaml.ScalarNode, Value: got}
	if refusal == "" {
		value.Style = yaml.LiteralStyle
	}
	var rest []*yaml.Node
	for i := 0; i < len(t.node.Content); i += 2 {
		switch t.node.Content[i].Value {
		case "expected", "expectedError", "expectedStatusError":
		default:
			rest = append(rest, t.node.Content[i], t.node.Content[i+1])
		}
	}
	t.node.Content = append(rest, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
}

// encoded returns a value as YAML.
func encoded(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(value), encoder.Close())
	return text.Bytes(), err
}
