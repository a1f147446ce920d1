//go:build requirements

// This file is never built. `go get -tool` adds to go.mod what it imports, and with it all that packages of types need: so that
// kubegen can list them at once in a new module, where `go mod tidy` has not been run.

package cli

import _ "k8s.io/apimachinery/pkg/apis/meta/v1"
