// Command gen-applyconfiguration generates apply configurations, with the flags of applyconfiguration-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenApplyConfiguration, os.Args[1:], os.Stdout, os.Stderr))
}
