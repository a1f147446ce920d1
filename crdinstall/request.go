package crdinstall

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// migrations is the resource of StorageVersionMigrations, without a version.
var migrations = schema.GroupVersionResource{Group: "storagemigration.k8s.io", Resource: "storageversionmigrations"}

// request migrates the objects of a definition with a StorageVersionMigration, and deletes it once it has ended. done
// is false if the server has none, or nothing takes care of it.
func (in *installer) request(ctx context.Context, d definition) (done bool, err error) {
	resource := migrations
	if resource.Version, err = in.migrationVersion(ctx); err != nil || resource.Version == "" {
		return false, err
	}
	client := in.all.Resource(resource)
	made := migration(d, resource.Version)
	err = in.repeat(ctx, func() error {
		now, err := client.Get(ctx, made.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			now, err = client.Create(ctx, made, metav1.CreateOptions{FieldManager: in.manager})
		}
		if err != nil {
			return err
		}
		made = now
		return state(now)
	})
	waits := errors.As(err, new(pending)) && ctx.Err() == nil // the controller is switched off
	if err != nil && !waits {
		return false, err
	}
	uid := made.GetUID()
	return !waits, in.repeat(ctx, func() error {
		err := client.Delete(ctx, made.GetName(), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) { // another program has deleted it
			return nil
		}
		return err
	})
}

// state returns nil for a StorageVersionMigration that has succeeded.
func state(migration *unstructured.Unstructured) error {
	known := false
	for _, condition := range []string{"Running", "Succeeded", "Failed"} {
		status, message := definition{migration}.condition(condition)
		switch known = known || status != ""; {
		case status == "True" && condition == "Succeeded":
			return nil
		case status == "True" && condition == "Failed":
			return fmt.Errorf("StorageVersionMigration %s failed: %s; delete it to try again", migration.GetName(), message)
		}
	}
	return pending{fmt.Errorf("StorageVersionMigration %s has not ended", migration.GetName()), known}
}

// migration returns the StorageVersionMigration of a definition in its present state. Each state has a name of its own,
// so that one that has ended is not taken for that of a later state, and a program that starts again finds its own.
func migration(d definition, version string) *unstructured.Unstructured {
	of := d.resource(d.storage())
	resource := map[string]any{"group": of.Group, "resource": of.Resource}
	if version == "v1alpha1" {
		resource["version"] = of.Version
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": migrations.Group + "/" + version,
		"kind":       "StorageVersionMigration",
		"metadata":   map[string]any{"name": fmt.Sprintf("crdinstall-%s-%d", d.GetUID(), d.GetGeneration())},
		"spec":       map[string]any{"resource": resource},
	}}
}

// migrationVersion returns the version of StorageVersionMigrations that the server has, or "".
func (in *installer) migrationVersion(ctx context.Context) (string, error) {
	var group metav1.APIGroup
	err := in.repeat(ctx, func() error { return in.discover(ctx, migrations.Group, &group) })
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
		if slices.ContainsFunc(group.Versions, func(v metav1.GroupVersionForDiscovery) bool { return v.Version == version }) {
			return version, err
		}
	}
	return "", err
}
