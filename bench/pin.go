//go:build pin

// This file is never built. It keeps requirements in go.mod: the module for which one case generates clients, and the
// module with its apply configurations.

package main

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/applyconfigurations"
)
