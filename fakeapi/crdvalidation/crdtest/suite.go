package crdtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// A suite is a file with tests.
type suite struct {
	APIVersion   string   `yaml:"apiVersion"` // of a definition, which has no meaning here
	Name         string   `yaml:"name"`
	CRDName      string   `yaml:"crdName"`
	Version      string   `yaml:"version"`
	FeatureGates []string `yaml:"featureGates"`
	FeatureGate  string   `yaml:"featureGate"` // of older suites, and ignored as by newer harnesses
	Tests        struct {
		OnCreate []*test `yaml:"onCreate"`
		OnUpdate []*test `yaml:"onUpdate"`
	} `yaml:"tests"`

	file string
	line int
	text []byte
	root *yaml.Node
}

// A test is a test in a suite.
type test struct {
	Name                string      `yaml:"name"`
	InitialCRDPatches   []yaml.Node `yaml:"initialCRDPatches"`
	Initial             string      `yaml:"initial"`
	Updated             string      `yaml:"updated"`
	Expected            string      `yaml:"expected"`
	ExpectedError       string      `yaml:"expectedError"`
	ExpectedStatusError string      `yaml:"expectedStatusError"`

	node     *yaml.Node
	isUpdate bool
	refused  bool // with any error
}

// UnmarshalYAML implements yaml.Unmarshaler. It keeps the position.
func (t *test) UnmarshalYAML(node *yaml.Node) error {
	type plain test
	t.node = node
	return node.Decode((*plain)(t))
}

// readSuites reads the suites in files and directories.
func readSuites(paths []string) (suites []*suite, err error) {
	var errs []error
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
				return err
			}
			found, err := readSuite(file)
			suites, errs = append(suites, found...), append(errs, err)
			return nil
		})
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(suites) == 0 {
		return nil, fmt.Errorf("no suites in %q; a suite has the keys crdName and tests, or is in a directory named valid or invalid", paths)
	}
	return suites, nil
}

// readSuite returns the suite in a file. Files without crdName and tests are none, except for objects in directories
// named valid and invalid.
func readSuite(file string) ([]*suite, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseSuite(file, text)
}

// parseSuite is readSuite for the text of a file.
func parseSuite(file string, text []byte) ([]*suite, error) {
	if dir := filepath.Base(filepath.Dir(file)); dir == "valid" || dir == "invalid" {
		return objectsIn(file, text, dir == "invalid")
	}
	root := &yaml.Node{}
	if err := yaml.Unmarshal(text, root); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if root.Kind == 0 || !hasKeys(root.Content[0], "tests") {
		return nil, nil // it is for another purpose
	}
	s := &suite{file: file, line: root.Content[0].Line, text: text, root: root}
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	if err := errors.Join(strict.Decode(&suite{}), root.Decode(s)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	tests := slices.Concat(s.Tests.OnCreate, s.Tests.OnUpdate)
	switch {
	case s.CRDName == "":
		return nil, fmt.Errorf("%s:%d: the suite has no crdName, the name of the definition", file, s.line)
	case len(tests) == 0:
		return nil, fmt.Errorf("%s:%d: the suite has no tests", file, s.line)
	case slices.Contains(tests, nil):
		return nil, fmt.Errorf("%s:%d: a test of the suite is empty", file, s.line)
	}
	for _, t := range s.Tests.OnUpdate {
		t.isUpdate = true
	}
	return []*suite{s}, nil
}

func hasKeys(node *yaml.Node, keys ...string) bool {
	for i := 0; node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 {
		keys = slices.DeleteFunc(keys, func(key string) bool { return key == node.Content[i].Value })
	}
	return len(keys) == 0
}

// objectsIn returns a suite for each object in a file of a directory named valid or invalid.
func objectsIn(file string, text []byte, refused bool) (suites []*suite, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return suites, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if document.Content[0].Tag == "!!null" {
			continue
		}
		object, err := yaml.Marshal(&document)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		s := &suite{Name: filepath.Base(filepath.Dir(file)), file: file, line: document.Line}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		s.Tests.OnCreate = []*test{{Name: name, Initial: string(object), node: document.Content[0], refused: refused}}
		suites = append(suites, s)
	}
}

// Annotations with which OpenShift marks the definitions for feature gates: gateAnnotation is a prefix, and allGates a
// set with all of them.
const (
	gateAnnotation = "feature-gate.release.openshift.io/"
	setAnnotation  = "release.openshift.io/feature-set"
	allGates       = "CustomNoUpgrade"
)

// definitions returns the definitions that a suite is for.
func (s *suite) definitions(all []*crdvalidation.Definition) (found []*crdvalidation.Definition) {
	for _, d := range all {
		if s.CRDName == "" {
			o, err := object(s.Tests.OnCreate[0].Initial)
			if err == nil && o.GroupVersionKind().Group == d.Spec.Group && o.GetKind() == d.Spec.Names.Kind {
				found = append(found, d)
			}
			continue
		}
		hasGates := !slices.ContainsFunc(s.FeatureGates, func(gate string) bool {
			name, off := strings.CutPrefix(gate, "-")
			on := d.Annotations[gateAnnotation+name] == "true" || strings.Contains(d.Annotations[setAnnotation], allGates)
			return on == off
		})
		if d.Name == s.CRDName && hasGates {
			found = append(found, d)
		}
	}
	return found
}
