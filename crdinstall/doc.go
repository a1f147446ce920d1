// Package crdinstall installs and upgrades the CustomResourceDefinitions of a program when it starts, with
// server-side apply. [Install] never puts an older definition over a newer one, keeps what others own of
// spec.conversion, keeps stored versions that status.storedVersions names, and returns once the server serves
// everything:
//
//	results, err := crdinstall.Install(ctx, config, manifests, crdinstall.Release("v1.4.0"), crdinstall.Migrate())
//
// kubegen generates a package with the manifests, a function that calls Install with them, and +kubebuilder:rbac
// markers for the requests with --with-install.
//
// The package works with client-go v0.33 and later, and with servers of apiextensions.k8s.io/v1.
package crdinstall
