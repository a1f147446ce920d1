// Command apilint lints Kubernetes API types: it runs kube-api-linter, with the configuration of golangci-lint that
// projects have for it, and the checks of kubegen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/apilint"
)

func main() {
	os.Exit(apilint.Main(os.Args[1:], os.Stdout, os.Stderr))
}
