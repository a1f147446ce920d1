package crdtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
)

// Update makes the tests that have failed expect what they got, and writes their suites. Comments stay; the layout
// becomes the one of package yaml. Objects in directories named valid and invalid cannot be updated. It returns the
// names of the written files.
func (r *Report) Update() (files []string, err error) {
	changed := map[*suite]bool{}
	var errs []error
	for _, result := range r.Results {
		s := result.suite
		switch {
		case result.Err == nil:
		case s.root == nil || result.Got == "":
			errs = append(errs, fmt.Errorf("%s; it cannot be updated", result))
		default:
			result.of.expect(result.Got, result.refusal)
			if !changed[s] {
				changed[s], files = true, append(files, s.file)
			}
		}
	}
	for s := range changed {
		var text bytes.Buffer
		encoder := yaml.NewEncoder(&text)
		encoder.SetIndent(2)
		errs = append(errs, encoder.Encode(s.root), encoder.Close(), os.WriteFile(s.file, text.Bytes(), 0o666))
	}
	return files, errors.Join(errs...)
}

// expect sets the expected object, or the expected error if it is a refusal.
func (t *test) expect(got string, refusal bool) {
	key := "expected"
	if refusal {
		key = "expectedError"
	}
	value := &yaml.Node{Kind: yaml.ScalarNode, Value: got}
	if !refusal {
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
