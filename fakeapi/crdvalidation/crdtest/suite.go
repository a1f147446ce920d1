package crdtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/place"
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

// readSuites reads the suites in files and directories.
func readSuites(paths []string) (suites []*suite, err error) {
	var errs []error
	files := 0
	for _, path := range paths {
		found, err := place.Files(path, ".yaml", ".yml", ".json")
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w; name files and directories with suites, or write first ones with crdtest -init %[1]s", path, os.ErrNotExist)
		}
		if errs = append(errs, err); err != nil {
			continue
		}
		files += len(found)
		for _, file := range found {
			read, err := readSuite(file)
			suites, errs = append(suites, read...), append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(suites) == 0 {
		return nil, fmt.Errorf("no suites in %s (.yaml, .yml and .json files there: %d); a suite has the keys crdName and tests, or is in a "+
			"directory named valid or invalid; crdtest -init DIRECTORY writes first ones", strings.Join(paths, ", "), files)
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
	if dir := filepath.Dir(file); isForObjects(dir) {
		return objectsIn(file, text, filepath.Base(dir) == "invalid")
	}
	root := &yaml.Node{}
	if err := yaml.Unmarshal(text, root); err != nil {
		return nil, located(file, err)
	}
	if root.Kind == 0 || child(root.Content[0], "tests") == nil {
		return nil, nil // it is for another purpose
	}
	s := &suite{file: file, line: root.Content[0].Line, text: text, root: root}
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	if err := strict.Decode(s); err != nil {
		return nil, located(file, err)
	}
	var next yaml.Node
	if err := strict.Decode(&next); err == nil && next.Content[0].Tag != "!!null" {
		return nil, at(file, next.Content[0].Line, "a suite is one document; move this one to another file")
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, located(file, err)
	}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	switch {
	case s.CRDName == "":
		return nil, at(file, s.line, "the suite has no crdName, the name of the definition")
	case len(s.Tests.OnCreate)+len(s.Tests.OnUpdate) == 0:
		return nil, at(file, s.line, "the suite has no tests")
	}
	return []*suite{s}, errors.Join(s.place("onCreate", s.Tests.OnCreate), s.place("onUpdate", s.Tests.OnUpdate))
}

// isForObjects reports whether a directory has objects instead of suites.
func isForObjects(dir string) bool {
	return slices.Contains([]string{"valid", "invalid"}, filepath.Base(dir))
}

// place sets the nodes of the tests of a list, and returns the errors that belong to no value.
func (s *suite) place(key string, tests []*test) error {
	var nodes []*yaml.Node
	if list := child(child(s.root.Content[0], "tests"), key); list != nil {
		nodes = list.Content
	}
	if len(nodes) != len(tests) {
		return at(s.file, s.line, "the tests of %s are merged by <<; write them to tests.%[1]s", key)
	}
	var errs []error
	for i, t := range tests {
		switch node := place.Resolved(nodes[i]); {
		case t == nil:
			errs = append(errs, at(s.file, node.Line, "a test of the suite is empty"))
		case key == "onCreate" && (t.Updated != "" || t.ExpectedStatusError != ""):
			errs = append(errs, at(s.file, node.Line, "a test of onCreate has updated or expectedStatusError; move it to onUpdate"))
		default:
			t.node, t.isUpdate, t.Name = node, key == "onUpdate", cmp.Or(t.Name, fmt.Sprintf("%s[%d]", key, i))
		}
	}
	return errors.Join(errs...)
}

// child returns the value of a key, or nil.
func child(node *yaml.Node, key string) *yaml.Node {
	_, value := place.Child(node, key)
	return place.Resolved(value)
}

// goType matches what package yaml says about a Go type.
var goType = regexp.MustCompile(` (?:in type|into) .*$`)

// at returns an error at a line.
func at(file string, line int, format string, args ...any) error {
	return &place.Error{File: file, Line: line, Err: fmt.Errorf(format, args...)}
}

// located returns an error of package yaml with the file and lines.
func located(file string, err error) error {
	texts := []string{err.Error()}
	var of *yaml.TypeError
	if errors.As(err, &of) {
		texts = of.Errors
	}
	var errs []error
	for _, text := range texts {
		line := 1
		if found := place.LineOf.FindStringSubmatch(text); found != nil {
			line, _ = strconv.Atoi(found[1])
		}
		remedy := ""
		if strings.HasSuffix(text, " into string") {
			remedy = "; write the object as text, after |"
		}
		errs = append(errs, at(file, line, "%s%s", goType.ReplaceAllString(place.LineOf.ReplaceAllString(text, ""), ""), remedy))
	}
	return errors.Join(errs...)
}

// objectsIn returns a suite for each object in a file of a directory named valid or invalid.
func objectsIn(file string, text []byte, refused bool) (suites []*suite, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return suites, nil
		} else if err != nil {
			return nil, located(file, err)
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

// definitions returns the definitions that a suite is for, and what they define.
func (s *suite) definitions(all []*crdvalidation.Definition) (found []*crdvalidation.Definition, what string, err error) {
	is := func(d *crdvalidation.Definition) bool {
		return d.Name == s.CRDName && !slices.ContainsFunc(s.FeatureGates, func(gate string) bool {
			name, off := strings.CutPrefix(gate, "-")
			on := d.Annotations[gateAnnotation+name] == "true" || strings.Contains(d.Annotations[setAnnotation], allGates)
			return on == off
		})
	}
	if what = s.CRDName; len(s.FeatureGates) > 0 {
		what += " with the gates of the suite"
	}
	if s.CRDName == "" {
		o, err := object(s.Tests.OnCreate[0].Initial)
		if err != nil {
			return nil, "", err
		}
		kind := o.GroupVersionKind().GroupKind()
		what = kind.String()
		is = func(d *crdvalidation.Definition) bool {
			return d.Spec.Group == kind.Group && d.Spec.Names.Kind == kind.Kind
		}
	}
	for _, d := range all {
		if is(d) {
			found = append(found, d)
		}
	}
	return found, what, nil
}
