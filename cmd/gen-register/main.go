// Command gen-register generates the code that adds API types to a scheme, with the flags of register-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenRegister, os.Args[1:], os.Stdout, os.Stderr))
}
