//go:build pin

// This file is never built. It keeps in go.mod the module that one case generates clients for, and the
// one that has its apply configurations.

package main

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/applyconfigurations"
)
