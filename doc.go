// Package kubegen contains no code. A module with a vendor directory imports it so that "go mod vendor" copies
// kube_codegen.sh.
package kubegen
