package crdvalidation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/place"
)

// Manifests are the documents in files and directories.
type Manifests struct {
	Definitions []*Definition
	Outdated    []error // for definitions of a version that servers no longer have, with their places
	Others      int     // documents that are none of these

	patches place.Patches
}

// A Definition is a CustomResourceDefinition in a file.
type Definition struct {
	*apiextensionsv1.CustomResourceDefinition
	File string

	node *yaml.Node // in the file, or nil
}

// Definitions returns all CustomResourceDefinitions in files and directories, which are read as in [Read].
func Definitions(paths ...string) ([]*Definition, error) {
	read, err := ReadManifests(paths...)
	if err != nil {
		return nil, err
	}
	if len(read.Definitions) == 0 {
		return nil, errors.Join(read.Outdated...)
	}
	return read.Definitions, nil
}

// each calls f for each definition in files and directories, which are read as in [Read]. Errors include the name of
// the file.
func each(paths []string, f func(*Definition) error) error {
	definitions, err := Definitions(paths...)
	if err != nil {
		return err
	}
	var problems []error
	for _, d := range definitions {
		if err := f(d); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", d.File, err))
		}
	}
	return errors.Join(problems...)
}

// ReadManifests reads files and directories as [Read] does.
func ReadManifests(paths ...string) (*Manifests, error) {
	m := &Manifests{patches: place.Patches{}}
	var errs []error
	read := map[string]bool{}
	for _, path := range paths {
		files, err := place.Files(path, ".yaml", ".yml", ".json")
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%s: %w; name files and directories with CustomResourceDefinitions, such as config/crd/bases", path, os.ErrNotExist)
		}
		if errs = append(errs, err); err != nil {
			continue
		}
		for _, file := range files {
			if !read[filepath.Clean(file)] {
				read[filepath.Clean(file)] = true
				errs = append(errs, m.read(file))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(m.Definitions)+len(m.Outdated) == 0 {
		return nil, fmt.Errorf("no CustomResourceDefinition of %s in %s (.yaml, .yml and .json files there: %d); name the directory of the "+
			"manifests, such as config/crd/bases", apiextensionsv1.SchemeGroupVersion, strings.Join(paths, ", "), len(read))
	}
	return m, nil
}

// kind is the kind of definitions.
const kind = "CustomResourceDefinition"

// read reads a file.
func (m *Manifests) read(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var errs []error
	for _, document := range place.Documents(file, string(text)) {
		if !strings.Contains(document.Text, kind) {
			m.Others++
			continue
		}
		objects, err := document.Objects()
		if err != nil && document.Has("kind", func(value string) bool { return value == kind }) {
			errs = append(errs, err)
		} else if err != nil {
			m.Others++
		}
		for _, o := range objects {
			if o.Kind.Group != apiextensionsv1.GroupName || o.Kind.Kind != kind || m.patches.Has(file) {
				m.Others++
				continue
			}
			errs = append(errs, m.add(o))
		}
	}
	return errors.Join(errs...)
}

// add adds a definition, unless it is a patch of one.
func (m *Manifests) add(o place.Object) error {
	if version := apiextensionsv1.SchemeGroupVersion; o.Kind.GroupVersion() != version {
		key, _ := place.Find(o.Node, "apiVersion")
		err := o.At(key, "servers have no %s since Kubernetes v1.22; write the definition for %s", o.Kind.GroupVersion(), version)
		m.Outdated = append(m.Outdated, err)
		return nil
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := place.Join(append(o.Repeated(), decode(o, definition)...)...); err != nil {
		return err
	}
	if spec := definition.Spec; spec.Group == "" && spec.Names.Kind == "" && len(spec.Versions) == 0 {
		m.Others++
		return nil
	}
	m.Definitions = append(m.Definitions, &Definition{definition, o.File, o.Node})
	return nil
}

// decode decodes a definition as strictly as a server does for "kubectl apply --validate=strict".
func decode(o place.Object, to any) (errs []*place.Error) {
	data, err := o.JSON()
	if err != nil && strings.Contains(o.Text, "{{") {
		err = errors.New("this is a template of Helm; render it first, such as with helm template")
	}
	if err != nil {
		return []*place.Error{o.At(o.Node, "%w", err)}
	}
	unknown, err := kjson.UnmarshalStrict(data, to)
	if err != nil {
		return []*place.Error{o.Mistyped(err, "")}
	}
	for _, err := range unknown {
		key := o.Node
		if at, ok := err.(kjson.FieldError); ok {
			key, _ = place.Find(o.Node, at.FieldPath())
		}
		errs = append(errs, o.At(key, "%w", err))
	}
	return errs
}
