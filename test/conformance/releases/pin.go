//go:build pin

// This file is never built. It keeps in v0.NN.mod the modules that the test works on: the client-go of a release to
// compare with, the API types it was generated from, and what other generated code imports.

package conformance

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/kubernetes/fake"
)
