package crdinstall

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/version"
)

// definitions is the resource of CustomResourceDefinitions.
var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// definition is a CustomResourceDefinition of the program, or of the server.
type definition struct{ *unstructured.Unstructured }

// read returns the definitions in all .yaml, .yml and .json files, ordered by file. It skips objects of other kinds.
func read(manifests fs.FS) (found []definition, err error) {
	files := map[string]string{} // by the name of a definition
	err = fs.WalkDir(manifests, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file)) {
			return err
		}
		text, err := fs.ReadFile(manifests, file)
		if err != nil {
			return err
		}
		inFile, err := parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, d := range inFile {
			if other, ok := files[d.GetName()]; ok {
				return fmt.Errorf("%s: the manifests have this definition twice, in %s and %s; remove one of them", d.GetName(), other, file)
			}
			files[d.GetName()] = file
		}
		found = append(found, inFile...)
		return nil
	})
	if err == nil && len(found) == 0 {
		err = errors.New("the manifests have no CustomResourceDefinition")
	}
	return found, err
}

// parse returns the definitions in the documents of a file, and in lists there.
func parse(text []byte) (found []definition, err error) {
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		var object map[string]any
		decode := yaml.UnmarshalStrict // refuses keys that are set twice, as kubegen does
		if bytes.Contains(document, []byte("<<")) {
			decode = yaml.Unmarshal // the strict one takes a key that replaces a merged one for such a key
		}
		if err == nil {
			err = decode(document, &object)
		}
		if err != nil {
			return nil, errors.New(strings.Join(strings.Fields(err.Error()), " ")) // on one line
		}
		objects := []any{object}
		if items, ok := object["items"].([]any); ok && strings.HasSuffix(fmt.Sprint(object["kind"]), "List") {
			objects = items
		}
		for _, o := range objects {
			object, _ := o.(map[string]any)
			d := definition{&unstructured.Unstructured{Object: object}}
			if d.GetKind() != "CustomResourceDefinition" {
				continue
			}
			if err := d.check(); err != nil {
				return nil, err
			}
			delete(d.Object, "status")
			unstructured.RemoveNestedField(d.Object, "metadata", "creationTimestamp") // null in manifests of older tools
			found = append(found, d)
		}
	}
}

// check reports what the other functions of this package cannot do without.
func (d definition) check() error {
	group, _, _ := unstructured.NestedString(d.Object, "spec", "group")
	switch {
	case d.GetAPIVersion() != definitions.GroupVersion().String():
		return fmt.Errorf("%s: the definition is of %s, not of %s; convert it", d.GetName(), d.GetAPIVersion(), definitions.GroupVersion())
	case group == "" || d.GetName() != d.plural()+"."+group:
		return fmt.Errorf("the name of definition %q must be spec.names.plural, a dot and spec.group", d.GetName())
	case d.storage() == "":
		return fmt.Errorf("%s: no version has storage: true", d.GetName())
	}
	return nil
}

func (d definition) plural() string {
	plural, _, _ := unstructured.NestedString(d.Object, "spec", "names", "plural")
	return plural
}

// resource returns the resource of a version.
func (d definition) resource(version string) schema.GroupVersionResource {
	group, _, _ := unstructured.NestedString(d.Object, "spec", "group")
	return schema.GroupVersionResource{Group: group, Version: version, Resource: d.plural()}
}

// versions returns the versions, with the highest one first, in the order of API servers. They must not be changed.
func (d definition) versions() (all []map[string]any) {
	value, _, _ := unstructured.NestedFieldNoCopy(d.Object, "spec", "versions")
	list, _ := value.([]any)
	for _, v := range list {
		if v, ok := v.(map[string]any); ok {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b map[string]any) int { return version.CompareKubeAwareVersionStrings(nameOf(b), nameOf(a)) })
	return all
}

// find returns a version, or nil.
func (d definition) find(name string) map[string]any {
	for _, v := range d.versions() {
		if nameOf(v) == name {
			return v
		}
	}
	return nil
}

// storage returns the name of the version in which objects are stored.
func (d definition) storage() string {
	for _, v := range d.versions() {
		if v["storage"] == true {
			return nameOf(v)
		}
	}
	return ""
}

// served returns the names of the served versions, with the highest one first.
func (d definition) served() (names []string) {
	for _, v := range d.versions() {
		if v["served"] == true {
			names = append(names, nameOf(v))
		}
	}
	return names
}

// stored returns the versions in which objects may be stored.
func (d definition) stored() []string {
	names, _, _ := unstructured.NestedStringSlice(d.Object, "status", "storedVersions")
	return names
}

// lacks returns those of some versions that the definition does not have.
func (d definition) lacks(names []string) (missing []string) {
	for _, name := range names {
		if d.find(name) == nil {
			missing = append(missing, name)
		}
	}
	return missing
}

// condition returns the status of a condition, which is True, False, Unknown or "", and its message.
func (d definition) condition(name string) (status, message string) {
	list, _, _ := unstructured.NestedSlice(d.Object, "status", "conditions")
	for _, c := range list {
		if c, ok := c.(map[string]any); ok && c["type"] == name {
			status, _ = c["status"].(string)
			message, _ = c["message"].(string)
		}
	}
	return status, message
}

// annotate sets an annotation.
func (d definition) annotate(key, value string) {
	annotations := d.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	d.SetAnnotations(annotations)
}

// copy returns a copy that may be changed.
func (d definition) copy() definition { return definition{d.DeepCopy()} }

func nameOf(version map[string]any) string {
	name, _ := version["name"].(string)
	return name
}

// and joins names for a message.
func and(names []string) string { return strings.Join(names, ", ") }
