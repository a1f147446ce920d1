// Command gen-conversion generates conversion functions, with the flags of conversion-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenConversion, os.Args[1:], os.Stdout, os.Stderr))
}
