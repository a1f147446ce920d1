//go:build pin

// This file is never built. It keeps the requirements in go.mod of a module that one case generates clients for, and of
// the one with its apply configurations.

package main

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/applyconfigurations"
)
