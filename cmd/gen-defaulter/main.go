// Command gen-defaulter generates functions that set defaults, with the flags of defaulter-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenDefaulter, os.Args[1:], os.Stdout, os.Stderr))
}
