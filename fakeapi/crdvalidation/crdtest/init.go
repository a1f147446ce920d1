package crdtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// Init writes a first suite for each served version of the definitions in files and directories, or of those with the
// names, to files of a directory. A suite has objects that are accepted, and for each constraint an object that is
// refused with its error. It is a start, for people to edit. Init returns the names of the files, and the constraints
// for which it has found no object of 8 KiB at most, which are listed in the suites too. If a file exists, no version
// is served, or the server's code refuses a definition or all objects of a version, nothing is written.
func Init(definitions []string, dir string, names ...string) (files []string, untested []Constraint, err error) {
	if isForObjects(dir) {
		return nil, nil, fmt.Errorf("%s is for objects, not for suites; name another directory", dir)
	}
	all, err := crdvalidation.Definitions(definitions...)
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, name := range names {
		if !slices.ContainsFunc(all, func(d *crdvalidation.Definition) bool { return d.Name == name }) {
			errs = append(errs, fmt.Errorf("no definition of %s in %q", name, definitions))
		}
	}
	selected := slices.DeleteFunc(all, func(d *crdvalidation.Definition) bool { return len(names) > 0 && !slices.Contains(names, d.Name) })
	var manifests []string
	for _, definition := range selected {
		manifests = append(manifests, definition.File)
	}
	if err := errors.Join(append(errs, crdvalidation.Validate(slices.Compact(manifests)...))...); err != nil {
		return nil, nil, err
	}
	texts, of := [][]byte{}, map[string]*crdvalidation.Definition{}
	for _, definition := range selected {
		for i, version := range definition.Spec.Versions {
			if !version.Served {
				continue
			}
			line, _ := definition.Locate(fmt.Sprintf("spec.versions[%d].name", i))
			where := fmt.Sprintf("%s:%d: %s %s", definition.File, line, definition.Name, version.Name)
			file := filepath.Join(dir, definition.Name+"_"+version.Name+".testsuite.yaml")
			if twice := of[file]; twice != nil {
				errs = append(errs, fmt.Errorf("%s: it is also defined in %s; select one of the files", where, twice.File))
				continue
			}
			of[file] = definition
			if _, err := os.Lstat(file); err == nil {
				errs = append(errs, fmt.Errorf("%s exists; name other definitions, or remove it", file))
				continue
			}
			text, missing, err := firstSuite(definition, version.Name, file)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", where, err))
				continue
			}
			files, texts, untested = append(files, file), append(texts, text), append(untested, missing...)
		}
	}
	if len(of) == 0 {
		errs = append(errs, fmt.Errorf("no version in %q is served", manifests))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	if err := writeNew(dir, files, texts); err != nil {
		return nil, nil, err
	}
	return files, untested, nil
}

// writeNew writes files of a directory, all or none.
func writeNew(dir string, files []string, texts [][]byte) (err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var written []string
	defer func() {
		for _, file := range written {
			if err != nil {
				_ = os.Remove(file)
			}
		}
	}()
	for i, file := range files {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s exists; name other definitions, or remove it", file)
		} else if err != nil {
			return err
		}
		written = append(written, file)
		_, err = f.Write(texts[i])
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// firstSuite returns a suite for a version, which passes, and the constraints that it does not test.
func firstSuite(definition *crdvalidation.Definition, version, file string) (text []byte, untested []Constraint, err error) {
	on, err := newSchemas(definition)
	if err != nil {
		return nil, nil, err
	}
	b, err := newBuilder(on, version)
	if err != nil {
		return nil, nil, err
	}
	creations, updates := &yaml.Node{Kind: yaml.SequenceNode}, &yaml.Node{Kind: yaml.SequenceNode}
	add := func(name string, a *attempt, expected string) error {
		pairs := []string{"name", name, "initial", "", "updated", ""}
		for i, o := range []map[string]any{a.initial, a.updated} {
			if o != nil {
				text, err := encoded(o)
				if err != nil {
					return err
				}
				pairs[2*i+3] = string(text)
			}
		}
		list := creations
		if a.updated != nil {
			list = updates
		}
		list.Content = append(list.Content, mapping(append(pairs, a.key, expected)...))
		return nil
	}
	errs := []error{add("accepts the required fields", &attempt{initial: b.base}, "")}
	if full := b.filled(); len(fmt.Sprint(full)) != len(fmt.Sprint(b.base)) {
		errs = append(errs, add("accepts optional fields", &attempt{initial: full}, ""))
	}
	for _, c := range constraints(definition) {
		if c.Version != version {
			continue
		}
		a := b.violation(&c)
		if a == nil {
			continue
		}
		what := c.Keyword
		if c.rule != nil && c.rule.Message != "" {
			what = oneLine(c.rule.Message)
		}
		name := strings.TrimPrefix(c.Path+": "+what, ": ")
		errs = append(errs, add("refuses "+name, a, expectedOf(a.errs[slices.IndexFunc(a.errs, c.isViolated)], c.rule != nil)))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	root := mapping("name", definition.Spec.Names.Kind+" "+version, "crdName", definition.Name, "version", version)
	tests := mapping("onCreate", "-")
	tests.Content[1] = creations
	if len(updates.Content) > 0 {
		tests.Content = append(tests.Content, mapping("onUpdate", "-").Content[0], updates)
	}
	root.Content = append(root.Content, mapping("tests", "-").Content[0], tests)
	body, err := encoded(root)
	if err != nil {
		return nil, nil, err
	}
	if untested, err = b.confirmed(file, body); err != nil {
		return nil, nil, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "# A first suite for %s %s, made by crdtest -init from the schema. It is a start: edit\n"+
		"# it, so that the objects are those of users, and the names of the tests say what users rely on.\n", definition.Name, version)
	if len(untested) > 0 {
		head.WriteString("#\n# No test violates these constraints:\n")
	}
	for _, c := range untested {
		fmt.Fprintf(&head, "# - %s: %s\n", cmp.Or(c.Path, "the object"), c.Keyword)
	}
	return append(head.Bytes(), body...), untested, nil
}

// confirmed runs a suite, and returns the constraints that it does not test.
func (b *builder) confirmed(file string, text []byte) (untested []Constraint, err error) {
	suites, err := parseSuite(file, text)
	if err != nil {
		return nil, err
	}
	fresh := &schemas{definition: b.definition, rules: b.rules, coverage: coverage{}}
	var errs []error
	for _, s := range suites {
		for _, result := range s.run(fresh) {
			if result.Err != nil {
				errs = append(errs, fmt.Errorf("the test %q would fail: %w", result.Name, result.Err))
			}
		}
	}
	for _, c := range fresh.untested() {
		if c.Version == b.version {
			untested = append(untested, c)
		}
	}
	return untested, errors.Join(errs...)
}

// mapping returns a node with keys and values. It leaves out empty values, and writes values of several lines as such.
func mapping(pairs ...string) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		value := &yaml.Node{}
		value.SetString(pairs[i+1])
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: pairs[i]}, value)
	}
	return m
}

// expectedOf returns the part of the message for an error that is the same in all releases: without the values that
// break rules, and without large ones.
func expectedOf(err *field.Error, rule bool) string {
	text := err.Error()
	switch err.BadValue.(type) {
	case string, bool, int64, float64, int, nil, field.OmitValueType:
		if !rule && len(text) <= 300 {
			return text
		}
	}
	if err.Detail == "" {
		return err.Field + ": " + err.Type.String()
	}
	return err.Detail
}
