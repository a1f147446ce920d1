package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// A definition is a CustomResourceDefinition from a file, in JSON.
type definition struct {
	file string
	name string
	json []byte
}

// readCRDs reads files, and the .yaml files directly in directories.
func readCRDs(paths []string) ([]definition, error) {
	var found []definition
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("--crds: %w", err)
		}
		files := []string{path}
		if info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.yaml")); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("--crds: there are no .yaml files in %s", path)
			}
		}
		for _, file := range files {
			definitions, err := readCRDFile(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			found = append(found, definitions...)
		}
	}
	return found, nil
}

func readCRDFile(file string) ([]definition, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var found []definition
	documents := yamlutil.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		asJSON, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return nil, err
		}
		if string(asJSON) == "null" {
			continue // a comment, or nothing at all
		}
		var crd metav1.PartialObjectMetadata
		if err := yaml.Unmarshal(document, &crd); err != nil {
			return nil, err
		}
		if crd.Kind != "CustomResourceDefinition" {
			return nil, fmt.Errorf("a %s, where a CustomResourceDefinition is expected", crd.Kind)
		}
		found = append(found, definition{file: file, name: crd.Name, json: asJSON})
	}
}

// applyCRDs returns when the server serves all the definitions.
func applyCRDs(ctx context.Context, config *rest.Config, definitions []definition) error {
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	force := true
	for _, definition := range definitions {
		_, err := crds.Patch(ctx, definition.name, types.ApplyPatchType, definition.json, metav1.PatchOptions{
			FieldManager: "apiserver", Force: &force,
		})
		if err != nil {
			return fmt.Errorf("%s: %w", definition.file, err)
		}
	}
	for _, definition := range definitions {
		if err := waitServed(ctx, client, definition.name); err != nil {
			return fmt.Errorf("%s: %w", definition.file, err)
		}
	}
	return nil
}

// waitServed returns when discovery lists all versions of a CustomResourceDefinition, which happens after they are
// served.
func waitServed(ctx context.Context, client clientset.Interface, name string) error {
	return wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		crd, err := client.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range crd.Status.Conditions {
			switch {
			case condition.Type == apiextensionsv1.NamesAccepted && condition.Status == apiextensionsv1.ConditionFalse,
				condition.Type == apiextensionsv1.KubernetesAPIApprovalPolicyConformant && condition.Status == apiextensionsv1.ConditionFalse:
				return false, errors.New(condition.Message) // it will not be established
			}
		}
		for _, version := range crd.Spec.Versions {
			if !version.Served {
				continue
			}
			resources, err := client.Discovery().ServerResourcesForGroupVersion(crd.Spec.Group + "/" + version.Name)
			if apierrors.IsNotFound(err) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			found := false
			for _, resource := range resources.APIResources {
				found = found || resource.Name == crd.Spec.Names.Plural
			}
			if !found {
				return false, nil
			}
		}
		return true, nil
	})
}
