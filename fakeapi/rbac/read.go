package rbac

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Read returns roles from all Roles, ClusterRoles, RoleBindings and ClusterRoleBindings in YAML or JSON files, in the
// version rbac.authorization.k8s.io/v1. In a directory and its subdirectories, it reads files whose names end in .yaml,
// .yml or .json. Documents of other kinds are ignored. It is an error if there is no role. For everything else, see
// [New].
func Read(paths ...string) (*Roles, error) {
	r := newRoles()
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || file != path && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
				return err
			}
			return r.readFile(file)
		})
		if err != nil {
			return nil, err
		}
	}
	if len(r.roles) == 0 {
		return nil, fmt.Errorf("no Role or ClusterRole of %s in %q", rbacv1.SchemeGroupVersion, paths)
	}
	return r, nil
}

// readFile adds the objects in a file.
func (r *Roles) readFile(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for documents := yamlv3.NewDecoder(f); ; {
		var document yamlv3.Node
		if err := documents.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := r.readDocument(&document, file); err != nil {
			return err
		}
	}
}

// readDocument adds the object in a document.
func (r *Roles) readDocument(document *yamlv3.Node, file string) error {
	var content struct {
		APIVersion string        `yaml:"apiVersion"`
		Kind       string        `yaml:"kind"`
		Rules      []yamlv3.Node `yaml:"rules"`
	}
	if document.Content[0].Kind != yamlv3.MappingNode || document.Decode(&content) != nil ||
		content.APIVersion != rbacv1.SchemeGroupVersion.String() {
		return nil
	}
	objects := map[string]runtime.Object{
		"Role": &rbacv1.Role{}, "ClusterRole": &rbacv1.ClusterRole{}, "RoleBinding": &rbacv1.RoleBinding{},
		"ClusterRoleBinding": &rbacv1.ClusterRoleBinding{},
	}
	object := objects[content.Kind]
	if object == nil {
		return nil
	}
	text, err := yamlv3.Marshal(document)
	if err == nil {
		err = yaml.UnmarshalStrict(text, object)
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %s: %w", file, document.Line, content.Kind, err)
	}
	var lines []int
	for _, rule := range content.Rules {
		lines = append(lines, rule.Line)
	}
	return r.add(object, file, lines)
}
