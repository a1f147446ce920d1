// Command gen-openapi generates the OpenAPI definitions of Go types, with the flags of openapi-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenOpenAPI, os.Args[1:], os.Stdout, os.Stderr))
}
